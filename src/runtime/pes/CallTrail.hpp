// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CALL_TRAIL_HPP
#define SYMM_CALL_TRAIL_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../base/Text.hpp"
#include "RuntimeCall.hpp"

namespace symm::Impl {

/// What this PE has done between collective calls that all PEs must do in the
/// same order: the calls of stream-ordered pools. They are noted here without
/// talking; the next Rendezvous finds a difference by the hash, and by the
/// calls that are kept which call it is (P04).
///
/// All local. One thread at a time, and not while another thread of the PE is
/// in a collective call: whether that finds the call noted would be chance.
class CallTrail {
 public:
  /// How many of the latest calls are kept.
  static constexpr std::size_t capacity = 1024;

  // Not "= default", which would clear what is kept, and so take the memory of
  // programs without pools.
  CallTrail() noexcept {}

  CallTrail(CallTrail const&)            = delete;
  CallTrail& operator=(CallTrail const&) = delete;

  /// \param arguments compared between PEs.
  /// \param label     shown in messages, cut there; not compared.
  void note(RuntimeCall operation, RuntimeCallArguments const& arguments,
            char const* label = "") noexcept;

  /// Calls noted so far.
  [[nodiscard]] std::uint64_t count() const {
    return m_count.load(std::memory_order_relaxed);
  }
  /// Of all calls so far, with their order and arguments; 0: none.
  [[nodiscard]] std::uint64_t hash() const {
    return m_hash.load(std::memory_order_relaxed);
  }
  /// How often PEs were found to differ. What was built on equal calls in an
  /// earlier generation is out of step for ever.
  [[nodiscard]] std::uint64_t generation() const {
    return m_generation.load(std::memory_order_relaxed);
  }

  // For Rendezvous, to find the first call that differs.

  /// The oldest call that is kept, counted from 0; count() if none is.
  [[nodiscard]] std::uint64_t oldest() const {
    return count() < capacity ? 0 : count() - capacity;
  }
  /// Of the calls before `call`. Precondition: oldest() <= call <= count().
  [[nodiscard]] std::uint64_t hash_before(std::uint64_t call) const {
    return call == count() ? hash() : kept(call).before;
  }
  /// Precondition: oldest() <= call < count().
  [[nodiscard]] Text text_of(std::uint64_t call) const;
  /// Forgets all calls, in a new generation.
  void start_anew() noexcept;

 private:
  struct alignas(64) Kept {
    std::uint64_t before;  // hash of the calls before
    RuntimeCallArguments arguments;
    RuntimeCall operation;
    std::array<char, 30> label;
  };
  static_assert(sizeof(Kept) == 64);

  [[nodiscard]] Kept const& kept(std::uint64_t call) const {
    return m_kept[call % capacity];
  }

  // Atomic for the threads of programs that break the rule above.
  std::atomic<std::uint64_t> m_hash{0};
  std::atomic<std::uint64_t> m_count{0};
  std::atomic<std::uint64_t> m_generation{0};
  std::array<Kept, capacity> m_kept;  // in turn
};

}  // namespace symm::Impl

#endif

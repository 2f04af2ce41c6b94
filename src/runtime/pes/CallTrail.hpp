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

/// A log of this PE's calls to stream-ordered pools. All PEs must make these
/// calls in the same order, but the calls themselves do not communicate.
/// Instead, the next Rendezvous compares all PEs' hashes. If the hashes differ,
/// the Rendezvous finds the first logged call that differs (P04).
///
/// All functions are local. Only one thread at a time may call them, and only
/// while no other thread of this PE is in a collective call. Otherwise, that
/// collective call might or might not see the new entry.
class CallTrail {
 public:
  /// The number of most recent calls that are kept.
  static constexpr std::size_t capacity = 1024;

  // Not "= default", which would zero m_kept and thereby allocate its pages
  // even in programs without pools.
  CallTrail() noexcept {}

  CallTrail(CallTrail const&)            = delete;
  CallTrail& operator=(CallTrail const&) = delete;

  /// \param arguments Compared across PEs.
  /// \param label A label for error messages, truncated to fit; not compared.
  void note(RuntimeCall operation, RuntimeCallArguments const& arguments,
            char const* label = "") noexcept;

  /// The number of calls logged so far.
  [[nodiscard]] std::uint64_t count() const {
    return m_count.load(std::memory_order_relaxed);
  }
  /// A hash of all calls so far, in order, with their arguments; 0 if there are
  /// no calls.
  [[nodiscard]] std::uint64_t hash() const {
    return m_hash.load(std::memory_order_relaxed);
  }
  /// The number of times that the PEs' calls were found to differ. Pools from
  /// earlier generations may still differ between PEs.
  [[nodiscard]] std::uint64_t generation() const {
    return m_generation.load(std::memory_order_relaxed);
  }

  // Rendezvous uses these functions to find the first call that differs.

  /// The index of the oldest call kept, counted from 0; count() if there is
  /// none.
  [[nodiscard]] std::uint64_t oldest() const {
    return count() < capacity ? 0 : count() - capacity;
  }
  /// The hash of the calls before `call`.
  /// Precondition: oldest() <= call <= count().
  [[nodiscard]] std::uint64_t hash_before(std::uint64_t call) const {
    return call == count() ? hash() : kept(call).before;
  }
  /// Precondition: oldest() <= call < count().
  [[nodiscard]] Text text_of(std::uint64_t call) const;
  /// Discards all calls and starts a new generation.
  void start_anew() noexcept;

 private:
  struct alignas(64) Kept {
    std::uint64_t before;  // hash of the calls before this one
    RuntimeCallArguments arguments;
    RuntimeCall operation;
    std::array<char, 30> label;
  };
  static_assert(sizeof(Kept) == 64);

  [[nodiscard]] Kept const& kept(std::uint64_t call) const {
    return m_kept[call % capacity];
  }

  // These are atomic in case a program violates the threading rule above.
  std::atomic<std::uint64_t> m_hash{0};
  std::atomic<std::uint64_t> m_count{0};
  std::atomic<std::uint64_t> m_generation{0};
  std::array<Kept, capacity> m_kept;  // a ring buffer
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_RANDOM_CALLS_HPP
#define SYMM_TEST_RANDOM_CALLS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/bootstrap/Bootstrap.hpp>
#include <runtime/heap/SymmetricHeap.hpp>

namespace symm_test {

/// Random collective calls on the heap of the runtime, the same on all PEs, and
/// a model that is simple enough to be right: blocks by their offsets, with the
/// bytes that each PE has written to them. What differs is an expectation that
/// fails.
class RandomCalls {
 public:
  static constexpr int n_pes = 3;
  /// What the heap is to be limited to (SYMM_HEAP_LIMIT): requests are refused
  /// now and then.
  static constexpr char const* heap_limit = "64M";

  /// The runtime is started, on n_pes PEs.
  RandomCalls(symm::Impl::Bootstrap& bootstrap, std::uint64_t seed);

  /// Collective: the next call.
  void call();
  /// Collective: gives everything back, and expects an empty heap.
  void end();

 private:
  /// When a PE destroys its View, and all of them in the end.
  using Times = std::array<long, n_pes>;

  enum class Kind { plain, view, memory, registered_view };

  struct Block {
    std::size_t offset = 0;
    std::size_t bytes  = 0;
    std::uint64_t seed = 0;  // of its contents
    Kind kind          = Kind::plain;
    Times ends{};            // Views
    char* memory = nullptr;  // of this PE, where it is registered
  };

  // What may come next.
  void allocate();
  void allocate_zeros();
  void reallocate();
  void free();
  void allocate_view();
  void free_view();
  void register_memory();
  void unregister_memory();
  void trim();
  void differ();
  void look_at_peer();

  [[nodiscard]] std::size_t below(std::size_t n) { return m_random() % n; }
  [[nodiscard]] std::size_t random_bytes();
  [[nodiscard]] Times random_ends();
  /// One of that kind that lives on all PEs, or null.
  [[nodiscard]] Block* pick(Kind kind);
  [[nodiscard]] static bool is_view(Kind kind) {
    return kind == Kind::view || kind == Kind::registered_view;
  }
  [[nodiscard]] char* part(symm::Pe pe) const { return m_heap.map().part(pe); }

  void add(void* address, Block block);
  void remove(std::size_t offset) { m_blocks.erase(offset); }
  /// Destroys this PE's Views whose time has come, and forgets those that no PE
  /// has any more: from then on their memory may be another's.
  void end_views();
  void fill(Block const& block) const;
  void expect_contents(Block const& block, symm::Pe pe, char const* address,
                       std::size_t bytes) const;
  void expect_zeros(Block const& block) const;
  void expect_equal_heaps();

  symm::Impl::Bootstrap& m_bootstrap;
  symm::Impl::SymmetricHeap& m_heap;
  symm::Pe m_me;
  std::mt19937_64 m_random;
  std::map<std::size_t, Block> m_blocks;  // by offset
  long m_time = 0;                        // in calls
};

}  // namespace symm_test

#endif

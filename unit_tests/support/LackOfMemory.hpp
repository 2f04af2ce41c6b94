// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_LACK_OF_MEMORY_HPP
#define SYMM_TEST_LACK_OF_MEMORY_HPP

#include <cstddef>

namespace symm_test {

/// Counts allocations by this thread, one of which fails. Programs that link
/// symm_test_lack_of_memory have an operator new that calls must_fail().
struct CountedAllocations {
  /// The number of the allocation that fails, counted from 1. If 0, none fails,
  /// and none is counted.
  inline static thread_local int fails_at = 0;
  inline static thread_local int count    = 0;
  /// Smaller allocations do not count.
  inline static thread_local std::size_t least_bytes = 0;

  static bool must_fail(std::size_t bytes);
};

/// Makes one allocation by this thread fail.
class LackOfMemory {
 public:
  /// Smaller allocations do not count: labels of Views are in private memory,
  /// too, and a single PE must never run out of memory for those.
  static constexpr std::size_t least_bytes = 1024;

  /// \param which the number of the allocation that fails, counted from 1; 0
  ///        for none.
  /// \param bytes smaller allocations do not count.
  explicit LackOfMemory(int which, std::size_t bytes = least_bytes)
      : m_which(which), m_least_bytes(bytes) {}

  template <class F>
  void in(F const& f) const {
    struct Guard {
      Guard(int which, std::size_t bytes) {
        CountedAllocations::count       = 0;
        CountedAllocations::least_bytes = bytes;
        CountedAllocations::fails_at    = which;
      }
      Guard(Guard const&)            = delete;
      Guard& operator=(Guard const&) = delete;
      ~Guard() { CountedAllocations::fails_at = 0; }
    };
    Guard const guard(m_which, m_least_bytes);
    f();
  }

  /// The same; if `lack` is null, nothing fails.
  template <class F>
  static void in(LackOfMemory const* lack, F const& f) {
    lack != nullptr ? lack->in(f) : f();
  }

 private:
  int m_which;
  std::size_t m_least_bytes;
};

}  // namespace symm_test

#endif

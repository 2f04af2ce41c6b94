// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CONTAINERS_LACK_OF_MEMORY_HPP
#define SYMM_TEST_CONTAINERS_LACK_OF_MEMORY_HPP

#include <cstddef>
#include <limits>

namespace symm_test {

/// One allocation of this thread fails. (The program has an operator new of its
/// own.)
class LackOfMemory {
 public:
  /// Smaller allocations do not count: labels of Views are in private memory,
  /// too, and no PE alone may lack that.
  static constexpr std::size_t least_bytes = 1024;

  /// \param which the number of the allocation that fails, from 1; 0: none.
  explicit LackOfMemory(int which) : m_which(which) {}

  template <class F>
  void in(F const& f) const {
    struct Guard {
      explicit Guard(int which) {
        t_count    = 0;
        t_fails_at = which;
      }
      Guard(Guard const&)            = delete;
      Guard& operator=(Guard const&) = delete;
      ~Guard() { t_fails_at = 0; }
    };
    Guard const guard(m_which);
    f();
  }

  /// The same; nothing fails if there is none.
  template <class F>
  static void in(LackOfMemory const* lack, F const& f) {
    lack != nullptr ? lack->in(f) : f();
  }

  /// For operator new.
  static bool must_fail(std::size_t bytes) {
    return t_fails_at > 0 && bytes >= least_bytes && ++t_count == t_fails_at;
  }

 private:
  inline static thread_local int t_fails_at = 0;
  inline static thread_local int t_count    = 0;

  int m_which;
};

}  // namespace symm_test

#endif

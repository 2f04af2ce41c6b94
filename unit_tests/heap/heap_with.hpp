// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_HEAP_WITH_HPP
#define SYMM_TEST_HEAP_WITH_HPP

#include <map>
#include <string>

namespace symm_test {

using Variables = std::map<std::string, std::string>;

/// The variables that the library reads, set to these values or not set at all
/// for the length of a scope.
class Environment {
 public:
  explicit Environment(Variables const& variables);
  Environment(Environment const&)            = delete;
  Environment& operator=(Environment const&) = delete;
  ~Environment();

 private:
  Variables m_before;
};

/// A symmetric heap started with these variables, for the length of a scope.
/// Collective.
class HeapWith {
 public:
  explicit HeapWith(Variables const& variables);
  HeapWith(HeapWith const&)            = delete;
  HeapWith& operator=(HeapWith const&) = delete;
  ~HeapWith();

  /// Whether this program has had a heap before.
  [[nodiscard]] static bool was_used() { return s_was_used; }

 private:
  static inline bool s_was_used = false;

  Environment m_environment;
};

}  // namespace symm_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_VIEW_HELPERS_HPP
#define SYMM_TEST_VIEW_HELPERS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/pattern.hpp>
#include <support/pes.hpp>

namespace symm_test {

using Space = symm::SymmetricSpace;

/// The PEs as a ring: who this PE writes to, and who writes to it.
inline symm::Pe right() { return (symm::my_pe() + 1) % symm::n_pes(); }
inline symm::Pe left() {
  return (symm::my_pe() + symm::n_pes() - 1) % symm::n_pes();
}

/// What `from` sends to `to` as element i, never 0: a put that reaches the
/// wrong PE, the sender itself or the wrong element cannot pass.
constexpr int value(symm::Pe from, symm::Pe to, std::size_t i) {
  return static_cast<int>(pattern({from, to}, i) % 1'000'000'007) + 1;
}

/// Calls body(i, j, ...) for every element of a View of any rank, the last
/// index fastest.
template <class View, class Body, class... Indices>
void for_each_index(View const& view, Body const& body, Indices... indices) {
  if constexpr (sizeof...(Indices) == View::rank()) {
    body(indices...);
  } else {
    for (std::size_t i = 0; i < view.extent(sizeof...(Indices)); ++i) {
      for_each_index(view, body, indices..., i);
    }
  }
}

/// Fills a View with what `from` sends to `to`, as for_each_index() counts.
template <class View>
void fill(View const& view, symm::Pe from, symm::Pe to) {
  std::size_t n = 0;
  for_each_index(view, [&](auto... i) { view(i...) = value(from, to, n++); });
}

/// Elements that are not what `from` has sent to `to`.
template <class View>
std::size_t count_wrong(View const& view, symm::Pe from, symm::Pe to) {
  std::size_t n     = 0;
  std::size_t wrong = 0;
  for_each_index(view, [&](auto... i) {
    if (view(i...) != value(from, to, n++)) ++wrong;
  });
  return wrong;
}

/// A View whose neighbours in the heap must stay as they are.
class GuardView {
 public:
  GuardView() : m_view("guard") { Kokkos::deep_copy(m_view, pattern); }
  [[nodiscard]] bool is_intact() const {
    return std::all_of(m_view.data(), m_view.data() + m_view.size(),
                       [](int x) { return x == pattern; });
  }

 private:
  static constexpr int pattern = -77;
  Kokkos::View<int[64], Space> m_view;
};

/// Collective: reclaims what earlier tests have destroyed, gives free chunks
/// back, and returns what the heap is like then.
inline symm::HeapStats settled() {
  symm::heap_trim();
  return symm::heap_stats();
}

/// Collective calls so far: local work must not change their number.
inline std::uint64_t n_calls() { return symm::heap_stats().n_collective_calls; }

/// The text of the exception that `call` throws; says so if it throws none or
/// another. Use EXPECT_THAT(message_of<E>(...), HasSubstr("...")).
template <class Exception, class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (Exception const& error) {
    return error.what();
  } catch (std::exception const& error) {
    return std::string("another exception: ") + error.what();
  }
  return "no exception";
}

}  // namespace symm_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_EXCHANGE_PLANS_HPP
#define SYMM_TEST_EXCHANGE_PLANS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

/// Lists that every PE can compute for every other, and Views of values.
namespace symm_test {

using Exec   = symm::SymmetricSpace::execution_space;
using Memory = Exec::memory_space;
using Ints   = Kokkos::View<int*, Memory>;

inline Ints ints(std::vector<int> const& source) {
  Ints result("list", source.size());
  auto const on_host = Kokkos::create_mirror_view(result);
  for (std::size_t k = 0; k < source.size(); ++k) on_host(k) = source[k];
  Kokkos::deep_copy(result, on_host);
  return result;
}

/// What a PE owns, and which elements of others it has copies of.
struct Lists {
  std::size_t n_owned = 0;
  std::vector<int> indices;
  std::vector<int> pes;
};

inline std::size_t random_n_owned(unsigned seed, symm::Pe pe) {
  std::mt19937 random(seed * 977 + static_cast<unsigned>(pe));
  random.discard(3);
  return random() % 4 == 0 ? 0 : random() % 700;
}
/// Of a graph: lists with runs of elements, and single ones, some twice; PEs
/// that have nothing, and that nobody needs.
inline Lists random_lists(unsigned seed, symm::Pe pe, int n_pes) {
  std::mt19937 random(seed * 1000 + static_cast<unsigned>(pe));
  Lists lists;
  lists.n_owned = random_n_owned(seed, pe);
  if (random() % 5 == 0) return lists;
  auto const n_parts = random() % 12;
  for (unsigned part = 0; part < n_parts; ++part) {
    auto const owner =
        static_cast<symm::Pe>(random() % static_cast<unsigned>(n_pes));
    auto const n = random_n_owned(seed, owner);
    if (n == 0) continue;
    auto const first  = random() % n;
    auto const length = random() % 3 == 0 ? random() % 400 : random() % 5;
    for (auto k = first; k < n && k < first + length; ++k) {
      lists.indices.push_back(static_cast<int>(k));
      lists.pes.push_back(owner);
    }
  }
  return lists;
}

/// The value of component c of an element, exact in every type.
inline int number_of(symm::Pe pe, std::size_t element, std::size_t c,
                     int round) {
  return static_cast<int>((static_cast<std::size_t>(pe) * 7919 + element * 31 +
                           c * 5 + static_cast<std::size_t>(round) * 101) %
                          9973) +
         1;
}

/// Sets element i, component c (of a View of rank 1 or 2) to body(i, c).
template <class View, class Body>
void fill(View const& view, Body const& body) {
  auto const on_host = Kokkos::create_mirror_view(Kokkos::HostSpace(), view);
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    if constexpr (View::rank() == 1) {
      on_host(i) = static_cast<typename View::value_type>(body(i, 0));
    } else {
      for (std::size_t c = 0; c < view.extent(1); ++c)
        on_host(i, c) = static_cast<typename View::value_type>(body(i, c));
    }
  }
  Kokkos::deep_copy(view, on_host);
}

/// A copy for the host, of a View with gaps between its elements, too.
template <class View>
auto copy_on_host(View const& view) {
  using Value = typename View::non_const_value_type;
  using Data  = std::conditional_t<View::rank() == 1, Value*, Value**>;
  Kokkos::View<Data, Kokkos::LayoutLeft,
               typename View::execution_space::memory_space>
      without_gaps;
  if constexpr (View::rank() == 1) {
    Kokkos::resize(without_gaps, view.extent(0));
  } else {
    Kokkos::resize(without_gaps, view.extent(0), view.extent(1));
  }
  Kokkos::deep_copy(without_gaps, view);
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), without_gaps);
}

/// Elements that are not body(i, c).
template <class View, class Body>
std::size_t count_wrong(View const& view, Body const& body) {
  auto const on_host = copy_on_host(view);
  std::size_t wrong  = 0;
  for (std::size_t i = 0; i < view.extent(0); ++i) {
    if constexpr (View::rank() == 1) {
      wrong += on_host(i) != static_cast<typename View::value_type>(body(i, 0));
    } else {
      for (std::size_t c = 0; c < view.extent(1); ++c)
        wrong +=
            on_host(i, c) != static_cast<typename View::value_type>(body(i, c));
    }
  }
  return wrong;
}

}  // namespace symm_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_DISTRIBUTED_CASES_HPP
#define SYMM_TEST_DISTRIBUTED_CASES_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <type_traits>

#include <Kokkos_SymmetricContainers.hpp>

#include "view_helpers.hpp"

namespace symm_test {

/// A DistributedView of n rows; in the other dimension there are 3 elements.
template <class Data, class Distribution, std::size_t block = 0>
struct Distributed {
  using View = Kokkos::View<Data, Kokkos::LayoutRight, Space>;
  using Type = symm::DistributedView<View, Distribution>;

  static constexpr std::size_t rank = View::rank();

  static Type make(std::size_t n) {
    if constexpr (std::is_same_v<Distribution, symm::BlockCyclic>) {
      if constexpr (View::rank_dynamic() == 1) {
        return Type("whole", symm::BlockCyclic(block), n);
      } else {
        return Type("whole", symm::BlockCyclic(block), n, 3);
      }
    } else if constexpr (View::rank_dynamic() == 1) {
      return Type("whole", n);
    } else {
      return Type("whole", n, 3);
    }
  }
};

using DistributedCases = testing::Types<
    Distributed<int*, symm::Blocks>, Distributed<int*, symm::Cyclic>,
    Distributed<int*, symm::BlockCyclic, 4>, Distributed<int**, symm::Blocks>,
    Distributed<int* [3], symm::Cyclic>,
    Distributed<int**, symm::BlockCyclic, 2>>;

/// None, fewer and more than PEs, some that PEs do not divide.
inline constexpr std::array<std::size_t, 7> global_extents{0,  1,  2,   3,
                                                           12, 37, 1001};

/// Of element (i, j) of the whole, in round `round`.
KOKKOS_FUNCTION constexpr int global_value(int round, std::size_t i,
                                           std::size_t j = 0) {
  return value(round, 1, 3 * i + j);
}

/// Sets this PE's rows.
template <class View>
struct SetMine {
  View view;
  int round;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::size_t, std::size_t k,
                                  Indices... j) const {
    view.local()(k, j...) = global_value(round, view.global_index(k), j...);
  }
};
template <class View>
void set_mine(View const& view, int round) {
  for_each_element(view.local(), SetMine<View>{view, round});
}

/// Counts wrong elements of the whole, in a kernel.
template <class View>
struct CountWrong {
  View view;
  int round;
  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& count) const {
    if constexpr (View::rank() == 1) {
      count += view(i) == global_value(round, i) ? 0U : 1U;
    } else {
      for (int j = 0; j < 3; ++j) {
        auto const what = global_value(round, i, static_cast<std::size_t>(j));
        count += view(i, j) == what ? 0U : 1U;
      }
    }
  }
};

/// Element (i) of the whole, read by a kernel of its space.
template <class View>
struct ReadElement {
  View view;
  std::size_t i;
  KOKKOS_FUNCTION void operator()(std::size_t,
                                  typename View::value_type& sum) const {
    sum += view(i);
  }
};
template <class View>
auto read_element(View const& view, std::size_t i) {
  typename View::value_type sum = 0;
  Kokkos::parallel_reduce("read_element", Elements<View>(0, 1),
                          ReadElement<View>{view, i}, sum);
  return sum;
}

/// Whether an element of this PE's rows is wrong.
template <class View>
struct IsMineWrong {
  View view;
  int round;
  template <class... Indices>
  KOKKOS_FUNCTION bool operator()(std::size_t, std::size_t k,
                                  Indices... j) const {
    return view.local()(k, j...) !=
           global_value(round, view.global_index(k), j...);
  }
};
template <class View>
std::size_t count_wrong_of_mine(View const& view, int round) {
  return count_elements(view.local(), IsMineWrong<View>{view, round});
}

}  // namespace symm_test

#endif

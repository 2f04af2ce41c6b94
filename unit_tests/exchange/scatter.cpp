// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// scatter() of random plans, compared with what each PE computes alone.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using symm::Pe;

/// Depends on the order of the operands, and of the operations.
struct Mix {
  template <class T>
  KOKKOS_FUNCTION T operator()(T const& a, T const& b) const {
    return static_cast<T>(a * 31 + b);
  }
};

/// The elements of this PE after scatter() by `op`, with `n_components` each;
/// ghost k of a PE has number_of(pe, 5000 + k, c, round).
template <class T, class Op>
std::vector<T> combined(unsigned seed, Lists const& mine,
                        std::size_t n_components, int round, Op const& op) {
  Pe const me = symm::my_pe();
  std::vector<T> result(mine.n_owned * n_components);
  for (std::size_t i = 0; i < result.size(); ++i)
    result[i] = static_cast<T>(
        number_of(me, i / n_components, i % n_components, round));
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto const its = random_lists(seed, pe, symm::n_pes());
    for (std::size_t k = 0; k < its.indices.size(); ++k) {
      if (its.pes[k] != me) continue;
      for (std::size_t c = 0; c < n_components; ++c) {
        auto& element =
            result[static_cast<std::size_t>(its.indices[k]) * n_components + c];
        element =
            op(element, static_cast<T>(number_of(pe, 5000 + k, c, round)));
      }
    }
  }
  return result;
}

template <class Op>
void check_scatter(unsigned seed, int n_rounds, Op const& op) {
  auto pauses      = random_of_this_pe(3);
  auto const lists = random_lists(seed, symm::my_pe(), symm::n_pes());
  auto plan    = ExchangePlan::from_imports(lists.n_owned, ints(lists.indices),
                                            ints(lists.pes));
  auto const n = lists.n_owned + plan.n_ghosts();
  Kokkos::View<double* [3], Memory> const x("x", n);
  Kokkos::View<unsigned*, Memory> const v("v", n);
  for (int round = 0; round < n_rounds; ++round) {
    auto const before = [&](std::size_t i, std::size_t c) {
      return i < lists.n_owned
                 ? number_of(symm::my_pe(), i, c, round)
                 : number_of(symm::my_pe(), 5000 + i - lists.n_owned, c, round);
    };
    fill(x, before);
    fill(v, before);
    random_pause(pauses);
    Exec const exec;
    plan.begin_scatter(exec, x, v);
    random_pause(pauses);
    plan.end_scatter(exec, op, x, v);
    exec.fence();
    auto const of_x = combined<double>(seed, lists, 3, round, op);
    auto const of_v = combined<unsigned>(seed, lists, 1, round, op);
    EXPECT_EQ(count_wrong(x,
                          [&](std::size_t i, std::size_t c) {
                            return i < lists.n_owned
                                       ? of_x[i * 3 + c]
                                       : static_cast<double>(before(i, c));
                          }),
              0U)
        << seed;
    EXPECT_EQ(count_wrong(v,
                          [&](std::size_t i, std::size_t c) {
                            return i < lists.n_owned
                                       ? of_v[i]
                                       : static_cast<unsigned>(before(i, c));
                          }),
              0U)
        << seed;
    plan.gather(exec, x);  // uses the same inboxes in turn
  }
}

TEST(ExchangePlan, scatter_combines_ghosts_into_owned_elements_in_one_order) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    check_scatter(seed, 3, symm::Sum{});
    check_scatter(seed, 2, symm::Min{});
    check_scatter(seed, 2, symm::Max{});
    check_scatter(seed, 2, symm::Replace{});
    check_scatter(seed, 3, Mix{});
  }
  symm::barrier_all();
}

}  // namespace

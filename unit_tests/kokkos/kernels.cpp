// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views of SymmetricSpace in Kokkos' kernels, containers and algorithms, and
// the barrier after them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_DualView.hpp>
#include <Kokkos_ScatterView.hpp>
#include <Kokkos_StdAlgorithms.hpp>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Exec  = Space::execution_space;
using View1 = Kokkos::View<int*, Space>;
using View2 = Kokkos::View<int**, Space>;

template <class T>
concept has_barrier = requires(T x) {
  symm::barrier_all(x);
};
static_assert(has_barrier<Exec>);
static_assert(!has_barrier<int>);
static_assert(!has_barrier<Space>);

TEST(Kernels, M19_a_RangePolicy_writes_a_peer_through_global_view) {
  View1 const view("v", 1001);
  auto const everywhere = symm::global_view(view);
  symm::barrier_all();
  auto const me = symm::my_pe();
  auto const to = right();
  Kokkos::parallel_for(
      "write", Kokkos::RangePolicy<Exec>(0, 1001), KOKKOS_LAMBDA(int i) {
        everywhere(to, i) = value(me, to, static_cast<std::size_t>(i));
      });
  symm::barrier_all(Exec());
  EXPECT_EQ(count_wrong(view, left(), me), 0U);
}

TEST(Kernels, M19_an_MDRangePolicy_writes_a_peer_through_global_view) {
  View2 const view("v", 31, 17);
  auto const everywhere = symm::global_view(view);
  symm::barrier_all();
  auto const me = symm::my_pe();
  auto const to = right();
  Kokkos::parallel_for(
      "write", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {31, 17}),
      KOKKOS_LAMBDA(int i, int j) {
        everywhere(to, i, j) =
            value(me, to, static_cast<std::size_t>(i * 17 + j));
      });
  symm::barrier_all(Exec());
  EXPECT_EQ(count_wrong(view, left(), me), 0U);
}

TEST(Kernels, M19_a_TeamPolicy_writes_a_peer_through_a_subview_of_it) {
  View2 const view("v", 31, 17);
  auto const everywhere = symm::global_view(view);
  symm::barrier_all();
  auto const me = symm::my_pe();
  auto const to = right();
  using Policy  = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      "write", Policy(31, Kokkos::AUTO),
      KOKKOS_LAMBDA(Policy::member_type const& team) {
        int const i    = team.league_rank();
        auto const row = Kokkos::subview(everywhere.peer(to), i, Kokkos::ALL);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 17), [&](int j) {
          row(j) = value(me, to, static_cast<std::size_t>(i * 17 + j));
        });
      });
  symm::barrier_all(Exec());
  EXPECT_EQ(count_wrong(view, left(), me), 0U);
}

TEST(Kernels, M19_a_reduction_reads_all_PEs) {
  View1 const view("v", 100);
  Kokkos::deep_copy(view, symm::my_pe() + 1);
  symm::barrier_all(Exec());
  auto const everywhere = symm::global_view(view);
  long sum              = 0;
  Kokkos::parallel_reduce(
      "sum",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0},
                                                   {symm::n_pes(), 100}),
      KOKKOS_LAMBDA(int pe, int i, long& partial) {
        partial += everywhere(pe, i);
      },
      sum);
  long const n = symm::n_pes();
  EXPECT_EQ(sum, 100 * n * (n + 1) / 2);
  symm::barrier_all();
}

TEST(Kernels, barrier_all_of_an_execution_space_waits_for_all_PEs) {
  View1 const view("v", 1);
  auto const everywhere = symm::global_view(view);
  symm::barrier_all();
  for (int round = 1; round <= 100; ++round) {
    everywhere(right(), 0) = round;
    symm::barrier_all(Exec());
    EXPECT_EQ(view(0), round);
    symm::barrier_all(Exec());
  }
}

TEST(Kernels, barrier_all_with_and_without_execution_space_are_one_operation) {
  if (symm::my_pe() == 0) {
    symm::barrier_all(Exec());
  } else {
    symm::barrier_all();
  }
}

TEST(Containers, a_DualView_works_and_aliases_its_host_side) {
  Kokkos::DualView<int*, Space::device_type> dual("dual", 50);
  EXPECT_EQ(dual.view_host().data(), dual.view_device().data());
  symm::barrier_all();
  auto const everywhere = symm::global_view(dual.view_device());
  fill(everywhere.peer(right()), symm::my_pe(), right());
  symm::barrier_all();
  dual.modify_device();
  dual.sync_host();
  EXPECT_EQ(count_wrong(dual.view_host(), left(), symm::my_pe()), 0U);
}

TEST(Containers, a_ScatterView_adds_into_a_symmetric_View) {
  Kokkos::View<int*, Space> histogram("histogram", 10);
  auto scatter = Kokkos::Experimental::create_scatter_view(histogram);
  Kokkos::parallel_for(
      "scatter", Kokkos::RangePolicy<Exec>(0, 1000), KOKKOS_LAMBDA(int i) {
        auto access = scatter.access();
        access(i % 10) += 1;
      });
  Kokkos::Experimental::contribute(histogram, scatter);
  symm::barrier_all(Exec());
  EXPECT_EQ(symm::global_view(histogram)(right(), 9), 100);
  symm::barrier_all();
}

TEST(Containers, algorithms_work_on_a_peer_view) {
  View1 const view("v", 100);
  symm::barrier_all();
  namespace KE = Kokkos::Experimental;
  KE::fill(Exec(), symm::peer_view(view, right()), symm::my_pe() + 5);
  symm::barrier_all(Exec());
  EXPECT_EQ(KE::count(Exec(), view, left() + 5), 100);
}

}  // namespace

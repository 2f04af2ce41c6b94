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
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using SpaceExec = Space::execution_space;
using View1     = Kokkos::View<int*, Space>;
using View2     = Kokkos::View<int**, Space>;
using Global1   = symm::GlobalView<View1>;
using Global2   = symm::GlobalView<View2>;
using symm::Pe;

template <class T>
concept has_barrier = requires(T x) {
  symm::barrier_all(x);
};
static_assert(has_barrier<SpaceExec>);
static_assert(!has_barrier<int>);
static_assert(!has_barrier<Space>);

// Kernels stand in functions of their own: nvcc takes the body of a test for a
// private function, which cannot have any.

template <class Exec>
void launch_range(Global1 const& everywhere, Pe me, Pe to) {
  Kokkos::parallel_for(
      "write", Kokkos::RangePolicy<Exec>(0, everywhere.extent(0)),
      KOKKOS_LAMBDA(int i) {
        everywhere(to, i) = value(me, to, static_cast<std::size_t>(i));
      });
}

template <class Exec>
void launch_md_range(Global2 const& everywhere, Pe me, Pe to) {
  Kokkos::parallel_for(
      "write", Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0}, {31, 17}),
      KOKKOS_LAMBDA(int i, int j) {
        everywhere(to, i, j) =
            value(me, to, static_cast<std::size_t>(i * 17 + j));
      });
}

template <class Exec>
void launch_team(Global2 const& everywhere, Pe me, Pe to) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  Kokkos::parallel_for(
      "write", Policy(31, Kokkos::AUTO),
      KOKKOS_LAMBDA(typename Policy::member_type const& team) {
        int const i    = team.league_rank();
        auto const row = Kokkos::subview(everywhere.peer(to), i, Kokkos::ALL);
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, 17), [&](int j) {
          row(j) = value(me, to, static_cast<std::size_t>(i * 17 + j));
        });
      });
}

template <class Exec>
long sum_of_all_pes(Global1 const& everywhere) {
  long result = 0;
  Kokkos::parallel_reduce(
      "sum",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>({0, 0},
                                                   {symm::n_pes(), 100}),
      KOKKOS_LAMBDA(int pe, int i, long& partial) {
        partial += everywhere(pe, i);
      },
      result);
  return result;
}

/// Does not wait for the kernel.
template <class Exec>
void launch_store(Global1 const& everywhere, Pe to, int what) {
  Kokkos::parallel_for(
      "store", Kokkos::RangePolicy<Exec>(0, 1),
      KOKKOS_LAMBDA(int i) { everywhere(to, i) = what; });
}

template <class Exec>
class Kernels : public testing::Test {};
TYPED_TEST_SUITE(Kernels, ExecsThatReach<Space>);

TYPED_TEST(Kernels, M19_a_RangePolicy_writes_a_peer_through_global_view) {
  View1 const view("v", 1001);
  symm::barrier_all();
  launch_range<TypeParam>(symm::global_view(view), symm::my_pe(), right());
  symm::barrier_all(TypeParam());
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

TYPED_TEST(Kernels, M19_an_MDRangePolicy_writes_a_peer_through_global_view) {
  View2 const view("v", 31, 17);
  symm::barrier_all();
  launch_md_range<TypeParam>(symm::global_view(view), symm::my_pe(), right());
  symm::barrier_all(TypeParam());
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

TYPED_TEST(Kernels, M19_a_TeamPolicy_writes_a_peer_through_a_subview_of_it) {
  View2 const view("v", 31, 17);
  symm::barrier_all();
  launch_team<TypeParam>(symm::global_view(view), symm::my_pe(), right());
  symm::barrier_all(TypeParam());
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

TYPED_TEST(Kernels, M19_a_reduction_reads_all_PEs) {
  View1 const view("v", 100);
  Kokkos::deep_copy(view, symm::my_pe() + 1);
  symm::barrier_all(TypeParam());
  long const n = symm::n_pes();
  EXPECT_EQ(sum_of_all_pes<TypeParam>(symm::global_view(view)),
            100 * n * (n + 1) / 2);
  symm::barrier_all();
}

TYPED_TEST(Kernels, barrier_all_of_an_execution_space_waits_for_all_PEs) {
  View1 const view("v", 1);
  auto const everywhere = symm::global_view(view);
  symm::barrier_all();
  for (int round = 1; round <= rounds(100); ++round) {
    launch_store<TypeParam>(everywhere, right(), round);
    symm::barrier_all(TypeParam());
    EXPECT_EQ(get(view, 0), round);
    symm::barrier_all(TypeParam());
  }
}

TYPED_TEST(Kernels,
           barrier_all_with_and_without_execution_space_are_one_operation) {
  if (symm::my_pe() == 0) {
    symm::barrier_all(TypeParam());
  } else {
    symm::barrier_all();
  }
}

void scatter_1000(Kokkos::View<int*, Space> histogram) {
  auto scatter = Kokkos::Experimental::create_scatter_view(histogram);
  Kokkos::parallel_for(
      "scatter", Kokkos::RangePolicy<SpaceExec>(0, 1000), KOKKOS_LAMBDA(int i) {
        auto access = scatter.access();
        access(i % 10) += 1;
      });
  Kokkos::Experimental::contribute(histogram, scatter);
}

TEST(Containers, a_DualView_works_and_aliases_its_host_side) {
  Kokkos::DualView<int*, Space::device_type> dual("dual", 50);
  EXPECT_EQ(dual.view_host().data() == dual.view_device().data(),
            is_on_host<Space>);
  symm::barrier_all();
  auto const everywhere = symm::global_view(dual.view_device());
  fill(everywhere.peer(right()), symm::my_pe(), right());
  symm::barrier_all();
  dual.modify_device();
  dual.sync_host();
  EXPECT_EQ(count_wrong(dual.view_host(), left(), symm::my_pe()), 0U);
}

TEST(Containers, a_ScatterView_adds_into_a_symmetric_View) {
  Kokkos::View<int*, Space> const histogram("histogram", 10);
  scatter_1000(histogram);
  symm::barrier_all(SpaceExec());
  EXPECT_EQ(get_global(symm::global_view(histogram), right(), 9), 100);
  symm::barrier_all();
}

TEST(Containers, algorithms_work_on_a_peer_view) {
  View1 const view("v", 100);
  symm::barrier_all();
  namespace KE = Kokkos::Experimental;
  KE::fill(SpaceExec(), symm::peer_view(view, right()), symm::my_pe() + 5);
  symm::barrier_all(SpaceExec());
  EXPECT_EQ(KE::count(SpaceExec(), view, left() + 5), 100);
}

}  // namespace

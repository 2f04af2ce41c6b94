// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// deep_copy() between symmetric Views, of this PE and its peers, and Views of
// every other space of a CUDA build.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using HostExec = Kokkos::DefaultHostExecutionSpace;

/// Ways to call deep_copy(), which has ended on return.
struct WithoutExec {
  template <class To, class From>
  static void copy(To const& to, From const& from) {
    Kokkos::deep_copy(to, from);
  }
};
template <class Exec>
struct WithExec {
  template <class To, class From>
  static void copy(To const& to, From const& from) {
    Exec const exec;
    Kokkos::deep_copy(exec, to, from);
    exec.fence();
  }
};

template <class OursT, class OtherT, class WayT>
struct Case {
  using Ours  = Kokkos::View<int***, Kokkos::LayoutLeft, OursT>;
  using Other = Kokkos::View<int***, Kokkos::LayoutLeft, OtherT>;
  using Way   = WayT;
  /// Strided copies are made by a kernel, which must reach both.
  static constexpr bool has_strided =
      Kokkos::SpaceAccessibility<typename Ours::execution_space,
                                 OtherT>::accessible ||
      Kokkos::SpaceAccessibility<typename Other::execution_space,
                                 OursT>::accessible;
};

template <class Ours, class Other>
using Plain = Case<Ours, Other, WithoutExec>;
template <class Ours, class Other>
using OnCuda = Case<Ours, Other, WithExec<Kokkos::Cuda>>;
template <class Ours, class Other>
using OnHost = Case<Ours, Other, WithExec<HostExec>>;

using SymCuda = symm::SymmetricCudaSpace;
using SymHost = symm::SymmetricHostSpace;
using Kokkos::CudaHostPinnedSpace;
using Kokkos::CudaSpace;
using Kokkos::CudaUVMSpace;
using Kokkos::HostSpace;

template <class Case>
class CudaDeepCopy : public testing::Test {};

using Cases = testing::Types<
    Plain<SymCuda, HostSpace>, Plain<SymCuda, CudaSpace>,
    Plain<SymCuda, CudaUVMSpace>, Plain<SymCuda, CudaHostPinnedSpace>,
    Plain<SymCuda, SymHost>, Plain<SymCuda, SymCuda>, Plain<SymHost, HostSpace>,
    Plain<SymHost, CudaSpace>, Plain<SymHost, CudaUVMSpace>,
    Plain<SymHost, CudaHostPinnedSpace>, Plain<SymHost, SymCuda>,
    Plain<SymHost, SymHost>, OnCuda<SymCuda, HostSpace>,
    OnCuda<SymCuda, CudaSpace>, OnCuda<SymCuda, CudaUVMSpace>,
    OnCuda<SymCuda, CudaHostPinnedSpace>, OnCuda<SymCuda, SymHost>,
    OnCuda<SymCuda, SymCuda>, OnCuda<SymHost, HostSpace>,
    OnCuda<SymHost, CudaSpace>, OnCuda<SymHost, CudaUVMSpace>,
    OnCuda<SymHost, CudaHostPinnedSpace>, OnCuda<SymHost, SymCuda>,
    OnCuda<SymHost, SymHost>, OnHost<SymCuda, HostSpace>,
    OnHost<SymCuda, CudaSpace>, OnHost<SymCuda, CudaUVMSpace>,
    OnHost<SymCuda, CudaHostPinnedSpace>, OnHost<SymCuda, SymHost>,
    OnHost<SymCuda, SymCuda>, OnHost<SymHost, HostSpace>,
    OnHost<SymHost, CudaSpace>, OnHost<SymHost, CudaUVMSpace>,
    OnHost<SymHost, CudaHostPinnedSpace>, OnHost<SymHost, SymCuda>,
    OnHost<SymHost, SymHost>>;
TYPED_TEST_SUITE(CudaDeepCopy, Cases);

/// What the host has written is there for kernels, and the other way round.
void settle() { Kokkos::fence("test"); }

TYPED_TEST(CudaDeepCopy, M18_whole_Views_to_and_from_own_and_peer) {
  using Way = typename TypeParam::Way;
  typename TypeParam::Other const from("from", 9, 7, 5);
  typename TypeParam::Other const back("back", 9, 7, 5);
  typename TypeParam::Ours const view("v", 9, 7, 5);
  symm::barrier_all();
  fill(from, symm::my_pe(), right());
  settle();
  Way::copy(symm::peer_view(view, right()), from);
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
  Way::copy(back, view);
  EXPECT_EQ(count_wrong(back, left(), symm::my_pe()), 0U);
  Way::copy(back, symm::peer_view(view, right()));
  EXPECT_EQ(count_wrong(back, symm::my_pe(), right()), 0U);
  symm::barrier_all();
}

/// Its elements that are not -1.
template <class View>
std::size_t count_touched(View const& view) {
  return view.size() - count_equal(view, -1);
}

template <class Case>
void expect_strided_copies_work() {
  auto const plane_of = [](auto const& view) {
    return Kokkos::subview(view, 3, std::pair(1, 6), Kokkos::ALL);
  };
  using Way = WithoutExec;
  typename Case::Other const from("from", 9, 7, 5);
  typename Case::Other const back("back", 9, 7, 5);
  typename Case::Ours const view("v", 9, 7, 5);
  Kokkos::deep_copy(from, -1);
  Kokkos::deep_copy(back, -1);
  Kokkos::deep_copy(view, -1);
  symm::barrier_all();
  fill(plane_of(from), symm::my_pe(), right());
  settle();
  Way::copy(plane_of(symm::peer_view(view, right())), plane_of(from));
  symm::barrier_all();
  EXPECT_EQ(count_wrong(plane_of(view), left(), symm::my_pe()), 0U);
  EXPECT_EQ(count_touched(view), 5U * 5U);
  Way::copy(plane_of(back), plane_of(symm::peer_view(view, right())));
  EXPECT_EQ(count_wrong(plane_of(back), symm::my_pe(), right()), 0U);
  EXPECT_EQ(count_touched(back), 5U * 5U);
  symm::barrier_all();
}

TYPED_TEST(CudaDeepCopy, M18_strided_subviews_to_and_from_a_peer) {
  if constexpr (TypeParam::has_strided) {
    expect_strided_copies_work<TypeParam>();
  } else {
    GTEST_SKIP() << "no kernel reaches both: a limit of Kokkos";
  }
}

}  // namespace

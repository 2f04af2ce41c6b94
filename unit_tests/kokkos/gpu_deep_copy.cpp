// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// deep_copy() between symmetric Views, of this PE and its peers, and Views of
// every other space of a build for GPUs.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>

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

template <class OursT, class OtherT>
struct Pair {
  using Ours  = Kokkos::View<int*, OursT>;
  using Other = Kokkos::View<int*, OtherT>;

  // Strided copies are made by a kernel, which must reach both.
  using Ours2  = Kokkos::View<int**, Kokkos::LayoutLeft, OursT>;
  using Other2 = Kokkos::View<int**, Kokkos::LayoutLeft, OtherT>;
  static constexpr bool has_strided =
      Kokkos::SpaceAccessibility<typename Ours::execution_space,
                                 OtherT>::accessible ||
      Kokkos::SpaceAccessibility<typename Other::execution_space,
                                 OursT>::accessible;
};

using SymGpu  = SymmetricGpuSpace;
using SymHost = symm::SymmetricHostSpace;
using Kokkos::HostSpace;

template <class Pair>
class CudaDeepCopy : public testing::Test {};

using Pairs =
    testing::Types<Pair<SymGpu, HostSpace>, Pair<SymGpu, GpuSpace>,
                   Pair<SymGpu, GpuManagedSpace>, Pair<SymGpu, GpuPinnedSpace>,
                   Pair<SymGpu, SymHost>, Pair<SymGpu, SymGpu>,
                   Pair<SymHost, HostSpace>, Pair<SymHost, GpuSpace>,
                   Pair<SymHost, GpuManagedSpace>,
                   Pair<SymHost, GpuPinnedSpace>, Pair<SymHost, SymGpu>,
                   Pair<SymHost, SymHost>>;
TYPED_TEST_SUITE(CudaDeepCopy, Pairs);

/// What the host has written is there for kernels, and the other way round.
void settle() { Kokkos::fence("test"); }

/// In a way, of which it is number `n`.
template <class Way, class Ours, class Other>
void expect_copies_work(int n, Ours const& own, Ours const& peers,
                        Other const& from, Other const& back) {
  SCOPED_TRACE(n);
  // Other numbers in each way.
  auto const sent_by = [&](symm::Pe pe) { return pe + n * symm::n_pes(); };
  fill(from, sent_by(symm::my_pe()), right());
  settle();
  symm::barrier_all();
  Way::copy(peers, from);
  symm::barrier_all();
  EXPECT_EQ(count_wrong(own, sent_by(left()), symm::my_pe()), 0U);
  Way::copy(back, own);
  EXPECT_EQ(count_wrong(back, sent_by(left()), symm::my_pe()), 0U);
  Way::copy(back, peers);
  EXPECT_EQ(count_wrong(back, sent_by(symm::my_pe()), right()), 0U);
  symm::barrier_all();
}

TYPED_TEST(CudaDeepCopy, M18_whole_Views_to_and_from_own_and_peer) {
  typename TypeParam::Other const from("from", 315);
  typename TypeParam::Other const back("back", 315);
  typename TypeParam::Ours const view("v", 315);
  auto const peers = symm::peer_view(view, right());
  // Of the type of peers: fewer copies to compile.
  symm::UnmanagedView<typename TypeParam::Ours> const own(view);
  expect_copies_work<WithoutExec>(0, own, peers, from, back);
  expect_copies_work<WithExec<Gpu>>(1, own, peers, from, back);
  expect_copies_work<WithExec<HostExec>>(2, own, peers, from, back);
}

/// Of rank 2: what `from` sends `to` in a part of a row; elsewhere, or if there
/// is no PE `from`, -1.
template <class View>
struct Row {
  View view;
  symm::Pe from;
  symm::Pe to;

  [[nodiscard]] KOKKOS_FUNCTION int expected(std::size_t n, std::size_t i,
                                             std::size_t j) const {
    bool const is_inside = from >= 0 && i == 3 && 1 <= j && j < 6;
    return is_inside ? value(from, to, n) : -1;
  }
};
template <class View>
struct SetRow : Row<View> {
  KOKKOS_FUNCTION void operator()(std::size_t n, std::size_t i,
                                  std::size_t j) const {
    this->view(i, j) = this->expected(n, i, j);
  }
};
template <class View>
struct IsRowWrong : Row<View> {
  KOKKOS_FUNCTION bool operator()(std::size_t n, std::size_t i,
                                  std::size_t j) const {
    return this->view(i, j) != this->expected(n, i, j);
  }
};

template <class View>
void set_row(View const& view, symm::Pe from, symm::Pe to) {
  for_each_element(view, SetRow<View>{{view, from, to}});
}
template <class View>
std::size_t count_wrong_in_row(View const& view, symm::Pe from, symm::Pe to) {
  return count_elements(view, IsRowWrong<View>{{view, from, to}});
}

template <class Pair>
void expect_strided_copies_work() {
  auto const row_of = [](auto const& view) {
    return Kokkos::subview(view, 3, std::pair(1, 6));
  };
  typename Pair::Other2 const from("from", 9, 7);
  typename Pair::Other2 const back("back", 9, 7);
  typename Pair::Ours2 const view("v", 9, 7);
  set_row(from, symm::my_pe(), right());
  set_row(back, -1, 0);
  set_row(view, -1, 0);
  settle();
  symm::barrier_all();
  Kokkos::deep_copy(row_of(symm::peer_view(view, right())), row_of(from));
  symm::barrier_all();
  EXPECT_EQ(count_wrong_in_row(view, left(), symm::my_pe()), 0U);
  Kokkos::deep_copy(row_of(back), row_of(symm::peer_view(view, right())));
  EXPECT_EQ(count_wrong_in_row(back, symm::my_pe(), right()), 0U);
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

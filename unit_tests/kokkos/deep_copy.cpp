// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// deep_copy() and mirrors, in all directions.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <type_traits>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Exec    = Space::execution_space;
using Private = Kokkos::HostSpace;
using Left    = Kokkos::View<int***, Kokkos::LayoutLeft, Space>;
using Right   = Kokkos::View<int***, Kokkos::LayoutRight, Space>;

/// Calls deep_copy with and without an execution space instance.
template <bool with_exec, class To, class From>
void copy(To const& to, From const& from) {
  if constexpr (with_exec) {
    Exec const exec;
    Kokkos::deep_copy(exec, to, from);
    exec.fence();
  } else {
    Kokkos::deep_copy(to, from);
  }
}

template <class WithExec>
class DeepCopy : public testing::Test {};
using Ways = testing::Types<std::false_type, std::true_type>;
TYPED_TEST_SUITE(DeepCopy, Ways);

TYPED_TEST(DeepCopy, from_own_to_own_View_and_into_another_layout) {
  Left const from("from", 5, 4, 3);
  Left const same("same", 5, 4, 3);
  Right const other("other", 5, 4, 3);
  fill(from, symm::my_pe(), symm::my_pe());
  copy<TypeParam::value>(same, from);
  copy<TypeParam::value>(other, same);
  EXPECT_EQ(count_wrong(same, symm::my_pe(), symm::my_pe()), 0U);
  EXPECT_EQ(count_wrong(other, symm::my_pe(), symm::my_pe()), 0U);
}

TYPED_TEST(DeepCopy, M18_from_own_View_to_a_peers) {
  Left const from("from", 5, 4, 3);
  GuardView const before;
  Left const to("to", 5, 4, 3);
  GuardView const after;
  fill(from, symm::my_pe(), right());
  symm::barrier_all();
  copy<TypeParam::value>(symm::peer_view(to, right()), from);
  symm::barrier_all();
  EXPECT_EQ(count_wrong(to, left(), symm::my_pe()), 0U);
  EXPECT_TRUE(before.is_intact());
  EXPECT_TRUE(after.is_intact());
}

TYPED_TEST(DeepCopy, M18_from_a_peers_View_to_an_own_of_another_layout) {
  Left const from("from", 5, 4, 3);
  Right const to("to", 5, 4, 3);
  fill(from, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  copy<TypeParam::value>(to, symm::peer_view(from, right()));
  symm::barrier_all();
  EXPECT_EQ(count_wrong(to, right(), right()), 0U);
}

TYPED_TEST(DeepCopy, M18_from_a_peers_View_to_another_peers) {
  Left const from("from", 5, 4, 3);
  Left const to("to", 5, 4, 3);
  fill(from, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  copy<TypeParam::value>(symm::peer_view(to, left()),
                         symm::peer_view(from, right()));
  symm::barrier_all();
  auto const two_right = (symm::my_pe() + 2) % symm::n_pes();
  EXPECT_EQ(count_wrong(to, two_right, two_right), 0U);
}

TYPED_TEST(DeepCopy, from_and_to_private_memory) {
  Kokkos::View<int***, Kokkos::LayoutLeft, Private> const from("from", 5, 4, 3);
  Kokkos::View<int***, Kokkos::LayoutLeft, Private> const back("back", 5, 4, 3);
  Left const view("v", 5, 4, 3);
  symm::barrier_all();
  fill(from, symm::my_pe(), right());
  copy<TypeParam::value>(symm::peer_view(view, right()), from);
  symm::barrier_all();
  copy<TypeParam::value>(back, view);
  EXPECT_EQ(count_wrong(back, left(), symm::my_pe()), 0U);
  copy<TypeParam::value>(back, symm::peer_view(view, right()));
  EXPECT_EQ(count_wrong(back, symm::my_pe(), right()), 0U);
  symm::barrier_all();
}

TYPED_TEST(DeepCopy, M18_of_strided_subviews_touches_nothing_else) {
  Left const from("from", 8, 6, 4);
  Right const to("to", 6, 8, 4);
  Kokkos::deep_copy(to, -1);
  auto const plane_of = [](auto const& view, int i) {
    return Kokkos::subview(view, i, std::pair(1, 6), Kokkos::ALL);
  };
  fill(plane_of(from, 3), symm::my_pe(), right());
  symm::barrier_all();
  copy<TypeParam::value>(plane_of(symm::peer_view(to, right()), 5),
                         plane_of(from, 3));
  symm::barrier_all();
  EXPECT_EQ(count_wrong(plane_of(to, 5), left(), symm::my_pe()), 0U);
  EXPECT_EQ(count_equal(to, -1), to.size() - 5 * 4);
}

struct IsNotFilled {
  Right view;
  int with;
  KOKKOS_FUNCTION bool operator()(std::size_t, std::size_t i, std::size_t j,
                                  std::size_t k) const {
    return view(i, j, k) != (j == 2 && k == 3 ? -5 : with);
  }
};

TYPED_TEST(DeepCopy, fills_a_peers_View_and_a_strided_part_of_it) {
  Right const view("v", 6, 8, 4);
  symm::barrier_all();
  auto const remote = symm::peer_view(view, right());
  copy<TypeParam::value>(remote, symm::my_pe() + 10);
  copy<TypeParam::value>(Kokkos::subview(remote, Kokkos::ALL, 2, 3), -5);
  symm::barrier_all();
  EXPECT_EQ(count_elements(view, IsNotFilled{view, left() + 10}), 0U);
}

TYPED_TEST(DeepCopy, of_a_scalar_View_reads_and_writes_a_peer) {
  Kokkos::View<int, Space> const view("v");
  Kokkos::deep_copy(view, symm::my_pe() + 1);
  symm::barrier_all();
  int got = 0;
  Kokkos::deep_copy(got, symm::peer_view(view, right()));
  EXPECT_EQ(got, right() + 1);
  symm::barrier_all();
  copy<TypeParam::value>(symm::peer_view(view, right()), 70 + symm::my_pe());
  symm::barrier_all();
  EXPECT_EQ(get(view), 70 + left());
}

/// The mirror of GPU memory is private, and so are its copies.
void expect_mirrors_are_private() {
  Left const view("v", 5, 4, 3);
  auto const before = stats();
  auto const mirror = Kokkos::create_mirror_view(view);
  auto const other  = Kokkos::create_mirror(view);
  EXPECT_FALSE(symm::Impl::heap_map_of(view, "test").contains(mirror.data()));
  EXPECT_FALSE(symm::Impl::heap_map_of(view, "test").contains(other.data()));
  fill(mirror, symm::my_pe(), right());
  symm::barrier_all();  // Kokkos has set all PEs' copies to 0
  Kokkos::deep_copy(symm::peer_view(view, right()), mirror);
  symm::barrier_all();
  Kokkos::deep_copy(other, view);
  EXPECT_EQ(count_wrong(other, left(), symm::my_pe()), 0U);
  EXPECT_EQ(stats().live_blocks, before.live_blocks);
}

TEST(Mirrors, create_mirror_view_is_the_View_itself_and_local) {
  Left const view("v", 5, 4, 3);
  auto const before = stats();
  auto const mirror = Kokkos::create_mirror_view(view);
  auto const same   = Kokkos::create_mirror_view(Space(), view);
  EXPECT_EQ(mirror.data() == view.data(), is_on_host<Space>);
  EXPECT_EQ(same.data(), view.data());
  EXPECT_EQ(stats(), before);
}

TEST(Mirrors, a_mirror_in_HostSpace_is_private_and_local) {
  Left const view("v", 5, 4, 3);
  fill(view, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  if (symm::my_pe() == 0) {  // one PE alone
    auto const copy = Kokkos::create_mirror_view_and_copy(
        Private(), symm::peer_view(view, right()));
    EXPECT_EQ(count_wrong(copy, right(), right()), 0U);
    auto const own = Kokkos::create_mirror(Private(), view);
    static_assert(std::is_same_v<decltype(own)::memory_space, Private>);
    EXPECT_FALSE(symm::Impl::heap_map_of(view, "test").contains(own.data()));
  }
  symm::barrier_all();
}

/// A template, so that it compiles for a private mirror, too.
template <class Mirror>
void expect_mirror_is_symmetric(Mirror const& mirror) {
  if constexpr (symm::is_symmetric_space_v<typename Mirror::memory_space>) {
    symm::barrier_all();
    fill(symm::peer_view(mirror, right()), symm::my_pe(), right());
    symm::barrier_all();
    EXPECT_EQ(count_wrong(mirror, left(), symm::my_pe()), 0U);
  } else {
    ADD_FAILURE() << "the mirror is private";
  }
}

TEST(Mirrors, create_mirror_without_a_space_is_collective_and_symmetric) {
  if (!is_on_host<Space>) {
    expect_mirrors_are_private();
    return;
  }
  Left const view("v", 5, 4, 3);
  auto const before = stats();
  auto const mirror = Kokkos::create_mirror(view);
  EXPECT_NE(mirror.data(), view.data());
  EXPECT_EQ(stats().live_blocks, before.live_blocks + 1);
  // Allocated, filled.
  EXPECT_EQ(stats().n_collective_calls, before.n_collective_calls + 2);
  expect_mirror_is_symmetric(mirror);
}

}  // namespace

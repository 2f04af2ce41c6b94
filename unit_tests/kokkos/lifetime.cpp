// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A View's constructor returns when all PEs have filled their copies; copies of
// a View are local; resize() and realloc() allocate, collectively.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/memory.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using View1 = Kokkos::View<int*, Space>;
using View2 = Kokkos::View<int**, Kokkos::LayoutRight, Space>;

/// An element that Kokkos constructs, rather than setting its bytes to zero.
struct FortyTwo {
  int number;
  KOKKOS_FUNCTION FortyTwo() : number(42) {}
};

/// How often what a PE wrote to the last element of its right PE's View right
/// after construction was not there afterwards.
/// \param options of view_alloc().
template <class T, class... Options>
int count_lost_puts(Options const&... options) {
  constexpr std::size_t last = 99'999;
  std::vector<char> const written(sizeof(T), 'w');
  int n_lost = 0;
  for (int round = 0; round < rounds(100); ++round) {
    Kokkos::View<T*, Space> const view(Kokkos::view_alloc("v", options...),
                                       last + 1);
    write_memory(symm::ptr(view.data() + last, right()), written.data(),
                 written.size());
    symm::barrier_all();
    if (memory_bytes(view.data() + last, sizeof(T)) != written) ++n_lost;
    symm::barrier_all();
  }
  return n_lost;
}

TEST(Lifetime, M26_a_put_right_after_construction_is_kept) {
  EXPECT_EQ(count_lost_puts<int>(), 0);
  EXPECT_EQ(count_lost_puts<FortyTwo>(), 0);
}

TEST(Lifetime, M26_a_put_after_construction_on_an_instance_is_kept) {
  EXPECT_EQ(count_lost_puts<int>(Space::execution_space()), 0);
  EXPECT_EQ(count_lost_puts<FortyTwo>(Space::execution_space()), 0);
}

template <class T, class MemorySpace>
void expect_puts_after_a_fill_by_the_host_are_kept() {
  if constexpr (is_on_host<MemorySpace>) {
    EXPECT_EQ(count_lost_puts<T>(Kokkos::SequentialHostInit), 0);
  }
}

TEST(Lifetime, M26_a_put_after_SequentialHostInit_is_kept) {
  expect_puts_after_a_fill_by_the_host_are_kept<int, Space>();
  expect_puts_after_a_fill_by_the_host_are_kept<FortyTwo, Space>();
}

TEST(Lifetime, copying_and_destroying_copies_is_local) {
  View1 const view("v", 10);
  symm::barrier_all();
  auto const before = stats();
  if (symm::my_pe() == 0) {  // one PE alone
    std::vector<View1> copies(100, view);
    EXPECT_EQ(view.use_count(), 101);
    auto const part = Kokkos::subview(view, std::pair(2, 5));
    copies.clear();
    EXPECT_EQ(view.use_count(), 2);
    View1 moved = std::move(copies.emplace_back(view));
    EXPECT_EQ(moved.data(), view.data());
  }
  EXPECT_EQ(view.use_count(), 1);
  EXPECT_EQ(stats(), before);
  symm::barrier_all();
}

TEST(Lifetime, a_subview_keeps_the_memory_after_its_View) {
  auto const before = settled().live_blocks;
  Kokkos::View<int*, Space> part;
  {
    View2 const view("v", 4, 8);
    part = Kokkos::subview(view, 2, Kokkos::ALL);
  }
  EXPECT_EQ(settled().live_blocks, before + 1);
  fill(symm::peer_view(part, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(part, left(), symm::my_pe()), 0U);
  EXPECT_EQ(part.label(), "v");
  part = {};
  EXPECT_EQ(settled().live_blocks, before);
}

TEST(Lifetime, resize_keeps_the_contents_and_the_new_View_is_symmetric) {
  for (std::size_t const rows : {3U, 7U, 2U, 4U}) {
    View2 view("v", 4, 8);
    fill(view, symm::my_pe(), symm::my_pe());
    auto const calls = n_calls();
    Kokkos::resize(view, rows, 8);
    EXPECT_EQ(n_calls(), calls + (rows == 4 ? 0 : 2));  // allocated, filled
    symm::barrier_all();
    auto const remote = symm::peer_view(view, right());
    auto const kept   = std::min<std::size_t>(rows, 4);
    auto const old =
        Kokkos::subview(remote, std::pair(std::size_t{0}, kept), Kokkos::ALL);
    auto const added =
        Kokkos::subview(remote, std::pair(kept, rows), Kokkos::ALL);
    EXPECT_EQ(count_wrong(old, right(), right()), 0U);
    EXPECT_EQ(count_equal(added, 0), 8 * (rows - kept));
    symm::barrier_all();
  }
}

TEST(Lifetime, realloc_gives_zeros) {
  View1 view("v", 100);
  Kokkos::deep_copy(view, 7);
  Kokkos::realloc(view, 50);
  EXPECT_EQ(view.extent(0), 50U);
  EXPECT_EQ(count_equal(view, 0), 50U);
  Kokkos::realloc(Kokkos::WithoutInitializing, view, 200);
  symm::barrier_all();
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

TEST(Lifetime, a_View_of_another_label_and_size_replaces_an_old_one) {
  View1 view("old", 100);
  auto const blocks = settled().live_blocks;
  view              = View1("new", 300);
  EXPECT_EQ(view.label(), "new");
  EXPECT_EQ(stats().live_blocks, blocks + 1);  // "old" too
  EXPECT_EQ(settled().live_blocks, blocks);
}

}  // namespace

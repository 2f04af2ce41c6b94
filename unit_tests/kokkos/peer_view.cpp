// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// peer_view() and global_view(): subviews, wrong arguments, indices, and what a
// GlobalView is as an object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::ALL;
using Kokkos::view_alloc;
using Kokkos::WithoutInitializing;
using testing::AllOf;
using testing::HasSubstr;

using View1 = Kokkos::View<int*, Space>;
using View3 = Kokkos::View<int***, Kokkos::LayoutLeft, Space>;

/// What a GlobalView takes as arguments.
template <class... Indices>
concept is_callable_with = requires(symm::GlobalView<View3> g, Indices... i) {
  g(i...);
};
static_assert(is_callable_with<int, int, int, int>);
static_assert(is_callable_with<int, std::size_t, unsigned, short>);
static_assert(!is_callable_with<int, int, int>);
static_assert(!is_callable_with<int, int, int, int, int>);
static_assert(!is_callable_with<int, int, int, char const*>);

// Small and cheap to capture.
static_assert(sizeof(symm::GlobalView<View1>) <= 64);
static_assert(sizeof(symm::GlobalView<View3>) <= 128);
static_assert(std::is_nothrow_move_constructible_v<symm::GlobalView<View3>>);
static_assert(std::is_default_constructible_v<symm::GlobalView<View3>>);
static_assert(std::is_trivially_copyable_v<symm::HeapMap>);

TEST(PeerView, M18_reaches_exactly_the_elements_of_a_strided_subview) {
  View3 const view("v", 6, 5, 4);
  Kokkos::deep_copy(view, -1);
  symm::barrier_all();
  // Rows 1 to 4 of plane 2: stride 6 in memory after the first index is fixed.
  auto const part = Kokkos::subview(view, 3, std::pair(1, 5), ALL);
  static_assert(
      std::is_same_v<decltype(part)::array_layout, Kokkos::LayoutStride>);
  fill(symm::peer_view(part, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(part, left(), symm::my_pe()), 0U);
  std::size_t untouched = 0;
  for_each_index(view, [&](auto... i) { untouched += view(i...) == -1; });
  EXPECT_EQ(untouched, view.size() - part.size());
}

TEST(PeerView, M18_global_view_of_a_strided_subview_reads_its_elements_only) {
  View3 const view("v", 6, 5, 4);
  fill(view, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  auto const part       = Kokkos::subview(view, 3, std::pair(1, 5), ALL);
  auto const everywhere = symm::global_view(part);
  for_each_index(part, [&](auto j, auto k) {
    EXPECT_EQ(everywhere(right(), j, k),
              value(right(), right(), (3 * 5 + j + 1) * 4 + k));
  });
  symm::barrier_all();
}

TEST(PeerView, of_a_subview_is_the_subview_of_the_peer_view) {
  View3 const view("v", 6, 5, 4);
  auto const part = std::pair(2, 4);
  auto const first =
      symm::peer_view(Kokkos::subview(view, ALL, 2, part), right());
  auto const second =
      Kokkos::subview(symm::peer_view(view, right()), ALL, 2, part);
  EXPECT_EQ(first.data(), second.data());
  EXPECT_EQ(first.extent(1), second.extent(1));
  EXPECT_EQ(first.stride(1), second.stride(1));
  auto const scalar = Kokkos::subview(view, 5, 4, 3);
  EXPECT_EQ(symm::peer_view(scalar, right()).data(),
            &symm::peer_view(view, right())(5, 4, 3));
}

TEST(PeerView, of_this_PE_is_the_View_itself) {
  View1 const view("v", 3);
  EXPECT_EQ(symm::peer_view(view, symm::my_pe()).data(), view.data());
  EXPECT_EQ(&symm::global_view(view)(symm::my_pe(), 2), &view(2));
  EXPECT_EQ(symm::global_view(view).local().data(), view.data());
}

TEST(PeerView, owns_nothing) {
  View1 const view("v", 3);
  auto const remote     = symm::peer_view(view, right());
  auto const everywhere = symm::global_view(view);
  auto const copy       = everywhere;
  EXPECT_EQ(view.use_count(), 1);
  EXPECT_EQ(copy.peer(right()).use_count(), 0);
  EXPECT_EQ(remote.use_count(), 0);
}

TEST(PeerView, a_PE_that_is_not_there_is_a_UsageError_naming_it) {
  View1 const view("u", 3);
  for (symm::Pe const pe : {-1, symm::n_pes(), 1'000'000}) {
    EXPECT_THAT(
        message_of<symm::UsageError>([&] { symm::peer_view(view, pe); }),
        AllOf(HasSubstr("\"u\""), HasSubstr("no PE " + std::to_string(pe)),
              HasSubstr("0 to " + std::to_string(symm::n_pes() - 1))));
  }
}

TEST(PeerView, a_View_that_is_not_in_the_heap_is_a_UsageError) {
  int mine[3] = {};
  Kokkos::View<int*, Space, Kokkos::MemoryUnmanaged> const foreign(mine, 3);
  EXPECT_THAT(
      message_of<symm::UsageError>([&] { symm::peer_view(foreign, 0); }),
      HasSubstr("not in this PE's part"));
  EXPECT_THAT(message_of<symm::UsageError>([&] { symm::global_view(foreign); }),
              AllOf(HasSubstr("symm::global_view"),
                    HasSubstr("not in this PE's part")));
}

TEST(PeerView, a_peers_View_is_no_start_for_another_translation) {
  View1 const view("v", 3);
  auto const remote = symm::peer_view(view, right());
  if (symm::n_pes() > 1) {
    EXPECT_THAT(
        message_of<symm::UsageError>([&] { symm::peer_view(remote, 0); }),
        HasSubstr("is it a peer's already?"));
    EXPECT_THAT(
        message_of<symm::UsageError>([&] { symm::global_view(remote); }),
        HasSubstr("is it a peer's already?"));
  }
  symm::barrier_all();
}

TEST(PeerView, S14_of_an_unmanaged_View_of_symmetric_memory_works) {
  auto* const block = static_cast<int*>(symm::malloc(100 * sizeof(int)));
  Kokkos::View<int*, Space, Kokkos::MemoryUnmanaged> const view(block, 100);
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
  symm::free(block);
}

TEST(GlobalView, S16_addresses_beyond_2_to_the_31_elements_with_int_indices) {
  View1 const view("v", 10);
  auto const everywhere  = symm::global_view(view);
  std::size_t const step = symm::heap_map_of(view, "test").stride / sizeof(int);
  EXPECT_GT(step, std::size_t{1} << 31U) << "the test has no point";
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    int const i     = 7;
    auto const from = reinterpret_cast<std::uintptr_t>(&everywhere(0, i));
    auto const to   = reinterpret_cast<std::uintptr_t>(&everywhere(pe, i));
    EXPECT_EQ(to - from, static_cast<std::size_t>(pe) * step * sizeof(int));
    EXPECT_EQ(&everywhere(pe, short{7}), &everywhere(pe, std::int64_t{7}));
    EXPECT_EQ(&everywhere(pe, 7U), everywhere.peer(pe).data() + 7);
  }
}

TEST(GlobalView, reaches_elements_beyond_2_to_the_31_of_one_View) {
  // Nothing of it is touched but two pages.
  using Large = Kokkos::View<char**, Kokkos::LayoutRight, Space>;
  Large view;
  try {
    view = Large(view_alloc(WithoutInitializing, "3 GiB"), 3, 1 << 30);
  } catch (symm::OutOfMemory const&) {
    GTEST_SKIP() << "less than 3 GiB of free memory per PE";
  }
  int const row = 2, column = (1 << 30) - 1;
  auto const letter = [](symm::Pe to) { return static_cast<char>('a' + to); };
  symm::global_view(view)(right(), row, column) = letter(right());
  symm::barrier_all();
  EXPECT_EQ(view.data()[(std::size_t{3} << 30U) - 1], letter(symm::my_pe()));
  view = {};
  symm::heap_trim();
}

TEST(GlobalView, knows_its_PEs_and_extents) {
  View3 const view("v", 6, 5, 4);
  auto const everywhere = symm::global_view(view);
  EXPECT_EQ(everywhere.my_pe(), symm::my_pe());
  EXPECT_EQ(everywhere.n_pes(), symm::n_pes());
  EXPECT_EQ(everywhere.extent(0), 6U);
  EXPECT_EQ(everywhere.extent(2), 4U);
  EXPECT_EQ(symm::GlobalView<View3>().extent(0), 0U);
}

}  // namespace

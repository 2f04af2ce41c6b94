// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// peer_view() and global_view(): subviews, wrong arguments, indices, and what a
// GlobalView is as an object.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/job/Runtime.hpp>

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
#ifndef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK  // for which it has the label
static_assert(sizeof(symm::GlobalView<View1>) <= 64);
static_assert(sizeof(symm::GlobalView<View3>) <= 128);
#endif
// With CUDA, and as legacy Views, Kokkos' own are not, either.
#if !defined(SYMM_TEST_GPU) && SYMM_KOKKOS_MDSPAN_VIEWS
static_assert(std::is_nothrow_move_constructible_v<symm::GlobalView<View3>>);
#endif
static_assert(std::is_move_constructible_v<symm::GlobalView<View3>>);
static_assert(std::is_default_constructible_v<symm::GlobalView<View3>>);
static_assert(std::is_trivially_copyable_v<symm::HeapMap>);

// What another process can use, and what only with a word.
static_assert(symm::elements_are_shareable_v<Kokkos::complex<double>>);
static_assert(symm::elements_are_shareable_v<Kokkos::Array<int, 3>>);
static_assert(!symm::elements_are_shareable_v<std::string>);

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
  EXPECT_EQ(count_equal(view, -1), view.size() - part.size());
}

/// Element (j, k) of the subview below, which is not that of its View on `pe`.
template <class Global>
struct IsNotOfPlane3 {
  Global everywhere;
  symm::Pe pe;
  KOKKOS_FUNCTION bool operator()(std::size_t, std::size_t j,
                                  std::size_t k) const {
    return everywhere(pe, j, k) != value(pe, pe, (3 * 5 + j + 1) * 4 + k);
  }
};

TEST(PeerView, M18_global_view_of_a_strided_subview_reads_its_elements_only) {
  View3 const view("v", 6, 5, 4);
  fill(view, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  auto const part       = Kokkos::subview(view, 3, std::pair(1, 5), ALL);
  auto const everywhere = symm::global_view(part);
  EXPECT_EQ(count_elements(
                part, IsNotOfPlane3<decltype(everywhere)>{everywhere, right()}),
            0U);
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
            symm::peer_view(view, right()).data() + 5 * view.stride(0) +
                4 * view.stride(1) + 3 * view.stride(2));
}

/// Where global(pe, i) is, for an index of any type.
template <class Global, class Index>
struct AddressOf {
  Global global;
  symm::Pe pe;
  Index i;
  KOKKOS_FUNCTION void operator()(std::size_t, std::uintptr_t& result) const {
    result = reinterpret_cast<std::uintptr_t>(&global(pe, i));
  }
};

template <class Global, class Index>
std::uintptr_t address_of(Global const& global, symm::Pe pe, Index i) {
  using Exec = typename Global::view_type::execution_space;
  AddressOf<Global, Index> const functor{global, pe, i};
  std::uintptr_t result = 0;
  Kokkos::parallel_reduce(
      "address_of",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, 1), functor,
      result);
  return result;
}

std::uintptr_t number_of(int const* address) {
  return reinterpret_cast<std::uintptr_t>(address);
}

TEST(PeerView, of_this_PE_is_the_View_itself) {
  View1 const view("v", 3);
  EXPECT_EQ(symm::peer_view(view, symm::my_pe()).data(), view.data());
  EXPECT_EQ(address_of(symm::global_view(view), symm::my_pe(), 2),
            number_of(view.data() + 2));
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
        AllOf(HasSubstr("\"u\""), HasSubstr("invalid PE " + std::to_string(pe)),
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
        HasSubstr("not a peer's"));
    EXPECT_THAT(
        message_of<symm::UsageError>([&] { symm::global_view(remote); }),
        HasSubstr("not a peer's"));
  }
  symm::barrier_all();
}

TEST(PeerView, S14_of_an_unmanaged_View_of_symmetric_memory_works) {
  auto& heap =
      symm::Impl::Runtime::instance("test").heap(Space::memory_kind, "test");
  auto* const block = static_cast<int*>(heap.malloc(100 * sizeof(int)));
  Kokkos::View<int*, Space, Kokkos::MemoryUnmanaged> const view(block, 100);
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
  symm::free(block);
}

TEST(HeapMap, S16_of_a_View_or_its_space_finds_the_copies_of_all_PEs) {
  View1 const view("v", 3);
  for (auto const& map : {symm::heap_map(view), symm::heap_map<Space>()}) {
    EXPECT_TRUE(map.contains(view.data()));
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      EXPECT_EQ(map.peer_ptr(view.data(), pe),
                symm::peer_view(view, pe).data());
    }
  }
  int mine[3] = {};
  Kokkos::View<int*, Space, Kokkos::MemoryUnmanaged> const foreign(mine, 3);
  EXPECT_THAT(
      message_of<symm::UsageError>(
          [&] { static_cast<void>(symm::heap_map(foreign)); }),
      AllOf(HasSubstr("symm::heap_map"), HasSubstr("not in this PE's part")));
}

TEST(GlobalView, S16_addresses_beyond_2_to_the_31_elements_with_int_indices) {
  View1 const view("v", 10);
  auto const everywhere = symm::global_view(view);
  std::size_t const step =
      symm::Impl::heap_map_of(view, "test").stride / sizeof(int);
  EXPECT_GT(step, std::size_t{1} << 31U) << "the test has no point";
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto const from = address_of(everywhere, 0, 7);
    auto const to   = address_of(everywhere, pe, 7);
    EXPECT_EQ(to - from, static_cast<std::size_t>(pe) * step * sizeof(int));
    EXPECT_EQ(address_of(everywhere, pe, short{7}), to);
    EXPECT_EQ(address_of(everywhere, pe, std::int64_t{7}), to);
    EXPECT_EQ(address_of(everywhere, pe, 7U), to);
    EXPECT_EQ(number_of(everywhere.peer(pe).data() + 7), to);
  }
}

TEST(GlobalView, reaches_elements_beyond_2_to_the_31_of_one_View) {
  // Nothing of it is touched but two pages, where memory is taken on touch.
  using Large = Kokkos::View<char**, Kokkos::LayoutRight, Space>;
  Large view;
  try {
    view = Large(view_alloc(WithoutInitializing, "3 GiB"), 3, 1 << 30);
  } catch (symm::OutOfMemory const&) {
    GTEST_SKIP() << "less than 3 GiB of free memory per PE";
  }
  int const row = 2, column = (1 << 30) - 1;
  auto const letter = [](symm::Pe to) { return static_cast<char>('a' + to); };
  set_global(symm::global_view(view), right(), letter(right()), row, column);
  symm::barrier_all();
  Kokkos::View<char, Space, Kokkos::MemoryUnmanaged> const last(
      view.data() + (std::size_t{3} << 30U) - 1);
  EXPECT_EQ(get(last), letter(symm::my_pe()));
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

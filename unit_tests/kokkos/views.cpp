// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views of every rank and layout: all elements of every PE's copy are reached
// through global_view() and peer_view().

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/Sanitizers.hpp>
#include <support/memory.hpp>

#include "view_cases.hpp"
#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;

template <class T>
class Views : public testing::Test {};

#ifdef SYMM_TEST_FEW_TYPES
// Every rank, and every layout with and without static extents.
using Cases =
    testing::Types<Case<int, LayoutLeft>, Case<int*, LayoutRight>,
                   Case<int*, LayoutStride>, Case<int[5], LayoutLeft>,
                   Case<int**, LayoutLeft>, Case<int**, LayoutStride>,
                   Case<int* [3], LayoutRight>, Case<int***, LayoutRight>,
                   Case<int***, LayoutStride>, Case<int****, LayoutLeft>,
                   Case<int*****, LayoutRight>, Case<int******, LayoutLeft>,
                   Case<int*******, LayoutRight>, Case<int********, LayoutLeft>,
                   Case<int****** [2][3], LayoutRight>>;
#else
using Cases = testing::Types<
    Case<int, LayoutLeft>, Case<int, LayoutRight>, Case<int*, LayoutLeft>,
    Case<int*, LayoutRight>, Case<int*, LayoutStride>, Case<int[5], LayoutLeft>,
    Case<int**, LayoutLeft>, Case<int**, LayoutRight>,
    Case<int**, LayoutStride>, Case<int* [3], LayoutRight>,
    Case<int***, LayoutLeft>, Case<int***, LayoutRight>,
    Case<int***, LayoutStride>, Case<int** [2], LayoutLeft>,
    Case<int****, LayoutLeft>, Case<int*****, LayoutRight>,
    Case<int******, LayoutLeft>, Case<int*******, LayoutRight>,
    Case<int********, LayoutLeft>, Case<int********, LayoutRight>,
    Case<int****** [2][3], LayoutRight>>;
#endif
TYPED_TEST_SUITE(Views, Cases);

// By the host, from a copy of the memory: no kernels to compile.

template <class View>
std::vector<int> memory_of(View const& view) {
  std::vector<int> memory(view.span());
  read_memory(memory.data(), view.data(), memory.size() * sizeof(int));
  return memory;
}

/// Elements of this PE's copy that are not what `from` has sent.
template <class View>
std::size_t count_wrong_here(View const& view, symm::Pe from) {
  auto const memory = memory_of(view);
  std::size_t wrong = 0;
  for (std::size_t n = 0; n < view.size(); ++n) {
    std::size_t rest  = n;
    std::size_t place = 0;
    if constexpr (View::rank() > 0) {
      for (std::size_t r = View::rank(); r-- > 0;) {
        place += rest % view.extent(r) * view.stride(r);
        rest /= view.extent(r);
      }
    }
    if (memory[place] != value(from, symm::my_pe(), n)) ++wrong;
  }
  return wrong;
}

TYPED_TEST(Views, M18_every_element_of_a_peer_is_written_with_global_view) {
  using View = typename TypeParam::View;
  static_assert(symm::GlobalView<View>::rank() == View::rank());
  expect_written_and_read(
      TypeParam::make,
      [](View const& view) {
        fill_global(symm::global_view(view), right(), symm::my_pe());
      },
      [](View const& view, symm::Pe pe) {
        auto const here =
            pe == symm::my_pe() ? count_wrong_here(view, left()) : 0;
        return here +
               count_wrong(symm::global_view(view).peer(pe), left_of(pe), pe);
      });
}

TYPED_TEST(Views, M18_every_element_of_a_peer_is_written_with_peer_view) {
  GuardView const before;
  auto const view = TypeParam::make();
  GuardView const after;
  symm::barrier_all();

  auto const remote = symm::peer_view(view, right());
  for (std::size_t r = 0; r != view.rank(); ++r) {
    EXPECT_EQ(remote.extent(r), view.extent(r));
    EXPECT_EQ(remote.stride(r), view.stride(r));
  }
  fill(remote, symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong_here(view, left()), 0U);
  EXPECT_TRUE(before.is_intact());
  EXPECT_TRUE(after.is_intact());
}

TYPED_TEST(Views, S14_data_has_one_offset_on_all_PEs_and_256_byte_alignment) {
  GuardView const shift;  // so that not every View starts the heap
  auto const view = TypeParam::make();
  auto const& map = symm::Impl::heap_map_of(view, "test");
  EXPECT_TRUE(map.contains(view.data()));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(view.data()) % 256, 0U);

  EXPECT_TRUE(is_equal_on_all_pes(map.offset_of(view.data())));
}

TYPED_TEST(Views, a_new_View_is_zero_in_memory_that_held_other_data) {
  using View          = typename TypeParam::View;
  int const* recycled = nullptr;
  {
    auto const view = TypeParam::make();
    recycled        = view.data();
    set_bytes(view.data(), 0xff, view.span() * sizeof(int));
  }
  View const view = TypeParam::make();
  EXPECT_EQ(view.data(), recycled);
  EXPECT_EQ(memory_of(view), std::vector<int>(view.span(), 0));
}

}  // namespace

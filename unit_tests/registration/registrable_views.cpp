// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Ordinary Views whose memory can become symmetric.

#include <gmock/gmock.h>

#include <kokkos/view_helpers.hpp>

#include <registration/registration_test.hpp>

namespace {

using namespace symm_test;
using symm::make_registrable_view;
using testing::HasSubstr;

TEST(RegistrableViews, are_Views_of_zeros_in_the_space_of_the_application) {
  auto const view = make_registrable_view<int**>("u", 30, 40);
  static_assert(std::is_same_v<decltype(view), Kokkos::View<int**> const>);
  EXPECT_EQ(view.label(), "u");
  EXPECT_EQ(view.extent(0), 30U);
  EXPECT_EQ(view.extent(1), 40U);
  EXPECT_EQ(view.use_count(), 1);
  EXPECT_TRUE(is_aligned(view.data(), granule));
  EXPECT_EQ(count_equal(view, 0), view.size());
  auto const copy = view;
  EXPECT_EQ(view.use_count(), 2);
  Kokkos::deep_copy(view, 7);
  EXPECT_EQ(count_equal(copy, 7), view.size());
}

TEST(RegistrableViews, have_any_layout_rank_and_static_extents) {
  auto const left =
      make_registrable_view<double***, Kokkos::LayoutLeft>("left", 3, 4, 5);
  EXPECT_EQ(left.stride(0), 1U);
  auto const right =
      make_registrable_view<double* [4], Kokkos::LayoutRight>("right", 9);
  EXPECT_EQ(right.extent(1), 4U);
  EXPECT_EQ(right.stride(1), 1U);
  auto const scalar = make_registrable_view<int>("scalar");
  EXPECT_EQ(scalar.size(), 1U);
  auto const strided = make_registrable_view<int*, Kokkos::LayoutStride>(
      "strided", Kokkos::LayoutStride(10, 3));
  EXPECT_EQ(strided.stride(0), 3U);
  auto const empty = make_registrable_view<int*>("empty", 0);
  EXPECT_EQ(empty.size(), 0U);
}

struct Cell {
  double width = 1.5;
  int number   = 3;
};

TEST(RegistrableViews, begin_as_other_Views_do) {
  auto const cells =
      make_registrable_view<Cell**, Kokkos::LayoutLeft>("cells", 30, 40);
  auto const here =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), cells);
  for (std::size_t i = 0; i < cells.extent(0); ++i) {
    for (std::size_t j = 0; j < cells.extent(1); ++j) {
      ASSERT_EQ(here(i, j).width, 1.5) << i << " " << j;
      ASSERT_EQ(here(i, j).number, 3) << i << " " << j;
    }
  }
  auto const numbers =
      make_registrable_view<Kokkos::complex<double>*>("complex numbers", 100);
  EXPECT_EQ(count_equal(numbers, Kokkos::complex<double>()), numbers.size());
}

TEST(RegistrableViews, M47_more_than_there_are_addresses_is_refused) {
  auto const expect_too_large = [](auto const& call) {
    EXPECT_THAT(message_of<symm::OutOfMemory>(call), HasSubstr("\"huge\""));
  };
  constexpr std::size_t huge = std::size_t{1} << 61U;  // doubles
  for (std::size_t const n : {huge, huge / 8}) {
    expect_too_large([&] { return make_registrable_view<double*>("huge", n); });
  }
  constexpr std::size_t half = std::size_t{1} << 32U;
  expect_too_large(
      [&] { return make_registrable_view<double**>("huge", half, half); });
  expect_too_large([&] {
    return make_registrable_view<double**, Kokkos::LayoutLeft>(
        "huge", Kokkos::LayoutLeft(half, half));
  });
  expect_too_large([&] {
    return make_registrable_view<char * [1 << 20][1 << 20]>("huge", half);
  });
  expect_too_large([&] {
    return make_registrable_view<char*, Kokkos::LayoutStride>(
        "huge", Kokkos::LayoutStride(half + 1, half));
  });
}

}  // namespace

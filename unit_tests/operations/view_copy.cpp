// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::copy of Views: by one thread, a team, lanes of a thread, and the host.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>

#include "rma_helpers.hpp"
#include "view_copy_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::ALL;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
using Kokkos::View;
using symm::Pe;
using symm::UsageError;
using testing::HasSubstr;

using Range = std::pair<int, int>;

template <class Dst, class Src>
void expect_copies_between(Dst const& dst, Src const& src) {
  expect_copies(dst, dst, src);
}

// Between whole Views of all layouts. Extents: odd, 1, 0.

template <class T, std::size_t rank>
struct PointerTo {
  using type = typename PointerTo<T*, rank - 1>::type;
};
template <class T>
struct PointerTo<T, 0> {
  using type = T;
};
template <std::size_t rank>
using Data = typename PointerTo<int, rank>::type;

template <class Dst, class Src, class... Extents>
void expect_copies_of_extents(Extents... extents) {
  expect_copies_between(Dst("dst", static_cast<std::size_t>(extents)...),
                        Src("src", static_cast<std::size_t>(extents)...));
}

template <class DstLayout, class SrcLayout>
void expect_copies_of_ranks() {
  auto const of_rank = []<std::size_t rank>(
                           std::integral_constant<std::size_t, rank>,
                           auto... extents) {
    expect_copies_of_extents<View<Data<rank>, DstLayout, Space>,
                             View<Data<rank>, SrcLayout, Space>>(extents...);
  };
  using std::integral_constant;
  of_rank(integral_constant<std::size_t, 0>());
  for (int const n : {0, 1, 2, 255, 257, 5001}) {
    of_rank(integral_constant<std::size_t, 1>(), n);
  }
  of_rank(integral_constant<std::size_t, 2>(), 37, 19);
  of_rank(integral_constant<std::size_t, 2>(), 1, 300);
  of_rank(integral_constant<std::size_t, 2>(), 300, 1);
  of_rank(integral_constant<std::size_t, 2>(), 5, 0);
  of_rank(integral_constant<std::size_t, 3>(), 13, 7, 11);
  of_rank(integral_constant<std::size_t, 3>(), 3, 1, 11);
  of_rank(integral_constant<std::size_t, 4>(), 3, 5, 2, 7);
}

TEST(ViewCopy, of_LayoutLeft_and_LayoutRight_is_exact) {
  expect_copies_of_ranks<LayoutRight, LayoutRight>();
  expect_copies_of_ranks<LayoutLeft, LayoutLeft>();
}

TEST(ViewCopy, transposes_from_LayoutLeft_to_LayoutRight_and_back) {
  expect_copies_of_ranks<LayoutRight, LayoutLeft>();
  expect_copies_of_ranks<LayoutLeft, LayoutRight>();
}

TEST(ViewCopy, of_rank_5_to_8_is_exact) {
  expect_copies_of_extents<View<int*****, LayoutRight, Space>,
                           View<int*****, LayoutLeft, Space>>(2, 3, 4, 1, 5);
  expect_copies_of_extents<View<int******, LayoutLeft, Space>,
                           View<int******, LayoutLeft, Space>>(2, 3, 4, 1, 5,
                                                               2);
  expect_copies_of_extents<View<int*******, LayoutLeft, Space>,
                           View<int*******, LayoutRight, Space>>(2, 3, 2, 1, 3,
                                                                 2, 2);
  expect_copies_of_extents<View<int********, LayoutRight, Space>,
                           View<int********, LayoutLeft, Space>>(2, 3, 2, 1, 3,
                                                                 2, 2, 3);
}

TEST(ViewCopy, of_every_order_of_LayoutStride_is_exact) {
  using Strided              = View<int***, LayoutStride, Space>;
  std::size_t const extent[] = {7, 5, 9};
  int const orders[][3]      = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (auto const& order : orders) {
    auto const layout = LayoutStride::order_dimensions(3, order, extent);
    Strided const strided("strided", layout);
    expect_copies_between(strided,
                          View<int***, LayoutRight, Space>("right", 7, 5, 9));
    expect_copies_between(View<int***, LayoutLeft, Space>("left", 7, 5, 9),
                          strided);
    expect_copies_between(strided, Strided("strided", layout));
  }
}

// Between parts.

TEST(ViewCopy, of_subviews_leaves_the_rest_alone) {
  using Right = View<int***, LayoutRight, Space>;
  using Left  = View<int***, LayoutLeft, Space>;
  Right const right_all("right", 9, 11, 13);
  Left const left_all("left", 9, 11, 13);
  auto const box = [](auto const& all, int shift) {
    return Kokkos::subview(all, Range(1 + shift, 6 + shift),
                           Range(2 - shift, 9 - shift),
                           Range(3 + shift, 12 + shift));
  };
  expect_copies(right_all, box(right_all, 0), box(left_all, 1));
  expect_copies(left_all, box(left_all, 1), box(right_all, 0));
  expect_copies(right_all, box(right_all, 0),
                box(Right("other", 9, 11, 13), 1));
  // Faces of a block: of rank 2, one contiguous and two strided.
  Right const other("other", 9, 11, 13);
  expect_copies(right_all, Kokkos::subview(right_all, 8, ALL, ALL),
                Kokkos::subview(other, 1, ALL, ALL));
  expect_copies(right_all, Kokkos::subview(right_all, ALL, 10, ALL),
                Kokkos::subview(other, ALL, 1, ALL));
  expect_copies(right_all, Kokkos::subview(right_all, ALL, ALL, 12),
                Kokkos::subview(other, ALL, ALL, 1));
  expect_copies(left_all, Kokkos::subview(left_all, ALL, ALL, 12),
                Kokkos::subview(other, ALL, ALL, 1));
  // Rows and columns, an element.
  expect_copies(right_all, Kokkos::subview(right_all, 3, 4, Range(1, 10)),
                Kokkos::subview(left_all, ALL, 3, 4));
  expect_copies(right_all, Kokkos::subview(right_all, 3, 4, 5),
                Kokkos::subview(left_all, 5, 3, 4));
}

TEST(ViewCopy, of_contiguous_parts_is_exact_at_every_alignment) {
  View<int*, Space> const all("all", 1200);
  View<int*, Space> const other("other", 1200);
  for (int to = 0; to < 4; ++to) {
    for (int from = 0; from < 4; ++from) {
      expect_copies(all, Kokkos::subview(all, Range(4 + to, 1100 + to)),
                    Kokkos::subview(other, Range(4 + from, 1100 + from)));
    }
  }
}

/// Teams copy a row each.
template <class Dst, class Src>
struct CopyRows {
  Dst dst;
  Src src;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    int const row = member.league_rank();
    symm::copy(member, Kokkos::subview(dst, row, ALL),
               Kokkos::subview(src, row, ALL));
  }
};

TEST(ViewCopy, by_teams_of_a_league_copies_disjoint_rows) {
  View<int**, LayoutRight, Space> const dst("dst", 29, 1003);
  View<int**, LayoutLeft, Space> const src("src", 29, 1003);
  CopiedMemory const memory{dst.data(),     dst.span(), 0,
                            places_of(dst), src.data(), src.span(),
                            places_of(src)};
  auto const peers = symm::peer_view(dst, right());
  for_each_exec<Space>([&]<class Exec>() {
    memory.set(right());
    using Body = CopyRows<std::remove_const_t<decltype(peers)>,
                          std::remove_const_t<decltype(src)>>;
    Kokkos::parallel_for("copy rows",
                         Kokkos::TeamPolicy<Exec>(29, Kokkos::AUTO),
                         Body{peers, src});
    Exec().fence();
    memory.expect(left());
  });
}

// Of other types.

/// What is element n of either View.
template <class T>
T number(std::size_t n) {
  return T(static_cast<float>(n) + 0.25F);
}

/// \tparam on_gpu the way there: one for each pair of types.
template <Way on_gpu, class Dst, class Src, class ConstSrc = Src>
void expect_copies_of_numbers() {
  using To   = typename Dst::non_const_value_type;
  using From = typename Src::non_const_value_type;
  Dst const dst("dst", 17, 23);
  Src const src("src", 17, 23);
  auto const dst_places = places_of(dst);
  auto const src_places = places_of(src);
  std::vector<From> numbers(src.span());
  for (std::size_t n = 0; n < numbers.size(); ++n) {
    numbers[src_places[n]] = number<From>(n);
  }
  write<From>(src.data(), numbers);
  auto const to = symm::peer_view(dst, right());
  ConstSrc const from(src);
  for_each_way<on_gpu>([&]<class Exec, unsigned ways>(Way way) {
    write(dst.data(), std::vector<To>(dst.span()));
    symm::barrier_all();
    copy_in_kernel<Exec, ways>(way, to, from);
    symm::barrier_all();
    auto const have     = read<To>(dst.data(), dst.span());
    std::size_t n_wrong = 0;
    for (std::size_t n = 0; n < have.size(); ++n) {
      if (have[dst_places[n]] != number<To>(n)) ++n_wrong;
    }
    EXPECT_EQ(n_wrong, 0U);
    symm::barrier_all();
  });
}

TEST(ViewCopy, of_other_elements_is_exact) {
  using Kokkos::complex;
  expect_copies_of_numbers<by_thread, View<double**, Space>,
                           View<double**, Space>>();
  expect_copies_of_numbers<by_team, View<double**, LayoutLeft, Space>,
                           View<float**, LayoutLeft, Space>>();
  expect_copies_of_numbers<by_lanes, View<double**, LayoutLeft, Space>,
                           View<double**, LayoutRight, Space>,
                           View<double const**, LayoutRight, Space>>();
  expect_copies_of_numbers<by_thread,
                           View<complex<double>**, LayoutLeft, Space>,
                           View<complex<double>**, LayoutRight, Space>>();
  expect_copies_of_numbers<by_team, View<double* [23], Space>,
                           View<double**, Space>>();
  expect_copies_of_numbers<
      by_lanes, View<float**, Space>,
      View<float**, Space, Kokkos::MemoryTraits<Kokkos::Atomic>>>();
}

// Errors.

TEST(ViewCopyErrors, on_the_host_differing_extents_are_a_UsageError) {
  if constexpr (is_on_host<Space>) {
    View<int**, Space> const view("v", 3, 5);
    View<int**, Space> const other("o", 3, 4);
    View<int*, Space> const line("l", 0);
    EXPECT_EQ(message_of<UsageError>([&] { symm::copy(view, other); }),
              "symm::copy: the extents differ: the destination has (3, 5), "
              "the source (3, 4)");
    EXPECT_EQ(message_of<UsageError>(
                  [&] { symm::copy(line, Kokkos::subview(view, 1, ALL)); }),
              "symm::copy: the extents differ: the destination has (0), the "
              "source (5)");
    EXPECT_EQ(count_equal(view, 0), view.size());
  } else {
    View<int*, Space> const view("v", 3);
    EXPECT_THAT(message_of<UsageError>([&] { symm::copy(view, view); }),
                HasSubstr("a View is in GPU memory"));
  }
  symm::barrier_all();
}

#ifndef SYMM_TEST_GPU
// A kernel cannot throw. (A GPU that is stopped so cannot go on.)
TEST(ViewCopyErrors, in_kernels_differing_extents_stop_the_program) {
  View<int**, Space> const view("v", 3, 5);
  View<int**, Space> const other("o", 3, 4);
  auto const copy = copy_in_kernel<SpaceExec, all_ways, View<int**, Space>,
                                   View<int**, Space>>;
  EXPECT_DEATH(copy(by_team, view, other), "the extents of the Views differ");
  EXPECT_DEATH(copy(by_lanes, view, other), "the extents of the Views differ");
  symm::barrier_all();
}
#endif

}  // namespace

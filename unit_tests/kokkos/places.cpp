// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// places(), PlacedView and gather(): elements of all PEs by places that are
// prepared. places_over_nodes.cpp has those of jobs of several nodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using Exec = Space::execution_space;
template <class T>
using List = Kokkos::View<T*, Exec::memory_space>;

static_assert(sizeof(symm::Place) == 8 && sizeof(symm::Place32) == 4);
static_assert(std::is_trivially_copyable_v<symm::Place>);
static_assert(
    std::is_trivially_copyable_v<symm::PlacedView<Kokkos::View<int*, Space>>>);

template <class T>
List<T> list_of(std::vector<T> const& numbers) {
  List<T> const list("list", numbers.size());
  Kokkos::deep_copy(
      list, Kokkos::View<T const*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                numbers.data(), numbers.size()));
  return list;
}

/// No power of two, as the distances between PEs are.
template <std::size_t n>
struct Bytes {
  unsigned char bytes[n];
};

template <class T>
KOKKOS_FUNCTION T element_of(Pe pe, std::size_t i) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<T>(value(pe, pe, i));
  } else {
    T result;
    for (std::size_t n = 0; n < sizeof(T); ++n) {
      result.bytes[n] =
          static_cast<unsigned char>(value(pe, static_cast<Pe>(n), i) & 0xff);
    }
    return result;
  }
}
template <class T>
KOKKOS_FUNCTION bool are_equal(T const& a, T const& b) {
  if constexpr (std::is_arithmetic_v<T>) {
    return a == b;
  } else {
    for (std::size_t n = 0; n < sizeof(T); ++n) {
      if (a.bytes[n] != b.bytes[n]) return false;
    }
    return true;
  }
}

/// Element n (the last index fastest) of this PE's copy becomes its own.
template <class View>
struct SetOwn {
  View view;
  Pe pe;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::size_t n, Indices... i) const {
    view(i...) = element_of<typename View::non_const_value_type>(pe, n);
  }
};

/// Elements that places and copies of them have wrong; places(n) stands for
/// element which(n) of PE pes(n).
template <class View, class Places>
struct CountWrong {
  using T = typename View::non_const_value_type;

  symm::PlacedView<View> at;
  Places places;
  List<T> copies;
  List<int> pes;
  List<int> which;

  KOKKOS_FUNCTION void operator()(std::size_t n, int& wrong) const {
    auto const expected =
        element_of<T>(pes(n), static_cast<std::size_t>(which(n)));
    if (!are_equal<T>(at(places(n)), expected)) ++wrong;
    if (!are_equal<T>(copies(n), expected)) ++wrong;
  }
};

template <class P, class View, class... Indices>
int count_wrong_places(View const& view, List<int> const& pes,
                       List<int> const& which, Indices const&... indices) {
  using T           = typename View::non_const_value_type;
  auto const places = symm::places<P>(view, pes, indices...);
  static_assert(
      std::is_same_v<typename decltype(places)::non_const_value_type, P>);
  List<T> const copies("copies", places.extent(0));
  symm::gather(Exec(), copies, view, places);
  int wrong = -1;
  Kokkos::parallel_reduce(
      "count wrong", Kokkos::RangePolicy<Exec>(0, pes.extent(0)),
      CountWrong<View, std::remove_const_t<decltype(places)>>{
          symm::placed_view(view), places, copies, pes, which},
      wrong);
  return wrong;
}

/// All elements of all PEs, those of PEs in turn.
template <class View>
void expect_places(View const& view) {
  constexpr auto rank = View::rank();
  std::vector<int> pes;
  std::vector<int> which;
  std::array<std::vector<int>, 2> indices;
  auto const columns = rank == 2 ? static_cast<int>(view.extent(1)) : 1;
  for (int n = 0; n < static_cast<int>(view.size()); ++n) {
    for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
      pes.push_back((pe + n) % symm::n_pes());
      which.push_back(n);
      indices[0].push_back(n / columns);
      indices[1].push_back(n % columns);
    }
  }
  for_each_element(view, SetOwn<View>{view, symm::my_pe()});
  symm::barrier_all();
  auto const its_pes   = list_of(pes);
  auto const its_which = list_of(which);
  auto const its_rows  = list_of(indices[0]);
  if constexpr (rank == 1) {
    EXPECT_EQ(
        count_wrong_places<symm::Place>(view, its_pes, its_which, its_rows), 0);
    EXPECT_EQ(
        count_wrong_places<symm::Place32>(view, its_pes, its_which, its_rows),
        0);
  } else {
    auto const its_columns = list_of(indices[1]);
    EXPECT_EQ(count_wrong_places<symm::Place>(view, its_pes, its_which,
                                              its_rows, its_columns),
              0);
    EXPECT_EQ(count_wrong_places<symm::Place32>(view, its_pes, its_which,
                                                its_rows, its_columns),
              0);
  }
  symm::barrier_all();
}

TEST(Places, stand_for_elements_of_all_PEs) {
  Kokkos::View<char, Space> const shift("shift");
  expect_places(Kokkos::View<double*, Space>("v", 103));
  expect_places(Kokkos::View<short*, Space>("v", 7));
  expect_places(Kokkos::View<int**, Kokkos::LayoutLeft, Space>("v", 5, 9));
  expect_places(Kokkos::View<int**, Kokkos::LayoutRight, Space>("v", 5, 9));
}

TEST(Places, stand_for_elements_of_sizes_that_do_not_divide_the_distance) {
  expect_places(Kokkos::View<Bytes<3>*, Space>("v", 50));
  expect_places(Kokkos::View<Bytes<12>*, Space>("v", 50));
  expect_places(Kokkos::View<Bytes<7>**, Kokkos::LayoutLeft, Space>("v", 6, 7));
}

TEST(Places, stand_for_elements_of_a_strided_subview) {
  Kokkos::View<int***, Kokkos::LayoutLeft, Space> const all("v", 6, 5, 4);
  expect_places(Kokkos::subview(all, 3, std::pair(1, 5), Kokkos::ALL));
}

TEST(Places, serve_all_Views_of_one_shape) {
  Kokkos::View<double*, Space> const a("a", 20);
  Kokkos::View<double*, Space> const b("b", 20);
  auto const pes     = list_of<int>({right(), symm::my_pe(), right()});
  auto const indices = list_of<int>({0, 19, 7});
  for_each_element(b, SetOwn<Kokkos::View<double*, Space>>{b, symm::my_pe()});
  symm::barrier_all();
  List<double> const copies("copies", 3);
  symm::gather(Exec(), copies, b, symm::places(a, pes, indices));
  auto const mine =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), copies);
  EXPECT_EQ(mine(0), element_of<double>(right(), 0));
  EXPECT_EQ(mine(1), element_of<double>(symm::my_pe(), 19));
  EXPECT_EQ(mine(2), element_of<double>(right(), 7));
  symm::barrier_all();
}

TEST(Places, of_a_View_of_rank_0_take_PEs_only) {
  Kokkos::View<int, Space> const number("number");
  Kokkos::deep_copy(number, 7 + symm::my_pe());
  symm::barrier_all();
  auto const places = symm::places(number, list_of<int>({right()}));
  List<int> const copies("copies", 1);
  symm::gather(Exec(), copies, number, places);
  int copy = 0;
  Kokkos::deep_copy(copy, Kokkos::subview(copies, 0));
  EXPECT_EQ(copy, 7 + right());
  EXPECT_THAT(message_of<UsageError>(
                  [&] { (void)symm::places(number, list_of<int>({-1})); }),
              HasSubstr("invalid PE -1"));
  symm::barrier_all();
}

TEST(Places, of_nothing_are_none) {
  Kokkos::View<double*, Space> const empty("empty", 0);
  auto const none = symm::places(empty, List<int>(), List<long>());
  EXPECT_EQ(none.extent(0), 0U);
  symm::gather(Exec(), List<double>(), empty, none);
}

TEST(Places, refuse_what_is_not_there) {
  Kokkos::View<int**, Space> const view("temperature", 3, 4);
  auto const message = [&](std::vector<long> const& pes,
                           std::vector<int> const& i,
                           std::vector<int> const& j) {
    return message_of<UsageError>([&] {
      (void)symm::places(view, list_of(pes), list_of(i), list_of(j));
    });
  };
  long const n = symm::n_pes();
  EXPECT_EQ(message({0, n - 1}, {2, 0}, {3, 0}), "no exception");
  for (long const pe : {n, -1L, 1L << 32U}) {
    EXPECT_THAT(
        message({0, pe, 0}, {2, 0, 3}, {3, 0, 0}),
        AllOf(HasSubstr("symm::places of \"temperature\": place 1: invalid "
                        "PE " +
                        std::to_string(pe)),
              HasSubstr("PEs are 0 to " + std::to_string(n - 1))));
  }
  for (int const i : {3, -1}) {
    EXPECT_THAT(message({0, 0, n - 1}, {2, 0, i}, {3, 0, 1}),
                HasSubstr("place 2: element (" + std::to_string(i) +
                          ", 1) on PE " + std::to_string(n - 1) +
                          " is out of bounds; the extents are (3, 4)"));
  }
  EXPECT_THAT(message({0}, {0}, {4}), HasSubstr("element (0, 4)"));
  EXPECT_THAT(message({0}, {0, 1}, {0, 1}), HasSubstr("the same length"));
  EXPECT_THAT(message({0, 0}, {0, 1}, {0}), HasSubstr("the same length"));
  auto const one = symm::places(view, list_of<int>({0}), list_of<int>({0}),
                                list_of<int>({0}));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::gather(Exec(), List<int>("copies", 2), view, one);
              }),
              HasSubstr("symm::gather of \"temperature\": \"copies\" (2) and "
                        "the list of places (1) must"));
  symm::barrier_all();
}

TEST(Places, of_4_bytes_are_distances_in_heaps_that_have_few_elements) {
  using Element = Bytes<3>;
  using View    = Kokkos::View<Element*, Space, Kokkos::MemoryUnmanaged>;
  // Of the elements of 3 PEs. Of memory that is not there are only addresses.
  constexpr std::size_t most  = (std::size_t{1} << 32U) / 3;
  constexpr std::size_t first = std::size_t{1} << 40U;
  for (std::size_t const bytes :
       {std::size_t{60}, std::size_t{62}, 3 * most, 3 * most + 3}) {
    // PE 5 of 9, on a node with PEs 4 and 6.
    symm::HeapMap const map{
        reinterpret_cast<char*>(first - 4 * bytes), bytes, 5, 9, 4, 3};
    auto const code = symm::Impl::place32_code(map, sizeof(Element));
    EXPECT_EQ(code.step == 0, bytes == 60 || bytes == 3 * most) << bytes;
    symm::PlacedView<View> const at(
        View(reinterpret_cast<Element*>(map.part(5)), 20), map);
    for (std::uint32_t pe = 0; pe < 3; ++pe) {
      auto const& element = at(symm::Place32{pe * code.words_per_pe + 7});
      EXPECT_EQ(reinterpret_cast<std::size_t>(&element),
                first + pe * bytes + 7 * sizeof(Element))
          << bytes << " bytes, PE " << pe;
    }
  }
}

TEST(Places, of_4_bytes_refuse_Views_that_are_too_large) {
  Kokkos::View<char*, Space> const view("small", 8);
  int const bits = symm::n_pes() <= 2 ? 31 : 30;
  auto const all = [&](std::size_t count) {
    return Kokkos::View<char*, Space, Kokkos::MemoryUnmanaged>(view.data(),
                                                               count);
  };
  auto const pes    = list_of<int>({symm::n_pes() - 1});
  auto const latest = list_of<std::int64_t>({(std::int64_t{1} << bits) - 1});
  auto const most   = all(std::size_t{1} << bits);
  auto const place  = Kokkos::create_mirror_view_and_copy(
       Kokkos::HostSpace(), symm::places<symm::Place32>(most, pes, latest))(0);
  EXPECT_EQ(&symm::placed_view(most)(place),
            symm::peer_view(view, symm::n_pes() - 1).data() + most.size() - 1);
  auto const too_large = all(most.size() + 1);
  EXPECT_THAT(message_of<UsageError>([&] {
                (void)symm::places<symm::Place32>(too_large, pes, latest);
              }),
              AllOf(HasSubstr("a symm::Place32 can refer to only 2^" +
                              std::to_string(bits)),
                    HasSubstr("use symm::Place")));
  EXPECT_EQ(symm::places(too_large, pes, latest).extent(0), 1U);
  symm::barrier_all();
}

}  // namespace

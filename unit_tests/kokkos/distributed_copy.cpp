// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Copies between DistributedViews and Views of the host: scatter, gather,
// Kokkos::deep_copy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_SymmetricContainers.hpp>

#include "distributed_cases.hpp"
#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using View1 = Kokkos::View<int*, Space>;

template <class T>
class DistributedCopies : public testing::Test {};
TYPED_TEST_SUITE(DistributedCopies, DistributedCases);

/// The whole in host memory.
template <class Case, class Layout>
auto make_whole(std::size_t n) {
  if constexpr (Case::rank == 1) {
    return Kokkos::View<int*, Layout, Kokkos::HostSpace>("on host", n);
  } else {
    return Kokkos::View<int**, Layout, Kokkos::HostSpace>("on host", n, 3);
  }
}

template <class View>
struct SetWhole {
  View view;
  int round;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::size_t, Indices... i) const {
    view(i...) = global_value(round, i...);
  }
};
template <class View>
void set_whole(View const& view, int round) {
  for_each_element(view, SetWhole<View>{view, round});
}
template <class View>
struct IsWholeWrong {
  View view;
  int round;
  template <class... Indices>
  KOKKOS_FUNCTION bool operator()(std::size_t, Indices... i) const {
    return view(i...) != global_value(round, i...);
  }
};
template <class View>
std::size_t count_wrong_of_whole(View const& view, int round) {
  return count_elements(view, IsWholeWrong<View>{view, round});
}

template <class Case, class Layout>
void test_copies_of_each_root() {
  int round = 0;
  for (auto const n : global_extents) {
    auto const view = Case::make(n);
    for (Pe root = 0; root < symm::n_pes(); ++root) {
      SCOPED_TRACE(testing::Message() << n << " rows, root " << root);
      bool const is_root = symm::my_pe() == root;
      auto const whole   = make_whole<Case, Layout>(is_root ? n : 0);
      if (is_root) set_whole(whole, ++round);
      round = symm::reduce(symm::team_world(), round, symm::Max{});
      symm::scatter(view, whole, root);
      EXPECT_EQ(count_wrong_of_mine(view, round), 0U);
      symm::barrier_all();
      set_mine(view, ++round);
      symm::gather(whole, view, root);
      if (is_root) {
        EXPECT_EQ(count_wrong_of_whole(whole, round), 0U);
      }
    }
  }
}

TYPED_TEST(DistributedCopies, go_to_and_from_the_View_of_a_root) {
  test_copies_of_each_root<TypeParam, Kokkos::LayoutRight>();
}
TYPED_TEST(DistributedCopies, are_of_any_layout) {
  test_copies_of_each_root<TypeParam, Kokkos::LayoutLeft>();
}

TYPED_TEST(DistributedCopies, give_all_elements_to_all_PEs) {
  int round = 1000;
  for (auto const n : global_extents) {
    SCOPED_TRACE(testing::Message() << n << " rows");
    auto const view  = TypeParam::make(n);
    auto const whole = make_whole<TypeParam, Kokkos::LayoutRight>(n);
    set_mine(view, ++round);
    Kokkos::deep_copy(whole, view);
    EXPECT_EQ(count_wrong_of_whole(whole, round), 0U);
    // Back: each PE takes its part of its own View.
    set_whole(whole, ++round);
    Kokkos::deep_copy(view, whole);
    EXPECT_EQ(count_wrong_of_mine(view, round), 0U);
    symm::barrier_all();
  }
}

/// Sets rows first, first + step, ... of the whole.
template <class View>
struct SetRows {
  View view;
  std::size_t first, step;
  int round;
  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    auto const i = first + n * step;
    if (i < view.extent(0)) view(i) = global_value(round, i);
  }
};

TEST(DistributedCopy, has_what_PEs_have_written_before_without_a_barrier) {
  using View = symm::DistributedView<View1, symm::Cyclic>;
  View const view("whole", 40);
  auto const me  = static_cast<std::size_t>(symm::my_pe());
  auto const pes = static_cast<std::size_t>(symm::n_pes());
  Kokkos::View<int*, Kokkos::HostSpace> const whole("on host", 40);
  for (int round = 1; round < 20; ++round) {
    // Of another PE in each round; of far ones, too.
    auto const first = (me + static_cast<std::size_t>(round)) % pes;
    Kokkos::parallel_for("set", Elements<View1>(0, 40),
                         SetRows<View>{view, first, pes, round});
    Kokkos::deep_copy(whole, view);
    for (std::size_t i = 0; i < 40; ++i)
      EXPECT_EQ(whole(i), global_value(round, i));
  }
}

TEST(DistributedCopy, of_const_elements_and_of_other_types_converts) {
  symm::DistributedView<View1> const view("whole", 10);
  Kokkos::View<short*, Kokkos::HostSpace> const shorts("shorts", 10);
  for (std::size_t i = 0; i < 10; ++i)
    shorts(i) = static_cast<short>(global_value(1, i));
  symm::scatter(view, Kokkos::View<short const*, Kokkos::HostSpace>(shorts), 0);
  Kokkos::View<long*, Kokkos::HostSpace> const longs("longs", 10);
  Kokkos::deep_copy(longs, view);
  for (std::size_t i = 0; i < 10; ++i)
    EXPECT_EQ(longs(i), static_cast<short>(global_value(1, i)));
}

TEST(DistributedCopy, of_another_extent_throws_on_all_PEs_and_copies_nothing) {
  symm::DistributedView<View1> const view("whole", 10);
  set_mine(view, 1);
  Pe const root = symm::n_pes() - 1;
  Kokkos::View<int*, Kokkos::HostSpace> const short_one(
      "short", symm::my_pe() == root ? 9 : 10);
  auto const text =
      AllOf(HasSubstr(" \"whole\": PE " + std::to_string(root)),
            HasSubstr("(9), but must be those of the DistributedView, (10)"));
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::scatter(view, short_one, root); }),
      text);
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::gather(short_one, view, root); }),
      text);
  EXPECT_THAT(
      message_of<UsageError>([&] { Kokkos::deep_copy(short_one, view); }),
      text);
  EXPECT_THAT(
      message_of<UsageError>([&] { Kokkos::deep_copy(view, short_one); }),
      text);
  EXPECT_EQ(count_wrong_of_mine(view, 1), 0U);
  EXPECT_EQ(count_equal(short_one, 0), short_one.size());
}

TEST(DistributedCopy, with_a_root_that_is_no_PE_throws_on_all_PEs) {
  symm::DistributedView<View1> const view("whole", 10);
  Kokkos::View<int*, Kokkos::HostSpace> const whole("on host", 10);
  for (Pe const root : {-1, symm::n_pes()}) {
    EXPECT_THAT(
        message_of<UsageError>([&] { symm::scatter(view, whole, root); }),
        HasSubstr("invalid PE " + std::to_string(root) +
                  " as the root; PEs are 0 to "));
  }
}

}  // namespace

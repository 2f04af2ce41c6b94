// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <vector>

#include <runtime/heap/RetiredViews.hpp>
#include <runtime/heap/ViewInfo.hpp>
#include <runtime/pes/Rendezvous.hpp>

namespace symm_test::retired_views {
namespace {

using namespace symm::Impl;

/// Views whose numbers are the places of their addresses in an array.
struct RetiredViewsTest : testing::Test {
  void retire(std::size_t n) {
    memory.resize(n);
    views.prepare(n);
    for (char& address : memory) views.retire(&address);
  }
  void collect() {
    views.collect([&](void const* address) {
      return static_cast<RetiredViews::Id>(static_cast<char const*>(address) -
                                           memory.data());
    });
  }

  std::vector<char> memory;
  RetiredViews views;
};

TEST_F(RetiredViewsTest, are_told_in_order_as_many_as_a_call_can_carry) {
  constexpr auto max = Rendezvous::max_notices;
  retire(max + 1);
  EXPECT_TRUE(views.notices().empty()) << "not collected yet";
  collect();
  EXPECT_EQ(views.n_waiting(), max + 1);
  ASSERT_EQ(views.notices().size(), max);
  EXPECT_EQ(views.notices().back(), max - 1);
  EXPECT_TRUE(views.has_more_notices());
  views.told(max, RetiredViews::none);
  ASSERT_EQ(views.notices().size(), 1U);
  EXPECT_EQ(views.notices().front(), max);
  EXPECT_FALSE(views.has_more_notices());
  views.told(1, RetiredViews::none);
  EXPECT_TRUE(views.notices().empty());
  EXPECT_EQ(views.n_waiting(), max + 1) << "for the other PEs";
}

TEST_F(RetiredViewsTest, are_told_again_if_they_were_above_the_last_that_was) {
  retire(6);
  collect();
  views.told(4, 1);  // of 0, 1, 2, 3
  std::vector const left(views.notices().begin(), views.notices().end());
  EXPECT_EQ(left, (std::vector<RetiredViews::Id>{2, 3, 4, 5}));
  views.told(4, 9);
  EXPECT_TRUE(views.notices().empty());
}

TEST_F(RetiredViewsTest, what_is_no_View_is_not_told) {
  retire(3);
  views.collect([](void const*) { return RetiredViews::none; });
  collect();
  EXPECT_TRUE(views.notices().empty());
  EXPECT_EQ(views.n_waiting(), 0U);
}

TEST_F(RetiredViewsTest, end_when_the_last_PE_has_retired_them) {
  retire(1);
  collect();
  ViewInfo view;
  view.begin("u", 0);
  EXPECT_FALSE(views.count(view, 1, 3));
  EXPECT_FALSE(views.count(view, 1, 3));
  EXPECT_EQ(views.n_waiting(), 1U);
  EXPECT_TRUE(views.count(view, 1, 3));
  EXPECT_EQ(views.n_waiting(), 0U);
}

TEST_F(RetiredViewsTest, end_when_all_have_whoever_tells_of_several_PEs) {
  retire(2);
  collect();
  std::array<ViewInfo, 2> ended;
  EXPECT_FALSE(views.count(ended[0], 5, 8));
  EXPECT_TRUE(views.count(ended[0], 3, 8));
  EXPECT_EQ(views.n_waiting(), 1U);
  EXPECT_TRUE(views.count(ended[1], 8, 8));
  EXPECT_EQ(views.n_waiting(), 0U);
}

}  // namespace
}  // namespace symm_test::retired_views

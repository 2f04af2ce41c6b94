// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// SymmetricSpace(Deallocate::collective): the end of a View is a barrier, and
// the memory is free at once.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using View1 = Kokkos::View<int*, Space>;

View1 make(std::string const& label) {
  return View1(Kokkos::view_alloc(label, Space(symm::Deallocate::collective)),
               100);
}

TEST(DeallocateCollective, M15_the_memory_is_free_at_once) {
  View1 const anchor("keeps memory in the heap", 1);
  auto const before = settled();
  { View1 const view = make("v"); }
  auto const after = stats();
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  EXPECT_EQ(after.retired_blocks, before.retired_blocks);
  // Allocated, filled, freed.
  EXPECT_EQ(after.n_collective_calls, before.n_collective_calls + 3);
}

TEST(DeallocateCollective, M24_a_View_ends_only_when_all_PEs_end_it) {
  View1 const flag("flag", 1);
  symm::barrier_all();
  {
    View1 const view = make("v");
    // Who is late tells the others so; they must see it after their destructor.
    if (symm::my_pe() == symm::n_pes() - 1) {
      for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
        set_global(symm::global_view(flag), pe, 1, 0);
      }
    }
  }
  EXPECT_EQ(get(flag, 0), 1);
  symm::barrier_all();
}

TEST(DeallocateCollective, copies_and_subviews_stay_local) {
  auto view         = make("v");
  auto const before = n_calls();
  if (symm::my_pe() == 0) {
    auto const copy = view;
    auto const part = Kokkos::subview(copy, std::pair(3, 9));
    EXPECT_EQ(part.use_count(), 3);
  }
  EXPECT_EQ(n_calls(), before);
  symm::barrier_all();
  view = {};
  EXPECT_EQ(n_calls(), before + 2);
}

TEST(DeallocateCollective, M29_different_orders_are_reported_and_lose_nothing) {
  auto const before = settled().live_blocks;
  auto first        = make("first");
  auto second       = make("second");
  testing::internal::CaptureStderr();
  if (symm::my_pe() == 0) {
    first  = {};
    second = {};
  } else {
    second = {};
    first  = {};
  }
  auto const text = testing::internal::GetCapturedStderr();
  View1 const next("next", 1);  // reclaims both
  EXPECT_EQ(stats().live_blocks, before + 1);
  if (symm::n_pes() > 1) {
    EXPECT_NE(text.find("View \"first\""), std::string::npos) << text;
    EXPECT_NE(text.find("mismatched collective call"), std::string::npos);
  }
}

}  // namespace

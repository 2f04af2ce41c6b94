// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The end of a View is local; its memory is reused once all PEs have destroyed
// theirs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <atomic>
#include <set>
#include <thread>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/pes/Rendezvous.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using View1 = Kokkos::View<int*, Space>;

TEST(Retire, one_PE_alone_destroys_a_View_and_goes_on) {
  auto const before = settled();
  View1 view("v", 100);
  // One PE after the other, with barriers between: a destructor that waited for
  // the others would hang or be a mismatch.
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto const calls = n_calls();
    if (pe == symm::my_pe()) view = {};
    EXPECT_EQ(n_calls(), calls);
    symm::barrier_all();
  }
  EXPECT_EQ(settled().live_blocks, before.live_blocks);
}

TEST(Retire, M24_a_block_is_not_reused_before_all_PEs_have_destroyed_it) {
  auto const before = settled();
  for (symm::Pe late = 0; late < symm::n_pes(); ++late) {
    View1 view("kept by one PE", 1000);
    int* const data = view.data();
    Kokkos::deep_copy(view, value(late, late, 1));
    symm::barrier_all();
    bool const is_late = symm::my_pe() == late;
    if (!is_late) view = {};
    {
      // Every PE but one is done with it: these must go elsewhere.
      View1 const a("a", 1000);
      View1 const b("b", 1000);
      bool const is_elsewhere =
          symm::n_pes() == 1 || (a.data() != data && b.data() != data);
      EXPECT_TRUE(is_elsewhere) << "the block of a live View is used again";
      symm::barrier_all();
      Kokkos::deep_copy(symm::peer_view(a, late), -1);
      Kokkos::deep_copy(symm::peer_view(b, late), -1);
      symm::barrier_all();
      if (is_late) {
        EXPECT_EQ(count_equal(view, value(late, late, 1)), view.size());
      }
    }
    EXPECT_EQ(settled().live_blocks, before.live_blocks + 1);
    EXPECT_EQ(stats().retired_blocks, is_late ? 0U : 1U);
    view = {};
    EXPECT_EQ(settled().live_blocks, before.live_blocks);
    EXPECT_EQ(stats().retired_blocks, 0U);
  }
}

TEST(Retire, M15_the_next_allocation_uses_the_memory_again) {
  settled();
  int* const first = View1("v", 100'000).data();
  View1 const held("held", 100'000);
  EXPECT_EQ(held.data(), first);
  auto const before = stats();
  for (int i = 0; i < rounds(500); ++i) View1("v", 250'000);
  auto const after = stats();
  EXPECT_LE(after.mapped_bytes, before.mapped_bytes + (8U << 20U));
  EXPECT_EQ(after.live_blocks, before.live_blocks + 1);  // the last one
}

TEST(Retire, M24_PEs_destroy_in_different_orders) {
  auto const before = settled();
  for (int round = 0; round < rounds(20); ++round) {
    std::vector<View1> views;
    for (std::size_t i = 0; i < 12; ++i) {
      views.emplace_back("v" + std::to_string(i), 100 + 50 * i);
    }
    auto const shift = static_cast<std::size_t>(symm::my_pe() * 5 + round);
    for (std::size_t i = 0; i < 12; ++i) {
      views[(7 * i + shift) % 12] = {};
      // Allocations in between, so that notices are told in different calls.
      if (i % 3 == 0) {
        View1 const probe("probe", 30);
        fill(symm::peer_view(probe, right()), symm::my_pe(), right());
      }
    }
  }
  auto const after = settled();
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  EXPECT_EQ(after.live_bytes, before.live_bytes);
}

TEST(Retire, S14_offsets_stay_equal_after_different_orders) {
  settled();
  // More than one call can tell, from another start on every PE; some stay on
  // all PEs but one.
  constexpr std::size_t count = 1000;
  std::vector<View1> views;
  for (std::size_t i = 0; i < count; ++i)
    views.emplace_back("v", 16 << (i % 6));
  auto const shift = 110 * static_cast<std::size_t>(symm::my_pe());
  for (std::size_t i = 0; i < count; ++i) {
    auto& view = views[(7 * i + shift) % count];
    if (i % 3 != 0 || symm::my_pe() == 0) view = {};
  }
  auto const map = symm::Impl::heap_map_of(View1(), "test");
  for (int i = 0; i < 40; ++i) {
    View1 const probe("probe", 1);
    EXPECT_TRUE(is_equal_on_all_pes(map.offset_of(probe.data())));
  }
}

TEST(Retire, M15_more_Views_at_once_than_one_call_can_tell) {
  auto const before       = settled();
  std::size_t const count = 2 * symm::Impl::Rendezvous::max_notices + 17;
  {
    std::vector<View1> views;
    for (std::size_t i = 0; i < count; ++i) views.emplace_back("v", 10);
    EXPECT_EQ(stats().live_blocks, before.live_blocks + count);
  }
  View1 const one("one", 1);
  EXPECT_EQ(stats().retired_blocks,
            count - symm::Impl::Rendezvous::max_notices);
  View1 const two("two", 1);
  View1 const three("three", 1);
  EXPECT_EQ(stats().live_blocks, before.live_blocks + 3);
}

TEST(Retire, M15_memory_is_reclaimed_in_one_call_when_it_is_needed) {
  settled();
  // More notices than fit into a call, and then one block of all their memory.
  std::size_t const count = 3 * symm::Impl::Rendezvous::max_notices;
  std::size_t mapped      = 0;
  {
    std::vector<View1> views;
    for (std::size_t i = 0; i < count; ++i) views.emplace_back("v", 4000);
    mapped = stats().mapped_bytes;
  }
  View1 const large("large", count * 4000);
  EXPECT_EQ(stats().retired_blocks, 0U);
  EXPECT_EQ(stats().mapped_bytes, mapped);
}

TEST(Retire, heap_trim_reclaims_all_and_gives_the_memory_back) {
  settled();
  auto const mapped = stats().mapped_bytes;
  {
    std::vector<View1> views;
    for (int i = 0; i < 1000; ++i) views.emplace_back("v", 10'000);
    EXPECT_GT(stats().mapped_bytes, mapped);
  }
  symm::heap_trim();
  EXPECT_EQ(stats().retired_blocks, 0U);
  EXPECT_EQ(stats().mapped_bytes, mapped);
}

TEST(Retire, other_threads_destroy_while_this_one_allocates) {
  auto const before       = settled();
  constexpr int n_threads = 3;
  for (int round = 0; round < rounds(20); ++round) {
    std::vector<std::vector<View1>> of_thread(n_threads);
    for (auto& views : of_thread) {
      for (int i = 0; i < 200; ++i) views.emplace_back("v", 8);
    }
    std::atomic<bool> go = false;
    std::vector<std::thread> threads;
    for (auto& views : of_thread) {
      threads.emplace_back([&views, &go] {
        while (!go) std::this_thread::yield();
        while (!views.empty()) views.pop_back();
      });
    }
    go = true;
    for (int i = 0; i < 20; ++i) View1("meanwhile", 8);
    for (auto& thread : threads) thread.join();
  }
  auto const after = settled();
  EXPECT_EQ(after.live_blocks, before.live_blocks);
  EXPECT_EQ(after.retired_blocks, 0U);
}

TEST(Retire, M30_what_was_destroyed_before_a_mismatched_call_is_reclaimed) {
  auto const before = settled();
  { View1 const view("v", 100); }
  if (symm::n_pes() > 1) {
    EXPECT_EQ(symm::malloc(symm::my_pe() == 0 ? 100 : 200), nullptr);
  }
  View1 const next("next", 1);
  EXPECT_EQ(stats().live_blocks, before.live_blocks + 1);
}

}  // namespace

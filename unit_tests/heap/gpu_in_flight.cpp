// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Kernels in flight when a collective call of the heap is made: it waits for
// those of all PEs, before memory gets another owner or is copied.

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

#include <heap/heap_test.hpp>
#include <support/late_stores.hpp>

namespace {

using namespace symm_test;
using Clock                 = std::chrono::steady_clock;
constexpr std::size_t count = 1000;
constexpr std::size_t bytes = count * sizeof(int);

/// Elements that are not `what`.
std::size_t count_other(int const* start, int what) {
  std::vector<int> all(count);
  read_memory(all.data(), start, bytes);
  return count -
         static_cast<std::size_t>(std::count(all.begin(), all.end(), what));
}

class InFlight : public testing::Test {
 protected:
  InFlight() {
    // The first launch of a kernel loads it, which takes time.
    auto* const block = static_cast<int*>(symm::malloc(sizeof(int)));
    launch_late_stores(Gpu(), block, 1, 0);
    symm::free(block);
    symm::heap_trim();
  }

  void SetUp() override {
    if (!are_all_near())
      GTEST_SKIP() << "there are PEs that loads and stores do not reach";
  }

  symm::Pe const m_me    = symm::my_pe();
  symm::Pe const m_right = (m_me + 1) % symm::n_pes();
  symm::Pe const m_left  = (m_me + symm::n_pes() - 1) % symm::n_pes();
};

TEST_F(InFlight, M24_free_waits_for_kernels_that_write_to_a_peer) {
  auto* const block = static_cast<int*>(symm::malloc(bytes));
  auto const start  = Clock::now();
  launch_late_stores(Gpu(), symm::ptr(block, m_right), count, -1);
  EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(late_ms))
      << "the kernel has ended: the test shows too little";
  symm::free(block);
  EXPECT_GE(Clock::now() - start, late_on_host);
  auto* const next = static_cast<int*>(symm::calloc(count, sizeof(int)));
  EXPECT_EQ(next, block) << "the test shows too little";
  Kokkos::fence();
  symm::barrier_all();
  EXPECT_EQ(count_other(next, 0), 0U);
  symm::free(next);
}

TEST_F(InFlight, S11_realloc_moves_what_kernels_are_about_to_write) {
  auto* const block = static_cast<int*>(symm::calloc(count, sizeof(int)));
  void* const guard = symm::malloc(64);  // it must move
  launch_late_stores(Gpu(), symm::ptr(block, m_right), count, 100 + m_me);
  auto* const moved = static_cast<int*>(symm::realloc(block, 100 * bytes));
  EXPECT_NE(moved, block) << "the test shows too little";
  EXPECT_EQ(count_other(moved, 100 + m_left), 0U);
  symm::free(moved);
  symm::free(guard);
}

TEST_F(InFlight, M21_malloc_is_a_barrier_for_kernels_too) {
  auto* const block = static_cast<int*>(symm::calloc(count, sizeof(int)));
  launch_late_stores(Gpu(), symm::ptr(block, m_right), count, 200 + m_me);
  void* const other = symm::malloc(64);
  EXPECT_EQ(count_other(block, 200 + m_left), 0U);
  symm::free(other);
  symm::free(block);
}

}  // namespace

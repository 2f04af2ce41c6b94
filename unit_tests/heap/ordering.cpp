// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The barriers of the calls: who has called when a call returns, and which
// writes are visible then. Repeated many times, with pauses that differ between
// PEs, so that in every round another PE is the last one.

#include <atomic>
#include <cstddef>
#include <functional>

#include <heap/heap_test.hpp>
#include <support/kernels.hpp>

namespace {

using namespace symm_test;

unsigned rounds() { return are_all_near() ? 60 : 10; }

/// Plain stores to all PEs, in a kernel that nobody has waited for: only a
/// barrier that waits for kernels, too, makes them visible.
void launch_stores(symm::HeapMap const& map, int* values, int value) {
  launch(KOKKOS_LAMBDA() {
    for (symm::Pe pe = 0; pe < map.n_pes; ++pe) {
      store_at(map, pe, values + map.my_pe, value);
    }
  });
}

/// While another PE may be writing it.
int get_concurrently(int& value) {
  if constexpr (host_reaches_heap) {
    return std::atomic_ref(value).load(std::memory_order_relaxed);
  } else {
    return get_value(&value);
  }
}

/// Where each PE finds what all others have written for it.
class Inbox {
 public:
  Inbox()
      : m_values(static_cast<int*>(symm::calloc(
            static_cast<std::size_t>(symm::n_pes()), sizeof(int)))) {
    EXPECT_NE(m_values, nullptr) << symm::last_error();
  }
  Inbox(Inbox const&)            = delete;
  Inbox& operator=(Inbox const&) = delete;
  ~Inbox() { symm::free(m_values); }

  void write_to_all(int value) const {
    launch_stores(heap().map(), m_values, value);
  }
  /// A PE may be in the next round already.
  void expect_all_have_written(int value) const {
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      EXPECT_GE(get_concurrently(m_values[pe]), value)
          << "PE " << pe << " has not called yet, or its write is not visible";
    }
  }

 private:
  int* m_values;
};

/// The call that is tested, and what goes before and after it.
struct Steps {
  std::function<void()> before = [] {};
  std::function<void()> call;
  std::function<void()> after = [] {};
};

/// When the call returns, every PE has called it, and everybody's writes from
/// before it are visible.
void expect_barrier(Steps const& steps) {
  Inbox const inbox;
  auto random = random_of_this_pe(1);
  for (int round = 1; round <= static_cast<int>(rounds()); ++round) {
    steps.before();
    random_pause(random);
    inbox.write_to_all(round);
    auto const calls = symm::heap_stats().n_collective_calls;
    steps.call();
    inbox.expect_all_have_written(round);
    EXPECT_GT(symm::heap_stats().n_collective_calls, calls);
    steps.after();
  }
}

class Ordering : public testing::Test {
 protected:
  /// Calls that allocate m_block.
  void expect_barrier_of_allocation(std::function<void*()> const& allocate) {
    expect_barrier({.call  = [&] { m_block = allocate(); },
                    .after = [&] { symm::free(m_block); }});
  }
  /// Calls on an m_block of 1000 bytes.
  void expect_barrier_of_change(std::function<void()> const& change) {
    expect_barrier({.before = [&] { m_block = symm::malloc(1000); },
                    .call   = change,
                    .after  = [&] { symm::free(m_block); }});
  }

  void* m_block = nullptr;
};

TEST_F(Ordering, M01_M21_M22_M31_M44_S18_malloc_is_a_barrier) {
  expect_barrier_of_allocation([] { return symm::malloc(48); });
}

TEST_F(Ordering, M01_M21_M23_M31_align_is_a_barrier) {
  expect_barrier_of_allocation([] { return symm::align(64, 48); });
}

TEST_F(Ordering, C01_C11_calloc_is_a_barrier) {
  expect_barrier_of_allocation([] { return symm::calloc(3, 16); });
}

TEST_F(Ordering, S04_S07_S08_realloc_of_null_is_a_barrier) {
  expect_barrier_of_allocation([] { return symm::realloc(nullptr, 48); });
}

TEST_F(Ordering, S07_S08_S18_realloc_to_a_larger_size_is_a_barrier) {
  expect_barrier_of_change([this] { m_block = symm::realloc(m_block, 9000); });
}

TEST_F(Ordering, S07_S08_realloc_to_a_smaller_size_is_a_barrier) {
  expect_barrier_of_change([this] { m_block = symm::realloc(m_block, 10); });
}

TEST_F(Ordering, S05_S07_S08_realloc_to_zero_bytes_is_a_barrier) {
  expect_barrier_of_change([this] { m_block = symm::realloc(m_block, 0); });
}

TEST_F(Ordering, M01_M21_M24_M31_M44_free_is_a_barrier) {
  expect_barrier_of_change([this] {
    symm::free(m_block);
    m_block = nullptr;
  });
}

TEST_F(Ordering, M21_growth_trim_and_failures_are_barriers) {
  expect_barrier({.before = [] { symm::heap_trim(); },
                  .call   = [this] { m_block = symm::malloc(3 * mib); },
                  .after  = [this] { symm::free(m_block); }});
  expect_barrier({.before = [] { symm::free(symm::malloc(3 * mib)); },
                  .call   = [] { symm::heap_trim(); }});
  expect_barrier(
      {.call = [] { EXPECT_EQ(symm::malloc(~std::size_t{0}), nullptr); }});
  expect_barrier({.call = [] { EXPECT_EQ(symm::align(3, 8), nullptr); }});
}

TEST_F(Ordering, M24_memory_is_not_recycled_before_all_pes_have_freed_it) {
  constexpr std::size_t bytes = 4096;
  constexpr std::size_t half  = bytes / 2;
  auto const me               = symm::my_pe();
  auto const to               = (me + 1) % symm::n_pes();
  auto random                 = random_of_this_pe(2);
  for (unsigned round = 1; round <= rounds(); ++round) {
    auto* const old = malloc_bytes(bytes);
    fill(old, half, {me, me, round});
    random_pause(random);
    // Nobody has recycled this PE's copy, however far ahead others are.
    EXPECT_EQ(difference(old, half, {me, me, round}), no_difference);
    // A put before free() is complete before the memory gets its next owner.
    fill_at(to, old + half, half, {me, to, round});
    symm::free(old);
    auto* const recycled = malloc_bytes(bytes);
    EXPECT_EQ(recycled, old) << "not recycled: the test shows too little";
    fill(recycled, bytes, {me, me, ~round});
    random_pause(random);
    EXPECT_EQ(difference(recycled, bytes, {me, me, ~round}), no_difference);
    symm::free(recycled);
  }
}

/// A put to all peers right after the call returns here, while other PEs may
/// still be in it, is not lost.
void expect_usable_at_once(std::size_t bytes,
                           std::function<char*()> const& allocate) {
  auto const me   = symm::my_pe();
  auto const all  = static_cast<std::size_t>(symm::n_pes());
  auto const part = bytes / all;
  auto random     = random_of_this_pe(3);
  for (unsigned round = 1; round <= rounds() / 2; ++round) {
    random_pause(random);
    char* const block = allocate();
    EXPECT_NE(block, nullptr) << symm::last_error();
    if (block == nullptr) break;
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      fill_at(pe, block + part * static_cast<std::size_t>(me), part,
              {me, pe, round});
    }
    symm::barrier_all();
    for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
      EXPECT_EQ(difference(block + part * static_cast<std::size_t>(pe), part,
                           {pe, me, round}),
                no_difference)
          << "written by PE " << pe;
    }
    symm::free(block);
  }
}

TEST_F(Ordering, M26_peers_can_be_written_when_malloc_returns) {
  expect_usable_at_once(4000, [] { return malloc_bytes(4000); });
}

TEST_F(Ordering, M26_peers_can_be_written_when_the_heap_has_grown) {
  expect_usable_at_once(4000, [] {
    symm::heap_trim();
    return malloc_bytes(2 * mib);
  });
}

TEST_F(Ordering, C11_zeros_do_not_overwrite_what_peers_put_after_calloc) {
  expect_usable_at_once(
      mib, [] { return static_cast<char*>(symm::calloc(mib / 4, 4)); });
}

TEST_F(Ordering, S08_the_copy_of_realloc_does_not_overwrite_what_peers_put) {
  expect_usable_at_once(mib, [] {
    return static_cast<char*>(symm::realloc(malloc_bytes(mib), 2 * mib));
  });
}

TEST_F(Ordering, S11_what_peers_put_before_realloc_moves_with_the_block) {
  constexpr std::size_t bytes = 100'000;
  auto const me               = symm::my_pe();
  auto const to               = (me + 1) % symm::n_pes();
  auto const from             = (me + symm::n_pes() - 1) % symm::n_pes();
  auto random                 = random_of_this_pe(4);
  for (unsigned round = 1; round <= rounds() / 2; ++round) {
    auto* const block = malloc_bytes(bytes);
    random_pause(random);
    fill_at(to, block, bytes, {me, to, round});
    auto* const moved = static_cast<char*>(symm::realloc(block, 2 * bytes));
    EXPECT_NE(moved, nullptr) << symm::last_error();
    if (moved == nullptr) break;
    EXPECT_EQ(difference(moved, bytes, {from, me, round}), no_difference);
    symm::free(moved);
  }
}

}  // namespace

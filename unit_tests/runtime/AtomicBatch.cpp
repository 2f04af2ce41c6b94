// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

#include <runtime/base/Text.hpp>
#include <runtime/memory/AtomicBatch.hpp>

namespace symm_test {
namespace {

using symm::Impl::AtomicBatch;
using symm::Impl::AtomicBoard;
using symm::Impl::AtomicOp;
using symm::Impl::GpuAtomic;
using symm::Impl::WordType;

TEST(AtomicBatch, says_in_one_word_what_it_is) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    auto const number = static_cast<std::uint32_t>(random());
    auto const first  = random() % AtomicBatch::most;
    auto const count  = random() % (AtomicBatch::most - first) + 1;
    AtomicBatch const run(AtomicBatch(number, first, count).word());
    EXPECT_EQ(run.number(), number);
    EXPECT_EQ(run.first(), first);
    EXPECT_EQ(run.count(), count);
    EXPECT_EQ(run.n_parts(), (count + 31) / 32);
  }
  EXPECT_EQ(AtomicBatch(1, 0, AtomicBatch::most).n_parts(), 128U);
}

// The library orders these by fences, of which ThreadSanitizer knows nothing.

void set(GpuAtomic& change, GpuAtomic const& value) {
  symm::Impl::store_relaxed(&change.where, value.where);
  symm::Impl::store_relaxed(&change.value, value.value);
  symm::Impl::store_relaxed(&change.compare, value.compare);
  symm::Impl::store_relaxed(&change.was, value.was);
}

template <std::size_t n>
std::array<std::uint64_t, n> values_of(
    std::array<std::uint64_t, n> const& words) {
  std::array<std::uint64_t, n> values{};
  for (std::size_t i = 0; i < n; ++i)
    values[i] = symm::Impl::load_relaxed(&words[i]);
  return values;
}

/// Threads that wait, and two in the place of the library's kernel, which see a
/// run late, twice, or when it is over.
TEST(AtomicBoard, every_change_is_made_once_and_the_host_told_behind_it) {
  constexpr std::size_t n_words = 100;
  std::vector<GpuAtomic> changes(AtomicBatch::most);
  std::array<std::uint64_t, n_words> words{};
  std::array<std::uint64_t, n_words> expected{};
  std::uint64_t posted   = 0;
  std::uint64_t finished = 0;
  // The numbers of runs pass their end.
  std::uint32_t number = 0xffff'ff00;
  AtomicBoard board{changes.data(), &finished, 0, std::uint64_t{number} << 16U,
                    0};
  std::atomic<bool> is_over = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      while (!is_over) {
        if (!take_part(&board)) std::this_thread::yield();
      }
    });
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      AtomicBatch run(0);
      while (!is_over) {
        if (random() % 4 != 0)
          run = AtomicBatch(symm::Impl::load_acquire(&posted));
        auto const parts = claim_parts(board, run, random() % 4 + 1);
        if (parts.count == 0) {
          std::this_thread::yield();
          continue;
        }
        for (std::size_t p = 0; p < parts.count; ++p) {
          for (std::size_t i = 0; i < AtomicBatch::in_part; ++i)
            change_one(board, run, parts.first + p, i);
        }
        finish_parts(board, run, parts.count);
      }
    });
  }
  std::mt19937 random(7);
  for (int round = 0; round < 1000; ++round) {
    std::size_t const first = random() % 200;
    std::size_t const count = random() % 300 + 1;
    for (std::size_t i = first; i < first + count; ++i) {
      auto const at    = random() % n_words;
      auto const value = random() % 1000;
      auto const op    = random() % 2 == 0 ? AtomicOp::add : AtomicOp::max;
      // Sums in the first half, the largest values in the other.
      auto const word = op == AtomicOp::add ? at / 2 : (at + n_words) / 2;
      GpuAtomic change(&words[word], op, WordType::u64, value);
      change.was = ~std::uint64_t{0};
      set(changes[i], change);
      expected[word] = op == AtomicOp::add
                           ? expected[word] + value
                           : std::max<std::uint64_t>(expected[word], value);
    }
    AtomicBatch const run(++number, first, count);
    symm::Impl::store_release(&posted, run.word());
    if (random() % 2 == 0) symm::Impl::store_release(&board.wanted, run.word());
    while (symm::Impl::load_acquire(&finished) != number)
      std::this_thread::yield();
    EXPECT_EQ(values_of(words), expected) << "after run " << round;
    for (std::size_t i = first; i < first + count; ++i)
      EXPECT_NE(symm::Impl::load_relaxed(&changes[i].was), ~std::uint64_t{0});
  }
  is_over = true;
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(board.n_done, 0U);
}

template <class T>
bool is_no_number(std::uint64_t bits) {
  return std::isnan(std::bit_cast<T>(
      static_cast<
          std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(
          bits)));
}

/// Small numbers, any bits, and what is no number, of one kind: which of two a
/// sum becomes depends on their order.
std::uint64_t bits_for(WordType type, std::mt19937_64& random) {
  auto const small = static_cast<std::int64_t>(random() % 7) - 3;
  auto bits        = random();
  if (random() % 3 == 0) bits = static_cast<std::uint64_t>(small);
  if (type == WordType::f32) {
    // Above a word of 4 bytes anything may be.
    auto const above = random() << 32U;
    if (random() % 3 == 0)
      bits = above | std::bit_cast<std::uint32_t>(static_cast<float>(small));
    if (is_no_number<float>(bits)) {
      bits = above | std::bit_cast<std::uint32_t>(
                         std::numeric_limits<float>::quiet_NaN());
    }
  }
  if (type == WordType::f64) {
    if (random() % 3 == 0)
      bits = std::bit_cast<std::uint64_t>(static_cast<double>(small));
    if (random() % 8 == 0 || is_no_number<double>(bits)) {
      bits = std::bit_cast<std::uint64_t>(
          std::numeric_limits<double>::quiet_NaN());
    }
  }
  return bits;
}

TEST(AtomicBoard, threads_that_wait_do_what_the_kernel_does) {
  std::mt19937_64 random(3);
  std::array<std::uint64_t, 2> words{};
  std::vector<GpuAtomic> changes(2);
  AtomicBoard const board{changes.data(), nullptr, 0, 0, 0};
  int n_changed = 0;
  for (int i = 0; i < 200'000; ++i) {
    auto const type     = static_cast<WordType>(random() % 6);
    bool const has_bits = type != WordType::f32 && type != WordType::f64;
    auto const op       = static_cast<AtomicOp>(random() % (has_bits ? 10 : 7));
    auto const was      = bits_for(type, random);
    auto const value    = bits_for(type, random);
    // Half of the comparisons find what they expect.
    auto const compare = random() % 2 == 0 ? was : bits_for(type, random);
    words              = {was, was};
    for (std::size_t k = 0; k < 2; ++k)
      changes[k] = GpuAtomic(&words[k], op, type, value, compare);
    change_one(board, AtomicBatch(1, 0, 1), 0, 0);
    change_by_swaps(&changes[1]);
    auto const what = [&] {
      return symm::Impl::Text("operation ", static_cast<int>(op), " of type ",
                              static_cast<int>(type), ": ", was, ", ", value,
                              ", ", compare);
    };
    ASSERT_EQ(words[1], words[0]) << what().c_str();
    if (op != AtomicOp::set) {
      ASSERT_EQ(changes[1].was, changes[0].was) << what().c_str();
    }
    n_changed += words[0] != was;
  }
  EXPECT_GT(n_changed, 50'000);
}

TEST(AtomicBoard, threads_that_are_asked_late_find_nothing) {
  std::uint64_t word     = 0;
  std::uint64_t finished = 0;
  std::vector<GpuAtomic> changes(
      70, GpuAtomic(&word, AtomicOp::add, WordType::u64, 1));
  AtomicBoard board{changes.data(), &finished, 0, 0, 0};
  EXPECT_FALSE(take_part(&board));
  AtomicBatch const run(1, 0, changes.size());
  board.wanted     = run.word();
  auto const parts = claim_parts(board, run, 2);
  EXPECT_EQ(parts.first, 0U);
  EXPECT_EQ(parts.count, 2U);
  EXPECT_TRUE(take_part(&board));
  EXPECT_FALSE(take_part(&board));
  EXPECT_EQ(word, 6U);
  EXPECT_EQ(finished, 0U);
  finish_parts(board, run, parts.count);
  EXPECT_EQ(finished, 1U);
  EXPECT_EQ(board.wanted, 0U);
  board.wanted = run.word();
  EXPECT_FALSE(take_part(&board));
  EXPECT_EQ(word, 6U);
}

}  // namespace
}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Contexts that aggregate: what waits is carried out once, by quiet() at the
// latest. Random updates are compared with a serial oracle.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/one_sided/Aggregation.hpp>
#include "support/LackOfMemory.hpp"
#include "support/pes.hpp"

namespace {

using symm::Context;
using symm::Pe;
using testing::HasSubstr;

using Words = Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace>;

constexpr symm::ContextOptions aggregating{.aggregate = true};
constexpr symm::ContextOptions by_nodes{
    .aggregate = true, .routing = symm::UpdateRouting::by_nodes};

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e37'79b9'7f4a'7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

/// An update, which is a function of who makes it and its number.
struct Update {
  Pe pe;
  std::size_t word;
  std::uint64_t value;
  std::uint64_t random;
};
using Distribution = std::function<Update(Pe from, std::size_t k)>;

constexpr std::size_t n_table_words = 1'000;

Distribution uniform() {
  return [](Pe from, std::size_t k) {
    auto const x    = mix((static_cast<std::uint64_t>(from) << 40U) + k);
    auto const n    = static_cast<std::uint64_t>(symm::n_pes());
    auto const word = static_cast<std::size_t>(mix(x) % n_table_words);
    return Update{static_cast<Pe>(x % n), word, mix(x + 1), mix(x + 2)};
  };
}
Distribution skewed() {  // most to few words of few PEs
  return [](Pe from, std::size_t k) {
    auto it      = uniform()(from, k);
    auto const s = it.random % 16;
    it.word >>= s;
    if (s > 3) it.pe = 0;
    return it;
  };
}
Distribution all_to_one() {
  return [](Pe from, std::size_t k) {
    auto it = uniform()(from, k);
    it.pe   = symm::n_pes() - 1;
    it.word = 3;
    return it;
  };
}
Distribution ones() {  // "add 1"
  return [](Pe from, std::size_t k) {
    auto it  = uniform()(from, k);
    it.value = 1;
    return it;
  };
}

/// Kinds of operations, of which any order has the same result: each has words
/// of its own.
constexpr std::size_t n_kinds = 6;

void make(Context const& context, std::uint64_t* words, Update const& it,
          std::size_t kind) {
  auto* const word = words + kind * n_table_words + it.word;
  switch (kind) {
    case 0: return symm::atomic_add(context, word, it.value, it.pe);
    case 1: return symm::atomic_xor(context, word, it.value, it.pe);
    case 2: return symm::atomic_max(context, word, it.value, it.pe);
    case 3: return symm::atomic_inc(context, word, it.pe);
    case 4:
      return symm::atomic_add(
          context, reinterpret_cast<std::int32_t*>(word) + it.random % 2,
          static_cast<std::int32_t>(it.value), it.pe);
    default:
      return symm::atomic_add(context, reinterpret_cast<double*>(word),
                              static_cast<double>(it.value % 1024), it.pe);
  }
}
void make_here(std::uint64_t* words, Update const& it, std::size_t kind) {
  auto& word = words[kind * n_table_words + it.word];
  switch (kind) {
    case 0: word += it.value; return;
    case 1: word ^= it.value; return;
    case 2: word = std::max(word, it.value); return;
    case 3: ++word; return;
    case 4:
      reinterpret_cast<std::uint32_t*>(&word)[it.random % 2] +=
          static_cast<std::uint32_t>(it.value);
      return;
    default:
      reinterpret_cast<double&>(word) += static_cast<double>(it.value % 1024);
  }
}

/// What this PE's words are when all PEs have made `count` updates.
std::vector<std::uint64_t> expected(Distribution const& updates,
                                    std::size_t count,
                                    std::size_t kinds = n_kinds) {
  std::vector<std::uint64_t> words(n_kinds * n_table_words);
  for (Pe from = 0; from < symm::n_pes(); ++from)
    for (std::size_t k = 0; k < count; ++k) {
      auto const it = updates(from, k);
      if (it.pe == symm::my_pe())
        make_here(words.data(), it, it.random / 16 % kinds);
    }
  return words;
}
std::size_t n_wrong(Words const& words,
                    std::vector<std::uint64_t> const& right) {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    if (words(i) != right[i]) ++wrong;
  return wrong;
}

void expect_random_updates(symm::ContextOptions options) {
  for (auto const& updates : {uniform(), skewed(), all_to_one(), ones()}) {
    for (std::size_t const kinds : {std::size_t{1}, n_kinds}) {
      for (std::size_t const count : {0U, 1U, 255U, 256U, 257U, 20'000U}) {
        Words const words("words", n_kinds * n_table_words);
        Context const context(options);
        for (std::size_t k = 0; k < count; ++k) {
          auto const it = updates(symm::my_pe(), k);
          make(context, words.data(), it, it.random / 16 % kinds);
        }
        context.quiet();
        symm::barrier_all();
        EXPECT_EQ(n_wrong(words, expected(updates, count, kinds)), 0U)
            << count << " updates of " << kinds << " kinds";
        symm::barrier_all();
      }
    }
  }
}

TEST(AggregatingContexts, carry_out_random_updates_once) {
  expect_random_updates(aggregating);
}

TEST(AggregatingContexts, carry_out_updates_by_nodes_once) {
  expect_random_updates(by_nodes);
}

TEST(AggregatingContexts, of_threads_do_not_disturb_each_other) {
  constexpr std::size_t n_threads = 3;
  constexpr std::size_t count     = 9'000;
  Words const words("words", n_kinds * n_table_words);
  auto const updates = uniform();
  auto const me      = symm::my_pe();
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < n_threads; ++t) {
    threads.emplace_back([&, t] {
      Context const context(aggregating);
      for (std::size_t k = t; k < count; k += n_threads) {
        auto const it = updates(me, k);
        make(context, words.data(), it, it.random / 16 % n_kinds);
        if (k % 1'000 < n_threads) context.fence();
      }
      context.quiet();
    });
  }
  for (auto& thread : threads) thread.join();
  symm::barrier_all();
  EXPECT_EQ(n_wrong(words, expected(updates, count)), 0U);
  symm::barrier_all();
}

void expect_order(symm::ContextOptions options) {
  Words const words("words", 2);
  Words const puts("puts", 600);
  Context const context(options);
  Pe const to = (symm::my_pe() + 1) % symm::n_pes();
  std::vector<std::uint64_t> source(600);
  for (std::uint64_t round = 1; round <= 200; ++round) {
    for (std::size_t const count : {1U, 3U, 64U, 65U, 600U}) {
      std::fill(source.begin(), source.end(), 1'000 * round + count);
      symm::put(context, puts.data(), source.data(), count, to);
      std::fill(source.begin(), source.end(), 0);  // it may be written again
      context.fence();
    }
    symm::p(context, puts.data() + 1, round, to);
    symm::atomic_add(context, &words(0), 1U, to);
    context.fence();
    symm::atomic_set(context, &words(1), round, to);
    context.quiet();
    EXPECT_EQ(symm::g(&words(0), to), round);
    symm::wait_until(&words(1), symm::Compare::ge, round);
    EXPECT_GE(words(0), round);
    EXPECT_EQ(puts(1), round);
    EXPECT_EQ(puts(2), 1'000 * round + 600);
    symm::barrier_all();
  }
}

TEST(AggregatingContexts, order_by_fence_and_complete_by_quiet) {
  expect_order(aggregating);
}

TEST(AggregatingContexts, order_updates_by_nodes) { expect_order(by_nodes); }

TEST(AggregatingContexts, by_nodes_complete_what_is_for_some_pes) {
  Words const words("words", 2);
  Context const context(by_nodes);
  Pe const to = (symm::my_pe() + 1) % symm::n_pes();
  for (std::uint64_t round = 1; round <= 100; ++round) {
    symm::atomic_add(context, &words(0), 3U, to);
    context.pe_quiet(std::array{to});
    EXPECT_EQ(symm::g(&words(0), to), 3 * round);
  }
  symm::barrier_all();
}

/// One allocation after the other fails, on each PE another one, while updates
/// are made and delivered.
void expect_nothing_lost_without_memory(symm::ContextOptions options) {
  Words const words("words", 1);
  Pe const to                 = (symm::my_pe() + 1) % symm::n_pes();
  std::uint64_t sum           = 0;
  int n_failed                = 0;
  constexpr int n_allocations = 40;
  for (int round = 0; round < n_allocations; ++round) {
    int const which = 1 + (round + 7 * symm::my_pe()) % n_allocations;
    Context const context(options);
    symm_test::LackOfMemory(which, 1).in([&] {
      for (std::uint64_t k = 1; k <= 3 * symm::Impl::Aggregation::block; ++k) {
        try {
          symm::atomic_add(context, &words(0), k, to);
          sum += k;
        } catch (std::bad_alloc const&) {
          ++n_failed;
        }
      }
      try {
        context.quiet();
      } catch (std::bad_alloc const&) {
        ++n_failed;
      }
    });
    context.quiet();
    EXPECT_EQ(symm::g(&words(0), to), sum)
        << "allocation " << which << " failed";
  }
  EXPECT_TRUE(symm::is_near(to) || n_failed > 0);
  symm::barrier_all();
}

TEST(AggregatingContexts, without_memory_lose_no_update) {
  expect_nothing_lost_without_memory(aggregating);
}

TEST(AggregatingContexts, by_nodes_without_memory_lose_no_update) {
  expect_nothing_lost_without_memory(by_nodes);
}

TEST(AggregatingContexts, that_end_or_are_moved_lose_nothing) {
  Words const words("words", 4);
  Pe const to = (symm::my_pe() + 1) % symm::n_pes();
  {
    Context first(aggregating);
    symm::atomic_add(first, &words(0), 1U, to);
    Context second(std::move(first));
    symm::atomic_add(second, &words(0), 1U, to);
    Context third(aggregating);
    symm::atomic_add(third, &words(0), 1U, to);
    third = std::move(second);
    symm::atomic_add(third, &words(0), 1U, to);
  }
  symm::barrier_all();  // completes what has begun
  EXPECT_EQ(words(0), 4U);
  symm::barrier_all();
}

TEST(AggregatingContexts, of_a_team_take_its_numbers) {
  auto const last = symm::n_pes() - 1;
  auto const team = symm::team_split_strided(symm::team_world(), last, 1, 1);
  Words const words("words", 4);
  if (symm::my_pe() == last) {
    Context const context(team, aggregating);
    for (int i = 0; i < 300; ++i) symm::atomic_inc(context, &words(1), 0);
    EXPECT_THROW(symm::atomic_inc(context, &words(1), 1), symm::UsageError);
    context.quiet();
  }
  symm::barrier_all();
  EXPECT_EQ(words(1), symm::my_pe() == last ? 300U : 0U);
  symm::barrier_all();
}

TEST(AggregatingContexts, refuse_at_once_what_others_refuse) {
  Words const words("words", 4);
  Context const context(aggregating);
  symm::atomic_inc(context, &words(1), 0);  // finds the memory around
  auto const text_of = [&](std::uint64_t* word, Pe pe) -> std::string {
    try {
      symm::atomic_inc(context, word, pe);
    } catch (symm::UsageError const& error) {
      return error.what();
    }
    return "";
  };
  std::uint64_t here = 0;
  EXPECT_THAT(text_of(&words(0), symm::n_pes()),
              HasSubstr("symm::atomic_inc: invalid PE"));
  EXPECT_THAT(text_of(&words(0), -1), HasSubstr("invalid PE -1"));
  EXPECT_THAT(text_of(&here, 0), HasSubstr("symm::atomic_inc: 8 bytes"));
  EXPECT_THAT(text_of(nullptr, 0), HasSubstr("symm::atomic_inc: 8 bytes"));
  context.quiet();
  symm::barrier_all();
}

TEST(AggregatingContexts, find_memory_that_has_come_later) {
  Context const context(aggregating);
  Words const first("first", 4);
  symm::atomic_inc(context, &first(0), symm::my_pe());
  context.quiet();
  Words const second("second", std::size_t{8} << 20U);
  auto const last = second.extent(0) - 1;
  for (int i = 0; i < 1'000; ++i) {
    symm::atomic_inc(context, &first(0), symm::my_pe());
    symm::atomic_inc(context, &second(last), symm::my_pe());
  }
  context.quiet();
  EXPECT_EQ(first(0), 1'001U);
  EXPECT_EQ(second(last), 1'000U);
}

TEST(AggregatingContexts, take_a_bounded_memory) {
  EXPECT_LE(sizeof(symm::Impl::Aggregation), std::size_t{13} << 10U);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Elements of other PEs that are stored and updated in the order of an
// execution space instance.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/memory.hpp>
#include <support/pes.hpp>

namespace {

using namespace symm_test;
using symm::Pe;
using Exec = Space::execution_space;

template <class T>
using Elements = Kokkos::View<T*, Space>;

template <class View>
auto on_host(View const& view) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
}

struct Wide {
  double a;
  long b;
  char c;
};

TEST(EnqueuedElements, are_stored_between_the_kernels_of_the_instance) {
  Pe const me = symm::my_pe(), n = symm::n_pes();
  Elements<Wide> const all("all", static_cast<std::size_t>(n));
  Elements<int> const last("last", 1);
  Exec const exec;
  symm::barrier_all(exec);
  for (Pe pe = 0; pe < n; ++pe) {
    symm::p(exec, all.data() + me, Wide{0.5 * me, 100 * me + pe, 'c'}, pe);
  }
  for (int i = 0; i < 20; ++i) symm::p(exec, last.data(), i, (me + 1) % n);
  symm::quiet(exec);
  symm::barrier_all(exec);
  auto const host = on_host(all);
  for (Pe pe = 0; pe < n; ++pe) {
    auto const& its = host(static_cast<std::size_t>(pe));
    EXPECT_EQ(its.a, 0.5 * pe);
    EXPECT_EQ(its.b, 100 * pe + me);
    EXPECT_EQ(its.c, 'c');
  }
  EXPECT_EQ(on_host(last)(0), 19);
  symm::barrier_all();
}

TEST(EnqueuedElements, are_updated_by_all_PEs_at_once) {
  Pe const n     = symm::n_pes();
  int const each = 10;
  Elements<std::int64_t> const words("words", 8);
  Kokkos::View<std::int64_t*, Exec::memory_space> const tickets(
      "tickets", static_cast<std::size_t>(each));
  Exec const exec;
  Kokkos::deep_copy(Kokkos::subview(words, std::pair(4, 5)), -1);
  symm::barrier_all(exec);
  // All on PE 0.
  for (int i = 0; i < each; ++i) {
    symm::atomic_fetch_add(exec, tickets.data() + i, words.data(), 3, 0);
    symm::atomic_add(exec, words.data() + 1, 5, 0);
    symm::atomic_inc(exec, words.data() + 2, 0);
  }
  auto const me = static_cast<std::int64_t>(symm::my_pe());
  symm::atomic_max(exec, words.data() + 3, 10 + me, 0);
  symm::atomic_xor(exec, words.data() + 4, std::int64_t{1} << me, 0);
  symm::atomic_or(exec, words.data() + 5, std::int64_t{1} << me, 0);
  symm::quiet(exec);
  symm::barrier_all(exec);
  if (me == 0) {
    auto const now = on_host(words);
    EXPECT_EQ(now(0), 3 * each * n);
    EXPECT_EQ(now(1), 5 * each * n);
    EXPECT_EQ(now(2), each * n);
    EXPECT_EQ(now(3), 10 + n - 1);
    EXPECT_EQ(now(4), -1 ^ ((std::int64_t{1} << n) - 1));
    EXPECT_EQ(now(5), (std::int64_t{1} << n) - 1);
  }
  // Each ticket was drawn once, in order on each PE.
  auto const mine = on_host(tickets);
  EXPECT_TRUE(std::is_sorted(mine.data(), mine.data() + each));
  Elements<std::int64_t> const counts("counts",
                                      static_cast<std::size_t>(each * n));
  symm::barrier_all(exec);
  for (std::size_t i = 0; i < static_cast<std::size_t>(each); ++i)
    symm::atomic_inc(exec, counts.data() + mine(i) / 3, 0);
  symm::quiet(exec);
  symm::barrier_all(exec);
  if (me == 0) {
    auto const drawn = on_host(counts);
    EXPECT_THAT(
        std::vector<std::int64_t>(drawn.data(), drawn.data() + each * n),
        testing::Each(1));
  }
  symm::barrier_all();
}

TEST(EnqueuedElements, fetch_what_they_were) {
  Pe const right = (symm::my_pe() + 1) % symm::n_pes();
  Elements<unsigned> const word("word", 1);
  Kokkos::View<unsigned[9], Exec::memory_space> const was("was");
  Exec const exec;
  symm::barrier_all(exec);
  auto* const its = word.data();
  symm::atomic_set(exec, its, 12U, right);
  symm::atomic_swap(exec, was.data() + 0, its, 6U, right);
  symm::atomic_compare_swap(exec, was.data() + 1, its, 7U, 99U, right);
  symm::atomic_compare_swap(exec, was.data() + 2, its, 6U, 9U, right);
  symm::atomic_fetch_inc(exec, was.data() + 3, its, right);
  symm::atomic_fetch_min(exec, was.data() + 4, its, 8U, right);
  symm::atomic_fetch_max(exec, was.data() + 5, its, 13U, right);
  symm::atomic_fetch_and(exec, was.data() + 6, its, 12U, right);
  symm::atomic_fetch_or(exec, was.data() + 7, its, 3U, right);
  symm::atomic_fetch_xor(exec, was.data() + 8, its, 5U, right);
  symm::atomic_min(exec, its, 20U, right);
  symm::atomic_and(exec, its, 14U, right);
  symm::quiet(exec);
  symm::barrier_all(exec);
  unsigned const expected[] = {12, 6, 6, 9, 10, 8, 13, 12, 15};
  auto const host           = on_host(was);
  EXPECT_THAT(std::vector<unsigned>(host.data(), host.data() + 9),
              testing::ElementsAreArray(expected));
  EXPECT_EQ(on_host(word)(0), 10U);
  symm::barrier_all();
}

TEST(EnqueuedElements, that_are_not_there_are_an_error) {
  Elements<int> const x("x", 1);
  int private_word = 0;
  Exec const exec;
  EXPECT_THAT(
      [&] { symm::p(exec, x.data(), 1, symm::n_pes()); },
      testing::ThrowsMessage<symm::UsageError>(testing::HasSubstr("symm::p")));
  EXPECT_THAT([&] { symm::atomic_add(exec, &private_word, 1, 0); },
              testing::ThrowsMessage<symm::UsageError>(
                  testing::HasSubstr("symm::atomic_add")));
  symm::barrier_all();
}

}  // namespace

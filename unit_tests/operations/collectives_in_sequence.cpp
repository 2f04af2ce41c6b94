// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Large collective operations that are enqueued one after another, without a
// wait: each uses what the one before it has moved.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include <Kokkos_SymmetricSpace.hpp>

#include "collective_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;

using Exec  = Kokkos::DefaultExecutionSpace;
using Words = Kokkos::View<std::uint64_t*, Space>;
using Count = Kokkos::View<std::int64_t, Exec::memory_space>;

/// Word i of block `to` on PE `from`, at first. alltoall() swaps `from` and
/// `to`.
KOKKOS_INLINE_FUNCTION std::uint64_t word_of(Pe from, Pe to, std::size_t i) {
  return (static_cast<std::uint64_t>(from) << 48U) +
         (static_cast<std::uint64_t>(to) << 32U) + i;
}

/// The words of this PE at the beginning of round `n`. In each round, they are
/// exchanged, and each of them is increased by one.
struct State {
  Words words;
  std::size_t count;  // words of a block
  Pe me;

  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t expected(std::uint64_t n, Pe pe,
                                                       std::size_t i) const {
    auto const block = static_cast<Pe>(i / count);
    auto const k     = i % count;
    return (n % 2 == 0 ? word_of(pe, block, k) : word_of(block, pe, k)) + n;
  }
};

struct Fill {
  State state;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    state.words(i) = state.expected(0, state.me, i);
  }
};

struct Increase {
  State state;
  Words received;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    state.words(i) = received(i) + 1;
  }
};

/// Counts the words that differ from block 0 of a PE in round `n`.
struct CountWrong {
  State state;
  Words received;
  std::uint64_t n;
  Pe root;
  Count n_wrong;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (received(i) != state.expected(n, root, i))
      Kokkos::atomic_inc(&n_wrong());
  }
};

/// Counts the words that differ from the sums over all PEs in round `n`.
struct CountWrongSums {
  State state;
  Words sums;
  std::uint64_t n;
  int n_pes;
  Count n_wrong;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    std::uint64_t sum = 0;
    for (Pe pe = 0; pe < n_pes; ++pe) sum += state.expected(n, pe, i);
    if (sums(i) != sum) Kokkos::atomic_inc(&n_wrong());
  }
};

template <class Work>
void for_each_word(Exec const& exec, std::size_t n, Work const& work) {
  Kokkos::parallel_for(
      "collectives in sequence",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, n),
      work);
}

void run_rounds(std::size_t count, int n_rounds) {
  auto const team  = symm::team_world();
  int const n_pes  = team.n_pes();
  auto const n     = static_cast<std::size_t>(n_pes);
  auto const n_all = n * count;
  State const state{Words("words", n_all), count, symm::my_pe()};
  Words const exchanged("exchanged", n_all);
  Words const sent("sent", count);
  Words const sums("sums", n_all);
  Words const all("all", n_all);
  Count const n_wrong("wrong words");
  Exec const exec;
  for_each_word(exec, n_all, Fill{state});
  for (int round = 0; round < n_rounds; ++round) {
    auto const now  = static_cast<std::uint64_t>(round);
    Pe const root   = round % n_pes;
    auto* const own = state.words.data();
    symm::alltoall(exec, team, exchanged.data(), own, count);
    symm::reduce(exec, team, sums.data(), own, n_all, symm::Sum{});
    symm::broadcast(exec, team, sent.data(), own, count, root);
    // Block 0 of each PE.
    symm::fcollect(exec, team, all.data(), own, count);
    for_each_word(exec, n_all,
                  CountWrongSums{state, sums, now, n_pes, n_wrong});
    for_each_word(exec, count, CountWrong{state, sent, now, root, n_wrong});
    auto const last = static_cast<Pe>(n_pes - 1);
    State const of_last{state.words, count, last};
    for_each_word(
        exec, count,
        CountWrong{of_last,
                   Kokkos::subview(all, Kokkos::pair((n - 1) * count, n_all)),
                   now, last, n_wrong});
    for_each_word(exec, n_all, Increase{state, exchanged});
  }
  std::int64_t wrong = -1;
  Kokkos::deep_copy(exec, wrong, n_wrong);
  exec.fence("collectives in sequence");
  EXPECT_EQ(wrong, 0) << count << " words per block";
  symm::barrier_all();
}

TEST(CollectivesInSequence, pass_on_what_the_operation_before_has_moved) {
  bool const is_fast =
      !is_on_host<Space> && are_all_near() && !symm::team_world().has_gates();
  // In packets, and by one thread block, by a few, and by the most.
  for (std::size_t const count : {100U, 1'001U, 3'000U, 20'000U, 70'000U})
    run_rounds(count, is_fast ? 200 : 6);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random rounds of plans, migration, mail, maps and queues against a model,
// with waits between messages, orders that differ between PEs, and mistakes.

#include <gtest/gtest.h>

#include <cstdint>
#include <guard/GuardOptions.hpp>
#include <guard/RandomRounds.hpp>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>

namespace symm_test {
namespace {

/// That has all PEs go on or none.
bool is_true_on_all(bool mine) {
  return symm::reduce(symm::team_world(), mine ? 1 : 0, symm::Min{}) == 1;
}

template <class Cells>
void expect_each(Cells const& cells, std::size_t n_cells, char const* what) {
  EXPECT_EQ(cells.size(), n_cells)
      << "some of " << what << " have never occurred";
}

TEST(RandomRounds, leave_what_the_model_says) {
  auto const seed = symm::reduce(
      symm::team_world(), symm::my_pe() == 0 ? guard_seed() : 0, symm::Sum{});
  SCOPED_TRACE("again: scripts/guard.sh --seed " + std::to_string(seed));
  constexpr int n_rounds = 1000;
  RandomRounds::Coverage coverage;
  RandomRounds rounds(seed);
  int n_done = 0;
  // (At least so many, and as many as scripts/guard.sh gives time for.)
  for (GuardClock clock(0);; ++n_done) {
    bool const has_time =
        clock.has_time_left(std::to_string(n_done) + " rounds");
    if (!is_true_on_all(!HasFailure() && (n_done < n_rounds || has_time)))
      break;
    rounds.run(coverage);
  }
  if (HasFailure()) return;
  using Rounds = RandomRounds;
  expect_each(coverage.waits,
              static_cast<std::size_t>(Rounds::Sender::n) *
                  static_cast<std::size_t>(Rounds::Wait::n),
              "senders and waits");
  expect_each(coverage.mistakes, static_cast<std::size_t>(Rounds::Mistake::n),
              "mistakes");
  if (symm::n_pes() == 1) return;
  EXPECT_GT(coverage.n_other_orders, 10U);
}

}  // namespace
}  // namespace symm_test

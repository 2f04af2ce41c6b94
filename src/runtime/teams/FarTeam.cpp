// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "FarTeam.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../job/Runtime.hpp"
#include "FarRounds.hpp"

namespace symm::Impl {

namespace {

struct NothingGoesAlong {
  [[nodiscard]] RoundData data(int) const { return {}; }
  void arrive(int) const {}
};

}  // namespace

std::uint64_t exchange_words_far(PeTeam const& team, char const* call,
                                 std::uint64_t first, std::uint64_t second) {
  FarRounds rounds(team, call);
  auto const n = static_cast<std::size_t>(team.n_pes());
  // Pairs are in the order in which they come: pair i is that of member me - i
  // (modulo n). So new ones go after those that are there, in one piece.
  rounds.set(0, {first, second});
  for (std::size_t n_known = 1; n_known < n; n_known *= 2) {
    rounds.run(static_cast<int>(n_known), std::min(n_known, n - n_known),
               n_known);
  }
  // Now sort them: pair i is that of member i.
  auto* const pairs = rounds.all();
  auto const me     = static_cast<std::ptrdiff_t>(team.my_pe());
  std::reverse(pairs, pairs + n);
  std::rotate(pairs, pairs + (static_cast<std::ptrdiff_t>(n) - 1 - me),
              pairs + n);
  return rounds.end();
}

bool compare_word_far(PeTeam const& team, char const* call,
                      std::uint64_t word) {
  FarRounds rounds(team, call);
  return compare_far(team, rounds, word, NothingGoesAlong{});
}

bool has_shared_nodes() {
  return Runtime::instance("symm::has_shared_nodes").nodes().most_near() > 1;
}

}  // namespace symm::Impl

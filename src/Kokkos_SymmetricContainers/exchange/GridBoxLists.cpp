// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "GridBoxLists.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"
#include "BoxesOfPe.hpp"
#include "CheckedBoxes.hpp"
#include "PointCopies.hpp"

namespace symm::Impl {

namespace {

/// \throws UsageError on this PE.
ExchangeLists lists_of_all(char const* call, CheckedBoxes const& mine,
                           std::vector<BoxesOfPe> const& all,
                           PeTeam const& team) {
  auto const& of_me = all[static_cast<std::size_t>(team.my_pe())];
  for (std::size_t pe = 0; pe < all.size(); ++pe) {
    if (all[pe].has_same_grid(of_me)) continue;
    throw UsageError(Text(call, ": PE ", team.world_pe(static_cast<Pe>(pe)),
                          " passes a different grid than PE ", my_pe(),
                          "; pass equal grid and periodic on all PEs"));
  }
  auto const copies = copies_of_points(mine, all, team.my_pe());
  auto const n      = copies.places.size();
  Integers const places(copies.places.data(), n);
  auto lists = lists_of_imports(
      call, mine.n_points(), Integers(copies.elements.data(), n),
      Integers(copies.pes.data(), n), &places, team.n_pes());
  lists.extents = mine.extents();
  return lists;
}

}  // namespace

ExchangeLists lists_of_boxes(char const* call, GridBoxes const& boxes,
                             PeTeam const& team,
                             std::optional<Failure>& failure) {
  std::optional<CheckedBoxes> mine;
  failure = failure_of([&] {
    if (!team.is_valid()) return;
    check_team(team, call);
    mine.emplace(call, boxes);
  });
  agree({call, "symm::GridBoxes"}, failure);
  std::size_t const n_mine = mine ? mine->n_words() : 0;
  std::size_t const n_all =
      team.is_valid() ? reduce(team, n_mine, Sum{}) : std::size_t{0};
  auto const max_mine = reduce(team_world(), n_mine, Max{});
  auto const max_all  = reduce(team_world(), n_all, Max{});
  Kokkos::View<std::int64_t*, SymmetricHostSpace> const words(
      "symm::GridBoxes", max_mine + max_all);
  ExchangeLists lists;
  if (!team.is_valid()) return lists;
  auto* const told = words.data() + max_mine;
  mine->write(words.data());
  collect(team, told, words.data(), n_mine);
  failure = failure_of([&] {
    std::vector<BoxesOfPe> all;
    std::int64_t const* start = told;
    for (int pe = 0; pe < team.n_pes(); ++pe) {
      all.emplace_back(start);
      start = all.back().end();
    }
    lists = lists_of_all(call, *mine, all, team);
  });
  return lists;
}

}  // namespace symm::Impl

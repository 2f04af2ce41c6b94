// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "DistributedShape.hpp"

#include <cstdint>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../base/TeamMembers.hpp"

namespace symm::Impl {

namespace {

/// Collective over a PE team.
/// \throws UsageError on every PE of the PE team if the PEs pass different
///         values of `mine`.
void expect_equal(PeTeam const& team, DistributedShape const& shape,
                  Text const& what, std::size_t mine) {
  WordsOfPes const words(team, distributed_view, shape.type, mine);
  // All PEs compare the same words, so either all of them throw or none does.
  for (Pe pe = 1; pe < team.n_pes(); ++pe) {
    if (words.of(pe) == words.of(0)) continue;
    throw UsageError(Text(distributed_view, ": ", what, " is ", words.of(0),
                          " on PE ", team.world_pe(0), ", but ", words.of(pe),
                          " on PE ", team.world_pe(pe),
                          "; pass the same value on all PEs"));
  }
}

/// Compares the values that must be equal on all PEs of one PE team.
void expect_equal_rows(PeTeam const& team, DistributedShape const& shape) {
  expect_equal(team, shape, "extent 0", shape.extents[0]);
  if (shape.has_block) {
    expect_equal(team, shape, "the block of symm::BlockCyclic", shape.block);
    if (shape.block == 0) {
      throw UsageError(
          Text(distributed_view,
               ": the block of symm::BlockCyclic is 0 rows; pass at least 1"));
    }
  }
  auto const most = (std::size_t{1} << 62) / static_cast<std::size_t>(n_pes());
  if (shape.extents[0] > most) {
    throw UsageError(Text(distributed_view, ": extent 0 is ", shape.extents[0],
                          ", but must be at most ", most, " (2^62 / n_pes())"));
  }
}

std::string text_of_extents(std::vector<std::size_t> const& extents) {
  std::string text = "(";
  for (auto const extent : extents) {
    text += (text.size() == 1 ? "" : ", ") + std::to_string(extent);
  }
  return text + ")";
}

}  // namespace

void expect_equal_shapes(DistributedShape const& shape) {
  Observed const observed([] {
    return Operation{OperationKind::collective, distributed_view, -1,
                     sizeof(std::size_t)};
  });
  auto const world = team_world();
  // (Compare the types first: they determine whether a PE team was passed.)
  static_cast<void>(WordsOfPes(world, distributed_view, shape.type, 0));
  for (std::size_t r = 1; r < shape.extents.size(); ++r)
    expect_equal(world, shape, Text("extent ", r), shape.extents[r]);
  if (shape.team == nullptr) {
    expect_equal_rows(world, shape);
    return;
  }
  // (If any PE passed an invalid PE team, all PEs of the world throw, including
  // PEs of other PE teams.)
  agree(ObjectCall(distributed_view), failure_of([&] {
          if (shape.team->is_valid()) check_team(*shape.team, distributed_view);
        }));
  TeamMembers(*shape.team).expect_to_fit(distributed_view);
  agree(ObjectCall(distributed_view), failure_of([&] {
          if (shape.team->is_valid()) expect_equal_rows(*shape.team, shape);
        }));
}

std::size_t max_rows(PeTeam const* team, std::size_t mine) {
  return team == nullptr ? mine : reduce(team_world(), mine, Max{});
}

void expect_root(char const* call, PeTeam const& team, Pe root) {
  for (Pe k = 0; k < team.n_pes(); ++k)
    if (team.world_pe(k) == root) return;
  expect_pe(root, n_pes(), call, " as the root");
  throw UsageError(Text(call, ": PE ", root,
                        " cannot be the root: it is not in the PE team of the "
                        "DistributedView"));
}

void throw_extents_of_host_view(char const* call, std::string const& label,
                                std::vector<std::size_t> const& host_extents,
                                std::vector<std::size_t> const& extents) {
  throw UsageError(
      std::string(call) + " \"" + label + "\": PE " + std::to_string(my_pe()) +
      ": the extents of the host View are " + text_of_extents(host_extents) +
      ", but must be those of the DistributedView, " +
      text_of_extents(extents));
}

}  // namespace symm::Impl

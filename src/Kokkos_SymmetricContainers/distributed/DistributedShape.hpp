// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DISTRIBUTED_SHAPE_HPP
#define SYMM_DISTRIBUTED_SHAPE_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

inline constexpr char const* distributed_view = "symm::DistributedView";

/// The arguments that a PE passes to the constructor of a DistributedView.
struct DistributedShape {
  std::uint64_t type;  // the View's hash_of_type()
  std::span<std::size_t const> extents;
  bool has_block;
  std::size_t block;
  PeTeam const* team;  // null if no PE team was passed (the world)
};

/// Collective over the world: all PEs compare their shapes.
/// \throws UsageError on every PE if the shapes differ, if the block size is 0,
///         if the first extent is greater than 2^62 / n_pes(), or if the PE
///         teams do not match.
void expect_equal_shapes(DistributedShape const& shape);

/// The maximum of `mine` over all PEs of the world. If `team` is null, all PEs
/// pass the same number, and the call is local; otherwise, it is collective
/// over the world.
[[nodiscard]] std::size_t max_rows(PeTeam const* team, std::size_t mine);

/// \throws UsageError on this PE if PE `root` does not exist or holds no rows.
void expect_root(char const* call, PeTeam const& team, Pe root);

/// \throws UsageError on this PE; the message contains the extents of both
///         Views.
[[noreturn]] void throw_extents_of_host_view(
    char const* call, std::string const& label,
    std::vector<std::size_t> const& host_extents,
    std::vector<std::size_t> const& extents);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "UnevenView.hpp"

#include <algorithm>
#include <cstdint>
#include <string>

#include "../../runtime/base/Failure.hpp"
#include "../../runtime/base/Observer.hpp"
#include "../../runtime/base/PeNumbers.hpp"
#include "../../runtime/base/Text.hpp"
#include "../../runtime/collectives/CollectiveCall.hpp"
#include "../../runtime/collectives/CollectiveRun.hpp"
#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/memory/Words.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

constexpr char const* uneven_view = "symm::UnevenView";

/// The table of the extents that the PE team's members have passed. The call is
/// local.
ExtentTable passed_extents(PeTeam const& team, std::uint64_t epoch) {
  using Kokkos::view_alloc;
  using Kokkos::WithoutInitializing;
  ExtentTable table;
  auto const n     = static_cast<std::size_t>(team.n_pes());
  auto const words = team.words();
  table.on_host    = decltype(table.on_host)(
      view_alloc(WithoutInitializing, std::string(uneven_view)), n);
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    table.on_host(static_cast<std::size_t>(pe)) = static_cast<std::size_t>(
        load_relaxed(words.passed(words.map.my_pe, pe, epoch, 1)));
  }
  table.in_kernels = Kokkos::create_mirror_view(
      view_alloc(WithoutInitializing,
                 Kokkos::DefaultExecutionSpace::memory_space()),
      table.on_host);
  Kokkos::deep_copy(table.in_kernels, table.on_host);
  return table;
}

}  // namespace

std::size_t ExtentTable::largest() const {
  auto const* const first = on_host.data();
  return first == nullptr ? 0
                          : *std::max_element(first, first + on_host.size());
}

bool ExtentTable::has_same_extents_as(ExtentTable const& other) const {
  auto const* const first = on_host.data();
  return on_host.size() == other.on_host.size() &&
         std::equal(first, first + on_host.size(), other.on_host.data());
}

ExtentTable exchange_extents(std::uint64_t view_type, std::size_t mine) {
  auto const team = team_world();
  Observed const observed([&] {
    return Operation{OperationKind::collective, uneven_view, -1, sizeof mine};
  });
  // Uses the same communication as reduce() of one value, but each PE keeps all
  // values.
  auto const epoch = pass_to_all(team, uneven_view, view_type, mine);
  ExtentTable table;
  // If this PE has no memory for the table, or its GPU fails, all PEs must
  // throw.
  auto failure = failure_of([&] { table = passed_extents(team, epoch); });
  if (failure) {
    failure->message =
        Text(uneven_view, ": the table of extents: ", failure->message);
  }
  Runtime::instance(uneven_view).heap().finish_view(uneven_view, failure);
  return table;
}

void require_pe(std::string const& label, Pe pe, int n_pes) {
  if (0 <= pe && pe < n_pes) return;
  throw_no_pe(pe, n_pes, "symm::UnevenView \"" + label + "\"");
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_SymmetricSpace_TeamSplit.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Copy.hpp>
#include <Kokkos_SymmetricSpace_TeamSync.hpp>

#include "../runtime/Error.hpp"
#include "../runtime/Runtime.hpp"

namespace symm {

namespace {

static_assert(PeTeamMemory::max_teams == 64, "a bit for each");

std::uint64_t bit_of(int slot) {
  return std::uint64_t{1} << static_cast<unsigned>(slot);
}

/// Collective over the team: what every PE of it passes.
std::vector<std::uint64_t> gather(PeTeam const& team, std::uint64_t mine) {
  auto const epoch = exchange_word(OneThread{}, team, mine);
  auto const words = team.words();
  std::vector<std::uint64_t> all;
  for (Pe pe = 0; pe < team.n_pes(); ++pe) {
    all.push_back(*words.passed(words.map.my_pe, pe, epoch));
  }
  return all;
}

std::uint64_t bits_of(int high, int low) {
  return std::uint64_t{std::bit_cast<std::uint32_t>(high)} << 32U |
         std::bit_cast<std::uint32_t>(low);
}
int high_of(std::uint64_t bits) {
  return std::bit_cast<int>(static_cast<std::uint32_t>(bits >> 32U));
}
int low_of(std::uint64_t bits) {
  return std::bit_cast<int>(static_cast<std::uint32_t>(bits));
}

/// The calls, for expect_equal(); not 0, which barriers pass.
enum class Split { by_colour = 1, strided, in_2d };

/// Collective over `parent`: all PEs of it must have made this call, with these
/// numbers.
void expect_equal(PeTeam const& parent, char const* call, Split kind, int a = 0,
                  int b = 0, int c = 0) {
  for (auto const mine : {bits_of(static_cast<int>(kind), a), bits_of(b, c)}) {
    auto const all      = gather(parent, mine);
    bool const is_equal = std::all_of(
        all.begin(), all.end(), [&](auto other) { return other == mine; });
    if (is_equal) continue;
    // At once: whatever the others' call is, they find it at the same step.
    throw UsageError(std::string(call) +
                     ": the PEs of the parent team have made different calls, "
                     "or with different arguments; here (" +
                     std::to_string(a) + ", " + std::to_string(b) + ", " +
                     std::to_string(c) + ")");
  }
}

[[noreturn]] void throw_argument(char const* call, PeTeam const& parent,
                                 std::string const& what) {
  throw UsageError(std::string(call) + " of a team of " +
                   std::to_string(parent.n_pes()) + " PEs: " + what);
}

/// The new team of this PE: its slot, and its members in the world.
struct Plan {
  int slot = -1;
  std::vector<Pe> members;
};

/// Collective over `parent`, whose PEs have agreed on the call. The same slot
/// for all PEs of a new team; those of different teams do not matter to each
/// other, their words are in different memory.
Plan plan_split(PeTeam const& parent, int colour, int key, char const* call) {
  auto const in_use = Runtime::instance(call).team_slots_in_use();
  auto const wishes = gather(parent, bits_of(colour, key));
  auto const taken  = gather(parent, in_use);
  std::map<int, std::uint64_t> taken_of;            // by colours
  std::vector<std::pair<int, std::size_t>> chosen;  // key, number in the parent
  for (std::size_t pe = 0; pe < wishes.size(); ++pe) {
    int const its_colour = high_of(wishes[pe]);
    if (its_colour < 0) continue;
    taken_of[its_colour] |= taken[pe];
    if (its_colour == colour) chosen.emplace_back(low_of(wishes[pe]), pe);
  }
  for (auto const& [its_colour, slots] : taken_of) {
    if (~slots != 0) continue;
    throw OutOfMemory(std::string(call) + ": PEs of a new team are in " +
                      std::to_string(PeTeamMemory::max_teams) +
                      " teams already; destroy one");
  }
  Plan plan;
  if (colour < 0) return plan;
  plan.slot = std::countr_one(taken_of[colour]);
  std::sort(chosen.begin(), chosen.end());
  for (auto const& [its_key, pe] : chosen) {
    plan.members.push_back(parent.world_pe(static_cast<Pe>(pe)));
  }
  return plan;
}

/// Collective over `parent`, whose PEs have agreed on the call.
PeTeam split(PeTeam const& parent, int colour, int key, char const* call) {
  auto& runtime   = Runtime::instance(call);
  auto const plan = plan_split(parent, colour, key, call);
  PeTeam team;
  std::optional<Failure> failure;
  if (colour >= 0) {
    failure = failure_of([&] {
      for (auto const kind : {MemoryKind::host, MemoryKind::device}) {
        if (auto* const memory = runtime.team_memory(kind)) {
          memory->begin(plan.slot, plan.members);
        }
      }
      team = PeTeam::make(plan.slot, plan.members);
    });
  }
  // Nobody uses a team before all its PEs have begun it.
  bool is_failed = false;
  for (auto const its : gather(parent, failure ? 1 : 0)) {
    is_failed = is_failed || its != 0;
  }
  if (failure) throw_failure(*failure);
  if (is_failed) {
    throw SystemError(std::string(call) + ": it failed on another PE");
  }
  if (colour >= 0) runtime.team_slots_in_use() |= bit_of(plan.slot);
  return team;
}

}  // namespace

PeTeam team_split(PeTeam const& parent, int colour, int key) {
  constexpr char const* call = "symm::team_split";
  check_team(parent, call);
  expect_equal(parent, call, Split::by_colour);
  return split(parent, colour, key, call);
}

PeTeam team_split_strided(PeTeam const& parent, Pe first, int stride,
                          int count) {
  constexpr char const* call = "symm::team_split_strided";
  check_team(parent, call);
  expect_equal(parent, call, Split::strided, first, stride, count);
  std::int64_t const last =
      first + std::int64_t{stride} * (std::int64_t{count} - 1);
  auto const n = parent.n_pes();
  if (count < 1 || first < 0 || first >= n || last < 0 || last >= n ||
      (stride == 0 && count > 1)) {
    throw_argument(call, parent,
                   "first = " + std::to_string(first) +
                       ", stride = " + std::to_string(stride) + ", count = " +
                       std::to_string(count) + " do not name PEs of it");
  }
  int const from_first = parent.my_pe() - first;
  int const position =
      stride == 0 ? (from_first == 0 ? 0 : -1)
                  : (from_first % stride == 0 ? from_first / stride : -1);
  bool const is_in = 0 <= position && position < count;
  return split(parent, is_in ? 0 : -1, position, call);
}

std::pair<PeTeam, PeTeam> team_split_2d(PeTeam const& parent, int x_range) {
  constexpr char const* call = "symm::team_split_2d";
  check_team(parent, call);
  expect_equal(parent, call, Split::in_2d, x_range);
  if (x_range < 1) {
    throw_argument(call, parent,
                   "x_range = " + std::to_string(x_range) + " is below 1");
  }
  int const me = parent.my_pe();
  PeTeam row   = split(parent, me / x_range, me % x_range, call);
  PeTeam column;
  try {
    column = split(parent, me % x_range, me / x_range, call);
  } catch (...) {  // on all PEs
    team_destroy(row);
    throw;
  }
  return {row, column};
}

void team_destroy(PeTeam& team) {
  constexpr char const* call = "symm::team_destroy";
  check_team(team, call);
  if (team.slot() < PeTeamMemory::n_fixed_teams) {
    throw UsageError(std::string(call) +
                     ": the world and the node's team stay until finalize()");
  }
  Kokkos::fence(call);
  sync(team);
  Runtime::instance(call).team_slots_in_use() &= ~bit_of(team.slot());
  team = {};
}

}  // namespace symm

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../base/Failure.hpp"
#include "../base/Observer.hpp"
#include "../groups/Group.hpp"
#include "../job/Runtime.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../symm_errors.hpp"
#include "../symm_teams.hpp"
#include "PairExchange.hpp"
#include "Synchronize.hpp"
#include "TeamSync.hpp"

namespace symm {

namespace Impl {

namespace {

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

/// The kinds of calls, sent in the first exchange. None of the values equals
/// word_of_barrier.
enum class Split {
  by_color = 1,
  strided,
  in_2d,
  of_members,
  without_memory,
  end
};

/// A hash of the members' world PE numbers, in order.
std::uint64_t digest_of(PeTeam const& parent, std::span<Pe const> members) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (Pe const member : members) {
    hash = (hash ^ static_cast<std::uint64_t>(parent.world_pe(member))) *
           0x9e37'79b9'7f4a'7c15U;
    hash ^= hash >> 32U;
  }
  return hash;
}

[[noreturn]] void throw_argument(char const* call, PeTeam const& parent,
                                 std::string const& what) {
  throw UsageError(std::string(call) + " of a team of " +
                   std::to_string(parent.n_pes()) + " PEs: " + what);
}

/// One call that splits a PE team. Its constructors and functions are
/// collective over the calling PEs: all PEs in the parent PE team, or only the
/// new PE team's members. The constructor allocates all memory before the first
/// exchange. In that exchange, a PE that is out of memory notifies the others.
/// Therefore, no PE leaves the call between two exchanges while others
/// continue.
class SplitCall {
 public:
  /// \throws UsageError on every calling PE unless all of them have made the
  ///         same call with the same numbers.
  /// \throws OutOfMemory on every calling PE.
  SplitCall(PeTeam const& parent, char const* call, Split kind, int a = 0,
            int b = 0, int c = 0)
      : SplitCall(parent, {}, call, kind, a, b, c) {}

  /// A call that only these members of the parent PE team make.
  SplitCall(PeTeam const& parent, std::span<Pe const> members,
            char const* call);

  /// Returns this PE's new PE team, like team_split().
  PeTeam make(int color, int key);

 private:
  SplitCall(PeTeam const& parent, std::span<Pe const> members, char const* call,
            Split kind, int a, int b, int c);

  /// A calling PE's arguments.
  struct Wish {
    int color;
    int key;
    Pe pe;                    // the PE's number in the parent
    std::uint64_t taken = 0;  // one bit for each slot in use on that PE
    /// Sorts by new PE team and then by position in that PE team.
    friend bool operator<(Wish const& a, Wish const& b) {
      return std::tie(a.color, a.key, a.pe) < std::tie(b.color, b.key, b.pe);
    }
  };

  /// Exchanges a word between the calling PEs. m_words receives the words,
  /// unless it is empty.
  void exchange(std::uint64_t mine);
  /// Exchanges a word and returns the calling PEs' words, in order. The result
  /// is valid until the next gather().
  std::vector<std::uint64_t> const& gather(std::uint64_t mine);
  void expect_equal(Split kind, int a, int b, int c);
  void gather_wishes(int color, int key);
  /// Returns the slot of this PE's new PE team, or -1 if `color` is negative.
  /// Sets m_members.
  int choose_slot(int color);
  PeTeam begin(int slot);

  PeTeam const& m_parent;
  std::span<Pe const> m_callers;  // numbers in the parent; empty: all PEs there
  char const* m_call;
  std::vector<std::uint64_t> m_words;
  std::vector<Wish> m_wishes;
  std::vector<Pe> m_members;  // the new PE team's world PE numbers
};

SplitCall::SplitCall(PeTeam const& parent, std::span<Pe const> members,
                     char const* call, Split kind, int a, int b, int c)
    : m_parent(parent), m_callers(members), m_call(call) {
  auto const n = members.empty() ? index_of(parent.n_pes()) : members.size();
  auto const failure = failure_of([&] {
    m_words.resize(n);
    m_wishes.reserve(n);
    m_members.reserve(n);
  });
  if (failure) {
    m_words.clear();
    exchange(bits_of(static_cast<int>(Split::without_memory), 0));
    throw_failure({failure->kind, std::string(call) + ": " + failure->message});
  }
  expect_equal(kind, a, b, c);
}

SplitCall::SplitCall(PeTeam const& parent, std::span<Pe const> members,
                     char const* call)
    : SplitCall(parent, members, call, Split::of_members,
                static_cast<int>(members.size()),
                high_of(digest_of(parent, members)),
                low_of(digest_of(parent, members))) {}

void SplitCall::exchange(std::uint64_t mine) {
  if (!m_callers.empty()) {
    exchange_in_pairs(m_parent, m_callers, m_call, mine, m_words);
    return;
  }
  auto const epoch = exchange_words_on_host(m_parent, m_call, mine, 0);
  auto const words = m_parent.words();
  for (std::size_t pe = 0; pe < m_words.size(); ++pe) {
    m_words[pe] = *words.passed(words.map.my_pe, static_cast<Pe>(pe), epoch);
  }
}

std::vector<std::uint64_t> const& SplitCall::gather(std::uint64_t mine) {
  exchange(mine);
  return m_words;
}

void SplitCall::expect_equal(Split kind, int a, int b, int c) {
  bool is_first = true;
  for (auto const mine : {bits_of(static_cast<int>(kind), a), bits_of(b, c)}) {
    // Report a difference immediately: the other PEs detect it in the same
    // exchange, whichever call they have made.
    bool is_equal = true;
    for (auto const other : gather(mine)) {
      if (is_first &&
          high_of(other) == static_cast<int>(Split::without_memory)) {
        throw OutOfMemory(std::string(m_call) +
                          ": another PE has run out of private memory");
      }
      is_equal = is_equal && other == mine;
    }
    if (!is_equal) {
      throw UsageError(
          std::string(m_call) +
          (kind == Split::of_members
               ? ": the members have made different calls or passed "
                 "different lists; the list on this PE has " +
                     std::to_string(a) + " PEs"
               : ": the PEs of the parent team have made different calls or "
                 "passed different arguments; here (" +
                     std::to_string(a) + ", " + std::to_string(b) + ", " +
                     std::to_string(c) + ")"));
    }
    is_first = false;
  }
}

void SplitCall::gather_wishes(int color, int key) {
  m_wishes.clear();
  for (auto const word : gather(bits_of(color, key))) {
    auto const i = m_wishes.size();
    m_wishes.push_back({high_of(word), low_of(word),
                        m_callers.empty() ? static_cast<Pe>(i) : m_callers[i]});
  }
  auto const& taken = gather(Runtime::instance(m_call).team_slots().in_use());
  for (std::size_t pe = 0; pe < taken.size(); ++pe) {
    m_wishes[pe].taken = taken[pe];
  }
  std::erase_if(m_wishes, [](Wish const& wish) { return wish.color < 0; });
  std::sort(m_wishes.begin(), m_wishes.end());
}

int SplitCall::choose_slot(int color) {
  int slot = -1;
  m_members.clear();
  // All members of a new PE team use the same slot. Different new PE teams may
  // use the same slot, because their words are in different PEs' memory.
  for (auto first = m_wishes.begin(); first != m_wishes.end();) {
    auto const last = std::find_if(
        first, m_wishes.end(),
        [&](auto const& wish) { return wish.color != first->color; });
    std::uint64_t taken = 0;
    for (auto wish = first; wish != last; ++wish) taken |= wish->taken;
    if (~taken == 0) {
      throw OutOfMemory(std::string(m_call) +
                        ": the PEs of a new team are already in " +
                        std::to_string(PeTeamMemory::max_teams -
                                       PeTeamMemory::n_fixed_teams) +
                        " teams, the maximum; destroy a team first");
    }
    if (first->color == color) {
      slot = std::countr_one(taken);
      for (auto wish = first; wish != last; ++wish) {
        m_members.push_back(m_parent.world_pe(wish->pe));
      }
    }
    first = last;
  }
  return slot;
}

PeTeam SplitCall::begin(int slot) {
  auto& runtime = Runtime::instance(m_call);
  std::optional<Failure> failure;
  if (slot >= 0) {
    failure = failure_of([&] {
      for (auto const kind : {MemoryKind::host, MemoryKind::device}) {
        if (auto* const memory = runtime.team_memory(kind)) {
          memory->begin(slot, m_members);
        }
      }
    });
  }
  // This exchange ensures that no PE uses a new PE team before all its members
  // have prepared their words.
  auto const my_error = failure ? failure->kind : ErrorKind::none;
  auto any_error      = ErrorKind::none;
  for (auto const word : gather(static_cast<std::uint64_t>(my_error))) {
    if (word != 0) any_error = static_cast<ErrorKind>(word);
  }
  if (any_error != ErrorKind::none) {
    throw_failure(
        {failure ? my_error : any_error,
         std::string(m_call) + ": " +
             (failure ? failure->message : "it failed on another PE")});
  }
  if (slot < 0) return {};
  runtime.team_slots().begin(slot);
  return MakePeTeam::of(slot, m_call, m_members);
}

PeTeam SplitCall::make(int color, int key) {
  gather_wishes(color, key);
  return begin(choose_slot(color));
}

/// Collective over `team`.
void end_team(PeTeam& team, char const* call) {
  meet(call, team, bits_of(static_cast<int>(Split::end), 0));
  Runtime::instance(call).team_slots().end(team.slot());
  team = {};
}

}  // namespace

}  // namespace Impl

PeTeam team_split(PeTeam const& parent, int color, int key) {
  constexpr char const* call = "symm::team_split";
  Impl::check_team(parent, call);
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::collective, call};
  });
  return Impl::SplitCall(parent, call, Impl::Split::by_color).make(color, key);
}

PeTeam team_split_strided(PeTeam const& parent, Pe first, int stride,
                          int count) {
  constexpr char const* call = "symm::team_split_strided";
  Impl::check_team(parent, call);
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::collective, call};
  });
  Impl::SplitCall split(parent, call, Impl::Split::strided, first, stride,
                        count);
  std::int64_t const last =
      first + std::int64_t{stride} * (std::int64_t{count} - 1);
  auto const n = parent.n_pes();
  if (count < 1 || first < 0 || first >= n || last < 0 || last >= n ||
      (stride == 0 && count > 1)) {
    Impl::throw_argument(call, parent,
                         "first = " + std::to_string(first) +
                             ", stride = " + std::to_string(stride) +
                             ", count = " + std::to_string(count) +
                             " do not select PEs of this team");
  }
  int const from_first = parent.my_pe() - first;
  int const position =
      stride == 0 ? (from_first == 0 ? 0 : -1)
                  : (from_first % stride == 0 ? from_first / stride : -1);
  bool const is_in = 0 <= position && position < count;
  return split.make(is_in ? 0 : -1, position);
}

PeTeam team_split_members(PeTeam const& parent, std::span<Pe const> members) {
  constexpr char const* call = "symm::team_split_members";
  Impl::check_team(parent, call);
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::collective, call};
  });
  int my_place = -1;
  for (std::size_t i = 0; i < members.size(); ++i) {
    auto const earlier = members.first(i);
    if (members[i] < 0 || members[i] >= parent.n_pes() ||
        std::find(earlier.begin(), earlier.end(), members[i]) !=
            earlier.end()) {
      Impl::throw_argument(call, parent,
                           "members[" + std::to_string(i) +
                               "] = " + std::to_string(members[i]) +
                               " is not a PE of this team or is a duplicate");
    }
    if (members[i] == parent.my_pe()) my_place = static_cast<int>(i);
  }
  if (my_place < 0) return {};
  return Impl::SplitCall(parent, members, call).make(0, my_place);
}

std::pair<PeTeam, PeTeam> team_split_2d(PeTeam const& parent, int x_range) {
  constexpr char const* call = "symm::team_split_2d";
  Impl::check_team(parent, call);
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::collective, call};
  });
  Impl::SplitCall split(parent, call, Impl::Split::in_2d, x_range);
  if (x_range < 1) {
    Impl::throw_argument(
        call, parent,
        "x_range = " + std::to_string(x_range) + " must be at least 1");
  }
  int const me = parent.my_pe();
  PeTeam row   = split.make(me / x_range, me % x_range);
  PeTeam column;
  try {
    column = split.make(me % x_range, me / x_range);
  } catch (...) {               // thrown on all PEs
    Impl::end_team(row, call);  // no kernel has used it yet
    throw;
  }
  return {row, column};
}

void team_destroy(PeTeam& team) {
  constexpr char const* call = "symm::team_destroy";
  Impl::check_team(team, call);
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::collective, call};
  });
  if (team.slot() < Impl::PeTeamMemory::n_fixed_teams) {
    throw UsageError(
        std::string(call) +
        ": the world team and the node team must not be destroyed; "
        "finalize() ends them");
  }
  Impl::CopyQueue* const queue =
      Impl::Runtime::instance(call).provider(MemoryKind::device);
  auto const failure = Impl::failure_of([&] {
    if (queue != nullptr) queue->synchronize();
  });
  Impl::end_team(team, call);
  if (failure) Impl::throw_failure(*failure);
}

}  // namespace symm

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PairExchange.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include "../access/PeOperations.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../groups/Words.hpp"
#include "../job/Runtime.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../pes/PeTeamWords.hpp"
#include "../waiting/PeWait.hpp"

namespace symm::Impl {

namespace {

/// PE `pe`'s copy of a word of this PE.
PeMemory copy_of(HeapMap const& map, std::uint64_t const* word, Pe pe) {
  constexpr auto segment = Segment::host_team_words;
  return map.is_near(pe) ? PeMemory::at(pe, segment, map.peer_ptr(word, pe))
                         : PeMemory(pe, segment, map.offset_of(word));
}

}  // namespace

void exchange_in_pairs(PeTeam const& parent, std::span<Pe const> members,
                       char const* call, std::uint64_t mine,
                       std::span<std::uint64_t> all) {
  auto const words = Runtime::instance(call)
                         .team_memory(MemoryKind::host)
                         ->words(PeTeamMemory::slot_of_pairs);
  Pe const me = words.map.my_pe;
  // In the slot of pairs the word of a "member" counts the exchanges with it.
  for (Pe const member : members) {
    Pe const pe = parent.world_pe(member);
    if (pe == me) continue;
    auto const number = ++*words.member(pe);
    auto const flag   = copy_of(words.map, words.flag(me, me), pe);
    auto const word   = copy_of(words.map, words.passed(me, me, number), pe);
    if (flag.reach == Reach::messages) {
      put_signal_to(word, &mine, sizeof mine, flag, number, AtomicOp::set,
                    Until::is_safe, call);
    } else {
      store_relaxed(word.address<std::uint64_t>(), mine);
      store_release(flag.address<std::uint64_t>(), number);
    }
  }
  for (std::size_t i = 0; i < members.size(); ++i) {
    Pe const pe = parent.world_pe(members[i]);
    if (pe == me) {
      if (!all.empty()) all[i] = mine;
      continue;
    }
    auto const number      = *words.member(pe);
    auto const* const flag = words.flag(me, pe);
    wait_for_pe(
        call, pe, [] { return Text(); },
        [&] { return load_acquire(flag) >= number; });
    if (!all.empty()) all[i] = *words.passed(me, pe, number);
  }
}

}  // namespace symm::Impl

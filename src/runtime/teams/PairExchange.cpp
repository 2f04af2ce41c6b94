// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PairExchange.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

#include "../access/GroupOperations.hpp"
#include "../access/PeOperations.hpp"
#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../job/Runtime.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"
#include "../memory/Words.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../pes/PeTeamWords.hpp"
#include "../waiting/PeWait.hpp"

namespace symm::Impl {

namespace {

/// Stores `value` in PE `pe`'s copy of `word` and then `number` in PE `pe`'s
/// copy of `flag`.
void tell(HeapMap const& map, Pe pe, std::uint64_t* word, std::uint64_t value,
          std::uint64_t* flag, std::uint64_t number, char const* call) {
  at_copy_of(
      map, flag, pe,
      [&](std::uint64_t* its_flag) {
        store_relaxed(map.peer_ptr(word, pe), value);
        store_release(its_flag, number);
      },
      [&] {
        auto const peer_copy = [&](std::uint64_t const* address) {
          return PeMemory(pe, Segment::host_team_words, map.offset_of(address));
        };
        put_signal_to(peer_copy(word), &value, sizeof value, peer_copy(flag),
                      number, AtomicOp::set, Completion::local, call);
      });
}

}  // namespace

void exchange_in_pairs(PeTeam const& parent, std::span<Pe const> members,
                       char const* call, std::uint64_t mine,
                       std::span<std::uint64_t> all) {
  auto const words = Runtime::instance(call)
                         .team_memory(MemoryKind::host)
                         ->words(PeTeamMemory::slot_of_pairs);
  Pe const me = words.map.my_pe;
  // In this slot, words.member(pe) counts the exchanges with PE `pe`.
  for (Pe const member : members) {
    Pe const pe = parent.world_pe(member);
    if (pe == me) continue;
    auto const number = ++*words.member(pe);
    tell(words.map, pe, words.passed(me, me, number), mine, words.flag(me, me),
         number, call);
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

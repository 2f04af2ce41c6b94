// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_COLLECTIVEOFGROUP_HPP
#define SYMM_COLLECTIVES_COLLECTIVEOFGROUP_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "../teams/TeamSync.hpp"
#include "CollectiveCall.hpp"
#include "PacketExchange.hpp"

namespace symm::Impl {

/// Performs an entire collective operation with one group of threads, without
/// packets.
template <class Work, Group Threads>
SYMM_FUNCTION void run_between_barriers(Threads const& group,
                                        HeapMap const& heap, Work const& work,
                                        CollectiveCall const& call) {
  if (call.are_counts_equal()) {
    barrier_of(group, work.team, call.name);
  } else {
    exchange_word(group, work.team, call.name, work.count);
  }
  work(group, heap, 0, 1);
  barrier_of(group, work.team, call.name);
}

/// Like run_between_barriers(), but uses packets if possible.
template <class Work, Group Threads>
SYMM_FUNCTION void run_by_group(Threads const& group, HeapMap const& heap,
                                Work const& work, CollectiveCall const& call) {
#ifdef SYMM_FOR_DEVICE
  if constexpr (HasPackets<Work>) {
    if (go_by_packets(work.team, call, false)) {
      work.template run_by_packets<PacketPhase::both>(group, PacketPart{});
      return;
    }
  }
#endif
  run_between_barriers(group, heap, work, call);
}

}  // namespace symm::Impl

#endif

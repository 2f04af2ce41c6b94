// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_COLLECTIVEOFGROUP_HPP
#define SYMM_COLLECTIVES_COLLECTIVEOFGROUP_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../groups/Group.hpp"
#include "../groups/LastBlock.hpp"
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

/// Which of a collective operation's barriers are part of the kernel that does
/// the operation's work.
struct BarriersInKernel {
  bool opens;
  bool closes;
};

#ifdef SYMM_FOR_DEVICE
/// Performs a collective operation's work, and the barriers that `barriers`
/// selects, in a kernel with `n_blocks` thread blocks. With several blocks, the
/// kernel may include the opening barrier only under three conditions: all
/// members are near, they pass equal counts, and PeTeam::may_blocks_wait() is
/// true.
///
/// Block 0 notifies the other members that this PE has arrived, and every block
/// waits for the members. Only the last block to finish its work executes the
/// closing barrier.
template <class Work, class Block>
__device__ void run_by_blocks(Block const& threads, HeapMap const& heap,
                              Work const& work, std::size_t block,
                              std::size_t n_blocks, BarriersInKernel barriers) {
  auto const call           = work.call();
  auto const words          = work.team.words();
  std::uint64_t const epoch = *words.epoch() + 1;  // used if barriers.opens
  if (barriers.opens && n_blocks == 1) {
    if (call.are_counts_equal()) {
      barrier_of(threads, work.team, call.name);
    } else {
      exchange_word(threads, work.team, call.name, work.count);
    }
  } else if (barriers.opens) {
    if (block == 0) arrive(threads, work.team, PassNothing());
    wait_for_flags(threads, work.team, epoch);
    threads.barrier();
  }
  work(threads, heap, block, n_blocks);
  if (!barriers.closes) return;
  if (n_blocks > 1) {
    if (!ends_last(threads, words.n_blocks_done(), n_blocks)) return;
    if (barriers.opens) {
      // By now, all other blocks have read the old epoch.
      threads.for_each(1, [&](std::size_t) { *words.epoch() = epoch; });
      threads.barrier();
    }
  }
  barrier_of(threads, work.team, call.name);
}
#endif

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

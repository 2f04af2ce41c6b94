// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_COLLECTIVE_KERNELS_HPP
#define SYMM_GPU_COLLECTIVE_KERNELS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "../../access/KernelQueue.hpp"
#include "../../access/PeOperations.hpp"
#include "../../base/Function.hpp"
#include "../../collectives/CollectiveCall.hpp"
#include "../../collectives/CollectiveOfGroup.hpp"
#include "../../collectives/CollectiveWork.hpp"
#include "../../collectives/PacketExchange.hpp"
#include "../../memory/CopyQueue.hpp"
#include "../../memory/HeapMap.hpp"
#include "../../teams/PeTeam.hpp"
#include "../../teams/Synchronize.hpp"
#include "../../teams/TeamSync.hpp"
#include "Launch.hpp"

// Barriers and collective operations as separate kernels: for the host's calls
// on GPU memory, and for enqueued calls. If a PE team has gates, kernels never
// wait. A first kernel notifies the other members and ends, the queue waits at
// the gates, and the next kernel finds that all data have arrived.

namespace symm::Impl {

#ifdef SYMM_COMPILES_KERNELS
struct BarrierKernel {
  PeTeam team;

  __device__ void operator()(LaunchedBlock const& group, std::size_t,
                             std::size_t) const {
    barrier_of(group, team, "symm::barrier");
  }
};

/// The first half of a barrier, in which every PE may send a word to the
/// others.
template <class BeforeFlag>
struct ArriveKernel {
  PeTeam team;
  BeforeFlag before_flag;

  __device__ void operator()(LaunchedBlock const& group, std::size_t,
                             std::size_t) const {
    auto const epoch = arrive(group, team, before_flag);
    group.for_each(1, [&](std::size_t) { *team.words().epoch() = epoch; });
  }
};

/// Makes a queue wait until all members of `team` have passed this PE's gates.
/// The host does not wait.
inline void wait_at_gates(char const* call, void* queue, PeTeam const& team) {
  auto const words = team.words_on_gpu();
  auto const n     = static_cast<std::size_t>(team.n_pes());
  copy_queue(call).wait_for_all(queue, n - 1, [&](std::size_t i) {
    auto const pe = static_cast<Pe>(i);
    return CopyQueue::WordWait{
        words.gate(words.map.my_pe, pe < team.my_pe() ? pe : pe + 1), 0};
  });
}

template <class BeforeFlag>
void enqueue_gated_barrier(char const* call, void* queue, PeTeam const& team,
                           BeforeFlag const& before_flag) {
  constexpr int one_warp = 32;
  launch(call, queue, 1, one_warp, ArriveKernel<BeforeFlag>{team, before_flag});
  wait_at_gates(call, queue, team);
}

/// Enqueues a barrier of the members of a valid PE team. \throws SystemError on
/// this PE.
/// \param queue a stream of the GPU.
inline void enqueue_barrier(void* queue, PeTeam const& team) {
  if (team.has_gates()) {
    enqueue_gated_barrier("symm::barrier", queue, team, PassNothing());
    return;
  }
  launch("symm::barrier", queue, 1, 32, BarrierKernel{team});
}

template <class Work>
struct CollectiveKernel {
  HeapMap heap;
  Work work;
  BarriersInKernel barriers;

  __device__ void operator()(LaunchedBlock const& group, std::size_t block,
                             std::size_t n_blocks) const {
    run_by_blocks(group, heap, work, block, n_blocks, barriers);
  }
};

template <class Work, PacketPhase phase>
struct PacketKernel {
  Work work;

  __device__ void operator()(LaunchedBlock const& group, std::size_t block,
                             std::size_t n_blocks) const {
    work.template run_by_packets<phase>(group, PacketPart{block, n_blocks});
  }
};

/// Sends this PE's element count to the other PEs, before a collect() that uses
/// several thread blocks.
struct PassWordKernel {
  PeTeam team;
  std::uint64_t word;

  __device__ void operator()(LaunchedBlock const& group, std::size_t,
                             std::size_t) const {
    exchange_word(group, team, "symm::collect", word);
  }
};

/// For more bytes than this, the launch that is saved if all blocks wait
/// matters less than the speed of more blocks.
inline constexpr std::size_t max_bytes_of_waiting_blocks = std::size_t{4}
                                                           << 20U;

/// Enqueues a kernel that exchanges packets. The kernel has one thread block,
/// if possible with one thread per packet; for many packets, it has several
/// blocks. PEs that share a GPU have few packets, and therefore one block each
/// (Runtime::find_shared_gpus()).
template <PacketPhase phase, class Work>
void launch_packets(void* queue, Work const& work, CollectiveCall const& call) {
  constexpr std::size_t warp = 32, max_threads = max_launched_threads;
  auto const n_packets =
      call.n_words * static_cast<std::size_t>(work.team.n_pes());
  auto const n_threads =
      std::min((n_packets + warp - 1) / warp * warp, max_threads);
  auto const n_blocks = std::clamp(n_packets / (2 * max_threads),
                                   std::size_t{1}, max_waiting_blocks);
  launch(call.name, queue, n_blocks, static_cast<int>(n_threads),
         PacketKernel<Work, phase>{work});
}

/// Enqueues a collective operation on a GPU. Uses packets if possible.
/// Otherwise, one kernel does everything, with one thread block for few bytes,
/// or with several if these may wait. In all other cases, a kernel of one block
/// opens first, and with gates, another one closes. PEs may choose differently
/// between these forms.
template <class Work>
void enqueue_collective(void* queue, HeapMap const& heap, Work const& work,
                        CollectiveCall const& call) {
  constexpr std::size_t max_in_one_block = std::size_t{64} << 10U;
  constexpr std::size_t bytes_of_block   = std::size_t{8} << 10U;
  constexpr int n_threads                = max_launched_threads;
  // At this point, a PE in collect() has not yet received the other PEs'
  // counts.
  auto const bytes = call.are_counts_equal()
                         ? std::max(call.dest_bytes, call.source_bytes)
                         : call.dest_bytes;
  // Load these kernels before the first one runs: loading may wait for running
  // kernels, which wait for the threads that serve far PEs.
  static_cast<void>(waits_on_gpu<BarrierKernel>(call.name));
  static_cast<void>(waits_on_gpu<PassWordKernel>(call.name));
  static_cast<void>(waits_on_gpu<CollectiveKernel<Work>>(call.name));
  bool const has_gates = work.team.has_gates();
  if constexpr (HasPackets<Work>) {
    if (go_by_packets(work.team, call, true)) {
      if (!has_gates) {
        launch_packets<PacketPhase::both>(queue, work, call);
        return;
      }
      launch_packets<PacketPhase::send>(queue, work, call);
      wait_at_gates(call.name, queue, work.team);
      launch_packets<PacketPhase::receive>(queue, work, call);
      return;
    }
  }
  auto const launch_work = [&](std::size_t n_blocks,
                               BarriersInKernel barriers) {
    launch(call.name, queue, n_blocks, n_threads,
           CollectiveKernel<Work>{heap, work, barriers});
  };
  auto const n_blocks =
      std::clamp(bytes / bytes_of_block, std::size_t{1}, max_blocks_of(work));
  if (call.are_counts_equal() && work.team.may_blocks_wait() &&
      (n_blocks <= max_waiting_blocks ||
       bytes <= max_bytes_of_waiting_blocks)) {
    launch_work(std::min(n_blocks, max_waiting_blocks), {true, true});
    return;
  }
  if (bytes <= max_in_one_block && !has_gates) {
    launch_work(1, {true, true});
    return;
  }
  if (call.are_counts_equal()) {
    enqueue_barrier(queue, work.team);
  } else if (has_gates) {
    enqueue_gated_barrier(call.name, queue, work.team,
                          PassWord{work.team, work.count});
  } else {
    launch(call.name, queue, 1, n_threads,
           PassWordKernel{work.team, work.count});
  }
  launch_work(n_blocks, {false, !has_gates});
  if (has_gates) enqueue_barrier(queue, work.team);
}
#else
[[noreturn]] inline void enqueue_barrier(void*, PeTeam const&) {
  throw_without_kernel("symm::barrier");
}
#endif

/// Implements the host's calls on GPU memory: enqueues the work and waits for
/// it.
template <class Work>
void run_on_gpu(CollectiveCall const& call,
                [[maybe_unused]] HeapMap const& heap,
                [[maybe_unused]] Work const& work) {
#ifdef SYMM_COMPILES_KERNELS
  run_in_kernel_queue(call.name, [&](void* queue) {
    enqueue_collective(queue, heap, work, call);
  });
#else
  throw_without_kernel(call.name);
#endif
}

}  // namespace symm::Impl

#endif

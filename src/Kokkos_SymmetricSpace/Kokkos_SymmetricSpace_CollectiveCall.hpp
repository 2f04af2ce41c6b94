// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_COLLECTIVECALL_HPP
#define KOKKOS_SYMMETRICSPACE_COLLECTIVECALL_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_TeamSync.hpp>
#include "cuda/Launch.hpp"

#include "../runtime/base/Types.hpp"
#include "../runtime/heap/SymmetricHeap.hpp"
#include "../runtime/memory/HeapMap.hpp"
#include "../runtime/shmem/Access.hpp"
#include "../runtime/shmem/Group.hpp"
#include "../runtime/shmem/GroupCopy.hpp"
#include "../runtime/symm_teams.hpp"

// How a collective operation runs: its checks, its barriers, and on how many
// blocks of a GPU. What it does is a functor of CollectiveWork, which has
// `team`, call() and operator().

namespace symm {

/// Whether dest and source may have elements in common.
enum class Overlap {
  none,
  if_equal,  // if they are the same address
  unknown    // strided: nothing is checked
};

/// What a call has been given, for its checks. The counts of collect() differ
/// between PEs, and with them the size of a source; dest then has room for
/// `dest_bytes`, and without any element the addresses do not count.
struct CollectiveCall {
  char const* name;
  std::size_t count;  // as the caller gave it
  void const* dest;
  std::size_t dest_bytes;
  void const* source;
  std::size_t source_bytes;
  Pe root                  = 0;
  Overlap overlap          = Overlap::none;
  std::size_t collect_size = 0;  // of an element of collect(); others: 0
  // Whether a source of a word goes along with the checks on the host.
  bool may_pass_source = false;

  [[nodiscard]] KOKKOS_FUNCTION bool are_counts_equal() const {
    return collect_size == 0;
  }
};

/// The heap of both blocks. Local; the checks of the enqueued forms.
/// \param problem what the caller has found to be wrong, for UsageError; or "".
/// \throws UsageError on this PE.
SymmetricHeap& check_collective(PeTeam const& team, CollectiveCall const& call,
                                std::string const& problem);

/// Whether each PE has got all sources when enter_collective() returns.
[[nodiscard]] inline bool is_source_passed(CollectiveCall const& call,
                                           SymmetricHeap const& heap) {
  return call.may_pass_source && heap.memory() == MemoryKind::host &&
         call.source_bytes <= sizeof(std::uint64_t);
}

/// The host's way into a collective operation, a barrier: the heap of both
/// blocks. In collect() every PE has passed its count then, and its source as
/// the second word if is_source_passed().
/// \param type a number for the operation and the types in it, to be equal on
///        all PEs.
/// \throws UsageError on every PE of the team; on this PE, if it is no team.
SymmetricHeap& enter_collective(PeTeam const& team, CollectiveCall const& call,
                                std::uint64_t type, std::string const& problem);

/// All of it by one group of threads.
template <class Work>
struct CollectiveOfGroup {
  HeapMap heap;
  Work work;

  template <class Group>
  KOKKOS_FUNCTION void operator()(Group const& group, std::size_t = 0,
                                  std::size_t = 1) const {
    auto const call = work.call();
    if (call.are_counts_equal()) {
      barrier_of(group, work.team, call.name);
    } else {
      exchange_word(group, work.team, call.name, work.count);
    }
    work(group, heap, 0, 1);
    barrier_of(group, work.team, call.name);
  }
};

#ifdef KOKKOS_ENABLE_CUDA
template <class Work>
struct CollectiveInBlocks {
  HeapMap heap;
  Work work;

  __device__ void operator()(ThreadBlock const& group, std::size_t block,
                             std::size_t n_blocks) const {
    work(group, heap, block, n_blocks);
  }
};

/// What collect() needs in front of it.
struct PassWord {
  PeTeam team;
  std::uint64_t word;

  __device__ void operator()(ThreadBlock const& group, std::size_t,
                             std::size_t) const {
    exchange_word(group, team, "symm::collect", word);
  }
};

/// Enqueues it on a GPU: in one block if it is little, else with a barrier in
/// front of and behind a kernel of many. The PEs need not choose alike.
template <class Work>
void enqueue_on_gpu(Kokkos::Cuda const& exec, HeapMap const& heap,
                    Work const& work) {
  constexpr std::size_t most_in_one_block = std::size_t{32} << 10U;
  constexpr std::size_t bytes_of_block    = std::size_t{8} << 10U;
  constexpr std::size_t most_blocks       = 64;
  constexpr int n_threads                 = most_launched_threads;
  auto const call                         = work.call();
  // How much the others have in collect() is not known here.
  auto const bytes = call.are_counts_equal()
                         ? std::max(call.dest_bytes, call.source_bytes)
                         : call.dest_bytes;
  if (bytes <= most_in_one_block) {
    launch(call.name, exec, 1, n_threads, CollectiveOfGroup<Work>{heap, work});
    return;
  }
  if (call.are_counts_equal()) {
    enqueue_barrier(exec, work.team);
  } else {
    launch(call.name, exec, 1, n_threads, PassWord{work.team, work.count});
  }
  launch(call.name, exec, std::min(most_blocks, bytes / bytes_of_block),
         n_threads, CollectiveInBlocks<Work>{heap, work});
  enqueue_barrier(exec, work.team);
}
#endif

/// FNV-1a, which is the same in every process, as type_info::hash_code() need
/// not be.
[[nodiscard]] constexpr std::uint64_t hash_of_name(char const* name) {
  std::uint64_t hash = 0xcbf2'9ce4'8422'2325U;
  for (; *name != '\0'; ++name) {
    hash = (hash ^ static_cast<unsigned char>(*name)) * 0x100'0000'01b3U;
  }
  return hash;
}

/// The host's form.
template <class Work>
void run_on_host(Work const& work, std::string const& problem = {}) {
  auto const call                 = work.call();
  static std::uint64_t const type = hash_of_name(typeid(Work).name());
  auto const& heap = enter_collective(work.team, call, type, problem);
  auto const words = work.team.words();
  if constexpr (requires { work.run_on_passed(words, *words.epoch()); }) {
    if (is_source_passed(call, heap)) {
      work.run_on_passed(words, *words.epoch());
      return;
    }
  }
#ifdef KOKKOS_ENABLE_CUDA
  if (heap.memory() == MemoryKind::device) {
    Kokkos::Cuda const exec;
    enqueue_on_gpu(exec, heap.map(), work);
    exec.fence(call.name);
    return;
  }
#endif
  work(OneThread{}, heap.map(), 0, 1);
  barrier_of(OneThread{}, work.team, call.name);
}

/// The enqueued form.
template <class ExecutionSpace, class Work>
void enqueue(ExecutionSpace const& exec, Work const& work,
             std::string const& problem = {}) {
  if constexpr (is_host_execution_space_v<ExecutionSpace>) {
    exec.fence(work.call().name);
    run_on_host(work, problem);
  } else {
    auto const call = work.call();
    enqueue_on_gpu(exec, check_collective(work.team, call, problem).map(),
                   work);
  }
}

/// The form in kernels.
template <class Threads, class Work>
KOKKOS_INLINE_FUNCTION void run_in_kernel(Threads const& threads,
                                          HeapMap const& heap,
                                          Work const& work) {
  auto const call = work.call();
  KOKKOS_EXPECTS(0 <= call.root && call.root < work.team.n_pes());
  if (call.are_counts_equal() && call.count != 0) {
    expect_access(heap, call.dest, call.dest_bytes, heap.my_pe, call.name);
  }
  if (call.count != 0) {
    expect_access(heap, call.source, call.source_bytes, heap.my_pe, call.name);
  }
  CollectiveOfGroup<Work>{heap, work}(group_of(threads));
}

}  // namespace symm

#endif

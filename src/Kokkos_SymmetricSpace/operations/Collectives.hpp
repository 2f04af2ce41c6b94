// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_COLLECTIVES_HPP
#define KOKKOS_SYMMETRICSPACE_COLLECTIVES_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>

#include <symm_gpu/CollectiveKernels.hpp>
#include <symm_gpu/ExecutionSpaceQueue.hpp>

#include "../../runtime/base/Types.hpp"
#include "../../runtime/collectives/CollectiveRun.hpp"
#include "../../runtime/pools/PoolCalls.hpp"
#include "../../runtime/symm_collectives.hpp"
#include "../../runtime/symm_teams.hpp"
#include "EnqueuedRma.hpp"

namespace symm::Impl {

/// Enqueues a collective operation.
template <class Exec, class Work>
void enqueue(Exec const& exec, Work const& work,
             std::string const& problem = {}) {
  auto const call = work.call();
  Observed const observed([&] {
    return Operation{OperationKind::collective, call.name, -1,
                     call.source_bytes};
  });
  if constexpr (runs_on_host_v<Exec>) {
    exec.fence(call.name);
    run_on_host(work, call, problem);
  } else {
    auto const heap = check_collective(work.team, call, problem);
    finish_for_check(exec, call.name);
    [[maybe_unused]] check::Meeting const meeting(check::key_of(work.team));
    enqueue_kernels(call.name, exec, [&](void* queue) {
      enqueue_collective(queue, heap.map, work, call);
    });
    finish_for_check(exec, call.name);
  }
}

/// Enqueues a barrier on a GPU. Precondition: `team` is valid.
template <class Exec>
void enqueue_team_barrier(Exec const& exec, PeTeam const& team) {
  finish_for_check(exec, "symm::barrier");
  check::quiet();
  [[maybe_unused]] check::Meeting const meeting(check::key_of(team));
  enqueue_kernels("symm::barrier", exec,
                  [&](void* queue) { enqueue_barrier(queue, team); });
  finish_for_check(exec, "symm::barrier");
}

}  // namespace symm::Impl

namespace symm {

// Barriers and collective operations can be enqueued on an execution space
// instance, in order with the kernels on that instance; the host does not wait.
// symm_teams.hpp and symm_collectives.hpp describe what each operation does.

/// Enqueues a barrier over `team`. Collective over `team`. Later work on `exec`
/// starts only after all PEs of the PE team have reached the barrier. That work
/// sees everything that those PEs wrote before the barrier, directly or through
/// work enqueued earlier. The host does not wait unless `exec` runs on the
/// host. Calls for the same PE team must also run one after another on the GPU:
/// between calls on different instances, call order_after().
/// \throws UsageError on this PE if `team` is not a valid PE team; SystemError
///         on this PE if a CUDA call fails.
template <Impl::ExecutionSpace Exec>
void barrier(Exec const& exec, PeTeam const& team) {
  Impl::Observed const observed([] {
    return Impl::Operation{Impl::OperationKind::barrier, "symm::barrier"};
  });
  if constexpr (Impl::runs_on_host_v<Exec>) {
    exec.fence("symm::barrier");
    barrier(team);
  } else {
    Impl::check_team(team, "symm::barrier");
    Impl::enqueue_team_barrier(exec, team);
  }
  if (team.n_pes() == n_pes()) Impl::note_stream_barrier(Impl::stream_of(exec));
}

// Each of the following operations throws UsageError on this PE if this PE
// passes an invalid argument; in that case, this PE has not taken part. The
// operations do not check whether the other PEs pass the same arguments. On a
// host instance, an operation waits for the instance's kernels and then does
// the same as the host form. On a GPU, collect() with a null `dest` stops the
// program if other PEs have elements.

template <Impl::ExecutionSpace Exec, class T>
void broadcast(Exec const& exec, PeTeam const& team, T* dest,
               std::type_identity_t<T> const* source, std::size_t count,
               Pe root) {
  Impl::enqueue(exec, Impl::BroadcastWork<T>{team, dest, source, count, root});
}

template <Impl::ExecutionSpace Exec, class T>
void fcollect(Exec const& exec, PeTeam const& team, T* dest,
              std::type_identity_t<T> const* source, std::size_t count) {
  Impl::enqueue(exec, Impl::GatherWork<T, false>{team, dest, source, count});
}

template <Impl::ExecutionSpace Exec, class T>
void collect(Exec const& exec, PeTeam const& team, T* dest,
             std::type_identity_t<T> const* source, std::size_t count) {
  Impl::enqueue(exec, Impl::CollectWork<T>{team, dest, source, count});
}

template <Impl::ExecutionSpace Exec, class T>
void alltoall(Exec const& exec, PeTeam const& team, T* dest,
              std::type_identity_t<T> const* source, std::size_t count) {
  Impl::enqueue(exec, Impl::GatherWork<T, true>{team, dest, source, count});
}

template <Impl::ExecutionSpace Exec, class T>
void alltoalls(Exec const& exec, PeTeam const& team, T* dest,
               std::type_identity_t<T> const* source, std::size_t dest_stride,
               std::size_t source_stride, std::size_t count) {
  Impl::enqueue(exec,
                Impl::StridedAlltoallWork<T>{team, dest, source, dest_stride,
                                             source_stride, count},
                Impl::problem_of_strides(dest_stride, source_stride));
}

template <Impl::ExecutionSpace Exec, class T, class Op>
void reduce(Exec const& exec, PeTeam const& team, T* dest,
            std::type_identity_t<T> const* source, std::size_t count, Op op) {
  Impl::enqueue(exec, Impl::ReduceWork<T, Op>{team, dest, source, count, op});
}

template <Impl::ExecutionSpace Exec, class T, class Op>
void reduce_scatter(Exec const& exec, PeTeam const& team, T* dest,
                    std::type_identity_t<T> const* source, std::size_t count,
                    Op op) {
  Impl::enqueue(exec,
                Impl::ReduceWork<T, Op, true>{team, dest, source, count, op});
}

template <Impl::ExecutionSpace Exec, class T, class Op>
void inscan(Exec const& exec, PeTeam const& team, T* dest,
            std::type_identity_t<T> const* source, std::size_t count, Op op) {
  Impl::enqueue(exec, Impl::ScanWork<T, Op, Impl::NoInit>{
                          team, dest, source, count, op, {}});
}

template <Impl::ExecutionSpace Exec, class T, class Op>
void exscan(Exec const& exec, PeTeam const& team, T* dest,
            std::type_identity_t<T> const* source, std::size_t count, Op op,
            std::type_identity_t<T> const& init) {
  Impl::enqueue(exec,
                Impl::ScanWork<T, Op, T>{team, dest, source, count, op, init});
}
template <Impl::ExecutionSpace Exec, class T>
void exscan(Exec const& exec, PeTeam const& team, T* dest,
            std::type_identity_t<T> const* source, std::size_t count, Sum op) {
  exscan(exec, team, dest, source, count, op, T());
}

}  // namespace symm

#endif

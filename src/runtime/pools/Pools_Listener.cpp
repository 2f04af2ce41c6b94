// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Pool operations that run as part of collective calls.
#include "../base/Failure.hpp"
#include "Pools.hpp"

namespace symm::Impl {

std::uint64_t Pools::idle_streams() {
  Lock const lock(m_mutex);
  auto& group          = symmetric();
  std::uint64_t wanted = 0;
  for (auto const& pool : group.pools) wanted |= pool->streams_to_watch();
  return wanted == 0 ? 0 : group.order.idle(wanted);
}

void Pools::were_idle(std::uint64_t streams) {
  Lock const lock(m_mutex);
  symmetric().order.were_idle(streams);
}

void Pools::prepare() {
  Lock const lock(m_mutex);
  static_cast<void>(symmetric());
  for (auto const& group : m_symmetric) {
    for (auto const& pool : group->pools) pool->prepare_to_collect();
  }
}

void Pools::all_ended() {
  Lock const lock(m_mutex);
  // This call excludes local pools, because other threads may be using them.
  // release_local() queries the streams of local pools.
  symmetric().order.all_ended();
}

void Pools::before_return(RuntimeCall call) {
  if (call == RuntimeCall::barrier_all || call == RuntimeCall::pool_grow ||
      call == RuntimeCall::pool_trim || call == RuntimeCall::finalize) {
    return;
  }
  {
    Lock const lock(m_mutex);
    catch_up(symmetric());
    release(symmetric());
    if (call == RuntimeCall::heap_trim) release_out_of_step();
  }
  // Ignore failures, because the next call will try again.
  static_cast<void>(failure_of([&] { release_local(); }));
}

void Pools::release_local() {
  // Use try_lock, because the thread that holds the mutex may be waiting for a
  // kernel that is waiting for this PE.
  std::unique_lock const lock(m_local_mutex, std::try_to_lock);
  if (!lock || !m_local.order.are_idle()) return;
  m_local.order.all_ended_here();
  catch_up(m_local);
  release(m_local);
  std::erase_if(m_imported, [&](auto const& pool) {
    return pool->has_ended(m_local.order.ended_here());
  });
}

void Pools::release(PoolSet& group) {
  for (auto const& pool : group.pools) pool->release();
  std::erase_if(group.pools,
                [](auto const& pool) { return pool->has_ended(); });
}

void Pools::release_out_of_step() {
  for (auto const& group : m_symmetric) {
    if (group == m_symmetric.back()) return;
    // Growth is collective, so all PEs compute the same `has_memory`.
    bool has_memory    = false;
    std::size_t n_live = 0;
    for (auto const& pool : group->pools) {
      has_memory |= pool->reserved().current > 0;
      n_live += pool->n_live();
    }
    if (!has_memory) continue;
    auto const blocks = failure_of([&] {
      if (n_live > 0) throw UsageError("a pool out of step has blocks");
    });
    if (m_runtime.rendezvous().agree(blocks)) continue;
    group->order.all_ended();
    catch_up(*group);
    for (auto const& pool : group->pools) pool->policy().release_threshold = 0;
    release(*group);
  }
}

std::vector<std::string> Pools::finalize() {
  BothLocks const lock(m_mutex, m_local_mutex);
  std::vector<std::string> live;
  for (auto const& group : m_symmetric) {
    for (auto const& pool : group->pools) pool->list_blocks(live);
  }
  for (auto const& pool : m_local.pools) pool->list_blocks(live);
  for (auto const& pool : m_imported) pool->list_blocks(live);
  if (!live.empty()) {
    for (auto const& heap : m_local_heaps) {
      if (heap != nullptr) heap->heap().abandon();
    }
    for (auto const& pool : m_local.pools) pool->abandon();
    for (auto const& pool : m_imported) pool->abandon();
  }
  return live;
}

}  // namespace symm::Impl

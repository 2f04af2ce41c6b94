// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collecting free memory, growing from the heap, and releasing memory.
#include <algorithm>
#include <limits>

#include "../base/Failure.hpp"
#include "../base/Text.hpp"
#include "StreamPool.hpp"

namespace symm::Impl {

void StreamPool::prepare_to_collect() {
  std::size_t n_ranges = 0;
  for (auto const& state : m_streams) {
    n_ranges += state.n_freed();
    if (state.arena == nullptr) continue;
    n_ranges += state.arena->max_free_blocks();
    state.arena->prepare();
  }
  m_common.prepare(n_ranges);
  m_heap.prepare_to_trim(m_common, n_ranges);
}

void StreamPool::collect() {
  auto const ended = is_local() ? m_order.ended_here() : m_order.ended();
  for (auto& state : m_streams) {
    while (state.has_freed() && state.freed[state.n_reused].at <= ended) {
      auto const& freed = state.freed[state.n_reused++];
      if (freed.arena == &m_common) {
        m_common.give_back(freed.id);
      } else {
        freed.arena->give_back_to(m_common, freed.id);
      }
    }
    state.forget_reused();
  }
  for (auto& state : m_streams) {
    if (state.arena != nullptr) state.arena->move_free_to(m_common);
  }
}

bool StreamPool::has_room(HeapBlocks::Request const& request) {
  auto const id = m_common.take(request);
  if (id == HeapBlocks::none) return false;
  m_common.give_back(id);
  return true;
}

void StreamPool::grow(std::size_t bytes, std::size_t phase, char const* label) {
  auto const request = request_of(bytes, phase);
  auto call  = Rendezvous::make_call(RuntimeCall::pool_grow, {m_number, bytes});
  call.label = label;
  // Once the PEs have synchronized, collect() merges all unused memory, which
  // may then be sufficient.
  bool const is_rather_reused =
      2 * (m_reserved.current - m_used.current) >= m_reserved.current ||
      is_at_its_limit(request.bytes);
  auto const most         = m_properties.max_bytes == 0
                                ? std::numeric_limits<std::size_t>::max()
                                : m_properties.max_bytes - m_reserved.current;
  call.failure            = failure_of([&] { prepare_to_collect(); });
  std::size_t free_before = 0;
  try {
    m_heap.grow(call, m_common, request, most, [&] {
      if (is_local()) m_order.all_ended_here();
      collect();
      free_before = m_common.free_bytes();
      return is_rather_reused && has_room(request);
    });
  } catch (OutOfMemory const&) {  // thrown on all PEs
    if (!has_room(request)) {
      if (!is_at_its_limit(request.bytes)) throw;
      Text const who =
          *label == '\0' ? Text("malloc_async") : Text("View \"", label, "\"");
      throw OutOfMemory(
          Text(who, ": a pool with max_bytes = ", m_properties.max_bytes,
               " has no room for ", bytes, " bytes; ", m_used.current,
               " bytes are allocated in it"));
    }
  }
  m_reserved.set(m_reserved.current + m_common.free_bytes() - free_before);
}

void StreamPool::take_all() {
  auto const all = m_properties.max_bytes;
  auto call = Rendezvous::make_call(RuntimeCall::pool_grow, {m_number, all});
  m_heap.grow(call, m_common, {all, alignment, 0}, all, [] { return false; });
  m_reserved.set(all);
}

void StreamPool::trim_to(std::size_t min_bytes_to_hold) {
  auto call    = Rendezvous::make_call(RuntimeCall::pool_trim,
                                       {m_number, min_bytes_to_hold});
  call.failure = failure_of([&] { prepare_to_collect(); });
  m_reserved.current -= m_heap.trim(call, m_common, [&] {
    if (is_local()) m_order.all_ended_here();
    collect();
    return m_reserved.current -
           std::min<std::size_t>(m_reserved.current,
                                 std::max(min_bytes_to_hold, least_bytes()));
  });
}

void StreamPool::release() {
  auto const kept =
      m_is_ending
          ? 0
          : std::max<std::uint64_t>(m_policy.release_threshold, least_bytes());
  if (m_reserved.current <= kept) return;
  m_reserved.current -= m_heap.trim_step(m_common, m_reserved.current - kept);
}

}  // namespace symm::Impl

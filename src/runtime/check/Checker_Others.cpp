// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Checker's member functions for memory outside the heap, registered or not,
// and for incomplete operations.

#include <algorithm>
#include <mutex>
#include <vector>

#include "Checker.hpp"
#include "Sites.hpp"

namespace symm::Impl::check {

void const* Checker::in_heap(void const* address) const {
  auto const at = reinterpret_cast<std::uintptr_t>(address);
  if (at - m_other_start >= m_other_bytes) return address;
  auto const n = m_n_aliases.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < n; ++i) {
    auto const& alias = m_aliases[i];
    auto const offset = at - alias.start.load(std::memory_order_relaxed);
    if (offset < alias.bytes.load(std::memory_order_relaxed)) {
      return reinterpret_cast<void const*>(
          alias.in_heap.load(std::memory_order_relaxed) + offset);
    }
  }
  return address;
}

void Checker::add_alias(void const* in_heap, void const* memory,
                        std::size_t bytes) {
  std::lock_guard const lock(m_mutex);
  auto n         = m_n_aliases.load(std::memory_order_relaxed);
  std::size_t at = 0;
  while (at < n && m_aliases[at].bytes.load() != 0) ++at;
  if (at == max_aliases) return note_limit(Limit::registered);
  auto const start      = reinterpret_cast<std::uintptr_t>(memory);
  m_aliases[at].start   = start;
  m_aliases[at].in_heap = reinterpret_cast<std::uintptr_t>(in_heap);
  m_aliases[at].bytes   = bytes;
  m_n_aliases.store(std::max(n, at + 1), std::memory_order_release);
  include(start, bytes);
}

void Checker::remove_alias(void const* memory) {
  std::lock_guard const lock(m_mutex);
  for (auto& alias : m_aliases) {
    if (alias.start.load() == reinterpret_cast<std::uintptr_t>(memory)) {
      alias.bytes = 0;
    }
  }
  include_all_others();
}

void Checker::begin(Begun const& begun) {
  std::lock_guard const lock(m_mutex);
  m_begun->push_back(begun);
  if (begun.pe < 0) include(begun.start, begun.bytes);
}

/// Precondition: the caller holds m_mutex.
void Checker::include(std::uintptr_t start, std::size_t bytes) {
  bool const is_first = m_other_bytes == 0;
  auto const end      = start + bytes;
  auto const last =
      is_first ? end : std::max(m_other_start + m_other_bytes, end);
  m_other_start = is_first ? start : std::min(m_other_start, start);
  m_other_bytes = last - m_other_start;
}

/// Precondition: the caller holds m_mutex.
void Checker::include_all_others() {
  m_other_bytes = 0;
  for (auto const& alias : m_aliases) {
    if (alias.bytes.load() != 0) include(alias.start, alias.bytes);
  }
  for (auto const& begun : *m_begun) {
    if (begun.pe < 0) include(begun.start, begun.bytes);
  }
}

void Checker::end_begun() {
  std::lock_guard const lock(m_mutex);
  if (m_begun->empty()) return;
  std::erase_if(*m_begun, [](Begun const& begun) {
    // quiet() does not complete accesses that have the time Epoch::latest.
    return begun.epoch.time() != Epoch::latest;
  });
  include_all_others();
}

void Checker::move_operations(void const* from, void const* to) {
  std::lock_guard const lock(m_mutex);
  rename_owner(to, nullptr);
  rename_owner(from, to);
}

void Checker::let_go(void const* owner) {
  std::lock_guard const lock(m_mutex);
  rename_owner(owner, nullptr);
}

/// Precondition: the caller holds m_mutex.
void Checker::rename_owner(void const* from, void const* to) {
  for (auto& begun : *m_begun) {
    if (begun.context == from) begun.context = to;
    if (begun.request == from) begun.request = to;
  }
}

void Checker::complete(void const* owner, Stage stage) {
  auto const part = stage == Stage::begun ? Part::network : Part::loads;
  std::lock_guard const lock(m_mutex);
  std::erase_if(*m_begun, [&](Begun const& begun) {
    if (begun.context != owner && begun.request != owner) return false;
    if (stage == Stage::done_here && !begun.is_here) return false;
    if (stage == Stage::begun && begun.epoch.time() != Epoch::latest) {
      return false;
    }
    if (begun.epoch.kind() == Part::signals) {
      // PEs that have seen the signal know this time, but no later time.
      clocks.end_signal(begun.epoch.time());
      return true;
    }
    // From now on, the access counts as complete or, for Stage::begun, as an
    // ordinary network operation that begins now.
    if (begun.pe < 0) return true;
    LaterAccess const later{begun.epoch, begun.bytes, begun.is_written,
                            part_of(me(), part), clocks.use(part)};
    if (m_memory.is_on_gpu(begun.start)) {
      change_on_gpu({begun.pe, begun.start}, later);
    } else {
      change({begun.pe, begun.start}, later);
    }
    return true;
  });
  if (stage == Stage::begun) rename_owner(owner, nullptr);
}

void Checker::access_other(std::uintptr_t at, std::size_t bytes, bool is_write,
                           bool is_atomic, void const* place) {
  auto const* const address = in_heap(reinterpret_cast<void const*>(at));
  if (!is_in_heap(address)) {
    access_private(at, bytes, is_write, place);
  } else {
    access(address, bytes, is_write, is_atomic, place);
  }
}

void Checker::access_private(std::uintptr_t at, std::size_t bytes,
                             bool is_write, void const* place) {
  if (s_thread.n_calls > 0 || n_hiding.load(std::memory_order_relaxed) > 0) {
    return;
  }
  std::unique_lock lock(m_mutex);
  bool is_found = false;
  for (auto const& other : *m_begun) {
    if (other.pe >= 0 || at >= other.start + other.bytes ||
        other.start >= at + bytes) {
      continue;
    }
    if (!is_write && !other.is_written) continue;
    auto const part = is_write ? Part::stores : Part::loads;
    found({me(), at - other.start}, bytes, other.epoch, other.is_written,
          Epoch(part_of(me(), part), clocks.now(part), 0,
                site_at(tables(), place, nullptr), false),
          is_write, true);
    is_found = true;
  }
  lock.unlock();
  if (is_found) name_races();
}

}  // namespace symm::Impl::check

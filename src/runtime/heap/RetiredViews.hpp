// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RETIRED_VIEWS_HPP
#define SYMM_RETIRED_VIEWS_HPP

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

#include "../pes/Rendezvous.hpp"
#include "HeapBlocks.hpp"
#include "ViewInfo.hpp"

namespace symm::Impl {

/// Views on their way from the end on this PE to that on all PEs, as numbers
/// of blocks or of registered memory: retire() -> collect() -> notices() ->
/// told(), and count() for what every PE has told.
///
/// Local calls; all but retire() by the one thread that makes collective calls.
class RetiredViews : public BlockIds {
 public:
  /// This PE needs the View's memory no longer. Any thread, at any time.
  /// Precondition: prepare() has counted the View.
  void retire(void* address) noexcept {
    std::lock_guard const lock(m_mutex);
    m_addresses.push_back(address);
    m_is_empty.store(false, std::memory_order_release);
  }

  /// So that retire() never has to allocate while no more than `n_views` live.
  void prepare(std::size_t n_views) {
    if (n_views <= m_capacity) return;
    std::lock_guard const lock(m_mutex);
    m_addresses.reserve(2 * n_views);
    m_capacity = 2 * n_views;
  }

  /// Takes over what was retired since the last time; if it throws, it has not
  /// begun.
  /// \param end makes of an address a View that has ended on this PE, and
  ///        returns its number; none, if it belongs to no View that lives. Does
  ///        not throw.
  template <class End>
  void collect(End const& end) {
    if (m_is_empty.load(std::memory_order_acquire)) return;
    std::lock_guard const lock(m_mutex);
    m_to_tell.reserve(m_to_tell.size() + m_addresses.size());
    for (void* const address : m_addresses) {
      auto const id = end(address);
      if (id == none) continue;
      m_to_tell.push_back(id);
      ++m_n_waiting;
    }
    m_addresses.clear();
    m_is_empty.store(true, std::memory_order_relaxed);
  }

  /// What to tell all PEs next, no more than one call can carry, and whether
  /// there is more.
  [[nodiscard]] std::span<Id const> notices() const {
    return std::span(m_to_tell).first(
        std::min(m_to_tell.size(), Rendezvous::max_notices));
  }
  [[nodiscard]] bool has_more_notices() const {
    return m_to_tell.size() > Rendezvous::max_notices;
  }
  /// All PEs have read those of the first `n` notices that are no higher than
  /// `last`.
  void told(std::size_t n, Id last) {
    auto const begin = m_to_tell.begin();
    auto const end   = begin + static_cast<std::ptrdiff_t>(n);
    auto kept        = begin;
    if (last != none) {
      kept = std::remove_if(begin, end, [&](Id id) { return id <= last; });
    }
    m_to_tell.erase(kept, end);
  }

  /// So many PEs have told that they have retired the View; returns whether
  /// they were the last of `n_pes`.
  [[nodiscard]] bool count(ViewInfo& view, int n_more, int n_pes) {
    view.n_retired += n_more;
    if (view.n_retired < n_pes) return false;
    --m_n_waiting;
    return true;
  }

  /// Views that this PE has retired and others maybe not.
  [[nodiscard]] std::size_t n_waiting() const { return m_n_waiting; }

 private:
  std::mutex m_mutex;
  std::vector<void*> m_addresses;  // retired, and not collected
  std::size_t m_capacity       = 0;
  std::atomic<bool> m_is_empty = true;
  std::vector<Id> m_to_tell;  // collected, and not told
  std::size_t m_n_waiting = 0;
};

}  // namespace symm::Impl

#endif

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

/// Views that this PE has destroyed but other PEs may not have. A View is
/// identified by the number of its block or registered memory. Each View passes
/// through retire(), collect(), notices() and told(). count() counts the PEs
/// that have announced a View's destruction.
///
/// All calls are local. Any thread may call retire(). Only a thread that is in
/// a collective call may call the other functions.
class RetiredViews : public BlockIds {
 public:
  /// Records that this PE no longer needs the View's memory. Callable from any
  /// thread at any time.
  /// Precondition: prepare() has accounted for the View.
  void retire(void* address) noexcept {
    std::lock_guard const lock(m_mutex);
    m_addresses.push_back(address);
    m_is_empty.store(false, std::memory_order_release);
  }

  /// Ensures that retire() allocates no memory as long as no more than
  /// `n_views` Views are alive.
  void prepare(std::size_t n_views) {
    if (n_views <= m_capacity) return;
    std::lock_guard const lock(m_mutex);
    m_addresses.reserve(2 * n_views);
    m_capacity = 2 * n_views;
  }

  /// Processes newly retired addresses. If this function throws, nothing has
  /// changed.
  /// \param end A function that marks the View at an address as retired on this
  ///        PE. It returns the View's number, or `none` if there is no live
  ///        View. Must not throw.
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

  /// The numbers of the Views to announce to all PEs next, up to the maximum
  /// that one call can carry.
  [[nodiscard]] std::span<Id const> notices() const {
    return std::span(m_to_tell).first(
        std::min(m_to_tell.size(), Rendezvous::max_notices));
  }
  [[nodiscard]] bool has_more_notices() const {
    return m_to_tell.size() > Rendezvous::max_notices;
  }
  /// Of the first `n` notices, removes those that are not greater than `last`,
  /// because all PEs have read them. If `last` is `none`, removes all `n`.
  void told(std::size_t n, Id last) {
    auto const begin = m_to_tell.begin();
    auto const end   = begin + static_cast<std::ptrdiff_t>(n);
    auto kept        = begin;
    if (last != none) {
      kept = std::remove_if(begin, end, [&](Id id) { return id <= last; });
    }
    m_to_tell.erase(kept, end);
  }

  /// Adds `n_more` to the number of PEs that have announced the View's
  /// destruction. Returns whether all PEs have now done so.
  [[nodiscard]] bool count(ViewInfo& view, int n_more, int n_pes) {
    view.n_retired += n_more;
    if (view.n_retired < n_pes) return false;
    --m_n_waiting;
    return true;
  }

  /// The number of Views that this PE has retired but at least one other PE has
  /// not.
  [[nodiscard]] std::size_t n_waiting() const { return m_n_waiting; }

 private:
  std::mutex m_mutex;
  std::vector<void*> m_addresses;  // retired, not yet collected
  std::size_t m_capacity       = 0;
  std::atomic<bool> m_is_empty = true;
  std::vector<Id> m_to_tell;  // collected, not yet announced
  std::size_t m_n_waiting = 0;
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RETIRED_LIST_HPP
#define SYMM_RETIRED_LIST_HPP

#include <atomic>
#include <cstddef>
#include <mutex>
#include <vector>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Addresses of Views that this PE has destroyed, handed over from any thread
/// to the one that makes the collective calls.
class RetiredList {
 public:
  /// Any thread, at any time.
  /// Precondition: make_room_for() has counted the View.
  void push(void* address) noexcept {
    std::lock_guard const lock(m_mutex);
    m_addresses.push_back(address);
    m_is_empty.store(false, std::memory_order_release);
  }

  /// So that push() never has to allocate while no more than `n_views` live.
  void make_room_for(std::size_t n_views) {
    if (n_views <= m_capacity) return;
    std::lock_guard const lock(m_mutex);
    m_addresses.reserve(2 * n_views);
    m_capacity = 2 * n_views;
  }

  /// Calls `take(addresses)` if there are any, and forgets them unless it
  /// throws.
  template <class Take>
  void drain(Take const& take) {
    if (m_is_empty.load(std::memory_order_acquire)) return;
    std::lock_guard const lock(m_mutex);
    take(m_addresses);
    m_addresses.clear();
    m_is_empty.store(true, std::memory_order_relaxed);
  }

 private:
  std::mutex m_mutex;
  std::vector<void*> m_addresses;
  std::size_t m_capacity       = 0;
  std::atomic<bool> m_is_empty = true;
};

}  // namespace symm::Impl

#endif

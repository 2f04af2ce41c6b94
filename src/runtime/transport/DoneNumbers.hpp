// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_DONE_NUMBERS_HPP
#define SYMM_TRANSPORT_DONE_NUMBERS_HPP

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace symm::Impl {

/// Records which of the operations or messages 1, 2, ... are done. Each number
/// is set once, in any order. Only one thread at a time may call set(); any
/// thread may call up_to().
class DoneNumbers {
 public:
  /// All numbers up to this one are done.
  [[nodiscard]] std::uint64_t up_to() const {
    return m_up_to.load(std::memory_order_acquire);
  }

  /// \throws std::bad_alloc.
  void set(std::uint64_t number) {
    auto done = m_up_to.load(std::memory_order_relaxed);
    if (number != done + 1) {
      m_beyond.push_back(number);
      std::push_heap(m_beyond.begin(), m_beyond.end(), std::greater<>());
      return;
    }
    done = number;
    while (!m_beyond.empty() && m_beyond.front() == done + 1) {
      ++done;
      std::pop_heap(m_beyond.begin(), m_beyond.end(), std::greater<>());
      m_beyond.pop_back();
    }
    m_up_to.store(done, std::memory_order_release);
  }

 private:
  std::atomic<std::uint64_t> m_up_to = 0;
  std::vector<std::uint64_t> m_beyond;  // a binary heap, lowest first
};

}  // namespace symm::Impl

#endif

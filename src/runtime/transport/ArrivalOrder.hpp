// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_ARRIVALORDER_HPP
#define SYMM_TRANSPORT_ARRIVALORDER_HPP

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "DoneNumbers.hpp"

namespace symm::Impl {

/// Records which of a PE's numbered messages have been processed and holds back
/// messages that must be processed after others. Only done_up_to() may be
/// called by several threads concurrently.
template <class Held>
class ArrivalOrder {
 public:
  /// All messages up to this number have been processed.
  [[nodiscard]] std::uint64_t done_up_to() const { return m_done.up_to(); }
  [[nodiscard]] bool may_be_done(std::uint64_t after) const {
    return after <= done_up_to();
  }

  /// Stores `held` until all messages up to number `after` have been processed.
  void hold(std::uint64_t after, Held held) {
    m_held.emplace_back(after, std::move(held));
    std::push_heap(m_held.begin(), m_held.end(), is_later);
  }
  /// Removes and returns the held message with the lowest `after` if it may be
  /// processed now.
  std::optional<Held> take() {
    if (m_held.empty() || !may_be_done(m_held.front().first)) return {};
    std::pop_heap(m_held.begin(), m_held.end(), is_later);
    std::optional<Held> held = std::move(m_held.back().second);
    m_held.pop_back();
    return held;
  }

  void set_done(std::uint64_t number) { m_done.set(number); }

 private:
  using Waiting = std::pair<std::uint64_t, Held>;
  static bool is_later(Waiting const& a, Waiting const& b) {
    return a.first > b.first;
  }

  DoneNumbers m_done;
  // A binary heap, because tens of thousands of messages may be held back.
  std::vector<Waiting> m_held;
};

}  // namespace symm::Impl

#endif

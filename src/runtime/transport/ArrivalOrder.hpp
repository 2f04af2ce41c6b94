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

/// Which of the numbered messages of one PE have been carried out, and what
/// waits until more of them have. One thread at a time, but for done_up_to().
template <class Held>
class ArrivalOrder {
 public:
  /// All up to this number have been carried out.
  [[nodiscard]] std::uint64_t done_up_to() const { return m_done.up_to(); }
  [[nodiscard]] bool may_be_done(std::uint64_t after) const {
    return after <= done_up_to();
  }

  /// Keeps what comes after number `after`.
  void hold(std::uint64_t after, Held held) {
    m_held.emplace_back(after, std::move(held));
  }
  /// What may be carried out now, if there is anything.
  std::optional<Held> take() {
    if (m_held.empty()) return {};
    auto const found =
        std::find_if(m_held.begin(), m_held.end(),
                     [&](auto const& one) { return may_be_done(one.first); });
    if (found == m_held.end()) return {};
    std::optional<Held> held = std::move(found->second);
    m_held.erase(found);
    return held;
  }

  void set_done(std::uint64_t number) { m_done.set(number); }

 private:
  DoneNumbers m_done;
  std::vector<std::pair<std::uint64_t, Held>> m_held;
};

}  // namespace symm::Impl

#endif

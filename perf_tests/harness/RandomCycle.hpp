// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_RANDOM_CYCLE_HPP
#define SYMM_PERF_RANDOM_CYCLE_HPP

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace perf {

/// A cycle through all slots in random order, the same on all PEs. A walk along
/// it makes loads that depend on each other, and the slot where it ends shows
/// whether all of them were correct.
class RandomCycle {
 public:
  explicit RandomCycle(std::size_t slots) : m_next(slots) {
    std::iota(m_next.begin(), m_next.end(), std::uint64_t{0});
    std::mt19937_64 random(42);  // Sattolo's algorithm
    for (std::size_t i = slots - 1; i > 0; --i)
      std::swap(m_next[i], m_next[random() % i]);
    m_slot_after.reserve(slots);
    std::uint64_t slot = 0;
    for (std::size_t step = 0; step < slots; ++step) {
      m_slot_after.push_back(slot);
      slot = m_next[slot];
    }
  }

  /// next()[i] follows slot i.
  [[nodiscard]] std::vector<std::uint64_t> const& next() const {
    return m_next;
  }

  /// The slot that a walk from slot 0 reaches after `steps` steps.
  [[nodiscard]] std::uint64_t slot_after(std::int64_t steps) const {
    return m_slot_after[static_cast<std::size_t>(steps) % m_next.size()];
  }

 private:
  std::vector<std::uint64_t> m_next;
  std::vector<std::uint64_t> m_slot_after;
};

}  // namespace perf

#endif

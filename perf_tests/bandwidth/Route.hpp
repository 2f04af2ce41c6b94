// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_ROUTE_HPP
#define SYMM_PERF_ROUTE_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "harness/OneSided.hpp"
#include "harness/Pattern.hpp"
#include "harness/PrivateBuffer.hpp"

namespace perf {

/// The two ends of one contestant's copies; each contestant has its own, so
/// that none finds another's data in the cache. The near end is private to PE
/// 0; the far end is what PE 0 puts to or gets from. Fills the source with a
/// pattern and the target with zeros.
class Route {
 public:
  struct FarEnd {
    std::uint64_t*
        seen_by_active;            ///< address on PE 0; null if a call finds it
    std::uint64_t* seen_by_owner;  ///< address on the PE that has it
    bool is_private = false;       ///< PE 0 has it, else its peer
  };

  Route(OneSided const& pair, Direction direction, std::size_t bytes,
        FarEnd const& far)
      : m_far(far),
        m_is_put(direction == Direction::put),
        m_from(m_is_put ? 0 : pair.peer()),
        m_to(m_is_put ? pair.peer() : 0),
        m_has_near(pair.is_active()),
        m_has_far(far.is_private ? pair.is_active() : pair.is_target()),
        m_near(m_has_near ? bytes : 0),
        m_count(bytes / sizeof(std::uint64_t)) {
    if (m_is_put ? m_has_near : m_has_far)
      fill_pattern(source_words(), m_from, m_to);
    if (has_target()) std::ranges::fill(target_words(), 0);
  }

  /// The addresses that PE 0 copies to and from.
  [[nodiscard]] std::uint64_t* target() const {
    return m_is_put ? m_far.seen_by_active : m_near.data();
  }
  [[nodiscard]] std::uint64_t* source() const {
    return m_is_put ? m_near.data() : m_far.seen_by_active;
  }
  [[nodiscard]] std::uint64_t* near() const { return m_near.data(); }

  /// The number of wrong elements in the target, counted by the PE that has it.
  [[nodiscard]] std::int64_t wrong() const {
    return has_target() ? count_wrong(target_words(), m_from, m_to) : 0;
  }

 private:
  using Span = std::span<std::uint64_t>;

  [[nodiscard]] bool has_target() const {
    return m_is_put ? m_has_far : m_has_near;
  }
  [[nodiscard]] Span far_words() const {
    return {m_far.seen_by_owner, m_count};
  }
  [[nodiscard]] Span source_words() const {
    return m_is_put ? m_near.words() : far_words();
  }
  [[nodiscard]] Span target_words() const {
    return m_is_put ? far_words() : m_near.words();
  }

  FarEnd m_far;
  bool m_is_put;
  int m_from;
  int m_to;
  bool m_has_near;
  bool m_has_far;
  PrivateBuffer m_near;
  std::size_t m_count;
};

}  // namespace perf

#endif

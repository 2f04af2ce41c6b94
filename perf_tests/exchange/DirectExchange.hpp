// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_DIRECT_EXCHANGE_HPP
#define SYMM_PERF_DIRECT_EXCHANGE_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <cstddef>
#include <cstdint>

#include "exchange/Box.hpp"

namespace perf {

/// One kernel writes both outer layers into the neighbors' ghost layers,
/// followed by one barrier_all. One barrier is enough, because consecutive
/// steps alternate between two Views: what a step writes was last read two
/// steps earlier, and a barrier lies in between.
template <int Axis>
class DirectExchange {
 public:
  DirectExchange(Index edge, Ring const& ring)
      : m_edge(edge),
        m_ring(ring),
        m_fields(make_fields<SymmField>(edge, ring.me)) {
    symm::barrier_all();
  }

  void operator()(std::int64_t iterations) {
    for (std::int64_t n = 0; n < iterations; ++n) step(m_fields[m_steps++ % 2]);
  }

  [[nodiscard]] std::int64_t wrong() const {
    return count_wrong_ghosts<Axis>(m_fields, m_edge, m_ring);
  }

  void step(SymmField const& field) const {
    auto const everywhere = symm::global_view(field);
    auto const ring       = m_ring;
    auto const edge       = m_edge;
    Kokkos::parallel_for(
        "put faces", Face({1, 1}, {edge + 1, edge + 1}),
        KOKKOS_LAMBDA(Index a, Index b) {
          element_on<Axis>(everywhere, ring.low, edge + 1, a, b) =
              element<Axis>(field, 1, a, b);
          element_on<Axis>(everywhere, ring.high, 0, a, b) =
              element<Axis>(field, edge, a, b);
        });
    symm::barrier_all(Execution{});
  }

 private:
  Index m_edge;
  Ring m_ring;
  std::array<SymmField, 2> m_fields;
  std::size_t m_steps = 0;
};

}  // namespace perf

#endif

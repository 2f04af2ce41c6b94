// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_PACKED_EXCHANGE_HPP
#define SYMM_PERF_PACKED_EXCHANGE_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <cstddef>
#include <cstdint>

#include "exchange/Box.hpp"

namespace perf {

/// One kernel packs both outer layers straight into the neighbors' buffers;
/// after one barrier_all, another kernel unpacks them. This is for faces in
/// which every element is in a different cache line: packing touches those
/// lines only locally, and what travels between the cores is dense.
template <int Axis>
class PackedExchange {
 public:
  PackedExchange(Index edge, Ring const& ring)
      : m_edge(edge),
        m_ring(ring),
        m_fields(make_fields<PrivateField>(edge, ring.me)),
        m_received{make_buffer(edge), make_buffer(edge)} {
    symm::barrier_all();
  }

  void operator()(std::int64_t iterations) {
    for (std::int64_t n = 0; n < iterations; ++n) {
      std::size_t const parity = m_steps++ % 2;
      step(m_fields[parity], m_received[parity]);
    }
  }

  [[nodiscard]] std::int64_t wrong() const {
    return count_wrong_ghosts<Axis>(m_fields, m_edge, m_ring);
  }

  void step(PrivateField const& field, SymmField const& received) const {
    auto const everywhere = symm::global_view(received);
    auto const ring       = m_ring;
    auto const edge       = m_edge;
    Kokkos::parallel_for(
        "pack", Face({1, 1}, {edge + 1, edge + 1}),
        KOKKOS_LAMBDA(Index a, Index b) {
          everywhere(ring.low, 1, a - 1, b - 1) = element<Axis>(field, 1, a, b);
          everywhere(ring.high, 0, a - 1, b - 1) =
              element<Axis>(field, edge, a, b);
        });
    symm::barrier_all(Execution{});
    Kokkos::parallel_for(
        "unpack", Face({1, 1}, {edge + 1, edge + 1}),
        KOKKOS_LAMBDA(Index a, Index b) {
          element<Axis>(field, 0, a, b)        = received(0, a - 1, b - 1);
          element<Axis>(field, edge + 1, a, b) = received(1, a - 1, b - 1);
        });
    Kokkos::fence();
  }

 private:
  static SymmField make_buffer(Index edge) {
    return SymmField("received", 2, static_cast<std::size_t>(edge),
                     static_cast<std::size_t>(edge));
  }

  Index m_edge;
  Ring m_ring;
  std::array<PrivateField, 2> m_fields;
  // Used in turn, like the fields: a neighbor may be one step ahead.
  std::array<SymmField, 2> m_received;
  std::size_t m_steps = 0;
};

}  // namespace perf

#endif

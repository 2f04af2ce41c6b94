// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_MPI_EXCHANGE_HPP
#define SYMM_PERF_MPI_EXCHANGE_HPP

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <cstddef>
#include <cstdint>

#include "exchange/Box.hpp"
#include "harness/MpiCheck.hpp"

namespace perf {

/// One kernel packs both outer layers into host memory, then come Irecv, Isend
/// and Waitall, and one kernel unpacks.
template <int Axis>
class MpiExchange {
 public:
  MpiExchange(Index edge, Ring const& ring)
      : m_edge(edge),
        m_ring(ring),
        m_fields(make_fields<PrivateField>(edge, ring.me)),
        m_send("send", 2, static_cast<std::size_t>(edge),
               static_cast<std::size_t>(edge)),
        m_receive("receive", 2, static_cast<std::size_t>(edge),
                  static_cast<std::size_t>(edge)) {}

  void operator()(std::int64_t iterations) {
    for (std::int64_t n = 0; n < iterations; ++n) step(m_fields[m_steps++ % 2]);
  }

  [[nodiscard]] std::int64_t wrong() const {
    return count_wrong_ghosts<Axis>(m_fields, m_edge, m_ring);
  }

  void step(PrivateField const& field) const {
    auto const edge    = m_edge;
    auto const send    = m_send;
    auto const receive = m_receive;
    Kokkos::parallel_for(
        "pack", Face({1, 1}, {edge + 1, edge + 1}),
        KOKKOS_LAMBDA(Index a, Index b) {
          send(0, a - 1, b - 1) = element<Axis>(field, 1, a, b);
          send(1, a - 1, b - 1) = element<Axis>(field, edge, a, b);
        });
    Kokkos::fence();
    exchange_messages();
    Kokkos::parallel_for(
        "unpack", Face({1, 1}, {edge + 1, edge + 1}),
        KOKKOS_LAMBDA(Index a, Index b) {
          element<Axis>(field, 0, a, b)        = receive(0, a - 1, b - 1);
          element<Axis>(field, edge + 1, a, b) = receive(1, a - 1, b - 1);
        });
    Kokkos::fence();
  }

 private:
  // Tag 0 travels downwards, tag 1 upwards.
  void exchange_messages() const {
    int const count         = m_edge * m_edge;
    double* const from_low  = &m_receive(0, 0, 0);
    double* const from_high = &m_receive(1, 0, 0);
    std::array<MPI_Request, 4> requests{};
    int code = MPI_Irecv(from_low, count, MPI_DOUBLE, m_ring.low, 1,
                         MPI_COMM_WORLD, &requests[0]);
    code |= MPI_Irecv(from_high, count, MPI_DOUBLE, m_ring.high, 0,
                      MPI_COMM_WORLD, &requests[1]);
    code |= MPI_Isend(&m_send(0, 0, 0), count, MPI_DOUBLE, m_ring.low, 0,
                      MPI_COMM_WORLD, &requests[2]);
    code |= MPI_Isend(&m_send(1, 0, 0), count, MPI_DOUBLE, m_ring.high, 1,
                      MPI_COMM_WORLD, &requests[3]);
    code |= MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
                        MPI_STATUSES_IGNORE);
    check_mpi(code, "MPI_Irecv, MPI_Isend, MPI_Waitall");
  }

  Index m_edge;
  Ring m_ring;
  std::array<PrivateField, 2> m_fields;
  Message m_send;
  Message m_receive;
  std::size_t m_steps = 0;
};

}  // namespace perf

#endif

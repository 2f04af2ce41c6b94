// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Face exchange of a 3-D box, per axis: the PEs stand in a ring along it, and
// each gives its two outer layers to its two neighbors. No computation, so
// that the ratio is that of the exchange alone.
//
// Along axis 0 the faces are contiguous in memory. Along axis 2 every element
// of a face has a cache line of its own; written directly, each of these lines
// moves to the writer and back to its owner, while packing reads them in the
// owner's cache and sends a dense buffer.
//
// On GPUs the boxes are in GPU memory. The kernels of the exchange through MPI
// pack into host memory that they reach, for an MPI that does not know GPUs.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "exchange/Box.hpp"
#include "exchange/DirectExchange.hpp"
#include "exchange/MpiExchange.hpp"
#include "exchange/PackedExchange.hpp"
#include "harness/Session.hpp"

namespace perf::halo_benchmark {
namespace {

template <int Axis>
void measure_axis(Session& session, Index edge) {
  int const me  = session.my_pe();
  int const pes = session.n_pes();
  Ring const ring{me, (me + pes - 1) % pes, (me + 1) % pes};
  DirectExchange<Axis> direct(edge, ring);
  PackedExchange<Axis> packed(edge, ring);
  MpiExchange<Axis> mpi(edge, ring);
  session.compare({{{"axis", Axis}, {"edge", edge}}},
                  {{"pack, MPI, unpack", "", [&](std::int64_t n) { mpi(n); }},
                   {"global_view, barrier_all", "pack, MPI, unpack",
                    [&](std::int64_t n) { direct(n); }},
                   {"pack into peer, barrier_all, unpack", "pack, MPI, unpack",
                    [&](std::int64_t n) { packed(n); }}});
  // At least two steps have been taken, so both parities have been exchanged.
  session.verify(
      "ghosts, axis " + std::to_string(Axis) + ", edge " + std::to_string(edge),
      direct.wrong() + packed.wrong() + mpi.wrong());
}

void measure(Session& session) {
  std::vector<Index> edges{16, 32, 64, 128};
  if (session.gpus().count > 0) edges = {32, 128, 512};
  if (session.quick()) edges = {32};
  for (Index const edge : edges) {
    measure_axis<0>(session, edge);
    measure_axis<1>(session, edge);
    measure_axis<2>(session, edge);
  }
}

Registered const registered{"halo", measure};

}  // namespace
}  // namespace perf::halo_benchmark

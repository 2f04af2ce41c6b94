// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Puts and gets of doubles by a kernel, one element per thread: what a user
// writes who thinks of elements and not of blocks.
//
// PE 0 copies between its own View and PE 1's through a global_view or a
// peer_view, in a parallel_for over the elements. Floors: the same parallel_for
// with plain pointers, and a plain CUDA kernel ("raw"). NVSHMEM has a call for
// one element, nvshmem_double_p and _g.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "harness/Session.hpp"
#include "kernels/CopyKernels.hpp"
#include "kernels/LaneMemory.hpp"
#include "kernels/Lanes.hpp"

namespace perf::kernel_elements_benchmark {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

std::vector<std::size_t> sizes(bool quick) {
  if (quick) return {mib + 5 * sizeof(double)};
  return {mib, 64 * mib, 1024 * mib};
}

void add_ways(LaneMemory<double>& memory) {
  auto const raw = [](auto const& target, auto const& source,
                      Lanes::Shape const& shape) {
    copy_elements_raw(Kokkos::Cuda{}, target, source,
                      shape.bytes / sizeof(double));
  };
  auto const kokkos = [](auto const& target, auto const& source,
                         Lanes::Shape const& shape) {
    copy_elements(Kokkos::Cuda{}, target, source, shape.bytes / sizeof(double));
  };
  memory.add_plain("raw", "", raw);
  memory.add_plain("raw, again", "raw", raw);
  memory.add_plain("parallel_for, pointer", "raw", kokkos);
  memory.add_views("raw", kokkos);
  if (!nvshmem::available()) return;
  memory.add_nvshmem(
      "NVSHMEM", "raw",
      [](double* target, double const* source, Lanes::Shape const& shape,
         int pe, nvshmem::Stream stream) {
        nvshmem::put_elements(target, source, shape.bytes / sizeof(double), pe,
                              stream);
      },
      [](double* target, double const* source, Lanes::Shape const& shape,
         int pe, nvshmem::Stream stream) {
        nvshmem::get_elements(target, source, shape.bytes / sizeof(double), pe,
                              stream);
      });
}

void measure_direction(Session& session, Direction direction) {
  auto const all_sizes = sizes(session.quick());
  Lanes lanes(OneSided(session), direction);
  LaneMemory<double> memory(lanes, all_sizes.back());
  add_ways(memory);
  for (std::size_t const size : all_sizes) {
    auto const bytes = static_cast<std::int64_t>(size);
    lanes.measure(
        session,
        {{{"bytes", bytes}, {"put", direction == Direction::put ? 1 : 0}},
         bytes},
        {size});
  }
}

void measure(Session& session) {
  measure_direction(session, Direction::put);
  measure_direction(session, Direction::get);
}

Registered const registered{"kernel_elements", measure};

}  // namespace
}  // namespace perf::kernel_elements_benchmark

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Puts and gets of large blocks by kernels, over the number of blocks of
// threads (512 each) and over size.
//
// PE 0 copies between its own GPU memory and that of PE 1, 16 bytes per load
// and store. Ours is a Kokkos team kernel that reads or writes through a
// global_view or a peer_view; the floor is a plain CUDA kernel with the same
// loop and plain pointers ("raw"), and the same once more with other memory
// ("again") shows how exact the comparison is. NVSHMEM's call for a block of
// threads gets as many blocks, each with a contiguous part.
//
// A sample is so many kernels one after the other, and a wait for the last one.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "harness/Session.hpp"
#include "kernels/CopyKernels.hpp"
#include "kernels/LaneMemory.hpp"
#include "kernels/Lanes.hpp"

namespace perf::kernel_bandwidth_benchmark {
namespace {

constexpr std::size_t kib = std::size_t{1} << 10U;
constexpr std::size_t mib = std::size_t{1} << 20U;

// Not a multiple of what a round of blocks copies, so that its end is tested.
constexpr std::size_t odd_bytes = 37 * sizeof(Quad);

std::size_t largest_size(bool quick) {
  return quick ? 4 * mib + odd_bytes : 1024 * mib;
}

std::vector<int> block_counts(bool quick) {
  if (quick) return {4, 264};
  return {4, 8, 16, 32, 64, 128, 264, 528, 1056};
}

std::vector<std::size_t> sizes(bool quick) {
  if (quick) return {4 * kib, mib};
  return {4 * kib, 64 * kib, mib, 4 * mib, 16 * mib, 64 * mib, 256 * mib};
}

/// The number of blocks for all sizes: enough to saturate a link.
constexpr int blocks_over_sizes = 64;

void add_ways(LaneMemory<Quad>& memory) {
  auto const raw = [](auto const& target, auto const& source,
                      Lanes::Shape const& shape) {
    copy_raw(Kokkos::Cuda{}, target, source, shape.bytes / sizeof(Quad),
             shape.blocks);
  };
  auto const teams = [](auto const& target, auto const& source,
                        Lanes::Shape const& shape) {
    copy_with_teams(Kokkos::Cuda{}, target, source, shape.bytes / sizeof(Quad),
                    shape.blocks);
  };
  memory.add_plain("raw", "", raw);
  memory.add_plain("raw, again", "raw", raw);
  memory.add_views("raw", teams);
  if (!nvshmem::available()) return;
  memory.add_nvshmem(
      "NVSHMEM", "raw",
      [](Quad* target, Quad const* source, Lanes::Shape const& shape, int pe,
         nvshmem::Stream stream) {
        nvshmem::put_blocks(target, source, shape.bytes, pe, shape.blocks,
                            stream);
      },
      [](Quad* target, Quad const* source, Lanes::Shape const& shape, int pe,
         nvshmem::Stream stream) {
        nvshmem::get_blocks(target, source, shape.bytes, pe, shape.blocks,
                            stream);
      });
}

void measure_shape(Session& session, Lanes& lanes, Direction direction,
                   Lanes::Shape const& shape) {
  auto const bytes = static_cast<std::int64_t>(shape.bytes);
  Case const measured{{{"bytes", bytes},
                       {"blocks", shape.blocks},
                       {"put", direction == Direction::put ? 1 : 0}},
                      bytes};
  lanes.measure(session, measured, shape);
}

void measure_direction(Session& session, Direction direction) {
  std::size_t const largest = largest_size(session.quick());
  Lanes lanes(OneSided(session), direction);
  LaneMemory<Quad> memory(lanes, largest);
  add_ways(memory);
  for (int const blocks : block_counts(session.quick()))
    measure_shape(session, lanes, direction, {largest, blocks});
  for (std::size_t const bytes : sizes(session.quick()))
    measure_shape(session, lanes, direction, {bytes, blocks_over_sizes});
}

void measure(Session& session) {
  measure_direction(session, Direction::put);
  measure_direction(session, Direction::get);
}

Registered const registered{"kernel_bandwidth", measure};

}  // namespace
}  // namespace perf::kernel_bandwidth_benchmark

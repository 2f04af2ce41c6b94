// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_COPY_KERNELS_HPP
#define SYMM_PERF_COPY_KERNELS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>

#include "harness/CudaCheck.hpp"

namespace perf {

/// The widest load and store of a GPU: 16 bytes.
using Quad = uint4;

constexpr int threads_of_block = 512;

/// Every thread copies `Unrolled` elements of every stretch of Unrolled *
/// threads_of_block elements. All loads of a stretch are in flight before the
/// first store. Returns the first element that is left.
template <std::size_t Unrolled, class Target, class Source>
KOKKOS_FORCEINLINE_FUNCTION std::size_t copy_stretches(
    Target const& target, Source const& source, std::size_t first,
    std::size_t last, std::size_t step, std::size_t thread) {
  constexpr std::size_t stretch = Unrolled * threads_of_block;
  for (; first + stretch <= last; first += step) {
    Quad quads[Unrolled];  // in registers: compilers unroll both loops
    for (std::size_t n = 0; n < Unrolled; ++n)
      quads[n] = source(first + thread + n * threads_of_block);
    for (std::size_t n = 0; n < Unrolled; ++n)
      target(first + thread + n * threads_of_block) = quads[n];
  }
  return first;
}

/// The share of one of `blocks` thread blocks in a copy of `count` elements:
/// stretches in turn with the other blocks, as long as there is one for each
/// block, then an equal part of what is left.
template <class Target, class Source>
KOKKOS_FORCEINLINE_FUNCTION void copy_as_block(
    Target const& target, Source const& source, std::size_t count,
    std::size_t block, std::size_t blocks, std::size_t thread) {
  constexpr std::size_t unrolled = 8;
  constexpr std::size_t stretch  = unrolled * threads_of_block;
  std::size_t const round        = blocks * stretch;
  std::size_t const rest         = count / round * round;
  copy_stretches<unrolled>(target, source, block * stretch, rest, round,
                           thread);

  constexpr std::size_t line = 128 / sizeof(Quad);  // where parts begin
  std::size_t const part =
      ((count - rest + blocks - 1) / blocks + line - 1) / line * line;
  std::size_t first      = rest + block * part;
  std::size_t const last = first + part < count ? first + part : count;
  first = copy_stretches<4>(target, source, first, last, 4 * threads_of_block,
                            thread);
  first =
      copy_stretches<1>(target, source, first, last, threads_of_block, thread);
  if (first + thread < last) target(first + thread) = source(first + thread);
}

/// The copy as a Kokkos user would write it.
template <class Target, class Source>
struct CopyTeams {
  using Policy =
      Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<threads_of_block>>;

  Target target;
  Source source;
  std::size_t count;

  KOKKOS_FUNCTION void operator()(
      typename Policy::member_type const& team) const {
    copy_as_block(target, source, count,
                  static_cast<std::size_t>(team.league_rank()),
                  static_cast<std::size_t>(team.league_size()),
                  static_cast<std::size_t>(team.team_rank()));
  }
};

/// Returns before the copy is complete.
template <class Target, class Source>
void copy_with_teams(Kokkos::Cuda const& cuda, Target const& target,
                     Source const& source, std::size_t count, int blocks) {
  using Copy = CopyTeams<Target, Source>;
  Kokkos::parallel_for("copy",
                       typename Copy::Policy(cuda, blocks, threads_of_block),
                       Copy{target, source, count});
}

/// The same without Kokkos, as a lower bound.
template <class Target, class Source>
__global__ void __launch_bounds__(threads_of_block)
    raw_copy_kernel(Target target, Source source, std::size_t count) {
  copy_as_block(target, source, count, blockIdx.x, gridDim.x, threadIdx.x);
}

template <class Target, class Source>
void copy_raw(Kokkos::Cuda const& cuda, Target const& target,
              Source const& source, std::size_t count, int blocks) {
  raw_copy_kernel<<<static_cast<unsigned>(blocks), threads_of_block, 0,
                    cuda.cuda_stream()>>>(target, source, count);
  check_cuda(cudaGetLastError(), "launch of the raw copy");
}

/// Copies one element per thread.
template <class Target, class Source>
struct CopyElements {
  Target target;
  Source source;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    target(i) = source(i);
  }
};

template <class Target, class Source>
void copy_elements(Kokkos::Cuda const& cuda, Target const& target,
                   Source const& source, std::size_t count) {
  Kokkos::parallel_for("copy of elements",
                       Kokkos::RangePolicy<Kokkos::Cuda>(cuda, 0, count),
                       CopyElements<Target, Source>{target, source});
}

template <class Target, class Source>
__global__ void raw_elements_kernel(Target target, Source source,
                                    std::size_t count) {
  std::size_t const i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) target(i) = source(i);
}

template <class Target, class Source>
void copy_elements_raw(Kokkos::Cuda const& cuda, Target const& target,
                       Source const& source, std::size_t count) {
  constexpr unsigned threads = 256;
  auto const blocks = static_cast<unsigned>((count + threads - 1) / threads);
  raw_elements_kernel<<<blocks, threads, 0, cuda.cuda_stream()>>>(
      target, source, count);
  check_cuda(cudaGetLastError(), "launch of the raw kernel");
}

}  // namespace perf

#endif

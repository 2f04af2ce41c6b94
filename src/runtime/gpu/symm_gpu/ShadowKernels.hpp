// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_SHADOW_KERNELS_HPP
#define SYMM_GPU_SHADOW_KERNELS_HPP

#include <algorithm>
#include <cstddef>

#include "../../check/Shadow.hpp"
#include "Launch.hpp"

// The kernels that the host launches to update and check the shadow of GPU
// memory.

namespace symm::Impl::check {

template <class Work>
struct ShadowKernel {
  Shadow* shadow;
  Work work;

  __device__ void operator()(LaunchedBlock const&, std::size_t block,
                             std::size_t n_blocks) const {
    work(*shadow, block * blockDim.x + threadIdx.x, n_blocks * blockDim.x);
  }
};

/// Launches work(shadow, first, step), which processes every `step`-th word,
/// starting with word `first`.
template <class Work>
void launch_on_shadow(void* queue, Shadow* shadow, std::size_t bytes,
                      Work const& work) {
  constexpr std::size_t n_threads = 128;
  constexpr std::size_t most      = 1024;
  launch("symm_check", queue,
         std::min((bytes / 8 + n_threads) / n_threads, most),
         static_cast<int>(n_threads), ShadowKernel<Work>{shadow, work});
}

struct NoteByKernel {
  Where where;
  std::size_t bytes;
  Access access;

  __device__ void operator()(Shadow& shadow, std::size_t first,
                             std::size_t step) const {
    shadow.note(where, bytes, access, first, step);
  }
};

struct ChangeByKernel {
  Where where;
  LaterAccess later;

  __device__ void operator()(Shadow& shadow, std::size_t first,
                             std::size_t step) const {
    shadow.change(where, later, first, step);
  }
};

inline constexpr ShadowKernels shadow_kernels{
    [](void* queue, Shadow* shadow, Where where, std::size_t bytes,
       Access const& access) {
      launch_on_shadow(queue, shadow, bytes,
                       NoteByKernel{where, bytes, access});
    },
    [](void* queue, Shadow* shadow, Where where, LaterAccess const& later) {
      launch_on_shadow(queue, shadow, later.bytes,
                       ChangeByKernel{where, later});
    }};

}  // namespace symm::Impl::check

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_TeamSync.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

#include "../runtime/Error.hpp"

namespace symm {

void barrier(PeTeam const& team) {
  check_team(team, "symm::barrier");
  barrier_of(OneThread{}, team);
}

void sync(PeTeam const& team) {
  check_team(team, "symm::sync");
  barrier_of(OneThread{}, team);
}

#ifdef KOKKOS_ENABLE_CUDA
namespace {

/// Its threads, as the loops of barrier_of() need them.
struct Warp {
  static constexpr unsigned size = 32;

  template <class Body>
  __device__ void for_each(std::size_t count, Body const& body) const {
    for (std::size_t i = threadIdx.x; i < count; i += size) body(i);
  }
  __device__ void barrier() const { __syncwarp(); }
};

__global__ void barrier_kernel(PeTeam team) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
  barrier_of(Warp(), team);
}

void check(cudaError_t result, char const* function) {
  if (result == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());  // it is reported here
  throw SystemError(std::string("symm::barrier: ") + function +
                    " failed: " + cudaGetErrorString(result));
}

}  // namespace

// Not by Kokkos, which has no launch that begins before the kernel ahead of it
// has ended, and waits on the GPU: that takes the time of a launch away.
void enqueue_barrier(Kokkos::Cuda const& exec, PeTeam const& team) {
  std::uint64_t tools_id = 0;
  bool const has_tools   = Kokkos::Tools::profileLibraryLoaded();
  if (has_tools) {
    Kokkos::Tools::beginParallelFor(
        "symm::barrier", Kokkos::Tools::Experimental::device_id(exec),
        &tools_id);
  }
  check(cudaSetDevice(exec.cuda_device()), "cudaSetDevice");
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim  = 1;
  config.blockDim = Warp::size;
  config.stream   = exec.cuda_stream();
  config.attrs    = &early;
  // Older GPUs do not know it.
  config.numAttrs = exec.cuda_device_prop().major >= 9 ? 1 : 0;
  check(cudaLaunchKernelEx(&config, barrier_kernel, team),
        "cudaLaunchKernelEx");
  if (has_tools) Kokkos::Tools::endParallelFor(tools_id);
}
#endif

}  // namespace symm

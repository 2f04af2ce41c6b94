// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

#include <runtime/cuda/WordChanges.hpp>

using namespace fake_hip;

// The kernel of atomic operations.

extern "C" {

hipError_t hipModuleLoadData(hipModule_t* module, void const*) {
  return on_current([&] {
    return SYMM_CUDA(cuModuleLoadData)(reinterpret_cast<CUmodule*>(module),
                                       symm::Impl::word_changes_ptx);
  });
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                char const* name) {
  return on_current([&] {
    return SYMM_CUDA(cuModuleGetFunction)(
        reinterpret_cast<CUfunction*>(function),
        reinterpret_cast<CUmodule>(module), name);
  });
}
hipError_t hipModuleUnload(hipModule_t module) {
  return on_current([&] {
    return SYMM_CUDA(cuModuleUnload)(reinterpret_cast<CUmodule>(module));
  });
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                 unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes,
                                 hipStream_t stream, void** parameters,
                                 void** extra) {
  return on_current([&] {
    return SYMM_CUDA(cuLaunchKernel)(
        reinterpret_cast<CUfunction>(function), grid_x, grid_y, grid_z, block_x,
        block_y, block_z, shared_bytes, cuda(stream), parameters, extra);
  });
}

}  // extern "C"

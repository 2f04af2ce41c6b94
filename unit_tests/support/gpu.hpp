// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_GPU_HPP
#define SYMM_TEST_GPU_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

/// One set of names for CUDA and HIP. SYMM_TEST_GPU is defined if Kokkos has
/// GPUs; the rest of this header is then available.
#if defined(KOKKOS_ENABLE_CUDA)
#define SYMM_TEST_GPU cuda
#define SYMM_TEST_GPU_NAME(name) cuda##name
namespace symm_test {
using Gpu               = Kokkos::Cuda;
using GpuSpace          = Kokkos::CudaSpace;
using GpuManagedSpace   = Kokkos::CudaUVMSpace;
using GpuPinnedSpace    = Kokkos::CudaHostPinnedSpace;
using SymmetricGpuSpace = symm::SymmetricCudaSpace;
inline int device_of(Gpu const& exec) { return exec.cuda_device(); }
inline auto stream_of(Gpu const& exec) { return exec.cuda_stream(); }
}  // namespace symm_test
#define gpuMallocHost cudaMallocHost
#define gpuFreeHost cudaFreeHost
#define gpuMemcpyFromSymbol cudaMemcpyFromSymbol
#elif defined(KOKKOS_ENABLE_HIP)
#define SYMM_TEST_GPU hip
#define SYMM_TEST_GPU_NAME(name) hip##name
namespace symm_test {
using Gpu               = Kokkos::HIP;
using GpuSpace          = Kokkos::HIPSpace;
using GpuManagedSpace   = Kokkos::HIPManagedSpace;
using GpuPinnedSpace    = Kokkos::HIPHostPinnedSpace;
using SymmetricGpuSpace = symm::SymmetricHipSpace;
inline int device_of(Gpu const& exec) { return exec.hip_device(); }
inline auto stream_of(Gpu const& exec) { return exec.hip_stream(); }
}  // namespace symm_test
#define gpuMallocHost(...) hipHostMalloc(__VA_ARGS__, hipHostMallocDefault)
#define gpuFreeHost hipHostFree
#define gpuMemcpyFromSymbol(to, symbol, bytes) \
  hipMemcpyFromSymbol(to, HIP_SYMBOL(symbol), bytes)
#endif

// The functions, types and values that differ only in their prefix.
#ifdef SYMM_TEST_GPU
#define gpuDeviceSynchronize SYMM_TEST_GPU_NAME(DeviceSynchronize)
#define gpuFree SYMM_TEST_GPU_NAME(Free)
#define gpuGetDeviceCount SYMM_TEST_GPU_NAME(GetDeviceCount)
#define gpuGetLastError SYMM_TEST_GPU_NAME(GetLastError)
#define gpuMalloc SYMM_TEST_GPU_NAME(Malloc)
#define gpuMemGetInfo SYMM_TEST_GPU_NAME(MemGetInfo)
#define gpuStreamCreate SYMM_TEST_GPU_NAME(StreamCreate)
#define gpuStreamDestroy SYMM_TEST_GPU_NAME(StreamDestroy)
#define gpuStream_t SYMM_TEST_GPU_NAME(Stream_t)
#define gpuSuccess SYMM_TEST_GPU_NAME(Success)
#endif

namespace symm_test {

template <class Exec>
inline constexpr bool is_gpu =
    !Kokkos::SpaceAccessibility<Exec, Kokkos::HostSpace>::accessible;

/// The execution spaces whose kernels can access memory of `Space`: the one of
/// the space, and for host memory, the GPU's, too.
#ifdef SYMM_TEST_GPU
template <class Space>
using ExecsThatReach =
    std::conditional_t<is_gpu<typename Space::execution_space>,
                       testing::Types<Gpu>,
                       testing::Types<typename Space::execution_space, Gpu>>;
#else
template <class Space>
using ExecsThatReach = testing::Types<typename Space::execution_space>;
#endif

/// Calls body.operator()<Exec>() for each of these execution spaces.
template <class Space, class Body>
void for_each_exec(Body const& body) {
  [&]<class... Execs>(testing::Types<Execs...>) {
    (body.template operator()<Execs>(), ...);
  }(ExecsThatReach<Space>());
}

}  // namespace symm_test

#endif

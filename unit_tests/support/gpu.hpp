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
inline constexpr auto* gpu_visible_devices = "CUDA_VISIBLE_DEVICES";
}  // namespace symm_test
#define gpuMallocHost cudaMallocHost
#define gpuFreeHost cudaFreeHost
#define gpuMemcpyFromSymbol cudaMemcpyFromSymbol
#define gpuPointerAttribute_t cudaPointerAttributes
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
inline constexpr auto* gpu_visible_devices = "HIP_VISIBLE_DEVICES";
}  // namespace symm_test
#define gpuMallocHost(...) hipHostMalloc(__VA_ARGS__, hipHostMallocDefault)
#define gpuFreeHost hipHostFree
#define gpuMemcpyFromSymbol(to, symbol, bytes) \
  hipMemcpyFromSymbol(to, HIP_SYMBOL(symbol), bytes)
#define gpuPointerAttribute_t hipPointerAttribute_t
#endif

// The functions, types and values that differ only in their prefix.
#ifdef SYMM_TEST_GPU
#define gpuDeviceGetPCIBusId SYMM_TEST_GPU_NAME(DeviceGetPCIBusId)
#define gpuDeviceSynchronize SYMM_TEST_GPU_NAME(DeviceSynchronize)
#define gpuError_t SYMM_TEST_GPU_NAME(Error_t)
#define gpuErrorInvalidValue SYMM_TEST_GPU_NAME(ErrorInvalidValue)
#define gpuFree SYMM_TEST_GPU_NAME(Free)
#define gpuGetDeviceCount SYMM_TEST_GPU_NAME(GetDeviceCount)
#define gpuGetLastError SYMM_TEST_GPU_NAME(GetLastError)
#define gpuGraph_t SYMM_TEST_GPU_NAME(Graph_t)
#define gpuGraphDestroy SYMM_TEST_GPU_NAME(GraphDestroy)
#define gpuGraphExec_t SYMM_TEST_GPU_NAME(GraphExec_t)
#define gpuGraphExecDestroy SYMM_TEST_GPU_NAME(GraphExecDestroy)
#define gpuGraphInstantiateWithFlags \
  SYMM_TEST_GPU_NAME(GraphInstantiateWithFlags)
#define gpuGraphLaunch SYMM_TEST_GPU_NAME(GraphLaunch)
#define gpuHostRegister SYMM_TEST_GPU_NAME(HostRegister)
#define gpuHostRegisterDefault SYMM_TEST_GPU_NAME(HostRegisterDefault)
#define gpuHostUnregister SYMM_TEST_GPU_NAME(HostUnregister)
#define gpuMalloc SYMM_TEST_GPU_NAME(Malloc)
#define gpuMallocAsync SYMM_TEST_GPU_NAME(MallocAsync)
#define gpuMallocManaged SYMM_TEST_GPU_NAME(MallocManaged)
#define gpuMemAttachGlobal SYMM_TEST_GPU_NAME(MemAttachGlobal)
#define gpuMemGetInfo SYMM_TEST_GPU_NAME(MemGetInfo)
#define gpuMemoryTypeDevice SYMM_TEST_GPU_NAME(MemoryTypeDevice)
#define gpuMemoryTypeHost SYMM_TEST_GPU_NAME(MemoryTypeHost)
#define gpuMemsetAsync SYMM_TEST_GPU_NAME(MemsetAsync)
#define gpuPointerGetAttributes SYMM_TEST_GPU_NAME(PointerGetAttributes)
#define gpuStream_t SYMM_TEST_GPU_NAME(Stream_t)
#define gpuStreamBeginCapture SYMM_TEST_GPU_NAME(StreamBeginCapture)
#define gpuStreamCaptureModeThreadLocal \
  SYMM_TEST_GPU_NAME(StreamCaptureModeThreadLocal)
#define gpuStreamCreate SYMM_TEST_GPU_NAME(StreamCreate)
#define gpuStreamDestroy SYMM_TEST_GPU_NAME(StreamDestroy)
#define gpuStreamEndCapture SYMM_TEST_GPU_NAME(StreamEndCapture)
#define gpuStreamSynchronize SYMM_TEST_GPU_NAME(StreamSynchronize)
#define gpuSuccess SYMM_TEST_GPU_NAME(Success)

namespace symm_test {

/// The memory that an address is in, as the vendor's runtime has it.
struct GpuMemory {
  enum Type { unregistered, on_host, on_device, other } type;
  int device;
};

inline GpuMemory gpu_memory_of(void const* address) {
  gpuPointerAttribute_t attributes{};
  auto const result = gpuPointerGetAttributes(&attributes, address);
  if (result != gpuSuccess) {
    static_cast<void>(gpuGetLastError());
    // In this manner, HIP says that it does not know an address.
    bool const is_unknown = result == gpuErrorInvalidValue;
    return {is_unknown ? GpuMemory::unregistered : GpuMemory::other, -1};
  }
  auto const type = [](auto const& all) {
    if constexpr (requires { all.type; }) {
      return all.type;
    } else {
      return all.memoryType;  // before HIP 6
    }
  }(attributes);
  // HIP has a value for unregistered memory since version 6: 0, as CUDA's.
  auto const found = type == gpuMemoryTypeHost     ? GpuMemory::on_host
                     : type == gpuMemoryTypeDevice ? GpuMemory::on_device
                     : static_cast<int>(type) == 0 ? GpuMemory::unregistered
                                                   : GpuMemory::other;
  return {found, attributes.device};
}

}  // namespace symm_test
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

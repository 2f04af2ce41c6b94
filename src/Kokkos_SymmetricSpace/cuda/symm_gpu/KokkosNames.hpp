// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KOKKOS_NAMES_HPP
#define SYMM_GPU_KOKKOS_NAMES_HPP

#include <type_traits>

#include <Kokkos_Core.hpp>

namespace symm {

class SymmetricCudaSpace;
class SymmetricHostSpace;

// The names that gpu/ has for Kokkos' part for CUDA. Another vendor's file has
// the same names.
namespace Impl::gpu {

using ExecutionSpace  = Kokkos::Cuda;
using DeviceSpace     = Kokkos::CudaSpace;
using ManagedSpace    = Kokkos::CudaUVMSpace;
using HostPinnedSpace = Kokkos::CudaHostPinnedSpace;

inline void* stream_of(Kokkos::Cuda const& exec) { return exec.cuda_stream(); }
inline int device_of(Kokkos::Cuda const& exec) { return exec.cuda_device(); }

}  // namespace Impl::gpu

}  // namespace symm

// In these spaces, too, Kokkos copies with the CUDA runtime. Copies to and from
// a peer's memory use the copy engines.
template <>
struct Kokkos::Impl::is_cuda_type_space<symm::SymmetricCudaSpace>
    : std::true_type {};
template <>
struct Kokkos::Impl::is_cuda_type_space<symm::SymmetricHostSpace>
    : std::true_type {};

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KOKKOS_NAMES_HPP
#define SYMM_GPU_KOKKOS_NAMES_HPP

#include <type_traits>

#include <Kokkos_Core.hpp>

namespace symm {

class SymmetricHipSpace;
class SymmetricHostSpace;

// The names that gpu/ has for Kokkos' part for HIP. (See the file in cuda/.)
namespace Impl::gpu {

using ExecutionSpace  = Kokkos::HIP;
using DeviceSpace     = Kokkos::HIPSpace;
using ManagedSpace    = Kokkos::HIPManagedSpace;
using HostPinnedSpace = Kokkos::HIPHostPinnedSpace;

inline void* stream_of(Kokkos::HIP const& exec) { return exec.hip_stream(); }
inline int device_of(Kokkos::HIP const& exec) { return exec.hip_device(); }

}  // namespace Impl::gpu

}  // namespace symm

// In these spaces, too, Kokkos copies with HIP.
template <>
struct Kokkos::Impl::is_hip_type_space<symm::SymmetricHipSpace>
    : std::true_type {};
template <>
struct Kokkos::Impl::is_hip_type_space<symm::SymmetricHostSpace>
    : std::true_type {};

#endif

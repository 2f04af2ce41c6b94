// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ORDINARY_SPACES_HPP
#define SYMM_ORDINARY_SPACES_HPP

#include <Kokkos_Core.hpp>

#include "../../runtime/symm_shared_buffers.hpp"
#include "../space/SymmetricHostSpace.hpp"

/// Traits of Kokkos' own memory spaces, for registering and sharing Views in
/// those spaces. The traits of GPU spaces are in symm_gpu/Views.hpp.
namespace symm::Impl {

/// The symmetric space in which Views of an ordinary memory space are
/// registered.
template <class MemorySpace>
struct SymmetricSpaceOf {
  static_assert(!is_symmetric_space_v<MemorySpace>,
                "a View in a symmetric space needs no registration");
  static_assert(is_symmetric_space_v<MemorySpace>,
                "Views in this memory space cannot be registered (managed "
                "memory, such as CudaUVMSpace, moves between host and GPU): "
                "use HostSpace, CudaSpace or CudaHostPinnedSpace (with HIP: "
                "HIPSpace or HIPHostPinnedSpace)");
};
template <>
struct SymmetricSpaceOf<Kokkos::HostSpace> {
  using type = SymmetricHostSpace;
};

/// The type of buffer with which PEs share elements in a memory space; void if
/// there is none.
template <class T, class MemorySpace>
struct SharedBufferOf {
  using type = void;
};
template <class T>
struct SharedBufferOf<T, Kokkos::HostSpace> {
  using type = SharedHostBuffer<T>;
};

/// Whether the space's memory migrates between host and GPU, as CUDA managed
/// memory does.
template <class MemorySpace>
inline constexpr bool is_managed_space_v = false;

}  // namespace symm::Impl

#endif

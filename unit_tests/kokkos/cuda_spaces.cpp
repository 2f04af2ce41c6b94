// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Who refers to, reaches and copies whose memory, in a CUDA build: compiled
// only.

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

namespace {

using Cuda     = symm::SymmetricCudaSpace;
using Host     = symm::SymmetricHostSpace;
using CudaExec = Kokkos::Cuda;
using HostExec = Kokkos::DefaultHostExecutionSpace;

using Kokkos::CudaHostPinnedSpace;
using Kokkos::CudaSpace;
using Kokkos::CudaUVMSpace;
using Kokkos::HostSpace;

template <class To, class From>
inline constexpr bool is_assignable =
    Kokkos::Impl::MemorySpaceAccess<To, From>::assignable;

template <class To, class From>
inline constexpr bool is_accessible =
    Kokkos::Impl::MemorySpaceAccess<To, From>::accessible;

/// Whether a View of one space can be made of a View of another.
template <class To, class From>
inline constexpr bool is_view_assignable =
    std::is_assignable_v<Kokkos::View<int*, To>&, Kokkos::View<int*, From>>;

// The two spaces.
static_assert(std::is_same_v<symm::SymmetricSpace, Cuda>);
static_assert(Kokkos::is_memory_space_v<Cuda> &&
              Kokkos::is_memory_space_v<Host>);
static_assert(std::is_same_v<Cuda::execution_space, CudaExec>);
static_assert(std::is_same_v<Host::execution_space, HostExec>);
static_assert(symm::is_symmetric_space_v<Cuda> &&
              symm::is_symmetric_space_v<Host>);
static_assert(!symm::is_symmetric_space_v<CudaSpace>);

// Which kernels reach them.
static_assert(Kokkos::SpaceAccessibility<CudaExec, Cuda>::accessible);
static_assert(!Kokkos::SpaceAccessibility<HostExec, Cuda>::accessible);
static_assert(Kokkos::SpaceAccessibility<CudaExec, Host>::accessible);
static_assert(Kokkos::SpaceAccessibility<HostExec, Host>::accessible);

/// `Ours` stands to `Other` as `Kin`, the space of Kokkos for the same kind of
/// memory, does: except that a View of it never refers to memory without peers,
/// and one of `Kin` may refer to it.
template <class Ours, class Kin, class Other>
constexpr bool is_like_kin() {
  using Kokkos::Impl::MemorySpaceAccess;
  constexpr bool is_other_kin = std::is_same_v<Other, Kin>;
  static_assert(is_accessible<Ours, Other> ==
                (is_other_kin || is_accessible<Kin, Other>));
  static_assert(is_accessible<Other, Ours> ==
                (is_other_kin || is_accessible<Other, Kin>));
  static_assert(!is_assignable<Ours, Other>);
  static_assert(!is_view_assignable<Ours, Other>);
  static_assert(is_view_assignable<Other, Ours> == is_assignable<Other, Ours>);
  static_assert(MemorySpaceAccess<Ours, Other>::deepcopy);
  static_assert(MemorySpaceAccess<Other, Ours>::deepcopy);
  return true;
}
static_assert(is_like_kin<Cuda, CudaSpace, HostSpace>());
static_assert(is_like_kin<Cuda, CudaSpace, CudaSpace>());
static_assert(is_like_kin<Cuda, CudaSpace, CudaUVMSpace>());
static_assert(is_like_kin<Cuda, CudaSpace, CudaHostPinnedSpace>());
static_assert(is_like_kin<Host, CudaHostPinnedSpace, HostSpace>());
static_assert(is_like_kin<Host, CudaHostPinnedSpace, CudaSpace>());
static_assert(is_like_kin<Host, CudaHostPinnedSpace, CudaUVMSpace>());
static_assert(is_like_kin<Host, CudaHostPinnedSpace, CudaHostPinnedSpace>());

// Who may refer to symmetric memory: as to that of CudaSpace and
// CudaHostPinnedSpace.
static_assert(!is_assignable<HostSpace, Cuda>);
static_assert(is_assignable<CudaSpace, Cuda>);
static_assert(!is_assignable<CudaUVMSpace, Cuda>);
static_assert(!is_assignable<CudaHostPinnedSpace, Cuda>);
static_assert(is_assignable<HostSpace, Host>);
static_assert(!is_assignable<CudaSpace, Host>);
static_assert(!is_assignable<CudaUVMSpace, Host>);
static_assert(is_assignable<CudaHostPinnedSpace, Host>);

// One and the other, as CudaSpace and CudaHostPinnedSpace.
static_assert(is_accessible<Cuda, Host>);
static_assert(!is_accessible<Host, Cuda>);
static_assert(!is_assignable<Cuda, Host> && !is_view_assignable<Cuda, Host>);
static_assert(!is_assignable<Host, Cuda> && !is_view_assignable<Host, Cuda>);
static_assert(is_assignable<Cuda, Cuda> && is_assignable<Host, Host>);

// Host mirrors.
static_assert(
    std::is_same_v<Kokkos::View<int*, Cuda>::host_mirror_type::memory_space,
                   HostSpace>);
static_assert(std::is_same_v<
              Kokkos::View<int*, Host>::host_mirror_type::memory_space, Host>);

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Who refers to, reaches and copies whose memory, in a build for GPUs:
// compiled only.

#include <Kokkos_Core.hpp>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>

namespace {

using namespace symm_test;
using Device   = SymmetricGpuSpace;
using Host     = symm::SymmetricHostSpace;
using HostExec = Kokkos::DefaultHostExecutionSpace;

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
static_assert(std::is_same_v<symm::SymmetricSpace, Device>);
static_assert(Kokkos::is_memory_space_v<Device> &&
              Kokkos::is_memory_space_v<Host>);
static_assert(std::is_same_v<Device::execution_space, Gpu>);
static_assert(std::is_same_v<Host::execution_space, HostExec>);
static_assert(symm::is_symmetric_space_v<Device> &&
              symm::is_symmetric_space_v<Host>);
static_assert(!symm::is_symmetric_space_v<GpuSpace>);

// Which kernels reach them.
static_assert(Kokkos::SpaceAccessibility<Gpu, Device>::accessible);
static_assert(!Kokkos::SpaceAccessibility<HostExec, Device>::accessible);
static_assert(Kokkos::SpaceAccessibility<Gpu, Host>::accessible);
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
static_assert(is_like_kin<Device, GpuSpace, HostSpace>());
static_assert(is_like_kin<Device, GpuSpace, GpuSpace>());
static_assert(is_like_kin<Device, GpuSpace, GpuManagedSpace>());
static_assert(is_like_kin<Device, GpuSpace, GpuPinnedSpace>());
static_assert(is_like_kin<Host, GpuPinnedSpace, HostSpace>());
static_assert(is_like_kin<Host, GpuPinnedSpace, GpuSpace>());
static_assert(is_like_kin<Host, GpuPinnedSpace, GpuManagedSpace>());
static_assert(is_like_kin<Host, GpuPinnedSpace, GpuPinnedSpace>());

// Who may refer to symmetric memory: as to that of GpuSpace and GpuPinnedSpace.
static_assert(!is_assignable<HostSpace, Device>);
static_assert(is_assignable<GpuSpace, Device>);
static_assert(!is_assignable<GpuManagedSpace, Device>);
static_assert(!is_assignable<GpuPinnedSpace, Device>);
static_assert(is_assignable<HostSpace, Host>);
static_assert(!is_assignable<GpuSpace, Host>);
static_assert(!is_assignable<GpuManagedSpace, Host>);
static_assert(is_assignable<GpuPinnedSpace, Host>);

// One and the other, as GpuSpace and GpuPinnedSpace.
static_assert(is_accessible<Device, Host>);
static_assert(!is_accessible<Host, Device>);
static_assert(!is_assignable<Device, Host> &&
              !is_view_assignable<Device, Host>);
static_assert(!is_assignable<Host, Device> &&
              !is_view_assignable<Host, Device>);
static_assert(is_assignable<Device, Device> && is_assignable<Host, Host>);

// Host mirrors.
static_assert(
    std::is_same_v<Kokkos::View<int*, Device>::host_mirror_type::memory_space,
                   HostSpace>);
static_assert(std::is_same_v<
              Kokkos::View<int*, Host>::host_mirror_type::memory_space, Host>);

}  // namespace

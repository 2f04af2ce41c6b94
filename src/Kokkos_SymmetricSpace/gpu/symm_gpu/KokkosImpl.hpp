// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KOKKOS_IMPL_HPP
#define SYMM_GPU_KOKKOS_IMPL_HPP

#include <cstddef>
#include <string>

#include <Kokkos_Core.hpp>
#include <symm_gpu/KokkosNames.hpp>
#include <symm_gpu/Space.hpp>

#include "../../kokkos_impl/MemorySpaceAccess.hpp"
#include "../../space/SymmetricHostSpace.hpp"

// For symmetric GPU memory, the same classes that kokkos_impl/ defines for
// symmetric host memory.

// Symmetric GPU memory and Kokkos' own spaces. Symmetric GPU memory is ordinary
// GPU memory, but not the other way around.
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::Impl::gpu::DeviceSpace,
                                       symm::SymmetricSpace>
    : symm::Impl::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricSpace,
                                       symm::Impl::gpu::DeviceSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::Impl::gpu::ManagedSpace,
                                       symm::SymmetricSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricSpace,
                                       symm::Impl::gpu::ManagedSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<Kokkos::HostSpace, symm::SymmetricSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricSpace, Kokkos::HostSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::Impl::gpu::HostPinnedSpace,
                                       symm::SymmetricSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricSpace,
                                       symm::Impl::gpu::HostPinnedSpace>
    : symm::Impl::SpaceAccess<false, true> {};

// In a build for GPUs, symmetric host memory is pinned host memory.
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::Impl::gpu::HostPinnedSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<true, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       symm::Impl::gpu::HostPinnedSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::Impl::gpu::DeviceSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       symm::Impl::gpu::DeviceSpace>
    : symm::Impl::SpaceAccess<false, false> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::Impl::gpu::ManagedSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       symm::Impl::gpu::ManagedSpace>
    : symm::Impl::SpaceAccess<false, true> {};

// Symmetric GPU memory and symmetric host memory.
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricSpace,
                                       symm::SymmetricHostSpace>
    : symm::Impl::SpaceAccess<false, true> {};
template <>
struct Kokkos::Impl::MemorySpaceAccess<symm::SymmetricHostSpace,
                                       symm::SymmetricSpace>
    : symm::Impl::SpaceAccess<false, false> {};

namespace symm::Impl {

// The allocation records of live Views in pools of GPU memory, keyed by the
// addresses of their elements. Callable from any thread.

void note_pool_record(void const* data, void* record);
void forget_pool_record(void const* data) noexcept;
/// The record of the View at `data`, or null if there is none.
[[nodiscard]] void* find_pool_record(void const* data) noexcept;

}  // namespace symm::Impl

#ifdef KOKKOS_ENABLE_DEBUG
KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_SPECIALIZATION(
    symm::SymmetricSpace);
#else
/// Like Kokkos' own record, but a View in a pool has no header, because copying
/// the header to the GPU would take most of the time of an allocation. Instead,
/// get_record() finds the record of such a View with find_pool_record().
template <>
class Kokkos::Impl::SharedAllocationRecord<symm::SymmetricSpace, void>
    : public HostInaccessibleSharedAllocationRecordCommon<
          symm::SymmetricSpace> {
  using Space  = symm::SymmetricSpace;
  using Common = HostInaccessibleSharedAllocationRecordCommon<Space>;
  using Header = SharedAllocationHeader;

 public:
  SharedAllocationRecord(Space const& space, std::string const& label,
                         std::size_t bytes,
                         function_type end = &Common::deallocate)
      : Common(space, label, bytes, end) {}

  template <class ExecutionSpace>
  SharedAllocationRecord(ExecutionSpace const& exec, Space const& space,
                         std::string const& label, std::size_t bytes,
                         function_type end = &Common::deallocate)
      : Common(checked_allocation_with_header(exec, space, label, bytes),
               sizeof(Header) + bytes, end, label) {
    m_space = space;
    if (space.has_pool()) {
      symm::Impl::note_pool_record(data(), this);
      return;
    }
    Header header;
    fill_host_accessible_header_info(this, header, label);
    DeepCopy<Space, HostSpace>(exec, m_alloc_ptr, &header, sizeof(header));
  }
  /// Forgets the record before the memory is freed: from then on, another View
  /// may use the memory.
  ~SharedAllocationRecord() {
    if (m_space.has_pool()) symm::Impl::forget_pool_record(data());
  }

  static SharedAllocationRecord* get_record(void* data) {
    if (auto* const record = symm::Impl::find_pool_record(data)) {
      return static_cast<SharedAllocationRecord*>(record);
    }
    return Common::get_record(data);
  }
};
#endif

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VMM_HPP
#define SYMM_VMM_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "../base/Types.hpp"
#include "../base/UniqueFd.hpp"

namespace symm::Impl {

/// Virtual memory management: reserves addresses, creates physical memory, maps
/// it to addresses, and shares it with other processes. This interface is part
/// of MemoryProvider. All providers follow the rules of the CUDA driver's
/// cuMem* functions (V01-V47).
///
/// Order of calls: reserve, create, map, set_access, (export_handle; on the
/// peer import_handle, map, set_access), ..., unmap, release, address_free.
///
/// A call that breaks a rule throws UsageError with the call's name and values.
/// If the system rejects a call, the call throws OutOfMemory if there is too
/// little memory, and SystemError otherwise. A call that throws changes
/// nothing.
///
/// All calls are local and may be made from any thread. For example, a View
/// that owns memory may be destroyed while another thread is in a collective
/// call.
class Vmm {
 public:
  /// Physical memory. The handle is valid only in this process (V12).
  struct Handle {
    std::uint64_t id                       = 0;
    friend bool operator==(Handle, Handle) = default;
  };

  enum class Granularity { minimum, recommended };
  enum class Access { none, read, read_write };
  enum class Sharing { none, by_descriptor };

  /// A handle for sharing memory with processes that run under another
  /// operating system instance. File descriptors cannot be sent to such
  /// processes.
  using FabricHandle = std::array<std::byte, 64>;

  virtual ~Vmm() = default;

  /// Says where the memory is, such as "host memory" or "GPU 0 (NVIDIA H200)".
  [[nodiscard]] virtual std::string place() const = 0;

  /// The unit for sizes, offsets and addresses, in bytes (a power of two).
  [[nodiscard]] virtual std::size_t granularity(Granularity kind) const = 0;

  /// Reserves an address range without physical memory.
  /// \param bytes     a positive multiple of the host's page size.
  /// \param alignment a power of two, in bytes, or 0 for the provider's
  ///        default.
  /// \param hint      a preferred address, page-aligned; null for none.
  [[nodiscard]] virtual char* reserve(std::size_t bytes,
                                      std::size_t alignment = 0,
                                      void* hint            = nullptr) = 0;

  /// Whether memory from create() is zero when it is first touched.
  [[nodiscard]] virtual bool creates_zeros() const { return false; }

  /// Allocates physical memory without mapping it.
  /// \param bytes a positive multiple of the minimum granularity.
  [[nodiscard]] virtual Handle create(std::size_t bytes, Sharing sharing) = 0;

  /// Maps the memory at `address`, with no access rights. The range must be
  /// reserved and not mapped. Currently, `offset` must be 0, and `bytes` must
  /// be the memory's size.
  virtual void map(char* address, std::size_t bytes, std::size_t offset,
                   Handle handle) = 0;

  /// Sets this process's access rights to a range. The range must be exactly
  /// one that map() has mapped.
  virtual void set_access(char* address, std::size_t bytes, Access access) = 0;

  /// Returns a descriptor that another process can import. The caller must
  /// close it: an open descriptor keeps the physical memory alive (V36).
  [[nodiscard]] virtual UniqueFd export_handle(Handle handle) = 0;

  /// Imports a descriptor that export_handle() returned in another process.
  /// \param bytes the size passed to create() in that process.
  [[nodiscard]] virtual Handle import_handle(UniqueFd descriptor,
                                             std::size_t bytes) = 0;

  /// Whether `descriptor` was exported by a provider of this kind. If so,
  /// import_handle() accepts it, provided that the size is right.
  [[nodiscard]] virtual bool can_import(UniqueFd const& descriptor) const = 0;

  /// The access that set_access(..., Access::read_write) gives to CPUs, or to
  /// kernels on GPU `device`; nullopt if there is no such GPU.
  /// \param device the GPU's ordinal; only for MemoryKind::device.
  [[nodiscard]] virtual std::optional<Access> access_from(MemoryKind user,
                                                          int device) const = 0;

  /// Removes a mapping. The range must be exactly one that map() has mapped.
  virtual void unmap(char* address, std::size_t bytes) = 0;

  /// Returns a handle with which other processes can access this memory over
  /// the fabric. Returns nullopt if the system does not grant one (V16, V17).
  [[nodiscard]] virtual std::optional<FabricHandle> export_fabric(
      Handle /*handle*/) {
    return std::nullopt;
  }

  /// Like import_handle(), but for handles from export_fabric(). Returns
  /// nullopt if the process has no access (V39). In that case, the caller
  /// imports the descriptor instead.
  [[nodiscard]] virtual std::optional<Handle> import_fabric(
      FabricHandle const& /*fabric*/, std::size_t /*bytes*/) {
    return std::nullopt;
  }

  /// Releases a handle. The memory exists as long as it is mapped or shared.
  virtual void release(Handle handle) = 0;

  /// Frees an address range. The range must be exactly one that reserve()
  /// returned, with nothing mapped in it.
  virtual void address_free(char* address, std::size_t bytes) = 0;

  /// Leaves every reservation and mapping in place until the process ends. Used
  /// if the memory is still in use when its owner is destroyed.
  virtual void abandon() noexcept = 0;
};

}  // namespace symm::Impl

#endif

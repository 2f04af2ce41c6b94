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

/// Virtual memory management: reserve addresses, create physical memory, map it
/// to addresses, share it with another process. The rules are those of the CUDA
/// driver's cuMem* functions (V01-V47) in all providers. A role of
/// MemoryProvider.
///
/// Order: reserve, create, map, set_access, (export_handle; on the peer
/// import_handle, map, set_access), ..., unmap, release, address_free.
///
/// A broken rule is a UsageError that names the call and the values, a refusal
/// of the system a SystemError, a lack of memory an OutOfMemory; nothing has
/// changed then. All calls are local, on any thread: Views that own memory may
/// be destroyed while another thread is in a collective call.
class Vmm {
 public:
  /// Physical memory of this process; means nothing in another one (V12).
  struct Handle {
    std::uint64_t id                       = 0;
    friend bool operator==(Handle, Handle) = default;
  };

  enum class Granularity { minimum, recommended };
  enum class Access { none, read, read_write };
  enum class Sharing { none, by_descriptor };

  /// Replaces a descriptor between processes that do not share one system.
  using FabricHandle = std::array<std::byte, 64>;

  virtual ~Vmm() = default;

  /// Names where the memory is: "host memory", "GPU 0 (NVIDIA H200)".
  [[nodiscard]] virtual std::string place() const = 0;

  /// The unit in bytes of sizes, offsets and addresses (a power of two).
  [[nodiscard]] virtual std::size_t granularity(Granularity kind) const = 0;

  /// Reserves addresses without memory.
  /// \param bytes     a positive multiple of the host's page size.
  /// \param alignment a power of two, or 0 for the provider's own.
  /// \param hint      a wish only, page-aligned; null for none.
  [[nodiscard]] virtual char* reserve(std::size_t bytes,
                                      std::size_t alignment = 0,
                                      void* hint            = nullptr) = 0;

  /// Whether memory of create() is zero when it is first touched.
  [[nodiscard]] virtual bool creates_zeros() const { return false; }

  /// Makes physical memory that is mapped nowhere yet.
  /// \param bytes a positive multiple of the minimum granularity.
  [[nodiscard]] virtual Handle create(std::size_t bytes, Sharing sharing) = 0;

  /// Maps the memory to `address`, with no access. The range must be reserved
  /// and not mapped; offset must be 0 at present, and bytes the memory's size.
  virtual void map(char* address, std::size_t bytes, std::size_t offset,
                   Handle handle) = 0;

  /// Sets the rights of this process on exactly one range that map() mapped.
  virtual void set_access(char* address, std::size_t bytes, Access access) = 0;

  /// A descriptor that another process can import. The caller closes it: an
  /// open one keeps the physical memory alive (V36).
  [[nodiscard]] virtual UniqueFd export_handle(Handle handle) = 0;

  /// Takes over a descriptor that export_handle() made in another process.
  /// \param bytes the size given to create() there.
  [[nodiscard]] virtual Handle import_handle(UniqueFd descriptor,
                                             std::size_t bytes) = 0;

  /// Whether a provider of this kind has exported the memory of `descriptor`:
  /// import_handle() would take it, with the right size.
  [[nodiscard]] virtual bool can_import(UniqueFd const& descriptor) const = 0;

  /// The access that set_access(read_write) gives to CPUs, or to kernels of a
  /// GPU of this process; nothing if there is no such GPU.
  /// \param device its ordinal; for MemoryKind::device only.
  [[nodiscard]] virtual std::optional<Access> access_from(MemoryKind user,
                                                          int device) const = 0;

  /// Removes exactly one mapping that map() made.
  virtual void unmap(char* address, std::size_t bytes) = 0;

  /// A handle for processes that reach this memory over the fabric; nothing if
  /// the system does not grant one (V16, V17).
  [[nodiscard]] virtual std::optional<FabricHandle> export_fabric(
      Handle /*handle*/) {
    return std::nullopt;
  }

  /// As import_handle(), for handles of export_fabric(). Nothing if the process
  /// has no access (V39): use the descriptor instead.
  [[nodiscard]] virtual std::optional<Handle> import_fabric(
      FabricHandle const& /*fabric*/, std::size_t /*bytes*/) {
    return std::nullopt;
  }

  /// Drops a handle. The memory lives on while it is mapped or shared.
  virtual void release(Handle handle) = 0;

  /// Gives back addresses, exactly as reserve() returned them, with nothing
  /// mapped in them.
  virtual void address_free(char* address, std::size_t bytes) = 0;

  /// Leaves every reservation and mapping in place until the process ends: for
  /// memory that is still in use when its owner is destroyed.
  virtual void abandon() noexcept = 0;
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FOREIGN_MEMORY_HPP
#define SYMM_FOREIGN_MEMORY_HPP

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "Vmm.hpp"

namespace symm::Impl {

/// Handles memory that Vmm::create() did not create: the program's own memory,
/// and other processes' memory that this process may map. This interface is
/// part of MemoryProvider and works on memory of the same kind and in the same
/// location as the provider's memory. Errors and thread safety are the same as
/// for Vmm.
class ForeignMemory {
 public:
  /// One entire mapping in this process, made by the runtime or by the program.
  struct Mapping {
    char* start          = nullptr;
    std::size_t bytes    = 0;
    Vmm::Sharing sharing = Vmm::Sharing::none;
  };

  /// Lets another process map memory that has no Vmm::Handle.
  struct ForeignHandle {
    std::array<std::byte, 64> bits{};
    std::size_t offset = 0;  // of the exported address, in bytes
  };

  virtual ~ForeignMemory() = default;

  /// Returns another handle to the memory mapped at `address`, which may be
  /// anywhere in a mapping that find_mapping() finds. The caller must release
  /// the handle, as with a handle from create(). Not allowed for mappings of
  /// imported memory whose handle has been released.
  [[nodiscard]] virtual Vmm::Handle retain(void const* address) = 0;

  /// Returns the mapping that contains `address`. Its memory must be of the
  /// type that Vmm::create() creates, and must be of the same kind and in the
  /// same location as the provider's memory. The program may have created it
  /// with system calls (V41). Returns nullopt if `address` is in other memory
  /// or in none; describe() says which.
  [[nodiscard]] virtual std::optional<Mapping> find_mapping(
      void const* address) = 0;

  /// Whether two addresses, both inside mappings that find_mapping() finds,
  /// refer to the same physical memory.
  [[nodiscard]] virtual bool is_same_memory(void const* a, void const* b) = 0;

  /// Describes the memory at `address`, such as "memory of cudaMalloc on GPU
  /// 0".
  [[nodiscard]] virtual std::string describe(void const* address) = 0;

  /// Makes the program's memory accessible to all kernels and devices that can
  /// access this provider's memory. For a GPU, this page-locks host memory.
  /// \returns whether the caller must call unpin() later.
  /// \throws UsageError if part of the range is not mapped, or if the memory
  ///         cannot be pinned (CUDA managed memory, B07).
  [[nodiscard]] virtual bool pin(void* address, std::size_t bytes) = 0;

  /// Undoes pin(). `address` must be the address passed to pin().
  virtual void unpin(void* address) = 0;

  /// Exports program memory that has no Vmm::Handle but that another process
  /// can still map (memory from cudaMalloc(), through CUDA IPC). Returns
  /// nullopt if the provider has no such mechanism.
  /// \throws UsageError if [address, address + bytes) is not inside one such
  ///         allocation.
  [[nodiscard]] virtual std::optional<ForeignHandle> export_foreign(
      void const* /*address*/, std::size_t /*bytes*/) {
    return std::nullopt;
  }

  /// Maps an allocation that export_foreign() exported in another process. An
  /// allocation that is opened twice must be closed twice.
  /// \returns the start of the allocation. The exported address is
  ///          `handle.offset` bytes after the start.
  [[nodiscard]] virtual char* open_foreign(ForeignHandle const& /*handle*/) {
    return nullptr;
  }

  /// Undoes open_foreign(). The argument is the address that open_foreign()
  /// returned.
  virtual void close_foreign(char* /*start*/) {}
};

}  // namespace symm::Impl

#endif

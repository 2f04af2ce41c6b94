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

/// Memory that Vmm::create() has not made: that of the program, and memory of
/// other processes that this one may map. A role of MemoryProvider, for memory
/// of its kind and place. Errors and threads are those of Vmm.
class ForeignMemory {
 public:
  /// A whole mapping of this process, made by the runtime or by the program.
  struct Mapping {
    char* start          = nullptr;
    std::size_t bytes    = 0;
    Vmm::Sharing sharing = Vmm::Sharing::none;
  };

  /// Lets another process map memory that has no Vmm::Handle.
  struct ForeignHandle {
    std::array<std::byte, 64> bits{};
    std::size_t offset = 0;  // of the exported address in the allocation
  };

  virtual ~ForeignMemory() = default;

  /// One more handle to the memory mapped at `address` (anywhere inside the
  /// mapping that find_mapping() finds), to be released as that of create().
  /// Not for mappings of imported memory whose handle is released.
  [[nodiscard]] virtual Vmm::Handle retain(void const* address) = 0;

  /// The mapping around `address`, if it is of memory as create() makes it, of
  /// the same kind and place. The program may have made it itself, with the
  /// system's functions (V41). Nothing if there is other memory, or none:
  /// describe() says which.
  [[nodiscard]] virtual std::optional<Mapping> find_mapping(
      void const* address) = 0;

  /// Whether two addresses, inside mappings that find_mapping() finds, are of
  /// the same physical memory.
  [[nodiscard]] virtual bool is_same_memory(void const* a, void const* b) = 0;

  /// Names the memory at `address`: "memory of cudaMalloc on GPU 0".
  [[nodiscard]] virtual std::string describe(void const* address) = 0;

  /// Lets all that reach this provider's memory, such as kernels, reach memory
  /// of the program, too: page-locks host memory for a GPU.
  /// \returns whether unpin() must follow.
  /// \throws UsageError if not all of it is mapped, or it cannot be used so
  ///         (CUDA managed memory, B07).
  [[nodiscard]] virtual bool pin(void* address, std::size_t bytes) = 0;

  /// Ends what pin() has begun, given its address.
  virtual void unpin(void* address) = 0;

  /// For memory of the program that has no Vmm::Handle, but that another
  /// process can map nevertheless (of cudaMalloc, by CUDA IPC). Nothing if the
  /// provider has no such mechanism.
  /// \throws UsageError if [address, address + bytes) is not in one such
  ///         allocation.
  [[nodiscard]] virtual std::optional<ForeignHandle> export_foreign(
      void const* /*address*/, std::size_t /*bytes*/) {
    return std::nullopt;
  }

  /// Maps an allocation that export_foreign() has exported in another process.
  /// If opened twice, it must be closed twice.
  /// \returns its start; the exported address is `handle.offset` bytes later.
  [[nodiscard]] virtual char* open_foreign(ForeignHandle const& /*handle*/) {
    return nullptr;
  }

  /// Ends what open_foreign() has begun, given what it has returned.
  virtual void close_foreign(char* /*start*/) {}
};

}  // namespace symm::Impl

#endif

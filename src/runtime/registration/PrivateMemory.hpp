// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PRIVATE_MEMORY_HPP
#define SYMM_PRIVATE_MEMORY_HPP

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "../memory/MemoryProvider.hpp"

namespace symm::Impl {

/// Private memory that may later become part of the symmetric heap. Each block
/// is a separate allocation made through virtual memory management. All calls
/// are local and may be made from any thread.
class PrivateMemory {
 public:
  /// \param provider must outlive this object.
  explicit PrivateMemory(MemoryProvider& provider)
      : m_vmm(provider), m_queue(provider) {}

  /// Allocates zeroed memory: whole granules (2 MiB) that no other block uses.
  /// \param label for error messages.
  /// \param bytes must be greater than 0.
  /// \throws OutOfMemory, SystemError on this PE.
  [[nodiscard]] char* allocate(std::string const& label, std::size_t bytes);

  /// Frees a block. If the block is registered, it remains part of the heap
  /// until it is unregistered. Ignores an address that does not belong to a
  /// live block, because its block was allocated before the latest
  /// initialize().
  void free(void const* address) noexcept;

  /// Returns the label and size of each block that has not been freed.
  [[nodiscard]] std::vector<std::string> live() const;

 private:
  struct Block {
    std::size_t bytes = 0;
    std::string label;
  };

  Vmm& m_vmm;
  CopyQueue& m_queue;
  mutable std::mutex m_mutex;
  std::map<void const*, Block> m_blocks;
};

}  // namespace symm::Impl

#endif

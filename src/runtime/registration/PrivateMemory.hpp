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

/// Private memory that can become part of the symmetric heap later: each block
/// is one memory of virtual memory management. All calls are local; any thread.
class PrivateMemory {
 public:
  /// \param provider must outlive this.
  explicit PrivateMemory(MemoryProvider& provider)
      : m_vmm(provider), m_queue(provider) {}

  /// Allocates zeros, at the start of whole granules (2 MiB) of their own.
  /// \param label for messages.
  /// \param bytes above 0.
  /// \throws OutOfMemory, SystemError on this PE.
  [[nodiscard]] char* allocate(std::string const& label, std::size_t bytes);

  /// Gives a block back. A registered one stays part of the heap until it is
  /// unregistered. Ignores an address of no live block: it is from before the
  /// latest initialize().
  void free(void const* address) noexcept;

  /// Labels and sizes of the blocks that are not freed.
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

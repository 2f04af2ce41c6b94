// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_PINNEDMEMORY_HPP
#define SYMM_MEMORY_PINNEDMEMORY_HPP

#include <cstddef>
#include <memory>
#include <new>

#include "MemoryProvider.hpp"

namespace symm::Impl {

/// Page-locked host memory. GPU kernels and copies access it at the same
/// address as the host.
class PinnedMemory {
 public:
  /// Allocates zeroed memory. \throws OutOfMemory, SystemError on this PE.
  PinnedMemory(MemoryProvider& provider, std::size_t bytes);
  ~PinnedMemory();
  PinnedMemory(PinnedMemory const&)            = delete;
  PinnedMemory& operator=(PinnedMemory const&) = delete;

  [[nodiscard]] std::byte* data() const { return m_memory.get(); }
  [[nodiscard]] std::size_t size() const { return m_bytes; }

 private:
  static constexpr std::size_t alignment = 4096;
  struct Free {
    void operator()(std::byte* memory) const {
      ::operator delete(memory, std::align_val_t(alignment));
    }
  };

  MemoryProvider& m_provider;
  std::size_t m_bytes;
  std::unique_ptr<std::byte, Free> m_memory;
  bool m_is_pinned = false;
};

}  // namespace symm::Impl

#endif

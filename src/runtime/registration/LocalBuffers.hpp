// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_LOCAL_BUFFERS_HPP
#define SYMM_LOCAL_BUFFERS_HPP

#include <cstddef>
#include <map>
#include <mutex>

#include "../memory/ForeignMemory.hpp"

namespace symm::Impl {

/// The program's buffers that are registered as local operands for kernels. All
/// calls are local and may be made from any thread.
class LocalBuffers {
 public:
  /// \param memory pins the buffers; must outlive this object.
  explicit LocalBuffers(ForeignMemory& memory) : m_memory(memory) {}
  ~LocalBuffers();

  LocalBuffers(LocalBuffers const&)            = delete;
  LocalBuffers& operator=(LocalBuffers const&) = delete;

  /// Registers a buffer.
  /// \throws UsageError if the buffer is null or has 0 bytes, if it overlaps
  ///         another buffer (B09), or if ForeignMemory::pin() rejects it.
  /// \throws OutOfMemory, SystemError on this PE.
  void add(void* address, std::size_t bytes);

  /// Unregisters a buffer.
  /// \throws UsageError if no buffer starts at `address` (B13, B14).
  /// \throws SystemError if the system cannot unpin the buffer. Even then, the
  ///         buffer is unregistered.
  void remove(void* address);

  /// Removes all buffers. Continues even if some of them cannot be removed.
  /// \throws SystemError for the first buffer that the system could not unpin.
  void clear();

 private:
  struct Buffer {
    std::size_t bytes = 0;
    bool is_pinned    = false;
  };
  using Buffers = std::map<std::size_t, Buffer>;  // keyed by address

  void erase(Buffers::iterator buffer);

  ForeignMemory& m_memory;
  std::mutex m_mutex;
  Buffers m_buffers;
};

}  // namespace symm::Impl

#endif

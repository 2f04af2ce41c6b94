// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_PE_MEMORY_HPP
#define SYMM_MEMORY_PE_MEMORY_HPP

#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Memory that exists on every PE, with the same size and the same offsets.
/// Messages address it by segment and offset, and the target adds its own base
/// address.
enum class Segment : std::uint8_t {
  host_heap,
  device_heap,
  host_team_words,
  device_team_words
};

/// Whether the segment is in GPU memory. A message carries at most
/// Transport::max_begun bytes to or from such a segment.
[[nodiscard]] constexpr bool is_of_gpu(Segment segment) {
  return segment == Segment::device_heap ||
         segment == Segment::device_team_words;
}

/// How this PE's host accesses another PE's memory.
enum class AccessPath : std::uint8_t {
  words,    // with loads and stores of words
  gpu,      // with copies on this PE's GPU
  messages  // with messages to another node
};

/// One PE's memory, near or far, that an operation reads or writes. A PeMemory
/// is valid as long as the heap block that contains the memory exists. It is
/// passed in two registers.
class PeMemory {
 public:
  constexpr PeMemory() = default;
  /// Memory on a far PE, `offset` bytes into its part of the segment.
  constexpr PeMemory(Pe its_pe, Segment its_segment, std::size_t offset)
      : pe(its_pe), segment(its_segment), m_position(offset) {}
  /// Memory on a near PE, at `address` in this process.
  [[nodiscard]] static PeMemory at(Pe pe, Segment segment,
                                   void const* address) {
    PeMemory result(pe, segment, reinterpret_cast<std::size_t>(address));
    result.path = is_of_gpu(segment) ? AccessPath::gpu : AccessPath::words;
    return result;
  }

  /// The offset in bytes within the PE's part. Precondition: the memory is
  /// accessed with messages.
  [[nodiscard]] constexpr std::size_t offset() const { return m_position; }
  /// Precondition: the memory is not accessed with messages.
  template <class T = void>
  [[nodiscard]] T* address() const {
    return reinterpret_cast<T*>(m_position);
  }
  /// Like address(), but returns `otherwise` for memory accessed with messages.
  template <class T>
  [[nodiscard]] T* address_or(T* otherwise) const {
    return path == AccessPath::messages ? otherwise : address<T>();
  }
  /// The memory that starts `bytes` bytes after this memory.
  [[nodiscard]] constexpr PeMemory moved(std::size_t bytes) const {
    auto result = *this;
    result.m_position += bytes;
    return result;
  }

  Pe pe           = 0;
  Segment segment = Segment::host_heap;
  AccessPath path = AccessPath::messages;

 private:
  std::size_t m_position = 0;
};
static_assert(sizeof(PeMemory) == 16);

/// Strided elements, for iput() and iget().
struct Strides {
  std::size_t element_bytes = 0;
  std::size_t count         = 0;
  std::size_t remote_bytes  = 0;  // stride on the remote PE
  std::size_t local_bytes   = 0;  // stride on this PE
};

/// When an operation returns. `local`: once nothing remains to be done on this
/// PE. `none`: as soon as possible; quiet() then completes the operation.
enum class Completion { local, none };

}  // namespace symm::Impl

#endif

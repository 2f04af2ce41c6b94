// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_TARGET_HPP
#define SYMM_TRANSPORT_TRANSPORT_TARGET_HPP

#include <cstddef>
#include <optional>
#include <string_view>

#include "LostPe.hpp"
#include "Transport.hpp"

namespace symm::Impl {

class GpuAccessQueue;

/// A range of memory in a segment, starting at `offset`.
struct MemoryRange {
  char* start        = nullptr;
  std::size_t offset = 0;
  std::size_t bytes  = 0;  // 0: no memory

  /// The address of [its_offset, its_offset + its_bytes); null if this range
  /// does not contain it.
  [[nodiscard]] char* find(std::size_t its_offset,
                           std::size_t its_bytes) const noexcept {
    auto const from    = its_offset - offset;
    bool const is_here = from < bytes && its_bytes <= bytes - from;
    return is_here ? start + from : nullptr;
  }
};

/// Caches the memory found by the previous lookup, because most addresses in a
/// message are close to an earlier address in the same message.
class KnownMemory {
 public:
  KnownMemory() = default;
  KnownMemory(Segment segment, MemoryRange range)
      : m_segment(segment), m_range(range) {}

  /// The address of [offset, offset + bytes); null if that memory does not
  /// contain it.
  [[nodiscard]] char* find(Segment segment, std::size_t offset,
                           std::size_t bytes) const noexcept {
    return segment == m_segment ? m_range.find(offset, bytes) : nullptr;
  }

 private:
  Segment m_segment{};
  MemoryRange m_range;
};

/// Gives a transport information about its own PE: addresses in the segments,
/// for operations from far PEs, and the PE's progress, for queries from far
/// PEs. Callable from any thread, even while another thread is in a collective
/// call.
class TransportTarget {
 public:
  virtual ~TransportTarget() = default;

  /// The address of [offset, offset + bytes); null if there is no such memory.
  [[nodiscard]] virtual char* find(Segment segment, std::size_t offset,
                                   std::size_t bytes) noexcept = 0;
  /// Like find(), but returns the largest known range of memory that contains
  /// those bytes.
  [[nodiscard]] virtual MemoryRange find_around(Segment segment,
                                                std::size_t offset,
                                                std::size_t bytes) noexcept {
    auto* const start = find(segment, offset, bytes);
    return {start, offset, start == nullptr ? 0 : bytes};
  }

  /// The distance in bytes from this PE's part of the host heap to the part of
  /// PE number `number` on this node. Returns nullopt if there is no such PE or
  /// no host heap.
  [[nodiscard]] virtual std::optional<std::ptrdiff_t> distance_to_near(
      int number) noexcept {
    return number == 0 ? std::optional<std::ptrdiff_t>(0) : std::nullopt;
  }

  /// The queue for segments for which is_of_gpu() is true. Not null if find()
  /// has found memory in such a segment. Only one thread at a time may use the
  /// queue.
  [[nodiscard]] virtual GpuAccessQueue* gpu() noexcept { return nullptr; }

  /// `pe`'s host, for error messages; empty if unknown.
  [[nodiscard]] virtual std::string_view host_of(Pe /*pe*/) const noexcept {
    return {};
  }
  /// The collective call that this PE is in, for error messages; null if there
  /// is none.
  [[nodiscard]] virtual char const* call() const noexcept { return nullptr; }
  [[nodiscard]] virtual PeProgress progress() const noexcept { return {}; }

  /// The record of the first lost PE, shared by the PEs on this node; null if
  /// no such record exists.
  [[nodiscard]] virtual LostPeRecord* lost_pe() noexcept { return nullptr; }
};

}  // namespace symm::Impl

#endif

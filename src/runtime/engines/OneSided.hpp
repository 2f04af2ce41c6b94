// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ENGINES_ONE_SIDED_HPP
#define SYMM_ENGINES_ONE_SIDED_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Operations that move blocks to and from another PE's host memory, without
/// messages and without involving the program on that PE. Callable from any
/// thread. These operations are ordered neither among themselves nor with
/// respect to messages.
class OneSided {
 public:
  /// A key that gives other PEs access to a chunk of one PE's memory. The key
  /// is sent to those PEs as raw bytes.
  using Key = std::array<std::uint64_t, 4>;

  /// Memory on another PE, within one chunk.
  struct Place {
    Pe pe = 0;
    Key key{};
    std::uint64_t address = 0;  // valid in that PE's address space
  };

  virtual ~OneSided() = default;

  /// The size in bytes of the smallest block for put() and get(), at least 1.
  /// Smaller blocks are faster when sent as messages.
  [[nodiscard]] virtual std::size_t least_bytes() const noexcept = 0;
  /// The size in bytes of the largest block for put() and get(). Larger blocks
  /// are moved in parts.
  [[nodiscard]] virtual std::size_t max_bytes() const noexcept {
    return SIZE_MAX;
  }

  // Functions for this PE's own memory. Callable from within Receiver.

  /// Gives other PEs access to a chunk until close_chunk() is called. The same
  /// chunk may be opened more than once.
  /// \returns nullopt if the chunk can be reached only through messages.
  [[nodiscard]] virtual std::optional<Key> open_chunk(
      void* start, std::size_t bytes) noexcept = 0;
  /// Must be called before a chunk is unmapped, even if the chunk was never
  /// opened. By then, all PEs must have stopped using the chunk's keys.
  virtual void close_chunk(void* start) noexcept = 0;

  // Functions for other PEs' memory.

  /// Whether this PE can reach the memory on `pe` to which `key` gives access.
  /// Callable from within Receiver.
  [[nodiscard]] virtual bool reaches(Pe pe, Key const& key) noexcept = 0;

  // Callers of these functions must pass memory for which reaches() is true:

  /// Whether put() and get() are complete on return. Otherwise, they are
  /// complete when Receiver::sent(token) is called, unless the PE is lost
  /// first.
  [[nodiscard]] virtual bool is_immediate() const noexcept { return false; }

  /// Writes a block. `from` must not change until the put is complete. On
  /// completion, the data are in the target's memory. They are visible there
  /// before any message that is sent after completion.
  /// \throws SystemError on this PE if the memory does not exist or the PE is
  ///         lost.
  virtual void put(Place const& to, void const* from, std::size_t bytes,
                   std::size_t token) = 0;
  /// Reads a block. `to` may be written at any time until the get is complete.
  virtual void get(void* to, Place const& from, std::size_t bytes,
                   std::size_t token) = 0;
};

}  // namespace symm::Impl

#endif

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

/// The operations of engines that move blocks to and from host memory of
/// another PE without messages. The program of the other PE takes no part in
/// them. Any thread. These operations are not ordered among themselves, nor
/// with messages.
class OneSided {
 public:
  /// Gives other PEs access to a chunk of one PE's memory. Sent to them as
  /// raw bytes.
  using Key = std::array<std::uint64_t, 4>;

  /// Memory of another PE, within one chunk.
  struct Place {
    Pe pe = 0;
    Key key{};
    std::uint64_t address = 0;  // in that PE's address space
  };

  virtual ~OneSided() = default;

  /// The smallest block for put() and get(), at least 1 byte: smaller blocks
  /// are faster as messages.
  [[nodiscard]] virtual std::size_t least_bytes() const noexcept = 0;
  /// The largest block for put() and get(): larger blocks are moved in parts.
  [[nodiscard]] virtual std::size_t max_bytes() const noexcept {
    return SIZE_MAX;
  }

  // Memory of this PE. Callable within Receiver.

  /// Opens a chunk, until close_chunk(). The same chunk may be opened again.
  /// \returns nullopt if the chunk can be reached only by messages.
  [[nodiscard]] virtual std::optional<Key> open_chunk(
      void* start, std::size_t bytes) noexcept = 0;
  /// To be called before a chunk is unmapped, whether it has been opened or
  /// not. No PE may use the chunk's keys any more.
  virtual void close_chunk(void* start) noexcept = 0;

  // Memory of other PEs.

  /// Whether this PE can reach the memory of `pe` that `key` opens. Callable
  /// within Receiver.
  [[nodiscard]] virtual bool reaches(Pe pe, Key const& key) noexcept = 0;

  // For memory that this PE reaches:

  /// Whether put() and get() are complete when they return. Otherwise they are
  /// complete when Receiver::sent(token) is called. It is not called if the PE
  /// is lost first.
  [[nodiscard]] virtual bool is_immediate() const noexcept { return false; }

  /// Writes a block. Once this is complete, the data are in the target's
  /// memory, and visible there before any message that is sent later. `from`
  /// must not change until then.
  /// \throws SystemError on this PE, if memory is not there, or the PE is gone.
  virtual void put(Place const& to, void const* from, std::size_t bytes,
                   std::size_t token) = 0;
  /// Reads a block. `to` is written until this is complete.
  virtual void get(void* to, Place const& from, std::size_t bytes,
                   std::size_t token) = 0;
};

}  // namespace symm::Impl

#endif

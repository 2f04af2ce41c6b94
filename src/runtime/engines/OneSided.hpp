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

/// Some engines move blocks without messages: they go to and from host memory
/// of another PE, and its program has no part in it. Any thread; these
/// operations have no order among themselves, nor with messages.
class OneSided {
 public:
  /// Opens a chunk of one PE's memory to the others. It travels as its bytes.
  using Key = std::array<std::uint64_t, 4>;

  /// Memory of another PE, within one chunk.
  struct Place {
    Pe pe = 0;
    Key key{};
    std::uint64_t address = 0;  // at that PE
  };

  virtual ~OneSided() = default;

  /// Smaller blocks are faster as messages; at least 1.
  [[nodiscard]] virtual std::size_t least_bytes() const noexcept = 0;
  /// Larger blocks are moved in parts.
  [[nodiscard]] virtual std::size_t max_bytes() const noexcept {
    return SIZE_MAX;
  }

  // Memory of this PE. Callable within Receiver.

  /// Opens a chunk, until close_chunk(). The same chunk may be opened again.
  /// \returns nothing: it cannot be reached without messages.
  [[nodiscard]] virtual std::optional<Key> open_chunk(
      void* start, std::size_t bytes) noexcept = 0;
  /// Before a chunk is unmapped, whether it has been opened or not. No PE uses
  /// its keys any more.
  virtual void close_chunk(void* start) noexcept = 0;

  // Memory of other PEs.

  /// Whether this PE can reach the memory of `pe` that `key` opens. Callable
  /// within Receiver.
  [[nodiscard]] virtual bool reaches(Pe pe, Key const& key) noexcept = 0;

  // Of memory that is reached:

  /// Whether put() and get() are done when they return. Else they are when
  /// Receiver::sent(token) is called; if the PE is lost first, it is not
  /// called.
  [[nodiscard]] virtual bool is_immediate() const noexcept { return false; }

  /// When it is done, the data are in the target's memory, and seen there
  /// before any message that is sent later. Until then `from` is read. \throws
  /// SystemError on this PE, if memory is not there, or the PE is gone.
  virtual void put(Place const& to, void const* from, std::size_t bytes,
                   std::size_t token) = 0;
  /// The same for data that come from there; `to` is written.
  virtual void get(void* to, Place const& from, std::size_t bytes,
                   std::size_t token) = 0;
};

}  // namespace symm::Impl

#endif

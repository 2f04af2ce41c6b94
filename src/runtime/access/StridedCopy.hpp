// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_STRIDED_COPY_HPP
#define SYMM_ACCESS_STRIDED_COPY_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../base/Observer.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../groups/GroupCopy.hpp"
#include "../memory/CopyQueue.hpp"
#include "../memory/HostCopy.hpp"
#include "Elements.hpp"

namespace symm::Impl {

/// Copies `count` blocks. Block i is copied from element i * source_stride of
/// `source` to element i * dest_stride of `dest`. For iput() and iget(), a
/// block is one element.
template <Direction its_direction, class T, bool has_blocks = false>
struct StridedCopy {
  using Element                        = T;
  static constexpr Direction direction = its_direction;
  static constexpr char const* call =
      direction == Direction::put ? (has_blocks ? "symm::ibput" : "symm::iput")
                                  : (has_blocks ? "symm::ibget" : "symm::iget");

  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;
  std::size_t its_block = 1;

  [[nodiscard]] SYMM_FUNCTION constexpr std::size_t block() const {
    return has_blocks ? its_block : 1;
  }
  [[nodiscard]] SYMM_FUNCTION constexpr std::size_t block_bytes() const {
    return block() * sizeof(T);
  }
  [[nodiscard]] SYMM_FUNCTION bool is_empty() const {
    return count == 0 || block() == 0;
  }
  /// Whether both strides are at least as long as a block, so blocks do not
  /// overlap.
  [[nodiscard]] SYMM_FUNCTION bool are_strides_long_enough() const {
    std::size_t const least = block() == 0 ? 1 : block();
    return dest_stride >= least && source_stride >= least;
  }

  /// The first element of block i.
  SYMM_FUNCTION T const& from(std::size_t i) const {
    return source[i * source_stride];
  }
  SYMM_FUNCTION T& to(std::size_t i) const { return dest[i * dest_stride]; }

  /// The start of the symmetric side, which is symmetric_bytes() long.
  SYMM_FUNCTION auto& symmetric() {
    if constexpr (direction == Direction::put) {
      return dest;
    } else {
      return source;
    }
  }
  [[nodiscard]] SYMM_FUNCTION T const* symmetric() const {
    return direction == Direction::put ? dest : source;
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t symmetric_bytes() const {
    return bytes_with(direction == Direction::put ? dest_stride
                                                  : source_stride);
  }
  /// Whether the private side can be a single object, that is, spans at most
  /// half the address space. (With a negative stride, which is converted to
  /// unsigned, it would span more.) Precondition: the symmetric side is in a
  /// heap, and the copy is not empty.
  [[nodiscard]] SYMM_FUNCTION bool is_private_side_possible() const {
    bool const is_put = direction == Direction::put;
    auto const there  = is_put ? dest_stride : source_stride;
    auto const here   = is_put ? source_stride : dest_stride;
    return here <= there || bytes_with(here) <= ~std::size_t{0} >> 1U;
  }
  [[nodiscard]] std::size_t moved_bytes() const {
    return count * block_bytes();
  }
  /// The number of bytes from the start of the first block to the end of the
  /// last one; SIZE_MAX on overflow.
  [[nodiscard]] SYMM_FUNCTION std::size_t bytes_with(std::size_t stride) const {
    auto const starts = bytes_of(sizeof(T), count, stride);
    auto const rest   = bytes_of(sizeof(T), block()) - sizeof(T);
    return starts > ~rest ? ~std::size_t{0} : starts + rest;
  }
  [[nodiscard]] SYMM_FUNCTION void const* private_side() const {
    return direction == Direction::put ? source : dest;
  }
  [[nodiscard]] SYMM_FUNCTION CopyQueue::Strided in_bytes() const {
    return {reinterpret_cast<char*>(dest),
            reinterpret_cast<char const*>(source),
            dest_stride * sizeof(T),
            source_stride * sizeof(T),
            block_bytes(),
            count};
  }
};

/// Performs a copy with loads and stores, made by all threads of a group.
/// Contains no barrier.
template <Group Threads, Direction direction, class T, bool has_blocks>
SYMM_INLINE_FUNCTION void run_strided(
    Threads const& threads, StridedCopy<direction, T, has_blocks> const& copy) {
#ifdef SYMM_FOR_DEVICE
  if constexpr (has_blocks) {
    std::size_t const block = copy.its_block;
    copy_each_with_loads_in_flight(
        threads, copy.count * block,
        [=](std::size_t k) { return (&copy.from(k / block))[k % block]; },
        [=](std::size_t k, T const& value) {
          (&copy.to(k / block))[k % block] = value;
        });
  } else {
    copy_each_with_loads_in_flight(
        threads, copy.count, [=](std::size_t i) { return copy.from(i); },
        [=](std::size_t i, T const& value) { copy.to(i) = value; });
  }
#else
  threads.for_each(copy.count, [&](std::size_t i) {
    copy_host_memory<alignof(T)>(&copy.to(i), &copy.from(i),
                                 copy.block_bytes());
  });
#endif
}

}  // namespace symm::Impl

#endif

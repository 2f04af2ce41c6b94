// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HEAP_MAP_HPP
#define SYMM_HEAP_MAP_HPP

#include <cstddef>

#include "../base/Address.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"

namespace symm {

/// Locates every PE's part of an address range in this process's address space.
/// PE p's part begins at base + p * stride. Kernels capture the map by value.
/// An address is translated with one multiplication and one addition, without a
/// lookup table (S16). Each process has its own base, but offsets are the same
/// everywhere (S14, S15). Only the parts of near PEs (the PEs on this node) are
/// mapped.
struct HeapMap {
  char* base         = nullptr;  // start of PE 0's part, mapped or not
  std::size_t stride = 0;
  Pe my_pe           = 0;
  int n_pes          = 0;
  Pe first_near      = 0;
  int n_near         = 0x7fff'ffff;  // by default, all PEs are near

  /// Whether this PE can access PE `pe`'s part with loads and stores.
  [[nodiscard]] SYMM_FUNCTION bool is_near(Pe pe) const {
    return static_cast<unsigned>(pe - first_near) <
           static_cast<unsigned>(n_near);
  }

  /// The PEs on this PE's node, including this PE.
  [[nodiscard]] Impl::PeRange near_pes() const {
    return {first_near, n_near < n_pes ? first_near + n_near : n_pes};
  }

  /// The start of PE `pe`'s part.
  [[nodiscard]] SYMM_FUNCTION char* part(Pe pe) const {
    return base + static_cast<std::size_t>(pe) * stride;
  }

  /// The distance in bytes from this PE's copy of an object to PE `pe`'s copy.
  [[nodiscard]] SYMM_FUNCTION std::ptrdiff_t distance(Pe pe) const {
    return static_cast<std::ptrdiff_t>(pe - my_pe) *
           static_cast<std::ptrdiff_t>(stride);
  }

  /// The address of PE `pe`'s copy of the object at the symmetric address `p`.
  /// Preconditions (not checked): `p` is in this PE's part, and `pe` is near.
  template <class T>
  [[nodiscard]] SYMM_FUNCTION T* peer_ptr(T* p, Pe pe) const {
    return Impl::moved(p, distance(pe));
  }

  /// Like peer_ptr(), but takes the address of PE 0's copy, which saves a
  /// subtraction.
  template <class T>
  [[nodiscard]] SYMM_FUNCTION T* peer_ptr_from_first(T* first, Pe pe) const {
    return Impl::moved(first, static_cast<std::ptrdiff_t>(pe) *
                                  static_cast<std::ptrdiff_t>(stride));
  }

  /// Whether `p` is in this PE's part.
  [[nodiscard]] SYMM_FUNCTION bool contains(void const* p) const {
    return offset_of(p) < stride;
  }

  /// Whether any byte of [p, p + bytes) is in a near PE's part.
  [[nodiscard]] bool overlaps(void const* p, std::size_t bytes) const {
    auto const start = reinterpret_cast<std::size_t>(part(first_near));
    auto const other = reinterpret_cast<std::size_t>(p);
    auto const total =
        stride * static_cast<std::size_t>(n_near < n_pes ? n_near : n_pes);
    return other < start ? start - other < bytes : other - start < total;
  }

  /// The byte offset of `p` in this PE's part. The result is at least `stride`
  /// if `p` is not in this part.
  [[nodiscard]] SYMM_FUNCTION std::size_t offset_of(void const* p) const {
    return reinterpret_cast<std::size_t>(p) -
           reinterpret_cast<std::size_t>(part(my_pe));
  }
};

}  // namespace symm

#endif

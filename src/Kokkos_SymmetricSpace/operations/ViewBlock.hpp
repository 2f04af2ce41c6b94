// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_VIEWBLOCK_HPP
#define KOKKOS_SYMMETRICSPACE_VIEWBLOCK_HPP

#include <cstddef>

namespace symm::Impl {

/// A copy between two Views with equal extents and any layouts; sizes are in
/// bytes.
struct ViewBlock {
  struct Dimension {
    std::size_t extent = 0;
    std::size_t there  = 0;  // stride of the View on the other PE
    std::size_t here   = 0;  // stride in memory that the host can access
  };
  static constexpr std::size_t max_dimensions = 8;

  std::size_t element = 0;
  std::size_t rank    = 0;
  Dimension dimensions[max_dimensions];

  [[nodiscard]] std::size_t count() const;  // number of elements
  [[nodiscard]] std::size_t bytes() const { return count() * element; }
};

template <class There, class Here>
ViewBlock block_of(There const& there, Here const& here) {
  ViewBlock block;
  block.element = sizeof(typename Here::value_type);
  block.rank    = Here::rank();
  for (std::size_t r = 0; r < Here::rank(); ++r) {
    block.dimensions[r] = {here.extent(r), there.stride(r) * block.element,
                           here.stride(r) * block.element};
  }
  return block;
}

/// The same elements, described by as few dimensions as possible, in ascending
/// order of the strides on the other PE. A run of elements that is contiguous
/// on both PEs becomes one element.
ViewBlock simplified(ViewBlock block);

/// The copy in the other direction; the order of the dimensions stays the same.
ViewBlock turned(ViewBlock block);

/// Copies elements `first` to `last` - 1, counted in the order of the
/// dimensions, from `here` to `there`. One host thread performs the copy. Each
/// word is stored with a single access, as in copy_host_memory().
void copy_block(void* there, void const* here, ViewBlock const& block,
                std::size_t first, std::size_t last);

/// Copies all elements.
inline void copy_block(void* there, void const* here, ViewBlock const& block) {
  copy_block(there, here, block, 0, block.count());
}

}  // namespace symm::Impl

#endif

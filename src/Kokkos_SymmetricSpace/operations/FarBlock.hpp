// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP
#define KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP

#include <cstddef>

#include "../../runtime/shmem/Far.hpp"

namespace symm::Impl {

/// The elements of a View and of its copy on a PE that is not near, whatever
/// the layouts of both. In bytes.
struct FarBlock {
  struct Dimension {
    std::size_t extent = 0;
    std::size_t there  = 0;  // from one index to the next, on the PE
    std::size_t here   = 0;  // in memory that the host reaches
  };
  static constexpr std::size_t most_dimensions = 8;

  std::size_t element = 0;
  std::size_t rank    = 0;
  Dimension dimensions[most_dimensions];

  [[nodiscard]] std::size_t bytes() const;
};

// By as few messages as there can be, without a word of what is between the
// elements there: a block that is contiguous there is one message, whatever it
// is here; else one is made of as many elements as one stride finds there.
// Gets take what is between the elements along, where that is no more than
// they are. On the host, by one thread; as put() and get().

/// \throws UsageError on this PE, if there is no such PE or its memory is not
///         reached.
void put_block(FarCopy const& dest, void const* source, FarBlock const& block);
void get_block(void* dest, FarCopy const& source, FarBlock const& block);

}  // namespace symm::Impl

#endif

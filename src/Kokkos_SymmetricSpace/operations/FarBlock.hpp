// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP
#define KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP

#include "../../runtime/shmem/Far.hpp"
#include "ViewBlock.hpp"

namespace symm::Impl {

// The elements of a View on this PE and of its copy on a PE that is not near:
// by as few messages as there can be, without a word of what is between the
// elements there: a block that is contiguous there is one message, whatever it
// is here; else one is made of as many elements as one stride finds there.
// Gets take what is between the elements along, where that is no more than
// they are. On the host, by one thread; as put() and get().

/// \throws UsageError on this PE, if there is no such PE or its memory is not
///         reached.
void put_block(FarCopy const& dest, void const* source, ViewBlock const& block);
void get_block(void* dest, FarCopy const& source, ViewBlock const& block);

}  // namespace symm::Impl

#endif

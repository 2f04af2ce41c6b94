// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP
#define KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP

#include "../../runtime/shmem/PeOperations.hpp"
#include "ViewBlock.hpp"

namespace symm::Impl {

// The elements of a View on this PE and of its copy on a PE that is not near:
// by as few messages as there can be, without a word of what is between the
// elements there: a block that is contiguous there is one message, whatever it
// is here; else one is made of as many elements as one stride finds there.
// Gets take what is between the elements along, where that is no more than
// they are. On the host, by one thread; as put() and get().

/// \param call the operation, for messages.
void put_block(PeMemory dest, void const* source, ViewBlock const& block,
               char const* call);
void get_block(void* dest, PeMemory source, ViewBlock const& block,
               char const* call);

}  // namespace symm::Impl

#endif

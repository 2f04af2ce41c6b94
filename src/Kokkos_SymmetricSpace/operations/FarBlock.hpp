// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP
#define KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP

#include "../../runtime/access/PeOperations.hpp"
#include "ViewBlock.hpp"

namespace symm::Impl {

// Copies between the elements of a View on this PE and those of a far PE's
// copy, in as few messages as possible.
// - A block that is contiguous there takes one message (or one for each MiB, if
//   it must be packed here).
// - Otherwise, each message carries elements that have a constant stride there.
// - Puts of a few small elements go into the batch of put_nbi() instead, which
//   different blocks share.
//
// Puts never write the gaps between the elements there. Gets also read the
// gaps, if these are no larger than the elements. One host thread does the
// copy; completion is as for put() and get().

/// \param call the name of the operation, for error messages.
void put_block(PeMemory dest, void const* source, ViewBlock const& block,
               char const* call);
void get_block(void* dest, PeMemory source, ViewBlock const& block,
               char const* call);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP
#define KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP

#include "../../runtime/access/PeOperations.hpp"
#include "ViewBlock.hpp"

namespace symm::Impl {

// Copies between the elements of a View on this PE and those of a far PE's
// copy, in as few messages as possible. A block that is contiguous there takes
// one message (one per MiB, if it must be packed here). Otherwise one message
// has the elements of one stride there. Puts of few and small elements share
// the batch of put_nbi() instead, with those of other blocks. Puts never write
// the gaps between the elements there; gets read them, too, if they are no
// larger than the elements. On the host, by one thread; completion as of put()
// and get().

/// \param call the operation, for messages.
void put_block(PeMemory dest, void const* source, ViewBlock const& block,
               char const* call);
void get_block(void* dest, PeMemory source, ViewBlock const& block,
               char const* call);

}  // namespace symm::Impl

#endif

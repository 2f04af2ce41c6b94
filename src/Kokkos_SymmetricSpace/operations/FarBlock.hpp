// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP
#define KOKKOS_SYMMETRICSPACE_FARBLOCK_HPP

#include "../../runtime/access/PeOperations.hpp"
#include "ViewBlock.hpp"

namespace symm::Impl {

// Copies between a View on this PE and a far PE's copy of a View, in as few
// messages as possible.
// - A block that is contiguous on the far PE requires one message (or one
//   message per MiB if this PE must pack the block).
// - Otherwise, each message carries elements that have a constant stride on the
//   far PE.
// - A few small elements are added to put_nbi()'s batch instead, so different
//   blocks share a message.
//
// Puts never write to the gaps between the elements on the far PE. Gets also
// read the gaps if, in total, the gaps are no larger than the elements. One
// host thread performs the copy. Completion is the same as for put() and get().

/// \param call the operation's name, for error messages.
void put_block(PeMemory dest, void const* source, ViewBlock const& block,
               char const* call);
void get_block(void* dest, PeMemory source, ViewBlock const& block,
               char const* call);

}  // namespace symm::Impl

#endif

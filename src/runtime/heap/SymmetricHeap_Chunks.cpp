// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Chunks for blocks that somebody else keeps.
#include <cstdio>

#include "../base/Failure.hpp"
#include "SymmetricHeap.hpp"

namespace symm::Impl {

void SymmetricHeap::grow(Rendezvous::Call& call, HeapBlocks& blocks,
                         HeapBlocks::Request const& request,
                         std::size_t most_bytes,
                         std::function<bool()> const& is_enough) {
  m_rendezvous.run(call.operation, [&] {
    auto const failure = failure_of([&] { blocks.prepare(); });
    if (failure) call.failure = failure;
    meet(call);
    if (is_enough()) return;
    if (auto const grown = m_chunks.grow(blocks, request, most_bytes)) {
      throw_named(call, *grown);
    }
  });
}

std::size_t SymmetricHeap::trim(
    Rendezvous::Call& call, HeapBlocks& blocks,
    std::function<std::size_t()> const& most_bytes) {
  return m_rendezvous.run(call.operation, [&] {
    meet(call);
    return trim_step(blocks, most_bytes());
  });
}

void SymmetricHeap::prepare_to_trim(HeapBlocks& blocks, std::size_t n_ranges) {
  // This call may add a chunk, or two where one is lost.
  blocks.prepare_to_remove(n_ranges + m_chunks.places().size() + 2);
}

std::size_t SymmetricHeap::trim_step(HeapBlocks& blocks,
                                     std::size_t most_bytes) {
  auto const trimmed = m_chunks.trim(blocks, most_bytes);
  if (trimmed.failure && trimmed.failure->pe == map().my_pe) {
    std::fprintf(stderr,
                 "symm: PE %d: giving memory of a pool back: %s; its addresses "
                 "are lost\n",
                 trimmed.failure->pe, trimmed.failure->failure.message.c_str());
  }
  return trimmed.removed_bytes;
}

}  // namespace symm::Impl

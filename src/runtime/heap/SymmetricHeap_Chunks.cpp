// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Chunks for the blocks of memory pools.
#include <algorithm>
#include <cstdio>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "SymmetricHeap.hpp"

namespace symm::Impl {

void SymmetricHeap::grow(Rendezvous::Call& call, HeapBlocks& blocks,
                         HeapBlocks::Request const& request,
                         std::size_t max_bytes,
                         std::function<bool()> const& is_enough) {
  run(call.operation, [&] {
    auto const failure = failure_of([&] {
      blocks.prepare();
      m_lent.reserve(m_lent.size() + 1);
    });
    if (failure) call.failure = failure;
    meet(call);
    if (is_enough()) return;
    bool const is_static = m_chunks.options().is_static;
    if (is_static && lend(blocks, request, max_bytes)) return;
    if (auto const grown =
            m_chunks.grow(is_static ? m_blocks : blocks, request, max_bytes)) {
      throw_named(call, *grown);
    }
  });
}

std::size_t SymmetricHeap::trim(Rendezvous::Call& call, HeapBlocks& blocks,
                                std::function<std::size_t()> const& max_bytes) {
  return run(call.operation, [&] {
    meet(call);
    return trim_step(blocks, max_bytes());
  });
}

void SymmetricHeap::prepare_to_trim(HeapBlocks& blocks, std::size_t n_ranges) {
  // This collective call may add one chunk, or two if one is lost.
  blocks.prepare_to_remove(n_ranges + m_lent.size() + m_chunks.places().size() +
                           2);
}

std::size_t SymmetricHeap::trim_step(HeapBlocks& blocks,
                                     std::size_t max_bytes) {
  if (m_chunks.options().is_static) {
    auto const bytes = take_back(blocks, max_bytes);
    publish_stats();
    return bytes;
  }
  auto const trimmed = m_chunks.trim(blocks, max_bytes);
  publish_stats();
  if (trimmed.failure && trimmed.failure->pe == map().my_pe) {
    std::fprintf(stderr,
                 "symm: PE %d: releasing memory of a pool failed: %s; its "
                 "addresses are lost\n",
                 trimmed.failure->pe, trimmed.failure->failure.message.c_str());
  }
  return trimmed.removed_bytes;
}

// A static heap cannot add chunks. Instead, it lends a block to the pool.

bool SymmetricHeap::lend(HeapBlocks& blocks, HeapBlocks::Request const& request,
                         std::size_t max_bytes) {
  // First try a block with room for later requests.
  auto const wanted =
      std::min(m_provider.granularity(Vmm::Granularity::recommended),
               round_up(limit_bytes() / 16, request.alignment));
  for (auto const bytes : {std::max(request.bytes, wanted), request.bytes}) {
    if (bytes > max_bytes) continue;
    auto const id = m_blocks.take({bytes, request.alignment, request.phase});
    if (id == HeapBlocks::none) continue;
    blocks.add_range(map().offset_of(m_blocks.address_of(id)), bytes);
    m_lent.push_back({&blocks, id});
    return true;
  }
  return false;
}

std::size_t SymmetricHeap::take_back(HeapBlocks& blocks,
                                     std::size_t max_bytes) {
  std::size_t removed = 0;
  std::erase_if(m_lent, [&](Lent const& lent) {
    auto const bytes = m_blocks.bytes_of(lent.id);
    if (lent.to != &blocks || bytes > max_bytes - removed) return false;
    auto const offset = map().offset_of(m_blocks.address_of(lent.id));
    if (!blocks.remove_range(offset, bytes)) return false;
    m_blocks.give_back(lent.id);
    removed += bytes;
    return true;
  });
  return removed;
}

bool SymmetricHeap::is_lent(Id id) const {
  return std::any_of(m_lent.begin(), m_lent.end(),
                     [&](Lent const& lent) { return lent.id == id; });
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "HeapChunks.hpp"

#include <algorithm>

#include "../base/Types.hpp"
#include "Poison.hpp"

namespace symm::Impl {

namespace {

std::size_t unit_of(Vmm const& vmm) {
  return vmm.granularity(Vmm::Granularity::recommended);
}

HeapOptions rounded(HeapOptions options, std::size_t unit) {
  options.initial_bytes = round_up(options.initial_bytes, unit);
  options.limit_bytes =
      round_up(std::max(options.limit_bytes, options.initial_bytes), unit);
  return options;
}

}  // namespace

HeapChunks::HeapChunks(MemoryProvider& provider, FdExchange& exchange,
                       Bootstrap& bootstrap, Rendezvous& rendezvous,
                       HeapOptions const& options)
    : m_foreign(provider),
      m_rendezvous(rendezvous),
      m_options(rounded(options, unit_of(provider))),
      m_places(m_options.limit_bytes, unit_of(provider)) {
  all_or_none(agree(), "reserving addresses for the symmetric heap", [&] {
    m_range.emplace(provider, exchange, bootstrap.my_pe(), bootstrap.n_pes(),
                    round_up(m_options.limit_bytes, alignment), alignment);
  });
}

std::optional<Failure> HeapChunks::add(HeapBlocks& blocks, std::size_t offset,
                                       std::size_t bytes) {
  auto const failure = add_chunk({offset, bytes});
  if (!failure) blocks.add_range(offset, bytes);
  return failure;
}

std::optional<Failure> HeapChunks::grow(HeapBlocks& blocks,
                                        HeapBlocks::Request const& request,
                                        std::size_t max_bytes) {
  // Below this limit, sizes can be added without overflow.
  if (m_options.is_static || request.bytes > m_options.limit_bytes) {
    return no_room(blocks);
  }
  std::optional<Failure> first;
  // If there is not enough memory for the bytes wanted, the second attempt
  // requests only the bytes needed. If the first place was lost, the second
  // attempt gets a different place.
  for (bool const is_second : {false, true}) {
    auto const place = m_places.place_for(
        [&](std::size_t offset) {
          return blocks.missing_bytes(offset, request);
        },
        [&](std::size_t offset) { return blocks.free_bytes_at(offset); });
    if (!place) break;
    if (place->needed > max_bytes) break;
    auto const wanted = std::min(place->wanted, max_bytes);
    if (is_second && wanted == place->needed) break;
    auto const failure =
        add(blocks, place->offset, is_second ? place->needed : wanted);
    if (!failure) return std::nullopt;
    if (!first) first = failure;
  }
  return first ? first : no_room(blocks);
}

Failure HeapChunks::no_room(HeapBlocks const& blocks) const {
  Text const sizes(blocks.free_bytes(),
                   " bytes free, the largest free block has ",
                   blocks.largest_free_bytes(), " bytes");
  Text const limit =
      m_options.is_static
          ? Text("the heap is static (SYMM_STATIC_HEAP) with ",
                 m_options.initial_bytes,
                 " bytes per PE; raise SYMM_SYMMETRIC_SIZE")
          : Text("the heap is limited to ", m_options.limit_bytes,
                 " bytes per PE; raise SYMM_HEAP_LIMIT");
  return {ErrorKind::out_of_memory,
          Text("no room on any PE: ", sizes, "; ", limit)};
}

HeapChunks::Trimmed HeapChunks::trim(HeapBlocks& blocks,
                                     std::size_t max_bytes) {
  Trimmed trimmed;
  if (m_options.is_static) return trimmed;
  for (auto i = m_places.size(); i > 0; --i) {
    auto const chunk = m_places.chunk(i - 1);
    if (chunk.kind != ChunkMap::Kind::own) continue;
    if (chunk.bytes > max_bytes) continue;
    if (!blocks.remove_range(chunk.offset, chunk.bytes)) continue;
    max_bytes -= chunk.bytes;
    trimmed.removed_bytes += chunk.bytes;
    auto const failed = remove(chunk.offset);
    if (!failed) trimmed.bytes += chunk.bytes;
    if (!trimmed.failure) trimmed.failure = failed;
  }
  return trimmed;
}

std::optional<Failure> HeapChunks::add_registered(std::size_t offset,
                                                  std::size_t bytes,
                                                  void const* memory) {
  return add_chunk({offset, bytes, ChunkMap::Kind::registered},
                   [&] { return m_foreign.retain(memory); });
}

std::optional<Failure> HeapChunks::add_chunk(
    ChunkMap::Chunk const& chunk,
    std::function<Vmm::Handle()> const& own_memory) {
  // Record the chunk before the PEs agree. Immediately after the agreement, a
  // far PE may put to the chunk, and this PE's progress thread then looks up
  // the offset.
  m_places.add(chunk);
  auto const added =
      m_range->try_to_add_chunk(chunk.offset, chunk.bytes, agree(), own_memory);
  if (added.is_lost) {
    m_places.lose(chunk.offset);
  } else if (added.failure) {
    m_places.remove(chunk.offset);
  }
  return added.failure;
}

std::optional<PeFailure> HeapChunks::remove(std::size_t offset) {
  if (m_told) m_told(offset);
  auto const failed =
      m_rendezvous.agree(failure_of([&] { m_range->remove_chunk(offset); }));
  if (failed) {
    m_places.lose(offset);
  } else {
    m_places.remove(offset);
  }
  return failed;
}

void HeapChunks::unpoison() const noexcept {
  if (!m_range || m_range->is_abandoned()) return;
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    auto const chunk = m_places.chunk(i);
    set_poisoned(map(), chunk.offset, chunk.bytes, false);
  }
}

Agree HeapChunks::agree() {
  return [this](std::optional<Failure> const& mine) {
    return m_rendezvous.agree(mine);
  };
}

}  // namespace symm::Impl

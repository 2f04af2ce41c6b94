// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Blocks of the heap, and the physical memory that they are in.
#include <bit>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "Poison.hpp"
#include "SymmetricHeap.hpp"

namespace symm::Impl {

SymmetricHeap::BlockId SymmetricHeap::allocate(Rendezvous::Call& call,
                                               Request const& request) {
  meet(call);
  return find_room(call, request);
}

SymmetricHeap::BlockId SymmetricHeap::find_room(Rendezvous::Call const& call,
                                                Request const& request) {
  auto id = take(request);
  if (id == OffsetAllocator::none && m_rendezvous.has_more_notices()) {
    meet_until_all_retired();
    id = take(request);
  }
  if (id == OffsetAllocator::none) {
    grow(call, request);
    id = take(request);
  }
  return id;
}

SymmetricHeap::BlockId SymmetricHeap::take(Request const& request) {
  auto const id =
      m_allocator.allocate(request.bytes, request.alignment, request.phase);
  if (id == OffsetAllocator::none) return id;
  auto const [offset, bytes] = m_allocator.place(id);
  set_poisoned(map(), offset, bytes, false);
  return id;
}

void SymmetricHeap::give_back(BlockId id) {
  auto const [offset, bytes] = m_allocator.place(id);
  set_poisoned(map(), offset, bytes, true);
  if (m_info[id].is_view) --m_n_views;
  m_info[id] = {};
  m_allocator.free(id);
}

char* SymmetricHeap::address_of(BlockId id) const {
  return map().part(map().my_pe) + m_allocator.place(id).offset;
}

std::optional<Failure> SymmetricHeap::check_alignment(std::size_t alignment) {
  if (!std::has_single_bit(alignment) || alignment < sizeof(void*)) {
    return Failure{
        ErrorKind::usage,
        Text("alignment ", alignment, " is not a power of two and multiple of ",
             sizeof(void*))};
  }
  if (alignment > max_alignment) {
    return Failure{ErrorKind::out_of_memory,
                   Text("alignment ", alignment,
                        " is above the largest offered, ", max_alignment)};
  }
  return std::nullopt;
}

std::optional<Failure> SymmetricHeap::check_block(void const* address,
                                                  bool is_view,
                                                  BlockId& id) const {
  auto const usage = [&](Text const& reason) {
    return Failure{ErrorKind::usage, Text("address ", address, " ", reason)};
  };
  if (!contains(address)) {
    return usage(
        "is not in the symmetric heap of this PE; pass what symm::malloc, "
        "align, calloc or realloc has returned");
  }
  auto const offset = map().offset_of(address);
  id                = m_allocator.find(offset);
  auto const outer =
      id == OffsetAllocator::none ? m_allocator.find_enclosing(offset) : id;
  if (find_registered(offset) != OffsetAllocator::none) {
    return usage(
        "is registered memory of the program; "
        "symm::buffer_unregister_symmetric "
        "or, for a View, the end of its last copy takes it out of the heap");
  }
  if (outer == OffsetAllocator::none) {
    return usage("is not allocated; was it freed already?");
  }
  if (m_info[outer].is_view && !is_view) {
    return usage(Text("belongs to View \"", m_info[outer].label.data(),
                      "\", which frees it when its last copy goes"));
  }
  if (id == OffsetAllocator::none) {
    auto const [start, bytes] = m_allocator.place(outer);
    return usage(Text("is inside a block of ", bytes, " bytes, ",
                      offset - start,
                      " bytes after its start; pass the start"));
  }
  return std::nullopt;
}

// Growth.

void SymmetricHeap::grow(Rendezvous::Call const& call, Request const& request) {
  auto const name =
      to_string(call.operation, call.arguments, call.label, call.memory);
  // Sums below the limit cannot overflow.
  bool const can_grow =
      !m_options.is_static && request.bytes <= m_options.limit_bytes;
  std::optional<Failure> first;
  // What is wanted may not be there while what is needed is; at another place,
  // if this one was lost.
  for (bool const is_second : {false, true}) {
    auto const place = can_grow ? place_for(request) : std::nullopt;
    if (!place) break;
    if (is_second && place->wanted == place->needed) break;
    auto const failure =
        add_own_chunk(place->offset, is_second ? place->needed : place->wanted);
    if (!failure) return;
    if (!first) first = failure;
  }
  if (!first) {
    Text const sizes(m_allocator.free_bytes(),
                     " bytes free, the largest free block has ",
                     m_allocator.largest_free_bytes(), " bytes");
    Text const limit =
        m_options.is_static
            ? Text("the heap is static (SYMM_STATIC_HEAP) with ",
                   m_options.initial_bytes,
                   " bytes per PE; raise SYMM_SYMMETRIC_SIZE")
            : Text("the heap is limited to ", m_options.limit_bytes,
                   " bytes per PE; raise SYMM_HEAP_LIMIT");
    throw OutOfMemory(Text(name, ": no room on any PE: ", sizes, "; ", limit));
  }
  throw_failure({first->kind, Text(name, ": ", first->message)});
}

std::optional<ChunkMap::Place> SymmetricHeap::place_for(
    Request const& request) {
  return m_chunks->place_for(
      [&](std::size_t offset) {
        return m_allocator.missing_bytes(offset, request.bytes,
                                         request.alignment, request.phase);
      },
      [&](std::size_t offset) { return m_allocator.free_bytes_at(offset); });
}

std::optional<Failure> SymmetricHeap::add_own_chunk(std::size_t offset,
                                                    std::size_t bytes) {
  auto const failure = add_chunk({offset, bytes});
  if (failure) return failure;
  m_allocator.add_range(offset, bytes);
  set_poisoned(map(), offset, bytes, true);
  return std::nullopt;
}

std::optional<Failure> SymmetricHeap::add_chunk(
    ChunkMap::Chunk chunk, std::function<Vmm::Handle()> const& own_memory) {
  auto const added =
      m_range->try_to_add_chunk(chunk.offset, chunk.bytes, agree(), own_memory);
  if (added.is_lost) chunk.kind = ChunkMap::Kind::lost;
  if (!added.failure || added.is_lost) m_chunks->add(chunk);
  return added.failure;
}

std::optional<PeFailure> SymmetricHeap::remove_chunk(std::size_t offset) {
  auto const failed =
      m_rendezvous.agree(failure_of([&] { m_range->remove_chunk(offset); }));
  if (failed) {
    m_chunks->lose(offset);
  } else {
    m_chunks->remove(offset);
  }
  return failed;
}

void SymmetricHeap::throw_lost(Rendezvous::Call const& call,
                               PeFailure const& failed) {
  throw_failure({failed.failure.kind,
                 Text(name_of(call.operation), ": PE ", failed.pe, " failed: ",
                      failed.failure.message, "; its addresses are lost")});
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SymmetricHeap.hpp"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "../base/Failure.hpp"
#include "../base/Types.hpp"
#include "Poison.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t no_offset = std::numeric_limits<std::size_t>::max();

}  // namespace

SymmetricHeap::SymmetricHeap(MemoryProvider& vmm, FdExchange& exchange,
                             Bootstrap& bootstrap, Rendezvous& rendezvous,
                             HeapOptions const& options)
    : m_rendezvous(rendezvous), m_vmm(vmm), m_options(options) {
  auto const unit         = vmm.granularity(Vmm::Granularity::recommended);
  m_options.initial_bytes = round_up(options.initial_bytes, unit);
  m_options.limit_bytes =
      round_up(std::max(options.limit_bytes, m_options.initial_bytes), unit);
  all_or_none(agree(), "reserving addresses for the symmetric heap", [&] {
    m_range.emplace(vmm, exchange, bootstrap.my_pe(), bootstrap.n_pes(),
                    round_up(m_options.limit_bytes, max_alignment),
                    max_alignment);
  });
  m_chunks.emplace(m_options.limit_bytes, unit);
  if (m_options.initial_bytes > 0) {
    auto const failure = add_own_chunk(0, m_options.initial_bytes);
    if (failure) throw_failure(*failure);
  }
}

void* SymmetricHeap::malloc(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return m_rendezvous.run(Operation::malloc, [&]() -> void* {
    auto call = Rendezvous::make_call(Operation::malloc, {bytes});
    return address_of(allocate(call, {bytes}));
  });
}

void* SymmetricHeap::align(std::size_t alignment, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return m_rendezvous.run(Operation::align, [&]() -> void* {
    Rendezvous::Call call{.operation = Operation::align,
                          .arguments = {bytes, alignment},
                          .failure   = check_alignment(alignment)};
    return address_of(allocate(call, {bytes, alignment}));
  });
}

void* SymmetricHeap::calloc(std::size_t count, std::size_t size) {
  if (count == 0 || size == 0) return nullptr;
  return m_rendezvous.run(Operation::calloc, [&]() -> void* {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
      bytes = std::numeric_limits<std::size_t>::max();  // never there
    }
    Rendezvous::Call call{.operation = Operation::calloc,
                          .arguments = {bytes, count, size}};
    auto const id      = allocate(call, {bytes});
    auto const failure = failure_of([&] { m_vmm.zero(address_of(id), bytes); });
    end_step(failure,
             id);  // a peer's put must not be overwritten by zeros (C11)
    return address_of(id);
  });
}

void* SymmetricHeap::realloc(void* address, std::size_t bytes) {
  if (address == nullptr && bytes == 0) return nullptr;
  return m_rendezvous.run(Operation::realloc, [&]() -> void* {
    auto id = OffsetAllocator::none;
    Rendezvous::Call call{.operation = Operation::realloc,
                          .arguments = {bytes, no_offset}};
    if (address == nullptr) return address_of(allocate(call, {bytes}));
    call.arguments[1] = map().offset_of(address);
    call.failure      = check_block(address, false, id);
    meet(call);
    if (bytes == 0) {
      give_back(id);
      return nullptr;
    }
    auto const [offset, old_bytes] = m_allocator.place(id);
    if (bytes <= old_bytes) {
      auto const kept = round_up(bytes, OffsetAllocator::granule);
      set_poisoned(map(), offset + kept, old_bytes - kept, true);
      m_allocator.shrink(id, kept);
      return address;
    }
    auto const moved = find_room(call, {bytes});
    auto* const to   = address_of(moved);
    auto const failure =
        failure_of([&, n = old_bytes] { m_vmm.copy(to, address, n); });
    // A peer's put must not be overwritten by the copy.
    end_step(failure, moved);
    give_back(id);
    return to;
  });
}

void SymmetricHeap::free(void* address) {
  if (address != nullptr) free_block(address, false);
}

void SymmetricHeap::free_view(void* address) { free_block(address, true); }

void SymmetricHeap::free_block(void* address, bool is_view) {
  auto id              = OffsetAllocator::none;
  auto const operation = is_view ? Operation::free_view : Operation::free;
  m_rendezvous.run(operation, [&] {
    auto call    = Rendezvous::make_call(operation, {map().offset_of(address)});
    call.failure = check_block(address, is_view, id);
    auto const label = call.failure ? BlockInfo{}.label : m_info[id].label;
    call.label       = label.data();
    meet(call);
    give_back(id);
  });
}

void* SymmetricHeap::allocate_view(char const* label, std::size_t bytes,
                                   std::size_t alignment, std::size_t header) {
  return m_rendezvous.run(Operation::allocate_view, [&]() -> void* {
    auto call         = Rendezvous::make_call(Operation::allocate_view,
                                              {bytes - header, alignment, header});
    call.label        = label;
    call.failure      = check_alignment(alignment);
    auto const id     = allocate(call, {bytes, alignment, header % alignment});
    auto& info        = m_info[id];
    info.is_view      = true;
    info.header_bytes = static_cast<std::uint16_t>(header);
    set_label(info, label);
    ++m_n_views;
    return address_of(id);
  });
}

void SymmetricHeap::finish_view(char const* label,
                                std::optional<Failure> const& failure) {
  m_rendezvous.run(Operation::finish_view, [&] {
    auto call    = Rendezvous::make_call(Operation::finish_view, {});
    call.memory  = m_options.memory;
    call.label   = label;
    call.failure = failure;
    m_rendezvous.meet(call);
  });
}

void SymmetricHeap::retire(void* address) noexcept { m_retired.push(address); }

std::size_t SymmetricHeap::trim() {
  return m_rendezvous.run(Operation::heap_trim, [&]() -> std::size_t {
    Rendezvous::Call call{.operation = Operation::heap_trim};
    call.failure =
        failure_of([&] { m_allocator.prepare_to_remove(m_chunks->size()); });
    meet(call);
    meet_until_all_retired();
    if (m_options.is_static) return 0;
    std::size_t released = 0;
    // Goes on after a failure.
    std::optional<PeFailure> first;
    for (auto i = m_chunks->size(); i > 0; --i) {
      auto const chunk = m_chunks->chunk(i - 1);
      if (chunk.kind != ChunkMap::Kind::own) continue;
      if (!m_allocator.remove_range(chunk.offset, chunk.bytes)) continue;
      set_poisoned(map(), chunk.offset, chunk.bytes, false);
      auto const failed = remove_chunk(chunk.offset);
      if (!failed) released += chunk.bytes;
      if (!first) first = failed;
    }
    if (first) throw_lost(call, *first);
    return released;
  });
}

std::vector<std::string> SymmetricHeap::finalize() {
  return m_rendezvous.run(
      Operation::finalize, [&]() -> std::vector<std::string> {
        Rendezvous::Call call{.operation = Operation::finalize};
        meet(call);
        meet_until_all_retired();
        std::vector<std::string> live;
        for (BlockId id = 0; id < m_info.size(); ++id) {
          if (!m_info[id].is_view || m_info[id].is_retired_here) continue;
          live.push_back("\"" + std::string(m_info[id].label.data()) + "\" (" +
                         bytes_text(m_allocator.place(id).bytes -
                                    m_info[id].header_bytes) +
                         ")");
        }
        for (auto const& entry : m_registered) {
          if (!entry.info.is_view || entry.info.is_retired_here) continue;
          live.push_back("\"" + std::string(entry.info.label.data()) +
                         "\" (registered, " + bytes_text(entry.bytes) + ")");
        }
        for (std::size_t i = 0; i < m_chunks->size(); ++i) {
          auto const chunk = m_chunks->chunk(i);
          set_poisoned(map(), chunk.offset, chunk.bytes, false);
        }
        if (!live.empty()) abandon();
        return live;
      });
}

HeapStats SymmetricHeap::stats() const {
  return {.live_blocks        = m_allocator.n_live(),
          .live_bytes         = m_allocator.live_bytes(),
          .free_bytes         = m_allocator.free_bytes(),
          .largest_free_bytes = m_allocator.largest_free_bytes(),
          .mapped_bytes       = m_chunks->mapped_bytes(),
          .n_chunks           = m_chunks->n_own(),
          .limit_bytes        = m_options.limit_bytes,
          .registered_buffers = m_chunks->n_registered(),
          .registered_bytes   = m_chunks->registered_bytes(),
          .retired_blocks     = m_n_waiting,
          .n_collective_calls = m_rendezvous.n_calls()};
}

// The collective step.

void SymmetricHeap::meet(Rendezvous::Call& call) {
  // All private memory that this call needs is there before the others hear of
  // it: afterwards nothing may fail on one PE alone.
  call.memory        = m_options.memory;
  auto const failure = failure_of([&] {
    m_vmm.synchronize();
    m_allocator.prepare();
    m_chunks->prepare();
    auto const n_ids = m_allocator.n_ids() + OffsetAllocator::max_new_blocks;
    if (m_info.size() < n_ids) m_info.resize(2 * n_ids);
    m_retired.make_room_for(m_n_views + 1);
    drain_retired();
  });
  if (failure && !call.failure) call.failure = failure;
  auto const told       = std::min(m_to_tell.size(), Rendezvous::max_notices);
  call.notices          = std::span(m_to_tell).first(told);
  call.has_more_notices = told < m_to_tell.size();
  // If this throws, it throws on every PE and nobody has read the notices: the
  // next call tells them again.
  m_rendezvous.meet(call);
  m_to_tell.erase(m_to_tell.begin(),
                  m_to_tell.begin() + static_cast<std::ptrdiff_t>(told));
  bool has_retired_memory = false;
  // Every PE reads the same notices in the same order: the same blocks become
  // free in the same order.
  for (Pe pe = 0; pe < map().n_pes; ++pe) {
    for (BlockId const id : m_rendezvous.notices(pe)) {
      if (++info_of(id).n_retired < map().n_pes) continue;
      if ((id & registered_bit) != 0) {
        has_retired_memory = true;
        continue;
      }
      --m_n_waiting;
      give_back(id);
    }
  }
  // A rendezvous of its own, after which there are no notices to read.
  if (has_retired_memory) remove_retired();
}

void SymmetricHeap::drain_retired() {
  m_retired.drain([&](auto const& addresses) { collect(addresses); });
}

void SymmetricHeap::collect(std::vector<void*> const& retired) {
  m_to_tell.reserve(m_to_tell.size() + retired.size());  // all or nothing
  for (void* const address : retired) {
    auto const offset = map().offset_of(address);
    auto id           = m_allocator.find(offset);
    if (id == OffsetAllocator::none) id = find_registered(offset);
    if (id == OffsetAllocator::none || !info_of(id).is_view ||
        info_of(id).is_retired_here) {
      std::fprintf(stderr,
                   "symm: PE %d: %p is not the memory of a live View in the "
                   "symmetric heap; not freed\n",
                   map().my_pe, address);
      continue;
    }
    info_of(id).is_retired_here = true;
    m_to_tell.push_back(id);
    ++m_n_waiting;
  }
}

void SymmetricHeap::meet_until_all_retired() {
  while (m_rendezvous.has_more_notices()) barrier();
}

void SymmetricHeap::barrier() {
  Rendezvous::Call call{.operation = Operation::agree};
  meet(call);
}

void SymmetricHeap::end_step(std::optional<Failure> const& failure,
                             BlockId block) {
  if (auto const failed = m_rendezvous.agree(failure)) {
    give_back(block);
    throw_failure(failed->failure);
  }
}

Agree SymmetricHeap::agree() {
  return [this](std::optional<Failure> const& mine) {
    return m_rendezvous.agree(mine);
  };
}

}  // namespace symm::Impl

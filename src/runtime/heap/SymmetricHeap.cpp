// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SymmetricHeap.hpp"

#include <bit>
#include <limits>

#include "../base/Failure.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t no_offset = std::numeric_limits<std::size_t>::max();

}  // namespace

SymmetricHeap::SymmetricHeap(MemoryProvider& provider, FdExchange& exchange,
                             Bootstrap& bootstrap, Rendezvous& rendezvous,
                             HeapOptions const& options)
    : m_rendezvous(rendezvous),
      m_provider(provider),
      m_chunks(provider, exchange, bootstrap, rendezvous, options),
      m_blocks(map()),
      m_registered(provider, map(), options.is_static) {
  auto const bytes = m_chunks.options().initial_bytes;
  if (bytes > 0) {
    auto const failure = m_chunks.add(m_blocks, 0, bytes);
    if (failure) throw_failure(*failure);
  }
  publish_stats();
}

void* SymmetricHeap::malloc(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return run(RuntimeCall::malloc, [&]() -> void* {
    auto call = Rendezvous::make_call(RuntimeCall::malloc, {bytes});
    meet(call);
    return m_blocks.address_of(find_room(call, {bytes}));
  });
}

void* SymmetricHeap::align(std::size_t alignment, std::size_t bytes) {
  if (bytes == 0) return nullptr;
  return run(RuntimeCall::align, [&]() -> void* {
    Rendezvous::Call call{.operation = RuntimeCall::align,
                          .arguments = {bytes, alignment},
                          .failure   = check_alignment(alignment)};
    meet(call);
    return m_blocks.address_of(find_room(call, {bytes, alignment}));
  });
}

void* SymmetricHeap::calloc(std::size_t count, std::size_t size) {
  if (count == 0 || size == 0) return nullptr;
  return run(RuntimeCall::calloc, [&]() -> void* {
    std::size_t bytes = 0;
    if (__builtin_mul_overflow(count, size, &bytes)) {
      // Larger than any heap.
      bytes = std::numeric_limits<std::size_t>::max();
    }
    Rendezvous::Call call{.operation = RuntimeCall::calloc,
                          .arguments = {bytes, count, size}};
    meet(call);
    auto const id = find_room(call, {bytes});
    auto const failure =
        failure_of([&] { m_provider.zero(m_blocks.address_of(id), bytes); });
    // All PEs wait here, because zeroing the block must not overwrite a peer's
    // put (C11).
    end_step(failure, id);
    return m_blocks.address_of(id);
  });
}

void* SymmetricHeap::realloc(void* address, std::size_t bytes) {
  if (address == nullptr && bytes == 0) return nullptr;
  return run(RuntimeCall::realloc, [&]() -> void* {
    auto id = HeapBlocks::none;
    Rendezvous::Call call{.operation = RuntimeCall::realloc,
                          .arguments = {bytes, no_offset}};
    if (address != nullptr) {
      call.arguments[1] = map().offset_of(address);
      call.failure      = check_block(address, false, id);
    }
    meet(call);
    if (address == nullptr)
      return m_blocks.address_of(find_room(call, {bytes}));
    if (bytes == 0) {
      m_blocks.give_back(id);
      return nullptr;
    }
    auto const old_bytes = m_blocks.bytes_of(id);
    if (bytes <= old_bytes) {
      m_blocks.shrink(id, bytes);
      return address;
    }
    auto const moved = find_room(call, {bytes});
    auto* const to   = m_blocks.address_of(moved);
    auto const failure =
        failure_of([&] { m_provider.copy(to, address, old_bytes); });
    // All PEs wait here, because the copy must not overwrite a peer's put.
    end_step(failure, moved);
    m_blocks.give_back(id);
    return to;
  });
}

void SymmetricHeap::free(void* address) {
  if (address != nullptr) free_block(address, false);
}

void SymmetricHeap::free_block(void* address, bool is_view) {
  auto id              = HeapBlocks::none;
  auto const operation = is_view ? RuntimeCall::free_view : RuntimeCall::free;
  run(operation, [&] {
    auto call    = Rendezvous::make_call(operation, {map().offset_of(address)});
    call.failure = check_block(address, is_view, id);
    // Copy the label, because meet() may move the ViewInfo.
    auto const label = call.failure ? ViewInfo{}.label : view(id).label;
    call.label       = label.data();
    meet(call);
    m_blocks.give_back(id);
  });
}

void SymmetricHeap::end_step(std::optional<Failure> const& failure, Id block) {
  if (auto const failed = m_rendezvous.agree(failure)) {
    m_blocks.give_back(block);
    throw_failure(failed->failure);
  }
}

std::size_t SymmetricHeap::trim() {
  return run(RuntimeCall::heap_trim, [&]() -> std::size_t {
    Rendezvous::Call call{.operation = RuntimeCall::heap_trim};
    call.failure = failure_of(
        [&] { m_blocks.prepare_to_remove(m_chunks.places().size()); });
    meet(call);
    meet_until_all_retired();
    auto const trimmed = m_chunks.trim(m_blocks);
    if (trimmed.failure) throw_lost(call, *trimmed.failure);
    return trimmed.bytes;
  });
}

std::vector<std::string> SymmetricHeap::finalize() {
  return run(RuntimeCall::finalize, [&]() -> std::vector<std::string> {
    Rendezvous::Call call{.operation = RuntimeCall::finalize};
    meet(call);
    meet_until_all_retired();
    std::vector<std::string> live;
    m_blocks.list_views(live);
    m_registered.list_views(live);
    if (!live.empty()) abandon();
    return live;
  });
}

void SymmetricHeap::publish_stats() noexcept {
  m_stats.publish({.live_blocks        = m_blocks.n_live(),
                   .live_bytes         = m_blocks.live_bytes(),
                   .free_bytes         = m_blocks.free_bytes(),
                   .largest_free_bytes = m_blocks.about_largest_free_bytes(),
                   .mapped_bytes       = m_chunks.places().mapped_bytes(),
                   .n_chunks           = m_chunks.places().n_own(),
                   .limit_bytes        = m_chunks.options().limit_bytes,
                   .registered_buffers = m_chunks.places().n_registered(),
                   .registered_bytes   = m_chunks.places().registered_bytes(),
                   .retired_blocks     = m_retired.n_waiting()});
}

HeapStats SymmetricHeap::stats() const {
  auto stats               = m_stats.read();
  stats.n_collective_calls = m_rendezvous.n_calls();
  return stats;
}

std::optional<Failure> SymmetricHeap::check_alignment(std::size_t alignment) {
  if (!std::has_single_bit(alignment) || alignment < sizeof(void*)) {
    return Failure{
        ErrorKind::usage,
        Text("alignment ", alignment,
             " must be a power of two and a multiple of ", sizeof(void*))};
  }
  if (alignment > max_alignment) {
    return Failure{
        ErrorKind::out_of_memory,
        Text("alignment ", alignment, " exceeds the maximum, ", max_alignment)};
  }
  return std::nullopt;
}

std::optional<Failure> SymmetricHeap::check_block(void const* address,
                                                  bool is_view, Id& id) const {
  auto const offset = map().offset_of(address);
  id                = m_blocks.find(offset);
  if (id != HeapBlocks::none && (is_view || !m_blocks.view(id).is_view)) {
    if (!is_lent(id)) return std::nullopt;
    return wrong_address(address,
                         "is in a memory pool; free it with symm::free_async");
  }
  if (m_registered.find(offset) != RegisteredMemory::none) {
    return wrong_address(
        address,
        "is registered memory of the program; call "
        "symm::buffer_unregister_symmetric or, for a View, destroy its last "
        "copy");
  }
  return wrong_address(address, m_blocks.complaint_about(address, is_view));
}

Failure SymmetricHeap::wrong_address(void const* address,
                                     Text const& complaint) {
  return {ErrorKind::usage, Text("address ", address, " ", complaint)};
}

void SymmetricHeap::throw_named(Rendezvous::Call const& call,
                                Failure const& failure) {
  throw_failure({failure.kind, Text(to_string(call.operation, call.arguments,
                                              call.label, call.memory),
                                    ": ", failure.message)});
}

void SymmetricHeap::throw_lost(Rendezvous::Call const& call,
                               PeFailure const& failed) {
  throw_failure({failed.failure.kind,
                 Text(name_of(call.operation), ": PE ", failed.pe, " failed: ",
                      failed.failure.message, "; its addresses are lost")});
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "SideQueue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "../symm_errors.hpp"

namespace symm::Impl {

// For providers whose memory needs no SideQueue.

void CopyQueue::store_words(void*, WordStore const*, std::size_t) {
  throw SystemError("this memory has no queue that stores words");
}

void CopyQueue::wait_for_words(void*, WordWait const*, std::size_t) {
  throw SystemError("this memory has no queue that waits for words");
}

void CopyQueue::change_words(void*, WordChange*, std::size_t, AtomicOp,
                             WordType) {
  throw SystemError("this memory has no queue that changes words");
}

PinnedMemory::PinnedMemory(MemoryProvider& provider, std::size_t bytes)
    : m_provider(provider), m_bytes(bytes) {
  auto* const memory =
      ::operator new(bytes, std::align_val_t(alignment), std::nothrow);
  if (memory == nullptr) {
    throw OutOfMemory("no private memory for copies of a GPU");
  }
  m_memory.reset(static_cast<std::byte*>(memory));
  std::memset(memory, 0, bytes);
  m_is_pinned = provider.pin(memory, bytes);
}

PinnedMemory::~PinnedMemory() {
  if (!m_is_pinned) return;
  try {
    m_provider.unpin(m_memory.get());
  } catch (Error const&) {
    // The context is lost: leave the memory, which may still be page-locked.
    static_cast<void>(m_memory.release());
  }
}

SideQueue::SideQueue(MemoryProvider& provider)
    : m_provider(provider),
      m_memory(provider, 3 * most_bytes + most_changes * sizeof(Change)),
      m_queue(provider.make_queue()) {
  // Loads the kernel now: its first launch may wait for all running kernels.
  try {
    m_provider.change_words(
        m_queue, reinterpret_cast<Change*>(m_memory.data() + 3 * most_bytes), 0,
        AtomicOp::add, WordType::u64);
    wait();
  } catch (...) {
    m_provider.free_queue(m_queue);
    throw;
  }
}

SideQueue::~SideQueue() { m_provider.free_queue(m_queue); }

void SideQueue::wait() {
  m_provider.wait(m_queue);
  m_used         = 0;
  m_first_change = 0;
  m_end_changes  = 0;
}

void SideQueue::finish() {
  flush();
  wait();
}

bool SideQueue::is_idle() {
  flush();
  return m_provider.is_idle(m_queue);
}

std::byte* SideQueue::room_for(std::size_t bytes) {
  constexpr std::size_t all = 2 * most_bytes;
  if (m_used + bytes > all) finish();
  auto* const place = m_memory.data() + m_used;
  m_used += round_up(bytes, std::size_t{16});
  return place;
}

void SideQueue::begin_copy(CopyQueue::Strided const& copy) {
  flush();
  m_provider.copy_strided(copy, m_queue);
}

void SideQueue::store(void* to, void const* from, std::size_t bytes) {
  bool const is_word = (bytes == 4 || bytes == 8) &&
                       reinterpret_cast<std::uintptr_t>(to) % bytes == 0;
  if (is_word) {
    std::uint64_t value = 0;
    std::memcpy(&value, from, bytes);
    add_store({to, value, bytes});
    return;
  }
  auto* its_to           = static_cast<char*>(to);
  auto const* const data = static_cast<std::byte const*>(from);
  for (std::size_t done = 0; done < bytes;) {
    auto const part   = std::min(bytes - done, most_bytes);
    auto* const place = room_for(part);
    std::memcpy(place, data + done, part);
    begin_copy({its_to + done, reinterpret_cast<char const*>(place), part, part,
                part, 1});
    done += part;
  }
}

void SideQueue::store_strided(void* to, std::size_t to_stride, void const* from,
                              std::size_t element_bytes, std::size_t count) {
  auto* const place = room_for(element_bytes * count);
  std::memcpy(place, from, element_bytes * count);
  begin_copy({static_cast<char*>(to), reinterpret_cast<char const*>(place),
              to_stride, element_bytes, element_bytes, count});
}

void SideQueue::add_store(CopyQueue::WordStore const& store) {
  m_stores[m_n_stores++] = store;
  if (m_n_stores == m_stores.size()) flush();
}

/// Enqueues collected stores and changes. If both concern one word, their order
/// does not matter.
void SideQueue::flush() {
  if (m_n_stores != 0) {
    m_provider.store_words(m_queue, m_stores.data(),
                           std::exchange(m_n_stores, 0));
  }
  flush_changes();
}

void SideQueue::flush_changes() {
  if (m_first_change == m_end_changes) return;
  auto* const changes =
      reinterpret_cast<Change*>(m_memory.data() + 3 * most_bytes);
  auto const first = m_first_change;
  m_first_change   = m_end_changes;
  m_provider.change_words(m_queue, changes + first, m_end_changes - first, m_op,
                          m_type);
}

void SideQueue::change(void* word, AtomicOp op, WordType type,
                       std::uint64_t value) {
  if (op == AtomicOp::fetch) return;
  if (op == AtomicOp::set || op == AtomicOp::swap) {
    add_store({word, value, bytes_of(type)});
    return;
  }
  // Changes of one kind give the same result in any order, but for rounding in
  // floating-point sums, whose order is unspecified.
  if (m_op != op || m_type != type) flush_changes();
  if (m_end_changes == most_changes) finish();
  m_op   = op;
  m_type = type;
  auto* const changes =
      reinterpret_cast<Change*>(m_memory.data() + 3 * most_bytes);
  changes[m_end_changes++] = {reinterpret_cast<std::uintptr_t>(word), value, 0,
                              0};
}

std::uint64_t SideQueue::fetch_and_change(void* word, AtomicOp op,
                                          WordType type, std::uint64_t value,
                                          std::uint64_t compare) {
  finish();
  if (op == AtomicOp::fetch) {
    auto const now          = load(word, bytes_of(type));
    std::uint64_t value_now = 0;
    std::memcpy(&value_now, now.data(), now.size());
    return value_now;
  }
  auto* const change =
      reinterpret_cast<Change*>(m_memory.data() + 3 * most_bytes);
  *change = {reinterpret_cast<std::uintptr_t>(word), value, compare, 0};
  m_provider.change_words(m_queue, change, 1, op, type);
  wait();
  return change->was;
}

std::span<std::byte const> SideQueue::load(void const* from,
                                           std::size_t bytes) {
  return load_strided(from, bytes, bytes, 1);
}

std::span<std::byte const> SideQueue::load_strided(void const* from,
                                                   std::size_t from_stride,
                                                   std::size_t element_bytes,
                                                   std::size_t count) {
  auto* const place = m_memory.data() + 2 * most_bytes;
  begin_copy({reinterpret_cast<char*>(place), static_cast<char const*>(from),
              element_bytes, from_stride, element_bytes, count});
  finish();
  return {place, element_bytes * count};
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "GpuAccessQueue.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "../symm_errors.hpp"

namespace symm::Impl {

// Defaults for providers whose memory needs no GpuAccessQueue.

void CopyQueue::store_words(void*, WordStore const*, std::size_t) {
  throw SystemError("this memory has no queue that stores words");
}

void CopyQueue::wait_for_words(void*, WordWait const*, std::size_t) {
  throw SystemError("this memory has no queue that waits for words");
}

void CopyQueue::begin_changes(void*, AtomicBoard*, std::uint64_t) {
  throw SystemError("this memory has no queue that changes words");
}

GpuAccessQueue::GpuAccessQueue(MemoryProvider& provider, Changes changes)
    : m_provider(provider),
      m_memory(provider, 3 * max_bytes),
      m_queue(provider.make_queue()) {
  if (changes == Changes::none) return;
  try {
    m_changes = std::make_unique<AtomicQueue>(provider, m_queue);
  } catch (...) {
    m_provider.free_queue(m_queue);
    throw;
  }
}

GpuAccessQueue::~GpuAccessQueue() {
  m_changes = nullptr;
  m_provider.free_queue(m_queue);
}

void GpuAccessQueue::wait() {
  m_provider.wait(m_queue);
  m_used = 0;
}

void GpuAccessQueue::finish() {
  flush();
  wait();
  if (m_changes != nullptr) m_changes->finish();
}

bool GpuAccessQueue::is_idle() {
  flush();
  return m_provider.is_idle(m_queue);
}

std::byte* GpuAccessQueue::room_for(std::size_t bytes) {
  constexpr std::size_t all = 2 * max_bytes;
  if (m_used + bytes > all) finish();
  auto* const place = m_memory.data() + m_used;
  m_used += round_up(bytes, std::size_t{16});
  return place;
}

void GpuAccessQueue::begin_copy(CopyQueue::Strided const& copy) {
  flush();
  m_provider.copy_strided(copy, m_queue);
}

void GpuAccessQueue::store(void* to, void const* from, std::size_t bytes) {
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
    auto const part   = std::min(bytes - done, max_bytes);
    auto* const place = room_for(part);
    std::memcpy(place, data + done, part);
    begin_copy({its_to + done, reinterpret_cast<char const*>(place), part, part,
                part, 1});
    done += part;
  }
}

void GpuAccessQueue::store_strided(void* to, std::size_t to_stride,
                                   void const* from, std::size_t element_bytes,
                                   std::size_t count) {
  auto* const place = room_for(element_bytes * count);
  std::memcpy(place, from, element_bytes * count);
  begin_copy({static_cast<char*>(to), reinterpret_cast<char const*>(place),
              to_stride, element_bytes, element_bytes, count});
}

void GpuAccessQueue::add_store(CopyQueue::WordStore const& store) {
  m_stores[m_n_stores++] = store;
  if (m_n_stores == m_stores.size()) flush();
}

/// Enqueues the collected stores and atomic operations. Their order does not
/// matter, even on the same word.
void GpuAccessQueue::flush() {
  if (m_n_stores != 0) {
    m_provider.store_words(m_queue, m_stores.data(),
                           std::exchange(m_n_stores, 0));
  }
  if (m_changes != nullptr) m_changes->flush();
}

void GpuAccessQueue::change(void* word, AtomicOp op, WordType type,
                            std::uint64_t value) {
  if (op == AtomicOp::fetch) return;
  if (op == AtomicOp::set || op == AtomicOp::swap) {
    add_store({word, value, bytes_of(type)});
    return;
  }
  m_changes->add(word, op, type, value);
}

std::uint64_t GpuAccessQueue::fetch_and_change(void* word, AtomicOp op,
                                               WordType type,
                                               std::uint64_t value,
                                               std::uint64_t compare) {
  finish();
  if (op == AtomicOp::fetch) {
    auto const now          = load(word, bytes_of(type));
    std::uint64_t value_now = 0;
    std::memcpy(&value_now, now.data(), now.size());
    return value_now;
  }
  return m_changes->fetch(word, op, type, value, compare);
}

std::span<std::byte const> GpuAccessQueue::load(void const* from,
                                                std::size_t bytes) {
  return load_strided(from, bytes, bytes, 1);
}

std::span<std::byte const> GpuAccessQueue::load_strided(
    void const* from, std::size_t from_stride, std::size_t element_bytes,
    std::size_t count) {
  auto* const place = m_memory.data() + 2 * max_bytes;
  begin_copy({reinterpret_cast<char*>(place), static_cast<char const*>(from),
              element_bytes, from_stride, element_bytes, count});
  finish();
  return {place, element_bytes * count};
}

}  // namespace symm::Impl

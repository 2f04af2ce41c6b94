// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "UpdateServer.hpp"

#include <algorithm>
#include <utility>

namespace symm::Impl {

namespace {

constexpr UpdateServer::Number max_at_once = 4096;
/// If a kernel thread has drawn a ticket but has not yet written the update,
/// the queue contains a hole. end_of_written() looks past up to this many
/// adjacent holes.
constexpr UpdateServer::Number max_holes = 1024;
constexpr UpdateServer::Number max_ahead = 256;
constexpr std::size_t bytes_of_line      = 64;

std::uint64_t load_word(std::uint64_t const* word) {
  return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

}  // namespace

UpdateServer::UpdateServer(MemoryProvider& provider, Channel& channel,
                           TransportTarget& memory, int n_pes, Find find)
    : m_channel(channel),
      m_memory(memory),
      m_n_pes(n_pes),
      m_find(std::move(find)),
      m_pinned(provider, UpdateWords::bytes + bytes_of_line),
      m_words(reinterpret_cast<std::uint64_t*>(m_pinned.data())),
      m_freed(reinterpret_cast<std::uint64_t*>(m_pinned.data() +
                                               UpdateWords::bytes)) {}

bool UpdateServer::read(Number ticket, Update& update) const {
  UpdateWords const place(m_words, ticket);
  // Check the last word first, because it is usually written last.
  auto const c = load_word(place.word(2));
  if (!place.is_of_lap(c)) return false;
  auto const a = load_word(place.word(0));
  auto const b = load_word(place.word(1));
  if (!place.is_of_lap(a) || !place.is_of_lap(b)) return false;
  update = UpdateWords::update_of(a, b, c);
  return true;
}

bool UpdateServer::take(Number next_request) {
  auto const begin = m_head;
  m_range          = {};
  Update update;
  for (; m_head - begin < max_at_once && read(m_head, update); ++m_head) {
    // Prefetch, because memory written by a GPU is at best in a shared cache
    // level.
    if (m_head % 8 == 0) {
      UpdateWords const later(m_words, m_head + max_ahead);
      for (std::size_t i = 0; i < 3; ++i) __builtin_prefetch(later.word(i));
    }
    if (update.kind == Update::fence) {
      m_awaited = update.value;
      if (next_request < m_awaited) break;
    }
    carry_out(update);
  }
  if (m_head == begin) return false;
  deliver();
  __atomic_store_n(m_freed, m_head, __ATOMIC_RELEASE);
  m_taken.store(m_head, std::memory_order_release);
  return true;
}

void UpdateServer::carry_out(Update const& update) {
  if (update.kind < Update::store) [[likely]] {
    auto const [op, type]  = WordOp::of(update.kind);
    m_atomics[m_n_atomics] = {
        find(update, bytes_of(type), "an atomic operation"), op, type,
        update.value};
    if (++m_n_atomics == block) deliver();
    return;
  }
  deliver();
  if (update.kind == Update::fence) {
    m_channel.fence();
    return;
  }
  std::size_t const bytes = update.kind - Update::store;
  m_channel.put(find(update, bytes, "p or put"), &update.value, bytes,
                Completion::none);
}

PeMemory UpdateServer::find(Update const& update, std::size_t bytes,
                            char const* what) {
  auto const at =
      update.address - reinterpret_cast<std::uint64_t>(m_range.start);
  bool const is_known =
      at < m_range.bytes && bytes <= m_range.bytes - at &&
      static_cast<unsigned>(update.pe) < static_cast<unsigned>(m_n_pes);
  if (is_known) [[likely]] {
    return {update.pe, m_segment, m_range.offset + at};
  }
  auto const* const address = reinterpret_cast<void const*>(update.address);
  auto const found          = m_find(address, bytes, update.pe, what);
  m_segment                 = found.segment;
  m_range = m_memory.find_around(found.segment, found.offset(), bytes);
  return found;
}

void UpdateServer::deliver() {
  if (m_n_atomics == 0) return;
  std::span<FarAtomic const> left(m_atomics.data(),
                                  std::exchange(m_n_atomics, 0));
  m_channel.post_atomics(left);
}

UpdateServer::Number UpdateServer::end_of_written() const {
  auto const begin = m_taken.load(std::memory_order_acquire);
  auto end         = begin;
  for (auto i = begin; i < end + max_holes && i < begin + UpdateWords::size;
       ++i) {
    UpdateWords const place(m_words, i);
    if (place.is_of_lap(load_word(place.word(0)))) end = i + 1;
  }
  return end;
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MailThreads.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <Kokkos_SymmetricSpace_Edge.hpp>

namespace symm::Impl {

namespace {

// With 4 KiB chunks and at most 16 MiB of free chunks, sends from two threads
// take up to 1.5 times as long.
constexpr std::size_t max_chunk_bytes   = 16 << 10;
constexpr std::size_t least_chunk_bytes = 512;
constexpr std::size_t max_thread_bytes  = 2 << 20;   // for one thread's chunks
constexpr std::size_t max_free_bytes    = 64 << 20;  // kept for reuse

std::atomic<std::uint64_t> last_id = 0;

}  // namespace

MailThreads::MailThreads(char const* call, MailBins const& bins)
    : m_bins(bins),
      m_call(call),
      m_id(++last_id),
      m_chunk_bytes(std::clamp(max_thread_bytes / bins.n_links(),
                               least_chunk_bytes, max_chunk_bytes)),
      m_full(bins.n_links()),
      m_taken(bins.n_links()) {
  for (std::size_t link = 0; link < bins.n_links(); ++link)
    m_chunk_bytes = std::max(m_chunk_bytes, bins.message_bytes(link));
}

MailThreads::~MailThreads() = default;

MailThreads::Gathered* MailThreads::find() noexcept {
  Gathered* result   = nullptr;
  auto const failure = failure_of([&] {
    std::lock_guard const lock(m_mutex);
    auto& gathered = m_gathered[std::this_thread::get_id()];
    auto const n   = m_bins.n_links();
    gathered.chunks.resize(n);
    gathered.bins.resize(n + 2 * Gathered::line);
    result = &gathered;
  });
  if (failure) fail(*failure);
  return result;
}

bool MailThreads::open(Gathered& gathered, std::size_t link) noexcept {
  auto const failure = failure_of([&] {
    Chunks next;
    std::lock_guard const lock(m_mutex);
    if (m_free.empty()) {
      next.emplace_back();
      next.back().messages =
          std::make_unique_for_overwrite<std::byte[]>(m_chunk_bytes);
    } else {
      next.splice(next.end(), m_free, m_free.begin());
    }
    hand_over(gathered, link);
    auto* const first  = next.back().messages.get();
    gathered.bin(link) = {first, first + room(link)};
    gathered.chunks[link].splice(gathered.chunks[link].end(), next);
    m_has_chunks.store(true, std::memory_order_relaxed);
  });
  if (failure) fail(*failure);
  return !failure;
}

// Precondition: the caller holds m_mutex.
void MailThreads::hand_over(Gathered& gathered, std::size_t link) {
  auto& chunks = gathered.chunks[link];
  if (chunks.empty()) return;
  auto& bin   = gathered.bin(link);
  auto& chunk = chunks.front();
  chunk.begin = 0;
  chunk.end   = static_cast<std::size_t>(bin.next - chunk.messages.get());
  bin         = {};
  m_full[link].splice(m_full[link].end(), chunks);
  m_has_full.store(true, std::memory_order_release);
}

void MailThreads::fail(Failure const& failure) noexcept {
  std::lock_guard const lock(m_mutex);
  if (!m_failure) m_failure = failure;
  m_has_failed.store(true, std::memory_order_release);
}

void MailThreads::fail_for_no_pe(Pe pe) noexcept {
  fail({ErrorKind::usage, Text(m_call, "::sender: send: ",
                               text_of_no_pe(pe, m_bins.members().n()))});
}

bool MailThreads::put(MailBins& bins) {
  if (m_has_full.load(std::memory_order_acquire)) {
    std::lock_guard const lock(m_mutex);
    m_has_full.store(false, std::memory_order_relaxed);
    for (std::size_t link = 0; link < m_full.size(); ++link) {
      m_n_taken += m_full[link].size();
      m_taken[link].splice(m_taken[link].end(), m_full[link]);
    }
  }
  if (m_n_taken == 0) return false;
  bool has_moved = false;
  Chunks empty;
  for (std::size_t link = 0; link < m_taken.size(); ++link) {
    auto& chunks = m_taken[link];
    while (!chunks.empty()) {
      auto& chunk  = chunks.front();
      auto const n = bins.put(
          link, {chunk.messages.get() + chunk.begin, chunk.end - chunk.begin});
      has_moved = has_moved || n > 0;
      chunk.begin += n;
      if (chunk.begin != chunk.end) break;
      empty.splice(empty.end(), chunks, chunks.begin());
      --m_n_taken;
    }
  }
  if (empty.empty()) return has_moved;
  std::lock_guard const lock(m_mutex);
  m_free.splice(m_free.begin(), empty);
  while (m_free.size() * m_chunk_bytes > max_free_bytes) m_free.pop_back();
  return true;
}

bool MailThreads::close() {
  if (!m_has_chunks.exchange(false)) return false;
  std::lock_guard const lock(m_mutex);
  for (auto& [thread, gathered] : m_gathered)
    for (std::size_t link = 0; link < m_full.size(); ++link)
      hand_over(gathered, link);
  return true;
}

std::optional<Failure> MailThreads::take_failure() {
  if (!m_has_failed.load(std::memory_order_acquire)) return {};
  std::lock_guard const lock(m_mutex);
  m_has_failed.store(false, std::memory_order_relaxed);
  return std::exchange(m_failure, std::nullopt);
}

}  // namespace symm::Impl

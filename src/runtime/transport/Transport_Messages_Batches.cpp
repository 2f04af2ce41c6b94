// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// A channel's batches: small operations that are sent together.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "Channel_Messages.hpp"
#include "Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// The maximum total size of the answers to a batch, in bytes. The answers to a
/// full batch of 8-byte gets have the same size as the batch.
constexpr std::size_t max_answers = Channel_Messages::batch_size;
/// The maximum number of a channel's batches that may await answers from one
/// PE.
constexpr std::uint64_t max_answered = 64;

}  // namespace

bool Channel_Messages::are_answers_full(Outgoing const& outgoing) {
  return outgoing.batch_answers != nullptr && outgoing.answers > max_answered;
}

bool Channel_Messages::must_batch_wait(Outgoing const& outgoing) const {
  return outgoing.batch_bytes != 0 &&
         (is_full(outgoing) || are_answers_full(outgoing));
}

void Channel_Messages::ensure_batch(Lock& lock, Outgoing& outgoing) {
  while (!outgoing.batch) {
    if (m_with_batch.size() < m_transport.m_options.max_batches) {
      m_with_batch.reserve(m_with_batch.size() + 1);
      outgoing.batch = std::make_unique_for_overwrite<std::byte[]>(batch_size);
      m_with_batch.push_back(&outgoing);
      return;
    }
    auto const i = next_to_give();
    auto& other  = *m_with_batch[i];
    flush(lock, other);
    // flush() may have unlocked the mutex, so check again.
    if (outgoing.batch || &other != m_with_batch[i] || other.batch_bytes != 0)
      continue;
    outgoing.batch  = std::move(other.batch);
    m_with_batch[i] = &outgoing;
  }
}

void Channel_Messages::drop_batch(Outgoing& outgoing) noexcept {
  outgoing.batch.reset();
  std::erase(m_with_batch, &outgoing);
}

void Channel_Messages::open() noexcept {
  Lock const lock(m_mutex);
  m_is_closed = false;
}

void Channel_Messages::close() noexcept {
  Lock const lock(m_mutex);
  m_is_closed = true;
  for (auto i = m_with_batch.size(); i-- > 0;) {
    if (m_with_batch[i]->batch_bytes == 0) drop_batch(*m_with_batch[i]);
  }
}

std::size_t Channel_Messages::next_to_give() {
  auto const n     = m_with_batch.size();
  auto const first = m_n_given++;
  for (std::size_t k = 0; k < n; ++k) {
    auto const i = (first + k) % n;
    if (!must_batch_wait(*m_with_batch[i])) return i;
  }
  return first % n;
}

void Outgoing::end_run() {
  run.end();
  auto const padded = round_up(batch_bytes, 8);
  if (padded != batch_bytes)
    std::memset(batch.get() + batch_bytes, 0, padded - batch_bytes);
  batch_bytes = padded;
}

void Channel_Messages::make_room(Lock& lock, Outgoing& outgoing,
                                 std::size_t bytes, std::size_t answer_bytes) {
  auto const has_room = [&] {
    if (!outgoing.batch) [[unlikely]] {
      ensure_batch(lock, outgoing);
    }
    outgoing.end_run();
    return outgoing.batch_bytes + bytes <= batch_size &&
           outgoing.batch_answer_bytes + answer_bytes <= max_answers;
  };
  while (!has_room()) {
    flush(lock, outgoing);
    // Receive messages from other PEs here. Otherwise, the engine's thread
    // would preempt this thread to receive them, which costs more.
    static_cast<void>(m_transport.m_engine->poll());
  }
}

std::byte* Channel_Messages::put_entry(Lock const& lock, Outgoing& outgoing,
                                       BatchEntry entry) {
  if (outgoing.batch_bytes == 0) {
    check_lost(lock.call, "an operation", outgoing.pe);
    mark_dirty(outgoing);
    outgoing.batch_tick = m_transport.m_tick.load(std::memory_order_relaxed);
    m_n_open.fetch_add(1);
    m_transport.wake_thread();
  }
  auto* const place = outgoing.batch.get() + outgoing.batch_bytes;
  auto const word   = entry.word();
  std::memcpy(place, &word, sizeof word);
  outgoing.batch_bytes += BatchEntry::head_bytes + entry.room();
  return place + BatchEntry::head_bytes;
}

std::byte* Channel_Messages::add_entry(Lock& lock, Outgoing& outgoing,
                                       BatchEntry entry) {
  make_room(lock, outgoing, BatchEntry::head_bytes + entry.room(), 0);
  return put_entry(lock, outgoing, entry);
}

std::byte* Channel_Messages::add_answered_entry(Lock& lock, Outgoing& outgoing,
                                                BatchEntry entry,
                                                void* answer) {
  auto const answer_bytes = entry.answer_room();
  make_room(lock, outgoing, BatchEntry::head_bytes + entry.room(),
            answer_bytes);
  // Do everything that can fail before the entry is counted. Otherwise, quiet()
  // could wait for the answer to an entry that does not exist.
  if (outgoing.batch_answers == nullptr) {
    PendingOperation pending{.left = &outgoing.answers};
    pending.answers.reserve(max_answers / 8);
    m_asked.make_room();
    outgoing.batch_answers = begin(outgoing, std::move(pending), nullptr);
    outgoing.batch_token =
        m_asked.add(outgoing.pe, {.pending = outgoing.batch_answers});
  }
  outgoing.batch_answers->answers.push_back({answer, entry.bytes()});
  outgoing.batch_answer_bytes += answer_bytes;
  return put_entry(lock, outgoing, entry);
}

void Channel_Messages::flush(Lock& lock, Outgoing& outgoing, Wait wait,
                             bool wants_ack) {
  if (outgoing.batch_bytes == 0) return;
  if (must_batch_wait(outgoing)) {
    if (wait == Wait::must_not) return;
    auto const n = outgoing.n_batches;
    wait_for_room(lock, outgoing);
    if (are_answers_full(outgoing)) {  // waits only once, like wait_for_room()
      lock.unlock();
      wait_until(lock.call, "a get", outgoing.pe,
                 [&] { return outgoing.answers <= max_answered; });
      enter_again(lock);
    }
    if (outgoing.n_batches != n) return;  // another thread has sent it
  }
  outgoing.end_run();
  MessageHeader header{.kind = MessageKind::batch};
  header.detail.get = {outgoing.batch_answer_bytes, outgoing.batch_token};
  post(outgoing, header, outgoing.fenced,
       {outgoing.batch.get(), outgoing.batch_bytes},
       wants_ack || outgoing.batch_wants_ack);
  outgoing.batch_bytes        = 0;
  outgoing.batch_wants_ack    = false;
  outgoing.batch_answers      = nullptr;
  outgoing.batch_token        = 0;
  outgoing.batch_answer_bytes = 0;
  outgoing.last_batch         = outgoing.sent;
  ++outgoing.n_batches;
  m_n_open.fetch_sub(1, std::memory_order_relaxed);
  if (m_is_closed) [[unlikely]] {
    drop_batch(outgoing);
  }
}

void Channel_Messages::flush(Pe pe) {
  auto* const outgoing = find_outgoing(pe);
  if (outgoing == nullptr) return;
  auto lock = enter(nullptr);
  flush(lock, *outgoing);
}

void Channel_Messages::flush_older(std::uint64_t tick) {
  if (!has_open_batches()) return;
  Lock lock(m_mutex);
  // flush() neither unlocks here nor changes m_dirty.
  for (auto* const outgoing : m_dirty) {
    if (outgoing->batch_tick < tick) flush(lock, *outgoing, Wait::must_not);
  }
}

void Channel_Messages::try_flush_all() {
  if (!has_open_batches()) return;
  Lock lock(m_mutex, std::try_to_lock);
  if (!lock) return;
  for (auto* const outgoing : m_dirty) flush(lock, *outgoing, Wait::must_not);
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// The messages of a channel, and their completion.
#include "Channel_Messages.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "../memory/HostCopy.hpp"
#include "Transport_Messages.hpp"

namespace symm::Impl {

void PendingOperation::finish() {
  auto* const counter = left;
  auto* const to_pe   = outgoing;
  auto const number   = begun;
  auto const flag     = std::move(side);
  if (is_on_heap) delete this;
  if (to_pe != nullptr) to_pe->done.set(number);
  if (flag) flag->set();
  counter->fetch_sub(1, std::memory_order_release);
}

namespace {

/// Bytes of the answers to a batch: as many as to a batch of gets of 8 bytes.
constexpr std::size_t most_answers = Channel_Messages::batch_size;
/// The most batches of a channel to a PE that wait for answers.
constexpr std::uint64_t most_answered = 64;
/// Bytes that a message counts beside its payload.
constexpr std::size_t bytes_of_message = 256;

}  // namespace

Channel_Messages::Channel_Messages(Transport_Messages& transport,
                                   std::uint16_t number, int n_pes)
    : m_transport(transport),
      m_number(number),
      m_outgoing(static_cast<std::size_t>(n_pes)) {}

Channel_Messages::~Channel_Messages() {
  for (auto& outgoing : m_outgoing) delete outgoing.load();
}

Outgoing* Channel_Messages::find_outgoing(Pe pe) const noexcept {
  return m_outgoing[static_cast<std::size_t>(pe)].load(
      std::memory_order_acquire);
}

Outgoing& Channel_Messages::outgoing_to(Pe pe) {
  if (auto* const outgoing = find_outgoing(pe)) return *outgoing;
  static_cast<void>(m_transport.peer_of(pe));  // it is met from now on
  auto made          = std::make_unique<Outgoing>(pe);
  Outgoing* expected = nullptr;
  auto& place        = m_outgoing[static_cast<std::size_t>(pe)];
  if (!place.compare_exchange_strong(expected, made.get())) return *expected;
  return *made.release();
}

void Channel_Messages::check_lost(char const* call, char const* what, Pe pe) {
  if (m_transport.m_is_lost) m_transport.end_job_of_lost(call, what, pe);
}

// Batches.

void Channel_Messages::mark_dirty(Outgoing& outgoing) {
  if (outgoing.is_dirty) return;
  outgoing.dirty_at = m_dirty.size();
  m_dirty.push_back(&outgoing);
  outgoing.is_dirty = true;
}

bool Channel_Messages::are_answers_full(Outgoing const& outgoing) {
  return outgoing.batch_answers != nullptr && outgoing.answers > most_answered;
}

void Channel_Messages::ensure_batch(Lock& lock, Outgoing& outgoing) {
  while (!outgoing.batch) {
    if (m_with_batch.size() < m_transport.m_options.most_batches) {
      m_with_batch.reserve(m_with_batch.size() + 1);
      outgoing.batch = std::make_unique_for_overwrite<std::byte[]>(batch_size);
      m_with_batch.push_back(&outgoing);
      return;
    }
    auto const i = m_next_to_give++ % m_with_batch.size();
    auto& other  = *m_with_batch[i];
    flush(lock, other);
    // It may have unlocked.
    if (outgoing.batch || &other != m_with_batch[i] || other.batch_bytes != 0)
      continue;
    outgoing.batch  = std::move(other.batch);
    m_with_batch[i] = &outgoing;
  }
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
           outgoing.batch_answer_bytes + answer_bytes <= most_answers;
  };
  while (!has_room()) {
    flush(lock, outgoing);
    // Takes what other PEs send meanwhile. Else the engine's thread would take
    // the core for it, which costs more.
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
  // All that can fail comes first: quiet() would wait for the answer to an
  // entry that is not there.
  if (outgoing.batch_answers == nullptr) {
    PendingOperation pending{.left = &outgoing.answers};
    pending.answers.reserve(most_answers / 8);
    outgoing.batch_answers = begin(outgoing, std::move(pending), nullptr);
  }
  outgoing.batch_answers->answers.push_back({answer, entry.bytes()});
  outgoing.batch_answer_bytes += answer_bytes;
  return put_entry(lock, outgoing, entry);
}

void Channel_Messages::flush(Lock& lock, Outgoing& outgoing, Wait wait,
                             bool wants_ack) {
  if (outgoing.batch_bytes == 0) return;
  bool const must_wait = is_window_full(outgoing) || are_answers_full(outgoing);
  if (wait == Wait::must_not && must_wait) return;
  auto const n = outgoing.n_batches;
  wait_for_room(lock, outgoing);
  if (are_answers_full(outgoing)) {  // once, as wait_for_room()
    lock.unlock();
    wait_until(lock.call, "a get", outgoing.pe,
               [&] { return outgoing.answers <= most_answered; });
    enter_again(lock);
  }
  if (outgoing.n_batches != n) return;  // another thread has sent it
  outgoing.end_run();
  MessageHeader header{.kind = MessageKind::batch};
  header.detail.get = {outgoing.batch_answer_bytes,
                       reinterpret_cast<std::uint64_t>(outgoing.batch_answers)};
  post(outgoing, header, outgoing.fenced,
       {outgoing.batch.get(), outgoing.batch_bytes},
       wants_ack || outgoing.batch_wants_ack);
  outgoing.batch_bytes        = 0;
  outgoing.batch_wants_ack    = false;
  outgoing.batch_answers      = nullptr;
  outgoing.batch_answer_bytes = 0;
  outgoing.last_batch         = outgoing.sent;
  ++outgoing.n_batches;
  m_n_open.fetch_sub(1, std::memory_order_relaxed);
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
  // flush() does not unlock here, nor change m_dirty.
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

// Messages.

Channel_Messages::Lock Channel_Messages::enter(char const* call) {
  while (m_n_returning.load(std::memory_order_relaxed) != 0) {
    std::this_thread::yield();
  }
  Lock lock(m_mutex);
  lock.call = call;
  return lock;
}

void Channel_Messages::enter_again(Lock& lock) {
  m_n_returning.fetch_add(1, std::memory_order_relaxed);
  lock.lock();
  m_n_returning.fetch_sub(1, std::memory_order_relaxed);
}

bool Channel_Messages::is_window_full(Outgoing const& outgoing) const {
  return outgoing.bytes_since_half >= m_transport.m_options.half_window &&
         outgoing.acked.load(std::memory_order_acquire) < outgoing.half;
}

void Channel_Messages::wait_for_room(Lock& lock, Outgoing& outgoing) {
  if (!is_window_full(outgoing)) return;
  auto const half = outgoing.half;
  lock.unlock();
  wait_until(lock.call, "a put", outgoing.pe,
             [&] { return outgoing.acked >= half; });
  enter_again(lock);
}

void Channel_Messages::post(Outgoing& outgoing, MessageHeader header,
                            std::uint64_t after,
                            std::span<std::byte const> payload, bool wants_ack,
                            PendingOperation* unsent) {
  mark_dirty(outgoing);
  header.number    = ++outgoing.sent;
  header.after     = after;
  header.wants_ack = wants_ack;
  if (outgoing.bytes_since_half >= m_transport.m_options.half_window &&
      !is_window_full(outgoing)) {
    header.wants_ack          = true;
    outgoing.half             = header.number;
    outgoing.bytes_since_half = 0;
  }
  outgoing.bytes_since_half +=
      bytes_of_message + (unsent == nullptr ? payload.size() : 0);
  if (header.kind != MessageKind::atomic &&
      ++outgoing.n_since_quiet == outgoing.n_expected) {
    header.wants_ack = true;
  }
  if (header.wants_ack) outgoing.asked = header.number;
  header.channel = m_number;
  m_transport.send_message(outgoing.pe, header, payload, unsent);
}

PendingOperation* Channel_Messages::begin(Outgoing& outgoing,
                                          PendingOperation pending,
                                          Started* started) {
  auto made        = std::make_unique<PendingOperation>(std::move(pending));
  made->is_on_heap = true;
  mark_dirty(outgoing);
  if (started != nullptr) {
    auto [mine, its] = SideDone::make();
    made->side       = std::move(its);
    *started         = {this, outgoing.pe, 0, 0, std::move(mine)};
  }
  // Nothing fails from here on: quiet() waits for each number.
  made->outgoing = &outgoing;
  made->begun    = ++outgoing.begun;
  made->left->fetch_add(1, std::memory_order_relaxed);
  return made.release();
}

void Channel_Messages::post_block(Lock& lock, Outgoing& outgoing,
                                  MessageHeader const& header, void const* from,
                                  std::size_t bytes, Until until,
                                  Started* started) {
  check_lost(lock.call, "a put", outgoing.pe);
  flush(lock, outgoing);
  // Fences of other threads that come while this one waits do not count.
  auto const after       = outgoing.fenced;
  auto const* const data = static_cast<std::byte const*>(from);
  bool const wants_ack   = started != nullptr;
  if (bytes <= MessageEngine::max_eager) {
    wait_for_room(lock, outgoing);
    std::byte words[most_bytes_by_words];
    if (bytes <= sizeof words && bytes != 0) {
      copy_host_memory(words, from, bytes);
      post(outgoing, header, after, {words, bytes}, wants_ack);
    } else {
      post(outgoing, header, after, {data, bytes}, wants_ack);
    }
    if (wants_ack) *started = {this, outgoing.pe, outgoing.sent, 0, {}};
    return;
  }
  if (outgoing.acked < after || outgoing.unsent >= most_large) {
    if (outgoing.acked < after) ask_for_ack(outgoing);
    lock.unlock();
    wait_until(lock.call, "a put", outgoing.pe, [&] {
      return outgoing.acked >= after && outgoing.unsent < most_large;
    });
    enter_again(lock);
  }
  wait_for_room(lock, outgoing);
  if (until == Until::is_begun) {
    post(outgoing, header, after, {data, bytes}, wants_ack,
         begin(outgoing, {.left = &outgoing.unsent}, started));
    if (started != nullptr) started->message = outgoing.sent;
    return;
  }
  Counter left = 1;
  PendingOperation unsent{.left = &left};
  post(outgoing, header, after, {data, bytes}, wants_ack, &unsent);
  if (wants_ack) *started = {this, outgoing.pe, outgoing.sent, 0, {}};
  lock.unlock();
  wait_until(lock.call, "a put", outgoing.pe, [&] { return left == 0; });
}

void Channel_Messages::ask_for_ack(Outgoing& outgoing) {
  if (outgoing.asked == outgoing.sent) return;
  m_transport.send_message(outgoing.pe, {.kind    = MessageKind::ack_request,
                                         .channel = m_number,
                                         .number  = outgoing.sent});
  outgoing.asked = outgoing.sent;
}

void Channel_Messages::fence(HostCall const& call) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  auto lock = enter(call.name);
  // flush() may unlock, and m_dirty change then.
  auto const dirty = m_dirty;
  for (auto* const outgoing : dirty) {
    flush(lock, *outgoing);
    outgoing->fenced = outgoing->sent;
    auto const block = outgoing->last_block;
    auto const& done = outgoing->done;
    if (done.up_to() >= block) continue;
    lock.unlock();
    wait_until(call.name, "fence()", outgoing->pe,
               [&] { return done.up_to() >= block; });
    enter_again(lock);
  }
}

Channel_Messages::Asked Channel_Messages::ask_for_all(
    std::span<Pe const> const* pes, char const* call) {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  Asked all;
  auto lock = enter(call);
  if (m_dirty.empty()) return all;
  all.reserve(m_dirty.size());
  for (auto* const outgoing : m_dirty) {
    bool const counts = pes == nullptr || std::find(pes->begin(), pes->end(),
                                                    outgoing->pe) != pes->end();
    if (counts) all.push_back({outgoing, 0, 0});
  }
  for (auto& [outgoing, number, begun] : all) {
    flush(lock, *outgoing, Wait::may, true);
    number = outgoing->sent;
    begun  = outgoing->begun;
    if (outgoing->acked < number) ask_for_ack(*outgoing);
    if (outgoing->n_since_quiet != 0)
      outgoing->n_expected = outgoing->n_since_quiet;
    outgoing->n_since_quiet = 0;
  }
  return all;
}

void Channel_Messages::wait_for(Asked const& all, char const* call) {
  if (all.empty()) return;
  for (auto const& [outgoing, number, begun] : all) {
    wait_until(call, "quiet()", outgoing->pe,
               [&, outgoing = outgoing, number = number, begun = begun] {
                 return outgoing->acked >= number &&
                        outgoing->done.up_to() >= begun;
               });
  }
  Lock lock(m_mutex, std::defer_lock);
  enter_again(lock);
  for (auto const& last : all) {
    auto& outgoing     = *last.outgoing;
    bool const is_done = outgoing.acked >= outgoing.sent &&
                         outgoing.done.up_to() >= outgoing.begun &&
                         outgoing.batch_bytes == 0;
    if (!outgoing.is_dirty || !is_done) continue;
    m_dirty[outgoing.dirty_at]           = m_dirty.back();
    m_dirty[outgoing.dirty_at]->dirty_at = outgoing.dirty_at;
    m_dirty.pop_back();
    outgoing.is_dirty = false;
  }
}

bool Channel_Messages::is_acknowledged(Started& started, char const* call) {
  auto& outgoing = outgoing_to(started.pe);
  auto lock      = enter(call);
  if (started.batch > outgoing.n_batches) {
    flush(lock, outgoing, Wait::must_not);
    if (started.batch > outgoing.n_batches) return false;  // no room
  }
  if (started.batch != 0) {
    started.message = outgoing.last_batch;  // or a later batch's
    started.batch   = 0;
  }
  if (outgoing.acked >= started.message) return true;
  if (outgoing.asked < started.message) ask_for_ack(outgoing);
  return false;
}

bool Channel_Messages::test(Started& started, Stage stage,
                            HostCall const& call) {
  static_cast<void>(m_transport.progress(call.name, "test()", started.pe));
  if (started.side && !started.side->is_set()) return false;
  if (stage == Stage::side) return true;
  if (started.message == 0 && started.batch == 0) return true;
  return is_acknowledged(started, call.name);
}

void Channel_Messages::wait(Started& started, Stage stage,
                            HostCall const& call) {
  if (started.side) {
    wait_until(call.name, "wait()", started.pe,
               [&] { return started.side->is_set(); });
  }
  bool const has_number = started.message != 0 || started.batch != 0;
  if (stage == Stage::side || !has_number) return;
  auto& outgoing = outgoing_to(started.pe);
  wait_until(call.name, "wait()", started.pe, [&] {
    if (started.batch != 0) return is_acknowledged(started, call.name);
    return outgoing.acked >= started.message;
  });
}

}  // namespace symm::Impl

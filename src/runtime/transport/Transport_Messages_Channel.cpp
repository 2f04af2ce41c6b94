// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// A channel's messages and their completion.
#include "Channel_Messages.hpp"

#include <algorithm>
#include <cstring>
#include <thread>
#include <utility>

#include "../engines/Parcel.hpp"
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
  static_cast<void>(m_transport.peer_of(pe));  // records the contact
  auto made          = std::make_unique<Outgoing>(pe);
  Outgoing* expected = nullptr;
  auto& place        = m_outgoing[static_cast<std::size_t>(pe)];
  if (!place.compare_exchange_strong(expected, made.get())) return *expected;
  return *made.release();
}

void Channel_Messages::check_lost(char const* call, char const* what, Pe pe) {
  if (m_transport.m_is_lost) m_transport.end_job_of_lost(call, what, pe);
}

// Messages.

void Channel_Messages::mark_dirty(Outgoing& outgoing) {
  if (outgoing.is_dirty) return;
  outgoing.dirty_at = m_dirty.size();
  m_dirty.push_back(&outgoing);
  outgoing.is_dirty = true;
}

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

bool Channel_Messages::is_full(Outgoing const& outgoing) const {
  return is_window_full(outgoing) || m_transport.m_engine->is_full(outgoing.pe);
}

void Channel_Messages::wait_for_room(Lock& lock, Outgoing& outgoing) {
  if (!is_full(outgoing)) return;
  auto const half = is_window_full(outgoing) ? outgoing.half : 0;
  lock.unlock();
  wait_until(lock.call, "a put", outgoing.pe, [&] {
    return outgoing.acked >= half &&
           !m_transport.m_engine->is_full(outgoing.pe);
  });
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
      Parcel::bytes_for(unsent == nullptr ? payload.size() : 0);
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
                                          OperationHandle* handle) {
  auto made        = std::make_unique<PendingOperation>(std::move(pending));
  made->is_on_heap = true;
  mark_dirty(outgoing);
  if (handle != nullptr) {
    auto [handle_flag, operation_flag] = SideDone::make();
    made->side                         = std::move(operation_flag);
    *handle = {this, outgoing.pe, 0, 0, std::move(handle_flag)};
  }
  // From here on, nothing may fail, because quiet() waits for every number.
  made->outgoing = &outgoing;
  made->begun    = ++outgoing.begun;
  made->left->fetch_add(1, std::memory_order_relaxed);
  return made.release();
}

void Channel_Messages::post_block(Lock& lock, Outgoing& outgoing,
                                  MessageHeader const& header, void const* from,
                                  std::size_t bytes, Completion completion,
                                  OperationHandle* handle, bool ends_block) {
  check_lost(lock.call, "a put", outgoing.pe);
  flush(lock, outgoing);
  // Fences that other threads call during the waits below do not apply to this
  // block.
  auto const after       = outgoing.fenced;
  auto const* const data = static_cast<std::byte const*>(from);
  // If a fence() follows, a later block may have to wait for the
  // acknowledgment. So request the acknowledgment now.
  bool const wants_ack =
      handle != nullptr || ends_block || bytes > MessageEngine::max_eager;
  if (bytes <= MessageEngine::max_eager) {
    wait_for_room(lock, outgoing);
    std::byte words[max_bytes_by_words];
    if (bytes <= sizeof words && bytes != 0) {
      copy_host_memory(words, from, bytes);
      post(outgoing, header, after, {words, bytes}, wants_ack);
    } else {
      post(outgoing, header, after, {data, bytes}, wants_ack);
    }
    if (handle != nullptr) *handle = {this, outgoing.pe, outgoing.sent, 0, {}};
    return;
  }
  if (outgoing.acked < after || outgoing.unsent >= max_large) {
    if (outgoing.acked < after) ask_for_ack(outgoing);
    lock.unlock();
    wait_until(lock.call, "a put", outgoing.pe, [&] {
      return outgoing.acked >= after && outgoing.unsent < max_large;
    });
    enter_again(lock);
  }
  wait_for_room(lock, outgoing);
  if (completion == Completion::none) {
    post(outgoing, header, after, {data, bytes}, wants_ack,
         begin(outgoing, {.left = &outgoing.unsent}, handle));
    if (handle != nullptr) handle->message = outgoing.sent;
    return;
  }
  Counter left = 1;
  PendingOperation unsent{.left = &left};
  post(outgoing, header, after, {data, bytes}, wants_ack, &unsent);
  if (handle != nullptr) *handle = {this, outgoing.pe, outgoing.sent, 0, {}};
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
  // Copy the list, because m_dirty may change while flush() has unlocked the
  // mutex.
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
  if (pes == nullptr) {
    all.reserve(m_dirty.size());
    for (auto* const outgoing : m_dirty) all.push_back({outgoing, 0, 0});
  } else {
    for (Pe const pe : *pes) {  // a PE that is listed twice causes only one
                                // request
      auto* const outgoing = find_outgoing(pe);
      if (outgoing != nullptr && outgoing->is_dirty)
        all.push_back({outgoing, 0, 0});
    }
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

bool Channel_Messages::is_acknowledged(OperationHandle& handle,
                                       char const* call) {
  auto& outgoing = outgoing_to(handle.pe);
  auto lock      = enter(call);
  if (handle.batch > outgoing.n_batches) {
    flush(lock, outgoing, Wait::must_not);
    if (handle.batch > outgoing.n_batches) return false;  // no room
  }
  if (handle.batch != 0) {
    handle.message = outgoing.last_batch;  // or a later batch's message
    handle.batch   = 0;
  }
  if (outgoing.acked >= handle.message) return true;
  if (outgoing.asked < handle.message) ask_for_ack(outgoing);
  return false;
}

bool Channel_Messages::test(OperationHandle& handle, Stage stage,
                            HostCall const& call) {
  static_cast<void>(m_transport.progress(call.name, "test()", handle.pe));
  if (handle.side && !handle.side->is_set()) return false;
  if (stage == Stage::side) return true;
  if (handle.message == 0 && handle.batch == 0) return true;
  return is_acknowledged(handle, call.name);
}

void Channel_Messages::wait(OperationHandle& handle, Stage stage,
                            HostCall const& call) {
  if (handle.side) {
    wait_until(call.name, "wait()", handle.pe,
               [&] { return handle.side->is_set(); });
  }
  bool const has_number = handle.message != 0 || handle.batch != 0;
  if (stage == Stage::side || !has_number) return;
  auto& outgoing = outgoing_to(handle.pe);
  wait_until(call.name, "wait()", handle.pe, [&] {
    if (handle.batch != 0) return is_acknowledged(handle, call.name);
    return outgoing.acked >= handle.message;
  });
}

}  // namespace symm::Impl

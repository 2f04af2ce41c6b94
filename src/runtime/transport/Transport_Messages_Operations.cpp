// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Converts puts, gets and atomic operations to messages.
#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "../memory/HostCopy.hpp"
#include "Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// The maximum number of gets in flight to one PE.
constexpr std::uint64_t max_gets = 256;
/// The maximum number of strided gets in flight for one call. The limit is
/// lower because each reply takes up max_strided bytes at the target.
constexpr std::uint64_t max_packed_gets = 32;

/// Whether a batch entry may read from `from`. (GPU memory is read with
/// separate messages, each of which needs a separate copy.)
bool can_be_answered(PeMemory const& from) {
  return from.offset() < BatchEntry::end_offset && !is_of_gpu(from.segment);
}

}  // namespace

void Channel_Messages::put(PeMemory to, void const* from, std::size_t bytes,
                           Completion completion, HostCall const& call) {
  if (bytes == 0) return;
  if (bytes >= m_transport.m_least_one_sided) {
    auto const done = put_one_sided(to, from, bytes, completion, call);
    if (done == bytes) return;
    to   = to.moved(done);
    from = static_cast<std::byte const*>(from) + done;
    bytes -= done;
  }
  auto lock           = enter(call.name);
  auto& outgoing      = outgoing_to(to.pe);
  bool const may_wait = completion == Completion::none || call.aggregates;
  if (may_wait && bytes <= BatchEntry::max_bytes &&
      to.offset() < BatchEntry::end_offset) {
    auto* const place = add_entry(
        lock, outgoing, BatchEntry::put(to.segment, to.offset(), bytes));
    copy_host_memory(place, from, bytes);
    if (call.request != nullptr) {
      *call.request            = {this, to.pe, 0, outgoing.n_batches + 1, {}};
      outgoing.batch_wants_ack = true;
    }
    return;
  }
  post_block(
      lock, outgoing,
      {.kind = MessageKind::put, .segment = to.segment, .offset = to.offset()},
      from, bytes, completion, call.request);
}

void Channel_Messages::put_signal(PeMemory to, void const* from,
                                  std::size_t bytes, PeMemory signal,
                                  std::uint64_t value, AtomicOp op,
                                  Completion completion, HostCall const& call) {
  // If the engine moves the block without messages, the signal must not be sent
  // before the block has arrived. So the caller has to wait for the block.
  std::size_t done = 0;
  if (bytes >= m_transport.m_least_one_sided &&
      (completion == Completion::local || m_transport.are_moves_immediate())) {
    done = put_one_sided(to, from, bytes, Completion::local, {call.name});
    to   = to.moved(done);
    from = static_cast<std::byte const*>(from) + done;
    bytes -= done;
  }
  auto lock = enter(call.name);
  MessageHeader header{.kind           = MessageKind::put_signal,
                       .segment        = to.segment,
                       .op             = op,
                       .type           = WordType::u64,
                       .signal_segment = signal.segment,
                       .offset         = to.offset()};
  header.detail.signal = {signal.offset(), value};
  post_block(lock, outgoing_to(to.pe), header, from, bytes, completion,
             call.request, done != 0);
}

void Channel_Messages::put_strided(PeMemory to, void const* from,
                                   Strides strides, HostCall const& call) {
  auto const size = strides.element_bytes;
  if (size == 0) return;
  auto const* source = static_cast<std::byte const*>(from);
  if (size > max_strided) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      put(to.moved(i * strides.remote_bytes), source + i * strides.local_bytes,
          size, Completion::local, call);
    }
    return;
  }
  std::byte elements[max_strided];
  for (std::size_t i = 0; i < strides.count;) {
    auto const count = std::min(strides.count - i, max_strided / size);
    for (std::size_t k = 0; k < count; ++k) {
      copy_host_memory(elements + k * size,
                       source + (i + k) * strides.local_bytes, size);
    }
    auto lock = enter(call.name);
    MessageHeader header{.kind    = MessageKind::put_strided,
                         .segment = to.segment,
                         .offset  = to.offset() + i * strides.remote_bytes};
    header.detail.strided = {static_cast<std::uint32_t>(size),
                             static_cast<std::uint32_t>(count),
                             strides.remote_bytes, 0};
    post_block(lock, outgoing_to(to.pe), header, elements, count * size,
               Completion::local, nullptr);
    i += count;
  }
}

void Channel_Messages::ask_for_get(PeMemory from, std::size_t bytes,
                                   PendingOperation& pending) {
  MessageHeader header{.kind    = MessageKind::get,
                       .segment = from.segment,
                       .channel = m_number,
                       .offset  = from.offset()};
  header.detail.get = {
      bytes, m_asked.add(from.pe, {.pending = &pending, .bytes = bytes})};
  m_transport.send_message(from.pe, header);
}

void Channel_Messages::get(void* to, PeMemory from, std::size_t bytes,
                           Completion completion, HostCall const& call) {
  if (bytes == 0) return;
  if (bytes >= m_transport.m_least_one_sided) {
    auto const done = get_one_sided(to, from, bytes, completion, call);
    if (done == bytes) return;
    to   = static_cast<std::byte*>(to) + done;
    from = from.moved(done);
    bytes -= done;
  }
  auto& outgoing = outgoing_to(from.pe);
  auto lock      = enter(call.name);
  check_lost(call.name, "a get", from.pe);
  if (completion == Completion::none && call.request == nullptr &&
      bytes <= BatchEntry::max_bytes && can_be_answered(from)) {
    static_cast<void>(add_answered_entry(
        lock, outgoing, BatchEntry::get(from.segment, from.offset(), bytes),
        to));
    return;
  }
  flush(lock, outgoing);
  if (completion == Completion::local) {
    Counter left = 1;
    PendingOperation pending{.to = to, .left = &left};
    m_asked.make_room();
    ask_for_get(from, bytes, pending);
    lock.unlock();
    wait_until(call.name, "a get", from.pe, [&] { return left == 0; });
    return;
  }
  bool const is_large = bytes > MessageEngine::max_eager;
  auto& left          = is_large ? outgoing.large_gets : outgoing.gets;
  auto const most     = is_large ? max_large : max_gets;
  if (left >= most) {  // waits only once, like wait_for_room()
    lock.unlock();
    wait_until(call.name, "a get", from.pe, [&] { return left < most; });
    enter_again(lock);
  }
  m_asked.make_room();
  ask_for_get(from, bytes,
              *begin(outgoing, {.to = to, .left = &left}, call.request));
}

void Channel_Messages::get_strided(void* to, PeMemory from, Strides strides,
                                   HostCall const& call) {
  auto const size = strides.element_bytes;
  if (size == 0 || strides.count == 0) return;
  if (size > max_strided) {
    auto* const memory = static_cast<std::byte*>(to);
    for (std::size_t i = 0; i < strides.count; ++i) {
      get(memory + i * strides.local_bytes, from, size, Completion::local,
          call);
      from = from.moved(strides.remote_bytes);
    }
    return;
  }
  {
    auto lock = enter(call.name);
    check_lost(call.name, "a get", from.pe);
    flush(lock, outgoing_to(from.pe));
  }
  auto const count_at_once = max_strided / size;
  Counter left             = 0;
  std::exception_ptr failure;
  PendingOperation pending{.to = to, .strides = strides, .left = &left};
  for (std::size_t first = 0; first < strides.count; first += count_at_once) {
    wait_until(call.name, "a get", from.pe,
               [&] { return left < max_packed_gets; });
    auto const count = std::min(strides.count - first, count_at_once);
    MessageHeader header{
        .kind    = MessageKind::get_strided,
        .segment = from.segment,
        .channel = m_number,
        .offset  = from.offset() + first * strides.remote_bytes};
    auto const lock = enter(call.name);
    try {
      m_asked.make_room();
    } catch (std::bad_alloc const&) {
      failure =
          std::current_exception();  // outstanding replies still use `pending`
      break;
    }
    header.detail.strided = {
        static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(count),
        strides.remote_bytes,
        m_asked.add(from.pe, {&pending, count * size, first})};
    left.fetch_add(1, std::memory_order_relaxed);
    m_transport.send_message(from.pe, header);
  }
  wait_until(call.name, "a get", from.pe, [&] { return left == 0; });
  if (failure) std::rethrow_exception(failure);
}

void Channel_Messages::ask_for_atomic(Outgoing& outgoing, PeMemory at,
                                      AtomicOp op, WordType type,
                                      std::uint64_t value,
                                      std::uint64_t compare,
                                      PendingOperation& pending) {
  MessageHeader header{.kind    = MessageKind::atomic,
                       .segment = at.segment,
                       .op      = op,
                       .type    = type,
                       .offset  = at.offset()};
  header.detail.atomic = {value, compare,
                          m_asked.add(at.pe, {.pending = &pending})};
  post(outgoing, header, outgoing.fenced, {});
}

Channel_Messages::Lock Channel_Messages::enter_for_atomic(Outgoing& outgoing,
                                                          char const* call) {
  auto lock = enter(call);
  check_lost(call, "an atomic operation", outgoing.pe);
  flush(lock, outgoing);
  wait_for_room(lock, outgoing);
  return lock;
}

std::uint64_t Channel_Messages::atomic(PeMemory at, AtomicOp op, WordType type,
                                       std::uint64_t value,
                                       std::uint64_t compare,
                                       HostCall const& call) {
  std::uint64_t was = 0;
  Counter left      = 1;
  PendingOperation pending{.to = &was, .word_bytes = sizeof was, .left = &left};
  auto& outgoing = outgoing_to(at.pe);
  {
    auto const lock = enter_for_atomic(outgoing, call.name);
    m_asked.make_room();
    ask_for_atomic(outgoing, at, op, type, value, compare, pending);
  }
  wait_until(call.name, "an atomic operation", at.pe,
             [&] { return left == 0; });
  return was;
}

void Channel_Messages::fetch_nbi(PeMemory at, AtomicOp op, WordType type,
                                 std::uint64_t value, std::uint64_t compare,
                                 void* was, HostCall const& call) {
  auto& outgoing = outgoing_to(at.pe);
  if (call.request == nullptr && can_be_answered(at)) {
    auto lock         = enter(call.name);
    auto* const place = add_answered_entry(
        lock, outgoing, BatchEntry::fetch(at.segment, at.offset(), op, type),
        was);
    std::memcpy(place, &value, sizeof value);
    std::memcpy(place + sizeof value, &compare, sizeof compare);
    return;
  }
  auto const lock = enter_for_atomic(outgoing, call.name);
  m_asked.make_room();
  ask_for_atomic(
      outgoing, at, op, type, value, compare,
      *begin(outgoing,
             {.to = was, .word_bytes = bytes_of(type), .left = &outgoing.gets},
             call.request));
}

void Channel_Messages::begin_get(void* to, PeMemory from, std::size_t bytes,
                                 Counter& left, HostCall const& call) {
  auto pending = std::make_unique<PendingOperation>(
      PendingOperation{.to = to, .left = &left, .is_on_heap = true});
  auto lock = enter(call.name);
  check_lost(call.name, "a get", from.pe);
  flush(lock, outgoing_to(from.pe));
  m_asked.make_room();
  // The reply owns `pending` and may arrive before this call returns.
  ask_for_get(from, bytes, *pending.release());
}

void Channel_Messages::begin_atomic(PeMemory at, AtomicOp op, WordType type,
                                    std::uint64_t value, std::uint64_t compare,
                                    std::uint64_t& was, Counter& left) {
  auto pending    = std::make_unique<PendingOperation>(PendingOperation{
         .to = &was, .word_bytes = sizeof was, .left = &left, .is_on_heap = true});
  auto& outgoing  = outgoing_to(at.pe);
  auto const lock = enter_for_atomic(outgoing, nullptr);
  m_asked.make_room();
  ask_for_atomic(outgoing, at, op, type, value, compare, *pending.release());
}

void Channel_Messages::wait_for_begun(Pe pe, Counter& left,
                                      HostCall const& call) {
  wait_until(call.name, "an operation", pe,
             [&] { return left.load(std::memory_order_acquire) == 0; });
}

void Channel_Messages::add_atomic(Lock& lock, Outgoing& outgoing, PeMemory at,
                                  AtomicOp op, WordType type,
                                  std::uint64_t value) {
  auto const offset = at.offset();
  if (outgoing.run.append(outgoing.batch.get(), outgoing.batch_bytes,
                          batch_size, at.segment, offset, op, type, value)) {
    return;
  }
  auto* const place = add_entry(
      lock, outgoing, BatchEntry::atomic(at.segment, offset, op, type));
  std::memcpy(place, &value, sizeof value);
  auto const begin = place - BatchEntry::head_bytes - outgoing.batch.get();
  outgoing.run.begin(static_cast<std::size_t>(begin), at.segment, offset, op,
                     type, value);
}

void Channel_Messages::post_atomic(PeMemory at, AtomicOp op, WordType type,
                                   std::uint64_t value, HostCall const& call) {
  auto lock = enter(call.name);
  add_atomic(lock, outgoing_to(at.pe), at, op, type, value);
}

void Channel_Messages::post_node_updates(Pe to,
                                         std::span<std::byte const> updates,
                                         bool has_values, std::uint64_t value,
                                         HostCall const& call) {
  auto lock      = enter(call.name);
  auto& outgoing = outgoing_to(to);
  check_lost(lock.call, "an atomic operation", to);
  wait_for_room(lock, outgoing);
  MessageHeader header{.kind = MessageKind::node_updates};
  header.detail.atomic = {value, has_values ? 1U : 0U, 0};
  post(outgoing, header, outgoing.fenced, updates);
  // Receive messages from other PEs, for the reason given in make_room().
  static_cast<void>(m_transport.m_engine->poll());
}

void Channel_Messages::post_atomics(std::span<FarAtomic const>& left,
                                    HostCall const& call) {
  auto lock          = enter(call.name);
  Outgoing* outgoing = nullptr;
  while (!left.empty()) {
    auto const& [at, op, type, value] = left.front();
    if (outgoing == nullptr || outgoing->pe != at.pe)
      outgoing = &outgoing_to(at.pe);
    auto n =
        outgoing->run.append_all(outgoing->batch.get(), outgoing->batch_bytes,
                                 batch_size, outgoing->pe, left);
    if (n == 0) {
      add_atomic(lock, *outgoing, at, op, type, value);
      n = 1;
    }
    left = left.subspan(n);
  }
}

}  // namespace symm::Impl

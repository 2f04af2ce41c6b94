// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Puts, gets and atomic operations: which messages they become.
#include <algorithm>
#include <cstring>
#include <utility>

#include "../memory/HostCopy.hpp"
#include "Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// The most gets under way to a PE.
constexpr std::uint64_t most_gets = 256;
/// The same for strided gets: each reply takes most_strided at the target.
constexpr std::uint64_t most_packed_gets = 32;

}  // namespace

void Transport_Messages::put(PeMemory to, void const* from, std::size_t bytes,
                             Until until) {
  if (bytes == 0) return;
  auto lock  = enter();
  auto& peer = peer_of(to.pe);
  if (until == Until::is_begun && bytes <= BatchEntry::most_bytes &&
      to.offset() < BatchEntry::end_offset) {
    auto* const place =
        add_entry(lock, peer, BatchEntry::put(to.segment, to.offset(), bytes));
    copy_host_memory(place, from, bytes);
    return;
  }
  post_block(
      lock, peer,
      {.kind = MessageKind::put, .segment = to.segment, .offset = to.offset()},
      from, bytes, until);
}

void Transport_Messages::put_signal(PeMemory to, void const* from,
                                    std::size_t bytes, PeMemory signal,
                                    std::uint64_t value, AtomicOp op,
                                    Until until) {
  auto lock = enter();
  MessageHeader header{.kind           = MessageKind::put_signal,
                       .segment        = to.segment,
                       .op             = op,
                       .type           = WordType::u64,
                       .signal_segment = signal.segment,
                       .offset         = to.offset()};
  header.detail.signal = {signal.offset(), value};
  post_block(lock, peer_of(to.pe), header, from, bytes, until);
}

void Transport_Messages::put_strided(PeMemory to, void const* from,
                                     Strides strides) {
  auto const size = strides.element_bytes;
  if (size == 0) return;
  auto const* source = static_cast<std::byte const*>(from);
  if (size > most_strided) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      put(to, source, size);
      to = to.moved(strides.remote_bytes);
      source += strides.local_bytes;
    }
    return;
  }
  std::byte elements[most_strided];
  for (std::size_t i = 0; i < strides.count;) {
    auto const count = std::min(strides.count - i, most_strided / size);
    for (std::size_t k = 0; k < count; ++k) {
      copy_host_memory(elements + k * size, source, size);
      source += strides.local_bytes;
    }
    auto lock = enter();
    MessageHeader header{.kind    = MessageKind::put_strided,
                         .segment = to.segment,
                         .offset  = to.offset() + i * strides.remote_bytes};
    header.detail.strided = {static_cast<std::uint32_t>(size),
                             static_cast<std::uint32_t>(count),
                             strides.remote_bytes, 0};
    post_block(lock, peer_of(to.pe), header, elements, count * size,
               Until::is_safe);
    i += count;
  }
}

void Transport_Messages::get(void* to, PeMemory from, std::size_t bytes,
                             Until until) {
  if (bytes == 0) return;
  auto& peer         = peer_of(from.pe);
  auto* const memory = static_cast<std::byte*>(to);
  auto const ask     = [&](Pending const& pending) {
    MessageHeader header{.kind    = MessageKind::get,
                             .segment = from.segment,
                             .offset  = from.offset()};
    header.detail.get = {bytes, reinterpret_cast<std::uint64_t>(&pending)};
    send_message(from.pe, header);
  };
  auto lock = enter();
  if (m_is_lost) end_job_of_lost("a get", from.pe);
  flush(lock, peer);
  if (until == Until::is_safe) {
    Counter left = 1;
    Pending pending{.to = memory, .left = &left};
    ask(pending);
    lock.unlock();
    wait("a get", from.pe, [&] { return left == 0; });
    return;
  }
  bool const is_large = bytes > MessageEngine::max_eager;
  auto& left          = is_large ? peer.large_gets : peer.gets;
  auto const most     = is_large ? most_large : most_gets;
  if (left >= most) {  // once, as wait_for_room()
    lock.unlock();
    wait("a get", from.pe, [&] { return left < most; });
    enter_again(lock);
  }
  ask(*begin(peer, {.to = memory, .left = &left}));
}

void Transport_Messages::get_strided(void* to, PeMemory from, Strides strides) {
  auto const size = strides.element_bytes;
  if (size == 0 || strides.count == 0) return;
  auto* const memory = static_cast<std::byte*>(to);
  if (size > most_strided) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      get(memory + i * strides.local_bytes, from, size);
      from = from.moved(strides.remote_bytes);
    }
    return;
  }
  {
    auto lock = enter();
    if (m_is_lost) end_job_of_lost("a get", from.pe);
    flush(lock, peer_of(from.pe));
  }
  auto const count_at_once = most_strided / size;
  Counter left             = 0;
  Pending pending{.to = memory, .strides = strides, .left = &left};
  for (std::size_t first = 0; first < strides.count; first += count_at_once) {
    wait("a get", from.pe, [&] { return left < most_packed_gets; });
    auto const count = std::min(strides.count - first, count_at_once);
    MessageHeader header{
        .kind    = MessageKind::get_strided,
        .segment = from.segment,
        .number  = first,
        .offset  = from.offset() + first * strides.remote_bytes};
    header.detail.strided = {
        static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(count),
        strides.remote_bytes, reinterpret_cast<std::uint64_t>(&pending)};
    left.fetch_add(1, std::memory_order_relaxed);
    send_message(from.pe, header);
  }
  wait("a get", from.pe, [&] { return left == 0; });
}

std::uint64_t Transport_Messages::atomic(PeMemory at, AtomicOp op,
                                         WordType type, std::uint64_t value,
                                         std::uint64_t compare) {
  Counter left = 1;
  Pending pending{.left = &left};
  ask_for_atomic(at, op, type, value, compare, pending);
  wait("an atomic operation", at.pe, [&] { return left == 0; });
  return pending.value;
}

void Transport_Messages::ask_for_atomic(PeMemory at, AtomicOp op, WordType type,
                                        std::uint64_t value,
                                        std::uint64_t compare,
                                        Pending& pending) {
  MessageHeader header{.kind    = MessageKind::atomic,
                       .segment = at.segment,
                       .op      = op,
                       .type    = type,
                       .offset  = at.offset()};
  header.detail.atomic = {value, compare,
                          reinterpret_cast<std::uint64_t>(&pending)};
  auto lock            = enter();
  if (m_is_lost) end_job_of_lost("an atomic operation", at.pe);
  auto& peer = peer_of(at.pe);
  flush(lock, peer);
  wait_for_room(lock, peer);
  post(peer, header, peer.fenced, {});
}

void Transport_Messages::begin_get(void* to, PeMemory from, std::size_t bytes,
                                   Transport::Counter& left) {
  auto pending = std::make_unique<Pending>(Pending{
      .to = static_cast<std::byte*>(to), .left = &left, .is_on_heap = true});
  MessageHeader header{.kind    = MessageKind::get,
                       .segment = from.segment,
                       .offset  = from.offset()};
  header.detail.get = {bytes, reinterpret_cast<std::uint64_t>(pending.get())};
  auto lock         = enter();
  if (m_is_lost) end_job_of_lost("a get", from.pe);
  flush(lock, peer_of(from.pe));
  static_cast<void>(pending.release());  // now the reply's
  send_message(from.pe, header);
}

void Transport_Messages::begin_atomic(PeMemory at, AtomicOp op, WordType type,
                                      std::uint64_t value,
                                      std::uint64_t compare, std::uint64_t& was,
                                      Transport::Counter& left) {
  auto pending = std::make_unique<Pending>(
      Pending{.left = &left, .was = &was, .is_on_heap = true});
  // The reply owns it, and may come before this returns.
  ask_for_atomic(at, op, type, value, compare, *pending.release());
}

void Transport_Messages::wait_for_begun(Pe pe, Transport::Counter& left) {
  wait("an operation", pe,
       [&] { return left.load(std::memory_order_acquire) == 0; });
}

void Transport_Messages::post_atomic(PeMemory at, AtomicOp op, WordType type,
                                     std::uint64_t value) {
  auto lock = enter();
  auto* const place =
      add_entry(lock, peer_of(at.pe),
                BatchEntry::atomic(at.segment, at.offset(), op, type));
  std::memcpy(place, &value, sizeof value);
}

}  // namespace symm::Impl

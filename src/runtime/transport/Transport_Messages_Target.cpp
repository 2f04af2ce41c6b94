// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <utility>

#include "../memory/HostCopy.hpp"
#include "../memory/SideQueue.hpp"
#include "TargetMemory.hpp"
#include "Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// Whether the payload goes to its place without a copy in between.
bool is_block(MessageKind kind) {
  return kind == MessageKind::put || kind == MessageKind::put_signal;
}

}  // namespace

void Transport_Messages::receive(Pe from, std::span<std::byte const> header,
                                 std::span<std::byte const> payload) noexcept {
  if (header.size() != sizeof(MessageHeader)) end_job_of_nonsense(from);
  try {
    take(peer_of(from), header_of(header), payload);
  } catch (std::exception const& failure) {
    end_job_of_failure(Text("a message of PE ", from, " could not be taken: ",
                            std::string_view(failure.what())));
  }
}

void Transport_Messages::take(Peer& peer, MessageHeader const& header,
                              std::span<std::byte const> payload) {
  if (header.acked > peer.acked) {
    peer.acked.store(header.acked, std::memory_order_release);
  }
  if (is_numbered(header.kind)) {
    if (!peer.arrivals.may_be_done(header.after)) {
      peer.arrivals.hold(header.after,
                         {header, {payload.begin(), payload.end()}});
      return;
    }
    carry_out(peer, header, payload);
    carry_out_held(peer);
    return;
  }
  switch (header.kind) {
    case MessageKind::get: answer_get(peer, header); return;
    case MessageKind::get_strided: answer_get_strided(peer, header); return;
    case MessageKind::get_reply:
    case MessageKind::atomic_reply: take_reply(header, payload); return;
    case MessageKind::ack: return;
    case MessageKind::ack_request:
      peer.ack_wanted = std::max(peer.ack_wanted, header.number);
      send_wanted_ack(peer);
      return;
    case MessageKind::note: {
      std::lock_guard const lock(m_notes_mutex);
      peer.notes.push_back({header.number, {payload.begin(), payload.end()}});
      peer.n_notes.fetch_add(1, std::memory_order_release);
      return;
    }
    case MessageKind::where: answer_where(peer); return;
    case MessageKind::standing: take_standing(peer, payload); return;
    case MessageKind::farewell: take_farewell(header, payload); return;
    default: end_job_of_nonsense(peer.pe);
  }
}

void* Transport_Messages::place_for(Pe from, std::span<std::byte const> bytes,
                                    std::size_t size) noexcept {
  if (bytes.size() != sizeof(MessageHeader)) end_job_of_nonsense(from);
  try {
    auto const header = header_of(bytes);
    auto& peer        = peer_of(from);
    if (is_block(header.kind) && !is_of_gpu(header.segment) &&
        peer.arrivals.may_be_done(header.after)) {
      return find(peer, "a put", header.segment, header.offset, size);
    }
    if (header.kind == MessageKind::get_reply) {
      auto* const pending = reinterpret_cast<Pending*>(header.detail.get.token);
      if (pending->strides.count == 0) return pending->to;
    }
    m_landings.reserve(m_landings.size() + 1);
    auto* const landing = ::operator new(size);
    m_landings.push_back(landing);
    return landing;
  } catch (std::exception const& failure) {
    end_job_of_failure(
        Text("a message of ", size, " bytes of PE ", from,
             " could not be taken: ", std::string_view(failure.what())));
  }
}

void Transport_Messages::received(Pe from, std::span<std::byte const> bytes,
                                  void* place, std::size_t size) noexcept {
  auto const landing = std::find(m_landings.begin(), m_landings.end(), place);
  if (landing != m_landings.end()) {
    m_landings.erase(landing);
    receive(from, bytes, {static_cast<std::byte const*>(place), size});
    ::operator delete(place);
    return;
  }
  // The data are in their place already.
  receive(from, bytes, {});
}

void Transport_Messages::sent(std::size_t token) noexcept {
  try {
    finish(*reinterpret_cast<Pending*>(token));
  } catch (std::exception const& failure) {
    end_job_of_failure(Text("the end of a put could not be noted: ",
                            std::string_view(failure.what())));
  }
}

void Transport_Messages::finish(Pending& pending) {
  auto* const left = pending.left;
  auto* const peer = pending.peer;
  auto const begun = pending.begun;
  if (pending.is_on_heap) delete &pending;
  if (peer != nullptr) peer->done.set(begun);
  left->fetch_sub(1, std::memory_order_release);
}

// Replies to this PE.

void Transport_Messages::take_reply(MessageHeader const& header,
                                    std::span<std::byte const> payload) {
  bool const is_atomic = header.kind == MessageKind::atomic_reply;
  auto& pending        = *reinterpret_cast<Pending*>(
      is_atomic ? header.detail.atomic.token : header.detail.get.token);
  auto const size = pending.strides.element_bytes;
  if (is_atomic) {
    pending.value = header.detail.atomic.value;
    if (pending.was != nullptr) *pending.was = pending.value;
  } else if (size == 0) {
    if (!payload.empty()) {
      copy_host_memory(pending.to, payload.data(), payload.size());
    }
  } else {
    auto* to = pending.to + header.number * pending.strides.local_bytes;
    for (std::size_t at = 0; at < payload.size(); at += size) {
      copy_host_memory(to, payload.data() + at, size);
      to += pending.strides.local_bytes;
    }
  }
  finish(pending);
}

// Operations of other PEs on the memory of this one.

void Transport_Messages::answer_get(Peer& peer, MessageHeader const& header) {
  auto const bytes = header.detail.get.bytes;
  MessageHeader reply{.kind = MessageKind::get_reply};
  reply.detail.get = header.detail.get;
  if (is_of_gpu(header.segment)) {
    if (bytes > SideQueue::most_bytes) end_job_of_nonsense(peer.pe);
    auto const [queue, place] =
        find_on_gpu(peer, "a get", header.segment, header.offset, bytes);
    send_message(peer.pe, reply, queue.load(place, bytes));
    return;
  }
  auto const* const place = reinterpret_cast<std::byte const*>(
      find(peer, "a get", header.segment, header.offset, bytes));
  std::byte words[most_bytes_by_words];
  if (bytes <= sizeof words) {
    copy_host_memory(words, place, bytes);
    send_message(peer.pe, reply, {words, bytes});
  } else {
    m_n_answers.fetch_add(1, std::memory_order_relaxed);
    send_message(peer.pe, reply, {place, bytes}, &m_answers);
  }
}

void Transport_Messages::answer_get_strided(Peer& peer,
                                            MessageHeader const& header) {
  auto const* place       = find_strided(peer, "a get", header);
  std::size_t const size  = header.detail.strided.element_bytes;
  std::size_t const count = header.detail.strided.count;
  if (size * count > most_strided) end_job_of_nonsense(peer.pe);
  MessageHeader reply{.kind = MessageKind::get_reply, .number = header.number};
  reply.detail.get = {size * count, header.detail.strided.token};
  if (is_of_gpu(header.segment)) {
    send_message(peer.pe, reply,
                 m_target.gpu()->load_strided(
                     place, header.detail.strided.remote_bytes, size, count));
    return;
  }
  std::byte elements[most_strided];
  for (std::size_t i = 0; i < count; ++i) {
    copy_host_memory(elements + i * size, place, size);
    place += header.detail.strided.remote_bytes;
  }
  send_message(peer.pe, reply, {elements, size * count});
}

void Transport_Messages::carry_out(Peer& peer, MessageHeader const& header,
                                   std::span<std::byte const> payload) {
  bool const is_on_gpu = is_of_gpu(header.segment);
  switch (header.kind) {
    case MessageKind::put:
    case MessageKind::put_signal:
      if (is_on_gpu && !payload.empty()) {
        auto const [queue, place] = find_on_gpu(peer, "a put", header.segment,
                                                header.offset, payload.size());
        queue.store(place, payload.data(), payload.size());
        queue.finish();
      } else if (!payload.empty()) {
        store_block(
            find(peer, "a put", header.segment, header.offset, payload.size()),
            payload.data(), payload.size());
      }
      if (header.kind == MessageKind::put_signal) put_signal(peer, header);
      break;
    case MessageKind::put_strided: {
      std::size_t const size = header.detail.strided.element_bytes;
      if (size * header.detail.strided.count != payload.size()) {
        end_job_of_nonsense(peer.pe);
      }
      auto* place = find_strided(peer, "a put", header);
      if (is_on_gpu) {
        auto& queue = *m_target.gpu();
        queue.store_strided(place, header.detail.strided.remote_bytes,
                            payload.data(), size, header.detail.strided.count);
        queue.finish();
        break;
      }
      for (std::size_t at = 0; at < payload.size(); at += size) {
        store_block(place, payload.data() + at, size);
        place += header.detail.strided.remote_bytes;
      }
      break;
    }
    case MessageKind::atomic: {
      auto* const word = find_word(peer, header.segment, header.offset,
                                   header.op, header.type);
      MessageHeader reply{.kind = MessageKind::atomic_reply};
      auto const& detail  = header.detail.atomic;
      auto const was      = is_on_gpu ? m_target.gpu()->fetch_and_change(
                                            word, header.op, header.type,
                                            detail.value, detail.compare)
                                      : change_word(word, header.op, header.type,
                                                    detail.value, detail.compare);
      reply.detail.atomic = {was, 0, detail.token};
      set_done(peer, header);
      peer.ack_sent = peer.arrivals.done_up_to();
      send_message(peer.pe, reply);
      return;
    }
    default: carry_out_batch(peer, payload);
  }
  set_done(peer, header);
  send_wanted_ack(peer);
}

void Transport_Messages::set_done(Peer& peer, MessageHeader const& header) {
  peer.arrivals.set_done(header.number);
  if (header.wants_ack) {
    peer.ack_wanted = std::max(peer.ack_wanted, header.number);
  }
}

void Transport_Messages::put_signal(Peer& peer, MessageHeader const& header) {
  auto* const signal =
      find_word(peer, header.signal_segment, header.detail.signal.offset,
                header.op, WordType::u64);
  if (!is_of_gpu(header.signal_segment)) {
    change_word(signal, header.op, WordType::u64, header.detail.signal.value);
    return;
  }
  auto& queue = *m_target.gpu();
  queue.change(signal, header.op, WordType::u64, header.detail.signal.value);
  queue.finish();
}

void Transport_Messages::carry_out_batch(Peer& peer,
                                         std::span<std::byte const> payload) {
  SideQueue* queue = nullptr;  // null: nothing has been put in it
  struct Ready {
    std::uint64_t word;
    char* place;
    std::byte const* data;
  };
  // Several at once: words in no cache are fetched while others are changed.
  std::array<Ready, 16> ready;
  while (!payload.empty()) {
    std::size_t n = 0;
    while (n < ready.size() && !payload.empty()) {
      if (payload.size() < BatchEntry::head_bytes) end_job_of_nonsense(peer.pe);
      std::uint64_t word = 0;
      std::memcpy(&word, payload.data(), sizeof word);
      BatchEntry const entry(word);
      payload = payload.subspan(BatchEntry::head_bytes);
      if (payload.size() < entry.room()) end_job_of_nonsense(peer.pe);
      auto const data = payload;
      payload         = payload.subspan(entry.room());
      if (is_of_gpu(entry.segment())) {
        queue = &put_on_gpu(peer, entry, data);
        continue;
      }
      auto* const place = entry.kind() == BatchEntry::Kind::put
                              ? find(peer, "a put", entry.segment(),
                                     entry.offset(), entry.bytes())
                              : find_word(peer, entry.segment(), entry.offset(),
                                          entry.op(), entry.type());
      __builtin_prefetch(place, 1);
      ready[n++] = {word, place, data.data()};
    }
    for (std::size_t i = 0; i < n; ++i) {
      BatchEntry const entry(ready[i].word);
      if (entry.kind() == BatchEntry::Kind::put) {
        store_block(ready[i].place, ready[i].data, entry.bytes());
      } else {
        std::uint64_t value = 0;
        std::memcpy(&value, ready[i].data, sizeof value);
        change_word(ready[i].place, entry.op(), entry.type(), value);
      }
    }
  }
  if (queue != nullptr) queue->finish();
}

SideQueue& Transport_Messages::put_on_gpu(Peer const& peer, BatchEntry entry,
                                          std::span<std::byte const> data) {
  if (entry.kind() == BatchEntry::Kind::put) {
    auto const [queue, place] = find_on_gpu(peer, "a put", entry.segment(),
                                            entry.offset(), entry.bytes());
    queue.store(place, data.data(), entry.bytes());
    return queue;
  }
  std::uint64_t value = 0;
  std::memcpy(&value, data.data(), sizeof value);
  auto& queue = *m_target.gpu();
  queue.change(find_word(peer, entry.segment(), entry.offset(), entry.op(),
                         entry.type()),
               entry.op(), entry.type(), value);
  return queue;
}

void Transport_Messages::carry_out_held(Peer& peer) {
  while (auto const held = peer.arrivals.take()) {
    carry_out(peer, held->header, held->payload);
  }
}

void Transport_Messages::send_wanted_ack(Peer& peer) {
  auto const done = peer.arrivals.done_up_to();
  if (peer.ack_wanted <= peer.ack_sent || done < peer.ack_wanted) return;
  send_message(peer.pe, {.kind = MessageKind::ack});
  peer.ack_sent = done;
}

char* Transport_Messages::find(Peer const& peer, std::string_view operation,
                               Segment segment, std::uint64_t offset,
                               std::uint64_t bytes) {
  auto* const place = m_target.find(segment, offset, bytes);
  if (place == nullptr || (is_of_gpu(segment) && m_target.gpu() == nullptr)) {
    end_job_of_failure(Text("PE ", peer.pe, " of another node asks for ",
                            operation, " of ", bytes, " bytes at offset ",
                            offset, " of segment ", static_cast<int>(segment),
                            " of this PE, where there is no such memory"));
  }
  return place;
}

Transport_Messages::OnGpu Transport_Messages::find_on_gpu(
    Peer const& peer, std::string_view operation, Segment segment,
    std::uint64_t offset, std::uint64_t bytes) {
  auto* const place = find(peer, operation, segment, offset, bytes);
  return {*m_target.gpu(), place};
}

char* Transport_Messages::find_word(Peer const& peer, Segment segment,
                                    std::uint64_t offset, AtomicOp op,
                                    WordType type) {
  if (!is_atomic(op, type)) end_job_of_nonsense(peer.pe);
  auto const bytes  = bytes_of(type);
  auto* const place = find(peer, "an atomic operation", segment, offset, bytes);
  if (reinterpret_cast<std::uintptr_t>(place) % bytes != 0) {
    end_job_of_failure(Text("PE ", peer.pe,
                            " of another node asks for an atomic operation on ",
                            bytes, " bytes at offset ", offset, " of segment ",
                            static_cast<int>(segment),
                            " of this PE, which is no multiple of that"));
  }
  return place;
}

char* Transport_Messages::find_strided(Peer const& peer,
                                       std::string_view operation,
                                       MessageHeader const& header) {
  std::uint64_t const size  = header.detail.strided.element_bytes;
  std::uint64_t const count = header.detail.strided.count;
  if (size == 0 || count == 0) end_job_of_nonsense(peer.pe);
  std::uint64_t bytes = 0;
  if (__builtin_mul_overflow(count - 1, header.detail.strided.remote_bytes,
                             &bytes) ||
      __builtin_add_overflow(bytes, size, &bytes)) {
    bytes = UINT64_MAX;
  }
  return find(peer, operation, header.segment, header.offset, bytes);
}

}  // namespace symm::Impl

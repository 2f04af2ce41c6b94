// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Handles arriving messages: their order, the destinations of their payloads,
// acknowledgments, and answers to this PE's requests.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>

#include "../memory/HostCopy.hpp"
#include "Transport_Messages.hpp"

namespace symm::Impl {

namespace {

/// Whether the payload may be received directly into its destination.
bool is_block(MessageKind kind) {
  return kind == MessageKind::put || kind == MessageKind::put_signal;
}

PendingTable::Token token_of(MessageHeader const& reply) {
  return reply.kind == MessageKind::atomic_reply ? reply.detail.atomic.token
                                                 : reply.detail.get.token;
}

}  // namespace

void Transport_Messages::receive(Pe from, std::span<std::byte const> header,
                                 std::span<std::byte const> payload) noexcept {
  if (header.size() != sizeof(MessageHeader)) end_job_of_nonsense(from);
  try {
    take(peer_of(from), header_of(header), payload);
  } catch (std::exception const& failure) {
    end_job_of_failure(
        Text("a message from PE ", from,
             " could not be processed: ", std::string_view(failure.what())));
  }
}

Channel_Messages& Transport_Messages::channel_of(
    Pe from, MessageHeader const& header) noexcept {
  if (header.channel == 0) return m_default;
  if (header.channel >= m_n_channels) end_job_of_nonsense(from);
  return *m_channels[header.channel].load();
}

void Transport_Messages::take_ack(Pe from, MessageHeader const& header) {
  auto* const outgoing = channel_of(from, header).find_outgoing(from);
  if (outgoing == nullptr || header.acked <= outgoing->acked) return;
  outgoing->acked.store(header.acked, std::memory_order_release);
}

Transport_Messages::Incoming& Transport_Messages::incoming_of(
    Peer& peer, std::uint16_t channel) {
  if (channel == 0) return peer.incoming;
  if (channel >= max_channels) end_job_of_nonsense(peer.pe);
  auto& all = peer.incoming_of_others;
  if (all.size() < channel) all.resize(channel);
  auto& incoming = all[channel - 1U];
  if (!incoming) incoming.reset(new Incoming{peer.pe, channel});
  return *incoming;
}

void Transport_Messages::take(Peer& peer, MessageHeader const& header,
                              std::span<std::byte const> payload) {
  if (header.acked != 0) take_ack(peer.pe, header);
  if (is_numbered(header.kind)) {
    auto& from = incoming_of(peer, header.channel);
    if (!from.arrivals.may_be_done(header.after)) {
      from.arrivals.hold(header.after,
                         {header, {payload.begin(), payload.end()}});
      return;
    }
    carry_out(from, header, payload);
    carry_out_held(from);
    return;
  }
  switch (header.kind) {
    case MessageKind::get:
      answer_get(incoming_of(peer, header.channel), header);
      return;
    case MessageKind::get_strided:
      answer_get_strided(incoming_of(peer, header.channel), header);
      return;
    case MessageKind::get_reply:
    case MessageKind::atomic_reply:
      take_reply(peer.pe, header, payload);
      return;
    case MessageKind::ack: return;
    case MessageKind::ack_request: {
      auto& from      = incoming_of(peer, header.channel);
      from.ack_wanted = std::max(from.ack_wanted, header.number);
      send_wanted_ack(from);
      return;
    }
    case MessageKind::note: {
      std::lock_guard const lock(m_notes_mutex);
      peer.notes.push_back({header.number, {payload.begin(), payload.end()}});
      peer.n_notes.fetch_add(1, std::memory_order_release);
      return;
    }
    case MessageKind::key_request: answer_key_request(peer.pe, header); return;
    case MessageKind::key: take_key(peer, header, payload); return;
    case MessageKind::where: answer_where(peer); return;
    case MessageKind::progress: take_progress(peer, payload); return;
    case MessageKind::farewell: take_farewell(peer.pe, header, payload); return;
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
        incoming_of(peer, header.channel).arrivals.may_be_done(header.after)) {
      return find(from, "a put", header.segment, header.offset, size);
    }
    if (header.kind == MessageKind::get_reply) {
      auto& asked         = asked_of(from, header);
      auto const& pending = *asked.pending;
      if (pending.strides.count == 0 && pending.answers.empty()) {
        if (size != asked.bytes) end_job_of_nonsense(from);
        asked.is_arriving = true;
        return pending.to;
      }
    }
    m_receive_buffers.reserve(m_receive_buffers.size() + 1);
    auto* const receive_buffer = ::operator new(size);
    m_receive_buffers.push_back(receive_buffer);
    return receive_buffer;
  } catch (std::exception const& failure) {
    end_job_of_failure(
        Text("a message of ", size, " bytes from PE ", from,
             " could not be processed: ", std::string_view(failure.what())));
  }
}

void Transport_Messages::received(Pe from, std::span<std::byte const> bytes,
                                  void* place, std::size_t size) noexcept {
  auto const receive_buffer =
      std::find(m_receive_buffers.begin(), m_receive_buffers.end(), place);
  if (receive_buffer != m_receive_buffers.end()) {
    m_receive_buffers.erase(receive_buffer);
    receive(from, bytes, {static_cast<std::byte const*>(place), size});
    ::operator delete(place);
    return;
  }
  // The data are already in place.
  auto const header = header_of(bytes);
  if (header.kind != MessageKind::get_reply) return receive(from, bytes, {});
  auto& all = channel_of(from, header).asked();
  all.find(token_of(header), from)->is_arriving = false;
  receive(from, bytes, {static_cast<std::byte const*>(place), size});
}

void Transport_Messages::sent(std::size_t token) noexcept {
  try {
    reinterpret_cast<PendingOperation*>(token)->finish();
  } catch (std::exception const& failure) {
    end_job_of_failure(Text("the completion of a put could not be recorded: ",
                            std::string_view(failure.what())));
  }
}

void Transport_Messages::set_done(Incoming& from, MessageHeader const& header) {
  from.arrivals.set_done(header.number);
  if (header.wants_ack) {
    from.ack_wanted = std::max(from.ack_wanted, header.number);
  }
}

void Transport_Messages::carry_out_held(Incoming& from) {
  while (auto const held = from.arrivals.take()) {
    carry_out(from, held->header, held->payload);
  }
}

void Transport_Messages::send_wanted_ack(Incoming& from) {
  auto const done = from.arrivals.done_up_to();
  if (from.ack_wanted <= from.ack_sent || done < from.ack_wanted) return;
  send_message(
      from.pe,
      {.kind = MessageKind::ack, .channel = from.channel, .acked = done});
  from.ack_sent = done;
}

// Answers to this PE's requests.

PendingTable::Asked& Transport_Messages::asked_of(
    Pe from, MessageHeader const& header) noexcept {
  auto& all             = channel_of(from, header).asked();
  auto* const asked     = all.find(token_of(header), from);
  bool const is_of_word = header.kind == MessageKind::atomic_reply;
  if (asked == nullptr || is_of_word != (asked->pending->word_bytes != 0) ||
      asked->is_arriving) {
    end_job_of_nonsense(from);
  }
  return *asked;
}

void Transport_Messages::take_reply(Pe from, MessageHeader const& header,
                                    std::span<std::byte const> payload) {
  auto const& asked = asked_of(from, header);
  auto& pending     = *asked.pending;
  if (!pending.answers.empty()) {
    for (auto const& place : pending.answers) {
      auto const room = round_up(place.bytes, 8);
      if (payload.size() < room) end_job_of_nonsense(from);
      copy_host_memory(place.to, payload.data(), place.bytes);
      payload = payload.subspan(room);
    }
    if (!payload.empty()) end_job_of_nonsense(from);
  } else if (payload.size() != asked.bytes) {
    end_job_of_nonsense(from);
  } else if (pending.word_bytes != 0) {
    std::memcpy(pending.to, &header.detail.atomic.value, pending.word_bytes);
  } else if (pending.strides.count == 0) {
    copy_host_memory(pending.to, payload.data(), payload.size());
  } else {
    auto const size = pending.strides.element_bytes;
    auto* const to  = static_cast<std::byte*>(pending.to) +
                     asked.first * pending.strides.local_bytes;
    for (std::size_t i = 0; i * size < payload.size(); ++i)
      copy_host_memory(to + i * pending.strides.local_bytes,
                       payload.data() + i * size, size);
  }
  channel_of(from, header).asked().remove(token_of(header));
  pending.finish();
}

}  // namespace symm::Impl

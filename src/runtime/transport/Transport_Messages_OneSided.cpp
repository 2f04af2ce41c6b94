// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Blocks that the engine moves without messages.

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>
#include <string_view>

#include "Transport_Messages.hpp"

namespace symm::Impl {

// Keys. A PE asks another one when it has the first block for a chunk.

std::optional<Transport_Messages::Part> Transport_Messages::part_of(
    PeMemory at, std::size_t bytes, char const* call) {
  if (at.segment != Segment::host_heap) return {};
  // Chunks are the same on all PEs.
  auto const chunk = m_target.find_around(at.segment, at.offset(), 1);
  if (chunk.bytes == 0) return {};
  auto& peer        = peer_of(at.pe);
  auto const answer = [&] { return peer.chunks.find(chunk.offset); };
  auto found        = answer();
  if (!found) {
    constexpr char const* what = "the first block";
    if (m_is_lost) end_job_of_lost(call, what, at.pe);
    MessageHeader request{.kind    = MessageKind::key_request,
                          .segment = at.segment,
                          .offset  = chunk.offset};
    request.detail.get = {chunk.bytes, 0};
    send_message(at.pe, request);
    wait(call, what, at.pe, [&] { return (found = answer()).has_value(); });
  }
  if (!*found) return {};
  auto const begin = at.offset() - chunk.offset;
  Part part{**found, std::min({bytes, chunk.bytes - begin,
                               m_engine->one_sided()->most_bytes()})};
  part.place.address += begin;
  return part;
}

void Transport_Messages::answer_key_request(Pe from,
                                            MessageHeader const& header) {
  MessageHeader const answer{.kind = MessageKind::key, .offset = header.offset};
  auto* const one_sided = m_engine->one_sided();
  auto const bytes      = header.detail.get.bytes;
  auto* const start =
      find(from, "a block", header.segment, header.offset, bytes);
  auto const key =
      one_sided == nullptr ? std::nullopt : one_sided->open_chunk(start, bytes);
  if (!key) return send_message(from, answer);
  WireKey const chunk{*key, reinterpret_cast<std::uint64_t>(start)};
  send_message(from, answer, std::as_bytes(std::span(&chunk, 1)));
}

void Transport_Messages::take_key(Peer& peer, MessageHeader const& header,
                                  std::span<std::byte const> payload) {
  OpenChunks::Answer answer;
  auto* const one_sided = m_engine->one_sided();
  if (one_sided != nullptr && !payload.empty()) {
    WireKey chunk;
    if (payload.size() != sizeof chunk) end_job_of_nonsense(peer.pe);
    std::memcpy(&chunk, payload.data(), sizeof chunk);
    if (one_sided->reaches(peer.pe, chunk.key)) {
      answer = {peer.pe, chunk.key, chunk.address};
    }
  }
  peer.chunks.add(header.offset, answer);
}

void Transport_Messages::forget_chunk(std::size_t offset) noexcept {
  auto* const one_sided = m_engine->one_sided();
  if (one_sided == nullptr) return;
  auto const chunk = m_target.find_around(Segment::host_heap, offset, 1);
  if (chunk.bytes != 0) one_sided->close_chunk(chunk.start);
  for (auto const& place : m_peers) {
    if (auto* const peer = place.load(std::memory_order_acquire)) {
      peer->chunks.forget(offset);
    }
  }
}

// Operations. All are done when they return, so fence() and quiet() need not
// know of them.

template <class Begin>
void Transport_Messages::wait_for_one_sided(Pe pe, char const* call,
                                            char const* what, std::size_t bytes,
                                            Begin const& begin) {
  Counter left = 1;
  PendingOperation pending{.left = &left};
  try {
    if (begin(reinterpret_cast<std::size_t>(&pending))) return;
  } catch (std::exception const& failure) {
    end_job_unless_lost(
        Text(what, " of ", bytes, " bytes, of memory of PE ", pe,
             ", has failed: ", std::string_view(failure.what())));
    end_job_of_lost(call, what, pe);
  }
  wait(call, what, pe, [&] { return left == 0; });
}

void Transport_Messages::put_one_sided(OneSided::Place const& to,
                                       void const* from, std::size_t bytes,
                                       char const* call) {
  wait_for_one_sided(to.pe, call, "a put", bytes, [&](std::size_t token) {
    return m_engine->one_sided()->put(to, from, bytes, token);
  });
}

void Transport_Messages::get_one_sided(void* to, OneSided::Place const& from,
                                       std::size_t bytes, char const* call) {
  wait_for_one_sided(from.pe, call, "a get", bytes, [&](std::size_t token) {
    return m_engine->one_sided()->get(to, from, bytes, token);
  });
}

// As a part of a channel.

std::size_t Channel_Messages::put_one_sided(PeMemory to, void const* from,
                                            std::size_t bytes,
                                            HostCall const& call) {
  auto const* const source = static_cast<std::byte const*>(from);
  std::size_t done         = 0;
  while (done < bytes) {
    auto const part =
        m_transport.part_of(to.moved(done), bytes - done, call.name);
    if (!part) break;
    if (done == 0 && !wait_for_fenced(to.pe, bytes, call)) break;
    m_transport.put_one_sided(part->place, source + done, part->bytes,
                              call.name);
    done += part->bytes;
  }
  if (done == bytes && call.request != nullptr) *call.request = {};
  return done;
}

bool Channel_Messages::wait_for_fenced(Pe pe, std::size_t bytes,
                                       HostCall const& call) {
  auto& outgoing = outgoing_to(pe);
  auto lock      = enter(call.name);
  check_lost(call.name, "a put", pe);
  auto const after = outgoing.fenced;
  if (outgoing.acked >= after) return true;
  if (bytes <= MessageEngine::max_eager) return false;  // takes no wait
  ask_for_ack(outgoing);
  lock.unlock();
  wait_until(call.name, "a put", pe, [&] { return outgoing.acked >= after; });
  return true;
}

std::size_t Channel_Messages::get_one_sided(void* to, PeMemory from,
                                            std::size_t bytes,
                                            HostCall const& call) {
  check_lost(call.name, "a get", from.pe);
  std::size_t done = 0;
  while (done < bytes) {
    auto const part =
        m_transport.part_of(from.moved(done), bytes - done, call.name);
    if (!part) break;
    m_transport.get_one_sided(static_cast<std::byte*>(to) + done, part->place,
                              part->bytes, call.name);
    done += part->bytes;
  }
  if (done == bytes && call.request != nullptr) *call.request = {};
  return done;
}

}  // namespace symm::Impl

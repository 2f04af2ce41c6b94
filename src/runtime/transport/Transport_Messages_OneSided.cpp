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

// Keys. A PE requests the key of another PE's chunk when it first moves a block
// to or from that chunk.

std::optional<Transport_Messages::BlockPlace>
Transport_Messages::place_of_block(PeMemory at, std::size_t bytes,
                                   char const* call) {
  if (at.segment != Segment::host_heap) return {};
  // A chunk has the same offset and size on all PEs.
  auto const chunk = m_target.find_around(at.segment, at.offset(), 1);
  if (chunk.bytes == 0) return {};
  auto& peer        = peer_of(at.pe);
  auto const answer = [&] { return peer.chunks.find(chunk.offset); };
  auto found        = answer();
  if (!found) {
    constexpr char const* what = "the first block";
    if (m_is_lost) end_job_of_lost(call, what, at.pe);
    if (peer.chunks.is_to_ask(chunk.offset)) {
      MessageHeader request{.kind    = MessageKind::key_request,
                            .segment = at.segment,
                            .offset  = chunk.offset};
      request.detail.get = {chunk.bytes, 0};
      send_message(at.pe, request);
    }
    wait(call, what, at.pe, [&] { return (found = answer()).has_value(); });
  }
  if (!*found) return {};
  auto const begin = at.offset() - chunk.offset;
  BlockPlace block{**found, std::min({bytes, chunk.bytes - begin,
                                      m_engine->one_sided()->max_bytes()})};
  block.place.address += begin;
  return block;
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
  peer.chunks.answer(header.offset, answer);
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

// Operations.

void Transport_Messages::begin_move(BlockMove const& move,
                                    PendingOperation* pending) {
  auto& engine     = *m_engine->one_sided();
  auto const token = reinterpret_cast<std::size_t>(pending);
  auto const pe    = move.there.pe;
  try {
    if (move.kind == BlockMove::Kind::put) {
      engine.put(move.there, move.here, move.bytes, token);
    } else {
      engine.get(move.here, move.there, move.bytes, token);
    }
  } catch (std::exception const& failure) {
    end_job_unless_lost(Text(move.what(), " of ", move.bytes,
                             " bytes in the memory of PE ", pe,
                             " failed: ", std::string_view(failure.what())));
    end_job_of_lost(move.call, move.what(), pe);
  }
}

void Transport_Messages::move_block(BlockMove const& move) {
  if (are_moves_immediate()) return begin_move(move, nullptr);
  Counter left = 1;
  PendingOperation pending{.left = &left};
  begin_move(move, &pending);
  wait(move.call, move.what(), move.there.pe, [&] { return left == 0; });
}

// Channel functions.

void Channel_Messages::move_part(BlockMove const& move, std::size_t left,
                                 Completion completion,
                                 OperationHandle* handle) {
  // A Request can wait for only a single operation, which is the last part. So
  // wait for the other parts here.
  bool const waits = completion == Completion::local ||
                     (handle != nullptr && move.bytes != left) ||
                     m_transport.are_moves_immediate();
  if (waits) {
    m_transport.move_block(move);
    if (handle != nullptr) *handle = {};
    return;
  }
  auto& outgoing = outgoing_to(move.there.pe);
  auto lock      = enter(move.call);
  if (outgoing.blocks >= max_blocks) {  // waits only once, like wait_for_room()
    lock.unlock();
    wait_until(move.call, move.what(), outgoing.pe,
               [&] { return outgoing.blocks < max_blocks; });
    enter_again(lock);
  }
  auto* const pending = begin(outgoing, {.left = &outgoing.blocks}, handle);
  if (move.kind == BlockMove::Kind::put) outgoing.last_block = outgoing.begun;
  lock.unlock();
  m_transport.begin_move(move, pending);
}

std::size_t Channel_Messages::put_one_sided(PeMemory to, void const* from,
                                            std::size_t bytes,
                                            Completion completion,
                                            HostCall const& call) {
  // The engine only reads the source.
  auto* const source = static_cast<std::byte*>(const_cast<void*>(from));
  std::size_t done   = 0;
  while (done < bytes) {
    auto const left = bytes - done;
    auto const block =
        m_transport.place_of_block(to.moved(done), left, call.name);
    if (!block || (done == 0 && !wait_for_fenced(to.pe, bytes, call))) break;
    move_part({BlockMove::Kind::put, block->place, source + done, block->bytes,
               call.name},
              left, completion, call.request);
    done += block->bytes;
  }
  return done;
}

std::size_t Channel_Messages::get_one_sided(void* to, PeMemory from,
                                            std::size_t bytes,
                                            Completion completion,
                                            HostCall const& call) {
  check_lost(call.name, "a get", from.pe);
  std::size_t done = 0;
  while (done < bytes) {
    auto const left = bytes - done;
    auto const block =
        m_transport.place_of_block(from.moved(done), left, call.name);
    if (!block) break;
    move_part({BlockMove::Kind::get, block->place,
               static_cast<std::byte*>(to) + done, block->bytes, call.name},
              left, completion, call.request);
    done += block->bytes;
  }
  return done;
}

bool Channel_Messages::wait_for_fenced(Pe pe, std::size_t bytes,
                                       HostCall const& call) {
  auto& outgoing = outgoing_to(pe);
  auto lock      = enter(call.name);
  check_lost(call.name, "a put", pe);
  auto const after = outgoing.fenced;
  if (outgoing.acked >= after) return true;
  if (bytes <= MessageEngine::max_eager) return false;  // send a message
  ask_for_ack(outgoing);
  lock.unlock();
  wait_until(call.name, "a put", pe, [&] { return outgoing.acked >= after; });
  return true;
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Blocks that the engine moves without messages.

#include <cstring>
#include <exception>
#include <span>
#include <string_view>

#include "Transport_Messages.hpp"

namespace symm::Impl {

// Keys. A PE asks another one when it has the first block for it.

std::optional<OneSided::Place> Transport_Messages::place_of(PeMemory at,
                                                            std::size_t bytes,
                                                            char const* call) {
  if (at.segment != Segment::host_heap) return {};
  auto& peer      = peer_of(at.pe);
  auto const look = [&] { return peer.reach.load(std::memory_order_acquire); };
  if (look() == Peer::Reach::unknown) {
    constexpr char const* what = "the first block";
    if (m_is_lost) end_job_of_lost(call, what, at.pe);
    MessageHeader request{.kind    = MessageKind::key_request,
                          .segment = at.segment,
                          .offset  = at.offset()};
    request.detail.get = {bytes, 0};
    send_message(at.pe, request);
    wait(call, what, at.pe, [&] { return look() != Peer::Reach::unknown; });
  }
  if (look() == Peer::Reach::none) return {};
  auto place = peer.heap;
  place.address += at.offset();
  return place;
}

void Transport_Messages::answer_key_request(Pe from,
                                            MessageHeader const& header) {
  MessageHeader const answer{.kind = MessageKind::key};
  auto const* const one_sided = m_engine->one_sided();
  if (one_sided == nullptr) {
    send_message(from, answer);
    return;
  }
  // The heap is one range of addresses at each PE.
  auto const* const place = find(from, "a block", header.segment, header.offset,
                                 header.detail.get.bytes);
  WireKey const heap{one_sided->my_key(),
                     reinterpret_cast<std::uint64_t>(place) - header.offset};
  send_message(from, answer, std::as_bytes(std::span(&heap, 1)));
}

void Transport_Messages::take_key(Peer& peer,
                                  std::span<std::byte const> payload) {
  // Several threads may have asked.
  if (peer.reach.load() != Peer::Reach::unknown) return;
  auto* const one_sided = m_engine->one_sided();
  if (one_sided == nullptr || payload.empty()) {
    peer.reach = Peer::Reach::none;
    return;
  }
  WireKey heap;
  if (payload.size() != sizeof heap) end_job_of_nonsense(peer.pe);
  std::memcpy(&heap, payload.data(), sizeof heap);
  peer.heap = {peer.pe, heap.key, heap.address};
  peer.reach.store(one_sided->reaches(peer.pe, heap.key) ? Peer::Reach::there
                                                         : Peer::Reach::none,
                   std::memory_order_release);
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

bool Channel_Messages::try_put_one_sided(PeMemory to, void const* from,
                                         std::size_t bytes,
                                         HostCall const& call) {
  auto const place = m_transport.place_of(to, bytes, call.name);
  if (!place) return false;
  auto& outgoing = outgoing_to(to.pe);
  {
    auto lock = enter(call.name);
    check_lost(call.name, "a put", to.pe);
    auto const after = outgoing.fenced;
    if (outgoing.acked < after) {
      if (bytes <= MessageEngine::max_eager) return false;  // takes no wait
      ask_for_ack(outgoing);
      lock.unlock();
      wait_until(call.name, "a put", to.pe,
                 [&] { return outgoing.acked >= after; });
    }
  }
  m_transport.put_one_sided(*place, from, bytes, call.name);
  if (call.request != nullptr) *call.request = {};  // done
  return true;
}

bool Channel_Messages::try_get_one_sided(void* to, PeMemory from,
                                         std::size_t bytes,
                                         HostCall const& call) {
  auto const place = m_transport.place_of(from, bytes, call.name);
  if (!place) return false;
  check_lost(call.name, "a get", from.pe);
  m_transport.get_one_sided(to, *place, bytes, call.name);
  if (call.request != nullptr) *call.request = {};  // done
  return true;
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Handles the operations that libfabric has completed for
// MessageEngine_Libfabric.
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>

#include <array>
#include <cstring>
#include <new>
#include <utility>

#include "MessageEngine_Libfabric.hpp"

namespace symm::Impl {

void MessageEngine_Libfabric::complete(InFlight& operation,
                                       std::size_t bytes) noexcept {
  switch (operation.kind) {
    case receives_message: {
      auto& buffer = static_cast<Buffer&>(operation);
      take_message({buffer.bytes.data(), bytes});
      return repost(buffer);
    }
    case receives_payload:
      return complete_payload(static_cast<Parcel*>(&operation), 0);
    default: return complete_send(static_cast<Parcel*>(&operation), 0);
  }
}

void MessageEngine_Libfabric::take_error() noexcept {
  fi_cq_err_entry error{};
  if (fi_cq_readerr(m_queue.get(), &error, 0) != 1) return;
  auto* const operation = static_cast<InFlight*>(error.op_context);
  if (operation == nullptr) return;
  switch (operation->kind) {
    case receives_message:
      if (error.err == FI_ECANCELED) return;
      // The message is too long to be from a PE in this job, so count it as
      // foreign.
      static_cast<void>(take_head(ParcelHead{~m_key}));
      return repost(static_cast<Buffer&>(*operation));
    case receives_payload:
      return complete_payload(static_cast<Parcel*>(operation), error.err);
    default: return complete_send(static_cast<Parcel*>(operation), error.err);
  }
}

void MessageEngine_Libfabric::complete_send(Parcel* parcel,
                                            int error) noexcept {
  auto& peer = connection_of(parcel->peer);
  m_posted.take(parcel);
  --peer.n_posted;
  --m_n_posted;
  if (error != 0) {
    note_failure(peer, error);
  } else {
    peer.was_reached = true;
  }
  forget(peer, parcel);
}

void MessageEngine_Libfabric::complete_payload(Parcel* parcel,
                                               int error) noexcept {
  auto& peer = connection_of(parcel->peer);
  m_posted.take(parcel);
  if (error != 0) {
    note_failure(peer, error);
  } else if (!m_is_over) {
    peer.was_heard = true;
    m_receiver.load()->received(parcel->peer, parcel->header(), parcel->place,
                                parcel->bytes);
  }
  m_parcels.give_back(parcel);
}

void MessageEngine_Libfabric::take_message(
    std::span<std::byte const> message) noexcept {
  ParcelHead head{~m_key};  // a copy, because `message` may not be aligned
  if (message.size() >= sizeof head) {
    std::memcpy(&head, message.data(), sizeof head);
    message = message.subspan(sizeof head);
    if (head.header_bytes > max_header || head.header_bytes > message.size()) {
      head.key = ~m_key;
    }
  }
  auto* const its_peer = take_head(head);
  if (its_peer == nullptr) return;
  auto& peer         = static_cast<Connection&>(*its_peer);
  auto const header  = message.first(head.header_bytes);
  auto const payload = message.subspan(head.header_bytes);
  std::array<std::uint64_t, 2> words{};
  switch (head.kind) {
    case ParcelHead::Kind::message:
      return m_receiver.load()->receive(peer.pe, header, payload);
    case ParcelHead::Kind::offer:
    case ParcelHead::Kind::answer:
      if (payload.size() != sizeof words) return;
      std::memcpy(words.data(), payload.data(), sizeof words);
      if (head.kind == ParcelHead::Kind::offer) {
        take_offer(peer, header, words[0], words[1]);
      } else {
        take_answer(peer, words[0], words[1]);
      }
      return;
    default: return;  // take_head() has already answered a ping
  }
}

void MessageEngine_Libfabric::take_offer(Connection& peer,
                                         std::span<std::byte const> header,
                                         std::uint64_t number,
                                         std::uint64_t bytes) noexcept {
  // A tag of 0 tells the sender to discard the payload.
  std::array<std::uint64_t, 2> answer{number, 0};
  Parcel* parcel  = nullptr;
  Parcel* message = nullptr;
  try {
    message = control(peer.pe, ParcelHead::Kind::answer, {}, answer);
    parcel  = m_parcels.take();
  } catch (std::bad_alloc const&) {
    if (message != nullptr) m_parcels.give_back(message);
    return refuse_message(peer.pe);
  }
  auto* const place = m_receiver.load()->place_for(peer.pe, header, bytes);
  if (place == nullptr) {
    m_parcels.give_back(parcel);
    m_receiver.load()->received(peer.pe, header, nullptr, bytes);
  } else {
    parcel->owner  = this;
    parcel->peer   = peer.pe;
    parcel->token  = 0;
    parcel->kind   = receives_payload;
    parcel->place  = place;
    parcel->bytes  = bytes;
    parcel->number = answer[1] = ++m_n_tags;
    parcel->set_header(header);
    std::memcpy(message->small.data(), answer.data(), sizeof answer);
    post_receive(parcel);
  }
  submit(peer, message);
}

void MessageEngine_Libfabric::take_answer(Connection& peer,
                                          std::uint64_t number,
                                          std::uint64_t tag) noexcept {
  auto* parcel = peer.offered.last();
  while (parcel != nullptr && parcel->number != number) parcel = parcel->before;
  if (parcel == nullptr) return;
  peer.offered.take(parcel);
  if (tag == 0) return forget(peer, parcel);
  parcel->kind   = sends_payload;
  parcel->number = tag;
  post_or_queue(peer, parcel);
}

void MessageEngine_Libfabric::post_receive(Parcel* parcel) noexcept {
  auto const status =
      fi_trecv(m_endpoint.get(), parcel->place, parcel->bytes, nullptr,
               FI_ADDR_UNSPEC, parcel->number, 0, parcel);
  m_needs_progress = true;
  if (status == 0) {
    m_posted.add(parcel);
  } else if (status == -FI_EAGAIN) {
    m_to_receive.push(parcel);
  } else {
    note_failure(connection_of(parcel->peer), static_cast<int>(-status));
    m_parcels.give_back(parcel);
  }
}

void MessageEngine_Libfabric::repost(Buffer& buffer) noexcept {
  buffer.kind             = receives_message;
  InFlight* const context = &buffer;
  if (fi_recv(m_endpoint.get(), buffer.bytes.data(), buffer.bytes.size(),
              nullptr, FI_ADDR_UNSPEC, context) != 0) {
    buffer.next = std::exchange(m_to_repost, &buffer);
  }
}

void MessageEngine_Libfabric::post_queued_receives() noexcept {
  for (auto* buffer = std::exchange(m_to_repost, nullptr); buffer != nullptr;) {
    auto* const next = buffer->next;
    repost(*buffer);
    buffer = next;
  }
  ParcelQueue parcels;
  while (auto* const parcel = m_to_receive.pop()) parcels.push(parcel);
  while (auto* const parcel = parcels.pop()) post_receive(parcel);
}

}  // namespace symm::Impl

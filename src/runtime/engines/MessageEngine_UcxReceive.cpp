// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Handles the messages that UCX delivers to MessageEngine_Ucx.
#include <cstring>
#include <new>
#include <utility>

#include "MessageEngine_Ucx.hpp"

namespace symm::Impl {

ucs_status_t MessageEngine_Ucx::on_message(void* engine, void const* header,
                                           std::size_t header_bytes, void* data,
                                           std::size_t bytes,
                                           ucp_am_recv_param_t const* param) {
  bool const is_rendezvous =
      (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) != 0;
  return static_cast<MessageEngine_Ucx*>(engine)->take_message(
      header, header_bytes, data, bytes, is_rendezvous);
}

ucs_status_t MessageEngine_Ucx::take_message(void const* header,
                                             std::size_t header_bytes,
                                             void* data, std::size_t bytes,
                                             bool is_rendezvous) noexcept {
  Parcel::Head head;  // a copy, because UCX's header may not be aligned
  bool const has_head =
      header_bytes >= sizeof(ParcelHead) && header_bytes <= sizeof head;
  if (has_head) std::memcpy(&head, header, header_bytes);
  auto* const peer = take_head(has_head ? head.engine : ParcelHead{~m_key});
  if (peer == nullptr) return UCS_OK;
  // UCX may have accepted a new connection for this message.
  if (!std::exchange(peer->is_heard, true)) m_descriptors.look_if_few();
  if (head.engine.kind != ParcelHead::Kind::message) return UCS_OK;
  std::span<std::byte const> const user(head.user.data(),
                                        header_bytes - sizeof(ParcelHead));
  if (is_rendezvous) return take_rendezvous(peer->pe, user, data, bytes);
  m_receiver.load()->receive(peer->pe, user,
                             {static_cast<std::byte const*>(data), bytes});
  return UCS_OK;
}

ucs_status_t MessageEngine_Ucx::take_rendezvous(
    Pe from, std::span<std::byte const> header, void* data,
    std::size_t bytes) noexcept {
  if (auto& peer = connection_of(from); peer.n_large_heard < 4) {
    ++peer.n_large_heard;
    m_descriptors.look_if_few();
  }
  Parcel* parcel = nullptr;
  try {
    parcel = m_parcels.take();
  } catch (std::bad_alloc const&) {
    refuse_message(from);
    return UCS_OK;  // UCX discards the payload and completes the send
  }
  auto& receiver    = *m_receiver.load();
  void* const place = receiver.place_for(from, header, bytes);
  if (place == nullptr) {
    m_parcels.give_back(parcel);
    receiver.received(from, header, nullptr, bytes);
    return UCS_OK;
  }
  parcel->owner = this;
  parcel->peer  = from;
  parcel->place = place;
  parcel->bytes = bytes;
  parcel->token = 0;
  parcel->set_header(header);
  m_receiving.add(parcel);
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                        UCP_OP_ATTR_FIELD_USER_DATA |
                        UCP_OP_ATTR_FLAG_NO_IMM_CMPL;
  params.cb.recv_am = on_received;
  params.user_data  = parcel;
  auto* const request =
      m_ucp->ucp_am_recv_data_nbx(m_worker, data, place, bytes, &params);
  if (UCS_PTR_IS_ERR(request)) {
    m_parcels.give_back(m_receiving.take(parcel));
    note_failure(connection_of(from), UCS_PTR_STATUS(request));
  }
  m_needs_progress = true;
  return UCS_INPROGRESS;
}

void MessageEngine_Ucx::on_received(void* request, ucs_status_t status,
                                    std::size_t /*bytes*/, void* parcel_of) {
  auto* const parcel = static_cast<Parcel*>(parcel_of);
  auto& engine       = *static_cast<MessageEngine_Ucx*>(parcel->owner);
  auto& peer         = engine.connection_of(parcel->peer);
  engine.m_ucp->ucp_request_free(request);
  if (status != UCS_OK) {
    engine.note_failure(peer, status);
  } else if (!engine.m_is_over) {
    peer.was_heard = true;
    engine.m_receiver.load()->received(parcel->peer, parcel->header(),
                                       parcel->place, parcel->bytes);
  }
  engine.m_parcels.give_back(engine.m_receiving.take(parcel));
}

}  // namespace symm::Impl

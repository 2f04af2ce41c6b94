// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MessageEngine_Ucx.hpp"

#include <poll.h>

#include <cstdio>
#include <new>
#include <utility>

namespace symm::Impl {

namespace {

/// UCX sends payloads of up to this many bytes without a rendezvous, because a
/// rendezvous's round trip would take as long as the transfer. Even so, this
/// engine does not copy payloads of more than max_eager bytes.
constexpr std::size_t max_without_rendezvous = std::size_t{256} << 10U;

/// The values of Parcel::number while UCX is sending the parcel.
enum ParcelState : std::uint64_t {
  by_endpoint,
  by_bulk,    // in Connection::on_bulk
  given_back  // in m_given_back, because the peer is lost
};

}  // namespace

std::unique_ptr<ServedEngine::Peer> MessageEngine_Ucx::make_peer() {
  m_closing.reserve(2 * m_met.capacity());
  m_without_bulk.reserve(m_met.capacity());
  return std::make_unique<Connection>();
}

void MessageEngine_Ucx::connect(Peer& its_peer) noexcept {
  auto& peer = static_cast<Connection&>(its_peer);
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address  = reinterpret_cast<ucp_address_t const*>(address_of(peer.pe));
  params.err_mode = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb  = on_error;
  params.err_handler.arg = &peer;
  auto const status = m_ucp->ucp_ep_create(m_worker, &params, &peer.endpoint);
  m_needs_progress  = true;
  // Look for new descriptors immediately, because this PE may start another
  // program as soon as its first message has arrived.
  m_descriptors.look_if_few();
  if (status == UCS_OK) {
    peer.is_connected = true;
    return;
  }
  peer.endpoint = nullptr;
  note_failure(peer, status);
}

void MessageEngine_Ucx::post(Peer& its_peer, Parcel* parcel) noexcept {
  auto& peer = static_cast<Connection&>(its_peer);
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS |
                        UCP_OP_ATTR_FIELD_USER_DATA;
  params.cb.send      = on_sent;
  params.user_data    = parcel;
  bool const is_large = parcel->bytes > max_without_rendezvous;
  bool const is_bulk  = is_large && peer.bulk != nullptr;
  params.flags = is_large ? UCP_AM_SEND_FLAG_RNDV : UCP_AM_SEND_FLAG_EAGER;
  auto* const request = m_ucp->ucp_am_send_nbx(
      is_bulk ? peer.bulk : peer.endpoint, message_id, &parcel->head,
      parcel->all_header_bytes(), parcel->payload, parcel->bytes, &params);
  if (UCS_PTR_IS_PTR(request)) {
    add_pending(peer, *parcel);
    m_needs_progress = true;
    parcel->number   = is_bulk ? by_bulk : by_endpoint;
    if (is_bulk) peer.on_bulk.add(parcel);
    return;
  }
  if (UCS_PTR_IS_ERR(request)) note_failure(peer, UCS_PTR_STATUS(request));
  finish(parcel);
}

void MessageEngine_Ucx::on_sent(void* request, ucs_status_t status,
                                void* parcel_of) {
  auto* const parcel = static_cast<Parcel*>(parcel_of);
  auto& engine       = *static_cast<MessageEngine_Ucx*>(parcel->owner);
  auto& peer         = engine.connection_of(parcel->peer);
  engine.m_ucp->ucp_request_free(request);
  engine.take_pending(peer, *parcel);
  if (parcel->number == by_bulk) peer.on_bulk.take(parcel);
  if (parcel->number == given_back) engine.m_given_back.take(parcel);
  if (status != UCS_OK) {
    engine.note_failure(peer, status);
  } else if (parcel->bytes > max_without_rendezvous && engine.m_has_bulk &&
             !std::exchange(peer.is_bulk_wanted, true)) {
    engine.m_without_bulk.push_back(&peer);
  }
  engine.finish(parcel);
}

/// If the peer fails, UCX does not complete operations on an endpoint that has
/// no error handling. So this engine completes the operations' parcels.
void MessageEngine_Ucx::give_back_bulk(Connection& peer) noexcept {
  while (auto* const parcel = peer.on_bulk.last()) {
    peer.on_bulk.take(parcel);
    parcel->number = given_back;
    m_given_back.add(parcel);  // UCX may still be using it
    if (parcel->token == 0) continue;
    try {
      auto* const told = m_parcels.take();
      told->token      = std::exchange(parcel->token, 0);
      finish(told);
    } catch (std::bad_alloc const&) {
      return;  // the waiting caller is notified that the PE is lost
    }
  }
}

void MessageEngine_Ucx::connect_bulk() noexcept {
  for (auto* const peer : m_without_bulk) {
    if (!peer->is_connected) continue;
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address =
        reinterpret_cast<ucp_address_t const*>(address_of(peer->pe));
    // If this fails, `endpoint` sends all payloads.
    if (m_ucp->ucp_ep_create(m_worker, &params, &peer->bulk) != UCS_OK)
      peer->bulk = nullptr;
    m_needs_progress = true;
    m_descriptors.look_if_few();
  }
  m_without_bulk.clear();
}

// --- Failures

void MessageEngine_Ucx::on_error(void* peer_of, ucp_ep_h /*endpoint*/,
                                 ucs_status_t status) {
  auto& peer = *static_cast<Connection*>(peer_of);
  static_cast<MessageEngine_Ucx*>(peer.engine)->note_failure(peer, status);
}

void MessageEngine_Ucx::note_failure(Connection& peer,
                                     ucs_status_t status) noexcept {
  if (!peer.has_failed) peer.status = status;
  ServedEngine::note_failure(peer);
}

Text MessageEngine_Ucx::reason_of(Peer const& peer) const {
  auto const status = static_cast<Connection const&>(peer).status;
  return Text("its process has ended or is no longer reachable (UCX: ",
              m_ucp->ucs_status_string(status), ")");
}

void MessageEngine_Ucx::disconnect(Peer& its_peer) noexcept {
  auto& peer = static_cast<Connection&>(its_peer);
  close_endpoint(peer, UCP_EP_CLOSE_FLAG_FORCE);
  give_back_bulk(peer);
}

// --- Progress

bool MessageEngine_Ucx::progress_network() noexcept {
  bool const any = m_ucp->ucp_worker_progress(m_worker) != 0;
  if (!m_without_bulk.empty()) connect_bulk();
  return any;
}

bool MessageEngine_Ucx::prepare_sleep() noexcept {
  auto const status = m_ucp->ucp_worker_arm(m_worker);
  if (status == UCS_ERR_BUSY) return false;
  if (status != UCS_OK && !std::exchange(m_has_complained, true)) {
    static_cast<void>(std::fprintf(
        stderr, "PE %d: ucp_worker_arm failed: %s; messages may be late\n",
        m_me, m_ucp->ucs_status_string(status)));
  }
  return true;
}

void MessageEngine_Ucx::sleep(std::chrono::milliseconds at_most) noexcept {
  pollfd events{m_events, POLLIN, 0};
  // If poll() fails, the thread makes progress and goes back to sleep, as it
  // does after an event.
  static_cast<void>(::poll(&events, 1, static_cast<int>(at_most.count())));
}

void MessageEngine_Ucx::wake_thread() noexcept {
  // Even if this fails, the thread wakes up after m_check_time.
  static_cast<void>(m_ucp->ucp_worker_signal(m_worker));
}

}  // namespace symm::Impl

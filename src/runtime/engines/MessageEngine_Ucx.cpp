// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MessageEngine_Ucx.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

/// Payloads up to this go without UCX's rendezvous, whose round trip takes as
/// long as their bytes. Those of more than max_eager are still not copied here.
constexpr std::size_t max_without_rendezvous = std::size_t{256} << 10U;

/// send() waits while messages to one PE take more private memory than this.
constexpr std::size_t max_pending_bytes = std::size_t{4} << 20U;

std::size_t pending_bytes_of(UcxParcel const& parcel) {
  return sizeof(UcxParcel) + parcel.large_bytes;
}

}  // namespace

MessageEngine_Ucx::Section::Section(MessageEngine_Ucx& engine)
    : m_outer(s_inside) {
  if (s_inside == &engine) return;
  m_lock = std::unique_lock(engine.m_mutex, std::try_to_lock);
  if (!m_lock) {
    // The engine's thread and pollers leave the lock to this thread. Else they
    // would have it again before this one wakes up.
    engine.m_n_waiting.fetch_add(1);
    m_lock.lock();
    engine.m_n_waiting.fetch_sub(1);
  }
  s_inside = &engine;
}

MessageEngine_Ucx::Section::Section(MessageEngine_Ucx& engine, TryTag)
    : m_outer(s_inside), m_lock(engine.m_mutex, std::try_to_lock) {
  if (m_lock) s_inside = &engine;
}

MessageEngine_Ucx::Section::~Section() {
  if (m_lock) s_inside = m_outer;
}

MessageEngine_Ucx::Connection& MessageEngine_Ucx::peer_of(Pe pe) {
  auto& peer = m_peers[index_of(pe)];
  if (!peer) {
    // There must be room: adding to these later must not fail.
    if (auto const n = m_met.size(); n == m_met.capacity()) {
      auto const room = std::max<std::size_t>(16, 2 * n);
      m_to_connect.reserve(room);
      m_failed.reserve(room);
      m_closing.reserve(room);
      m_met.reserve(room);
    }
    auto made        = std::make_unique<Connection>();
    made->engine     = this;
    made->pe         = pe;
    made->last_heard = Clock::now();
    m_met.push_back(made.get());
    peer = std::move(made);
  }
  return *peer;
}

void MessageEngine_Ucx::connect(Connection& peer) noexcept {
  auto const at = static_cast<std::size_t>(peer.pe) * m_address_bytes;
  ucp_ep_params_t params{};
  params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                      UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                      UCP_EP_PARAM_FIELD_ERR_HANDLER;
  params.address =
      reinterpret_cast<ucp_address_t const*>(m_addresses->bytes().data() + at);
  params.err_mode        = UCP_ERR_HANDLING_MODE_PEER;
  params.err_handler.cb  = on_error;
  params.err_handler.arg = &peer;
  auto const status = m_ucp->ucp_ep_create(m_worker, &params, &peer.endpoint);
  m_needs_progress  = true;
  // At once: when the peer has heard of this PE, this PE may start a program.
  m_descriptors.look_if_few();
  if (status == UCS_OK) return;
  peer.endpoint = nullptr;
  note_failure(peer, status);
}

// --- Sending

void MessageEngine_Ucx::check_receiver_of(Pe to,
                                          std::size_t header_bytes) const {
  if (to >= 0 && static_cast<std::size_t>(to) < m_peers.size() && to != m_me &&
      header_bytes <= max_header) {
    return;
  }
  throw UsageError(Text("a message of PE ", m_me, " to PE ", to, " with ",
                        header_bytes, " bytes of header"));
}

UcxParcel* MessageEngine_Ucx::parcel_for(std::span<std::byte const> header,
                                         std::span<std::byte const> payload,
                                         std::size_t token) {
  bool const is_copy = token == 0 && payload.size() <= max_eager;
  auto* const parcel =
      is_copy ? m_parcels.take_copy(payload) : m_parcels.take();
  if (!is_copy) {
    parcel->payload = payload.data();
    parcel->bytes   = payload.size();
  }
  parcel->head.engine = {m_key, m_me, UcxHead::Kind::message};
  parcel->set_header(header);
  parcel->owner = this;
  parcel->token = token;
  return parcel;
}

void MessageEngine_Ucx::send(Pe to, std::span<std::byte const> header,
                             std::span<std::byte const> payload,
                             std::size_t token) {
  check_receiver_of(to, header.size());
  if (is_inside()) {
    auto& peer         = peer_of(to);
    auto* const parcel = parcel_for(header, payload, token);
    parcel->peer       = to;
    if (peer.endpoint != nullptr) {
      submit(peer, parcel);
    } else {
      m_to_post.push(parcel);
    }
    return;
  }

  bool is_watched = false;
  while (true) {
    {
      Section const section(*this);
      auto& peer = peer_of(to);
      if (std::exchange(is_watched, false)) --peer.n_watching;
      if (peer.has_failed) {
        throw SystemError(
            Text("PE ", m_me, " sends to PE ", to, ", which is lost"));
      }
      if (peer.pending_bytes <= max_pending_bytes) {
        auto* const parcel = parcel_for(header, payload, token);
        parcel->peer       = to;
        submit(peer, parcel);
        settle();
        wake_if_needed();
        return;
      }
      // The peer is watched: if it never takes its messages, it is lost.
      start_watching(peer);
      is_watched = true;
      m_n_polls.fetch_add(1, std::memory_order_relaxed);
      if (progress()) continue;
    }
    std::this_thread::yield();
  }
}

void MessageEngine_Ucx::submit(Connection& peer, UcxParcel* parcel) noexcept {
  if (!peer.has_failed && peer.endpoint == nullptr) connect(peer);
  if (peer.has_failed) {
    finish(parcel);
  } else {
    post(peer, parcel);
  }
}

void MessageEngine_Ucx::post(Connection& peer, UcxParcel* parcel) noexcept {
  ucp_request_param_t params{};
  params.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_FLAGS |
                        UCP_OP_ATTR_FIELD_USER_DATA;
  params.cb.send      = on_sent;
  params.user_data    = parcel;
  params.flags        = parcel->bytes <= max_without_rendezvous
                            ? UCP_AM_SEND_FLAG_EAGER
                            : UCP_AM_SEND_FLAG_RNDV;
  auto* const request = m_ucp->ucp_am_send_nbx(
      peer.endpoint, message_id, &parcel->head, parcel->all_header_bytes(),
      parcel->payload, parcel->bytes, &params);
  if (UCS_PTR_IS_PTR(request)) {
    peer.pending_bytes += pending_bytes_of(*parcel);
    m_needs_progress = true;
    return;
  }
  if (UCS_PTR_IS_ERR(request)) note_failure(peer, UCS_PTR_STATUS(request));
  finish(parcel);
}

void MessageEngine_Ucx::on_sent(void* request, ucs_status_t status,
                                void* parcel_of) {
  auto* const parcel = static_cast<UcxParcel*>(parcel_of);
  auto& engine       = *static_cast<MessageEngine_Ucx*>(parcel->owner);
  auto& peer         = engine.peer_of(parcel->peer);
  engine.m_ucp->ucp_request_free(request);
  peer.pending_bytes -= pending_bytes_of(*parcel);
  if (status != UCS_OK) engine.note_failure(peer, status);
  engine.finish(parcel);
}

void MessageEngine_Ucx::finish(UcxParcel* parcel) noexcept {
  if (parcel->token != 0) {
    m_sent.push(parcel);
  } else {
    m_parcels.give_back(parcel);
  }
}

void MessageEngine_Ucx::post_control(Connection& peer,
                                     UcxHead::Kind kind) noexcept {
  UcxParcel* parcel = nullptr;
  try {
    parcel = m_parcels.take_copy({});
  } catch (std::bad_alloc const&) {
    return;  // the next ping or pong may get there
  }
  parcel->head.engine = {m_key, m_me, kind};
  parcel->set_header({});
  parcel->owner = this;
  parcel->peer  = peer.pe;
  parcel->token = 0;
  if (peer.endpoint != nullptr) {
    submit(peer, parcel);
  } else {
    m_to_post.push(parcel);
  }
}

void MessageEngine_Ucx::send_farewell(
    std::span<std::byte const> header,
    std::span<std::byte const> payload) noexcept {
  Section const section(*this);
  if (m_worker == nullptr || m_is_closing) return;
  for (auto* const peer : m_met) {
    bool const can_take = peer->endpoint != nullptr && !peer->has_failed &&
                          peer->pending_bytes <= max_pending_bytes;
    if (!can_take) continue;
    try {
      auto* const parcel = parcel_for(header, payload, 0);
      parcel->peer       = peer->pe;
      submit(*peer, parcel);
    } catch (std::bad_alloc const&) {
      return;  // the others will find out themselves
    }
  }
}

// --- Failures

void MessageEngine_Ucx::on_error(void* peer_of, ucp_ep_h /*endpoint*/,
                                 ucs_status_t status) {
  auto& peer = *static_cast<Connection*>(peer_of);
  peer.engine->note_failure(peer, status);
}

void MessageEngine_Ucx::note_failure(Connection& peer,
                                     ucs_status_t status) noexcept {
  if (std::exchange(peer.has_failed, true)) return;
  peer.status = status;
  m_failed.push_back(&peer);
}

void MessageEngine_Ucx::lose(Connection& peer, Text const& why) noexcept {
  peer.has_failed = true;
  close_endpoint(peer, UCP_EP_CLOSE_FLAG_FORCE);
  if (!m_is_closing) m_receiver.load()->lost(peer.pe, why);
}

// --- Progress

bool MessageEngine_Ucx::poll() {
  m_n_polls.fetch_add(1, std::memory_order_relaxed);
  if (is_inside() || m_n_waiting.load(std::memory_order_relaxed) != 0) {
    return false;
  }
  Section const section(*this, Section::TryTag{});
  if (!section.m_lock) return false;
  bool const any = progress();
  if (any) wake_to_park();
  wake_if_needed();
  return any;
}

bool MessageEngine_Ucx::progress() noexcept {
  if (m_worker == nullptr || m_receiver.load() == nullptr) return false;
  bool const any = m_ucp->ucp_worker_progress(m_worker) != 0;
  return settle() || any;
}

/// Does the work that had to wait while UCX was calling the engine.
bool MessageEngine_Ucx::settle() noexcept {
  bool any = false;
  while (!m_to_connect.empty()) {
    auto& peer = *m_to_connect.back();
    m_to_connect.pop_back();
    peer.is_to_connect = false;
    if (peer.endpoint == nullptr && !peer.has_failed) connect(peer);
    any = true;
  }
  // The receiver may add to these.
  while (auto* const parcel = m_to_post.pop()) {
    submit(peer_of(parcel->peer), parcel);
    any = true;
  }
  while (auto* const parcel = m_sent.pop()) {
    if (!m_is_over) m_receiver.load()->sent(parcel->token);
    m_parcels.give_back(parcel);
    any = true;
  }
  for (std::size_t i = 0; i < m_failed.size(); ++i) {
    auto& peer = *m_failed[i];
    lose(peer,
         Text("its process has ended, or it is not reached any more (UCX: ",
              m_ucp->ucs_status_string(peer.status), ")"));
    any = true;
  }
  m_failed.clear();
  return any;
}

}  // namespace symm::Impl

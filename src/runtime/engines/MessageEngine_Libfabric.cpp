// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "MessageEngine_Libfabric.hpp"

#include <poll.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_tagged.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <utility>

namespace symm::Impl {

namespace {

using namespace std::chrono_literals;

/// The number of completions to read at once.
constexpr std::size_t n_at_once = 16;
/// The maximum number of messages that libfabric may hold for one PE. Further
/// messages wait in this engine.
constexpr int max_posted_to_a_pe = 64;
/// If libfabric accepts no messages to a PE for this long even though none are
/// in flight, the PE's process has ended and libfabric is trying to reconnect.
constexpr auto longest_reconnection = 300ms;

}  // namespace

std::unique_ptr<ServedEngine::Peer> MessageEngine_Libfabric::make_peer() {
  m_stuck.reserve(m_met.capacity());
  return std::make_unique<Connection>();
}

void MessageEngine_Libfabric::connect(Peer& its_peer) noexcept {
  auto& peer  = static_cast<Connection&>(its_peer);
  int const n = fi_av_insert(m_table.get(), address_of(peer.pe), 1,
                             &peer.address, 0, nullptr);
  if (n != 1) return note_failure(peer, n < 0 ? -n : FI_EADDRNOTAVAIL);
  peer.is_connected = true;
}

// --- Sending

Parcel* MessageEngine_Libfabric::control(Pe to, ParcelHead::Kind kind,
                                         std::span<std::byte const> header,
                                         std::span<std::uint64_t const> words) {
  auto* const parcel  = m_parcels.take_copy(std::as_bytes(words));
  parcel->head.engine = {m_key, m_me, kind};
  parcel->set_header(header);
  parcel->owner = this;
  parcel->peer  = to;
  parcel->token = 0;
  parcel->kind  = sends_message;
  return parcel;
}

void MessageEngine_Libfabric::post(Peer& its_peer, Parcel* parcel) noexcept {
  auto& peer = static_cast<Connection&>(its_peer);
  add_pending(peer, *parcel);
  parcel->kind = sends_message;
  if (parcel->bytes > max_eager) {
    parcel->number = ++m_n_offers;
    std::array<std::uint64_t, 2> const offer{parcel->number, parcel->bytes};
    try {
      auto* const message =
          control(peer.pe, ParcelHead::Kind::offer, parcel->header(), offer);
      peer.offered.add(parcel);
      parcel = message;
    } catch (std::bad_alloc const&) {
      note_failure(peer, FI_ENOMEM);
      return forget(peer, parcel);
    }
    add_pending(peer, *parcel);
  }
  post_or_queue(peer, parcel);
}

void MessageEngine_Libfabric::post_or_queue(Connection& peer,
                                            Parcel* parcel) noexcept {
  if (peer.to_post.empty() && try_post(peer, parcel)) return;
  peer.to_post.push(parcel);
  m_needs_progress = true;
  if (std::exchange(peer.is_stuck, true)) return;
  peer.stuck_since = Clock::now();
  m_stuck.push_back(&peer);
}

/// \returns false if libfabric has no room for the parcel.
bool MessageEngine_Libfabric::try_post(Connection& peer,
                                       Parcel* parcel) noexcept {
  if (peer.n_posted >= max_posted_to_a_pe) return false;
  InFlight* const context = parcel;
  ssize_t status          = 0;
  // libfabric only reads the payload.
  auto* const payload = const_cast<void*>(parcel->payload);
  if (is_block(*parcel)) {
    status = post_block(peer, *parcel);
  } else if (parcel->kind == sends_payload) {
    status = fi_tsend(m_endpoint.get(), payload, parcel->bytes, nullptr,
                      peer.address, parcel->number, context);
  } else {
    std::array<iovec, 2> const parts{
        iovec{&parcel->head, parcel->all_header_bytes()},
        iovec{payload, parcel->bytes}};
    status = fi_sendv(m_endpoint.get(), parts.data(), nullptr,
                      parcel->bytes != 0 ? 2 : 1, peer.address, context);
  }
  if (status == -FI_EAGAIN) return false;
  if (status != 0) {
    note_failure(peer, static_cast<int>(-status));
    forget(peer, parcel);
    return true;
  }
  m_posted.add(parcel);
  ++peer.n_posted;
  ++m_n_posted;
  // If the parcel has no token, no caller is waiting for this send, so the
  // thread may stay asleep.
  if (parcel->token != 0) m_needs_progress = true;
  return true;
}

bool MessageEngine_Libfabric::post_queued(Connection& peer) noexcept {
  bool any = false;
  while (auto* const parcel = peer.to_post.pop()) {
    if (!try_post(peer, parcel)) {
      peer.to_post.push_front(parcel);
      break;
    }
    any = true;
  }
  return any;
}

bool MessageEngine_Libfabric::post_queued_of_all() noexcept {
  bool any = false;
  for (std::size_t i = 0; i < m_stuck.size();) {
    auto& peer = *m_stuck[i];
    if (!peer.has_failed && post_queued(peer)) {
      peer.stuck_since = Clock::now();
      any              = true;
    }
    if (peer.to_post.empty()) {
      peer.is_stuck = false;
      m_stuck[i]    = m_stuck.back();
      m_stuck.pop_back();
      continue;
    }
    ++i;
    if (m_n_posted >= max_posted_to_a_pe || !peer.was_reached ||
        peer.n_posted != 0) {
      peer.stuck_since = Clock::now();
    } else if (Clock::now() - peer.stuck_since > longest_reconnection) {
      note_failure(peer, FI_ECONNRESET);
    }
  }
  return any;
}

void MessageEngine_Libfabric::forget(Connection& peer,
                                     Parcel* parcel) noexcept {
  take_pending(peer, *parcel);
  // A failed block is not complete, so do not call sent(). Instead, the caller
  // is notified that the PE is lost.
  if (peer.has_failed && is_block(*parcel)) parcel->token = 0;
  finish(parcel);
}

// --- Failures

void MessageEngine_Libfabric::note_failure(Connection& peer,
                                           int error) noexcept {
  if (!peer.has_failed) peer.error = error;
  ServedEngine::note_failure(peer);
}

Text MessageEngine_Libfabric::reason_of(Peer const& peer) const {
  auto const error = static_cast<Connection const&>(peer).error;
  return Text("its process has ended or is no longer reachable (libfabric: ",
              m_library->fi_strerror(error), ")");
}

void MessageEngine_Libfabric::disconnect(Peer& its_peer) noexcept {
  auto& peer        = static_cast<Connection&>(its_peer);
  peer.is_connected = false;
  while (auto* const parcel = peer.to_post.pop()) forget(peer, parcel);
  while (auto* const parcel = peer.offered.last()) {
    forget(peer, peer.offered.take(parcel));
  }
  // libfabric returns the posted parcels if and when it notices the failure.
}

// --- Progress

bool MessageEngine_Libfabric::progress_network() noexcept {
  std::array<fi_cq_msg_entry, n_at_once> entries;
  auto const n = fi_cq_read(m_queue.get(), entries.data(), entries.size());
  if (n > 0) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      complete(*static_cast<InFlight*>(entries[i].op_context), entries[i].len);
    }
  } else if (n == -FI_EAVAIL) {
    take_error();
  }
  bool any = n > 0;
  if (!m_stuck.empty()) any = post_queued_of_all() || any;
  if (m_to_repost != nullptr || !m_to_receive.empty()) post_queued_receives();
  return any;
}

bool MessageEngine_Libfabric::prepare_sleep() noexcept {
  m_may_sleep_long =
      m_stuck.empty() && m_to_repost == nullptr && m_to_receive.empty();
  fid* events = &m_queue->fid;
  // If fi_trywait() fails, the thread polls again, as it does after an event.
  return fi_trywait(m_fabric.get(), &events, 1) == FI_SUCCESS;
}

void MessageEngine_Libfabric::sleep(
    std::chrono::milliseconds at_most) noexcept {
  std::array<pollfd, 2> events{pollfd{m_events, POLLIN, 0},
                               pollfd{m_wake.get(), POLLIN, 0}};
  if (!m_may_sleep_long) at_most = std::min(at_most, 1ms);
  static_cast<void>(
      ::poll(events.data(), events.size(), static_cast<int>(at_most.count())));
  std::uint64_t count = 0;
  if (events[1].revents != 0) {
    static_cast<void>(!::read(m_wake.get(), &count, sizeof count));
  }
}

void MessageEngine_Libfabric::wake_thread() noexcept {
  std::uint64_t const one = 1;
  // Even if this fails, the thread wakes up after m_check_time.
  static_cast<void>(!::write(m_wake.get(), &one, sizeof one));
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ServedEngine.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "../base/RandomNumber.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

using namespace std::chrono_literals;

/// A PE's send queue is full when the queued messages take up more than this
/// many bytes of private memory.
constexpr std::size_t max_pending_bytes = std::size_t{4} << 20U;

struct LibraryVersion {
  unsigned major;
  unsigned minor;

  bool operator==(LibraryVersion const&) const = default;
};

}  // namespace

ServedEngine::ServedEngine(Bootstrap& bootstrap,
                           MessageEngineOptions const& options)
    : m_bootstrap(bootstrap),
      m_me(bootstrap.my_pe()),
      m_peer_timeout(std::chrono::duration_cast<Clock::duration>(
          std::chrono::duration<double>(options.peer_timeout))),
      m_check_time(m_peer_timeout > 0s ? std::clamp<Clock::duration>(
                                             m_peer_timeout / 16, 1ms, 100ms)
                                       : Clock::duration(100ms)),
      m_ping_time(m_peer_timeout / 4),
      m_is_full(static_cast<std::size_t>(bootstrap.n_pes())) {
  m_peers.resize(static_cast<std::size_t>(bootstrap.n_pes()));
}

void ServedEngine::gather_addresses(std::string_view library, unsigned major,
                                    unsigned minor,
                                    std::vector<std::byte> const& address,
                                    FdExchange& exchange, Vmm& vmm) {
  all_or_none(agree_through(m_bootstrap), "starting the network library",
              [&] { m_key = draw_number(); });
  m_bootstrap.broadcast(&m_key, sizeof m_key, 0);
  LibraryVersion const version{major, minor};
  if (auto const other = difference_of(m_bootstrap, version)) {
    throw SystemError(
        Text("PE ", other->pe, " has ", library, " ", other->value.major, ".",
             other->value.minor, ", but PE 0 has ", other->of_first.major, ".",
             other->of_first.minor, "; install the same version on all nodes"));
  }
  m_address_bytes = static_cast<std::size_t>(
      -m_bootstrap.min(-static_cast<int>(address.size())));
  auto padded = address;
  padded.resize(m_address_bytes);
  std::vector<std::byte> all(m_peers.size() * m_address_bytes);
  m_bootstrap.allgather(padded.data(), all.data(), m_address_bytes);
  m_addresses.emplace(m_bootstrap, exchange, vmm,
                      "starting the network library", all);
}

void ServedEngine::set_receiver(Receiver& receiver) {
  m_receiver  = &receiver;
  m_may_start = true;
  m_may_start.notify_all();
}

ServedEngine::Section::Section(ServedEngine& engine) : m_outer(s_inside) {
  if (s_inside == &engine) return;
  m_lock = std::unique_lock(engine.m_mutex, std::try_to_lock);
  if (!m_lock) {
    // Tell the engine's thread and polling threads to leave the lock to this
    // thread. Otherwise, they would acquire the lock again before this thread
    // wakes up.
    engine.m_n_waiting.fetch_add(1);
    m_lock.lock();
    engine.m_n_waiting.fetch_sub(1);
  }
  s_inside = &engine;
}

ServedEngine::Section::Section(ServedEngine& engine, TryTag)
    : m_outer(s_inside), m_lock(engine.m_mutex, std::try_to_lock) {
  if (m_lock) s_inside = &engine;
}

ServedEngine::Section::~Section() {
  if (m_lock) s_inside = m_outer;
}

ServedEngine::Peer& ServedEngine::peer_of(Pe pe) {
  auto& peer = m_peers[index_of(pe)];
  if (!peer) {
    // Reserve space now, because adding to these vectors later must not fail.
    if (auto const n = m_met.size(); n == m_met.capacity()) {
      auto const room = std::max<std::size_t>(16, 2 * n);
      m_to_connect.reserve(room);
      m_failed.reserve(room);
      m_met.reserve(room);
    }
    auto made        = make_peer();
    made->engine     = this;
    made->pe         = pe;
    made->last_heard = Clock::now();
    m_met.push_back(made.get());
    peer = std::move(made);
  }
  return *peer;
}

// --- Sending

void ServedEngine::check_other_pe(Pe pe) const {
  if (pe >= 0 && static_cast<std::size_t>(pe) < m_peers.size() && pe != m_me) {
    return;
  }
  throw UsageError(Text("cannot send messages between PE ", m_me, " and PE ",
                        pe, " of ", m_peers.size(), " PEs"));
}

Parcel* ServedEngine::parcel_for(std::span<std::byte const> header,
                                 std::span<std::byte const> payload,
                                 std::size_t token) {
  bool const is_copy = token == 0 && payload.size() <= max_eager;
  auto* const parcel =
      is_copy ? m_parcels.take_copy(payload) : m_parcels.take();
  if (!is_copy) {
    parcel->payload = payload.data();
    parcel->bytes   = payload.size();
  }
  parcel->head.engine = {m_key, m_me, ParcelHead::Kind::message};
  parcel->set_header(header);
  parcel->owner = this;
  parcel->token = token;
  return parcel;
}

void ServedEngine::send(Pe to, std::span<std::byte const> header,
                        std::span<std::byte const> payload, std::size_t token) {
  check_other_pe(to);
  if (header.size() > max_header) {
    throw UsageError(Text("a message from PE ", m_me, " to PE ", to,
                          " has a header of ", header.size(),
                          " bytes; the limit is ", max_header));
  }
  if (is_inside()) {
    auto& peer         = peer_of(to);
    auto* const parcel = parcel_for(header, payload, token);
    parcel->peer       = to;
    if (peer.is_connected) {
      submit(peer, parcel);
    } else {
      m_to_post.push(parcel);
    }
    return;
  }

  Section const section(*this);
  auto& peer = peer_of(to);
  if (peer.has_failed) {
    throw SystemError(
        Text("PE ", m_me, " cannot send to PE ", to, ", which is lost"));
  }
  auto* const parcel = parcel_for(header, payload, token);
  parcel->peer       = to;
  submit(peer, parcel);
  settle();
  wake_if_needed();
}

void ServedEngine::count_pending(Peer& peer, std::size_t bytes) noexcept {
  peer.pending_bytes = bytes;
  m_is_full[index_of(peer.pe)].store(
      bytes > max_pending_bytes && !peer.has_failed, std::memory_order_relaxed);
}

void ServedEngine::submit(Peer& peer, Parcel* parcel) noexcept {
  if (!peer.has_failed && !peer.is_connected) connect(peer);
  if (peer.has_failed) {
    finish(parcel);
  } else {
    post(peer, parcel);
  }
}

void ServedEngine::finish(Parcel* parcel) noexcept {
  if (parcel->token != 0) {
    m_sent.push(parcel);
  } else {
    m_parcels.give_back(parcel);
  }
}

void ServedEngine::post_control(Peer& peer, ParcelHead::Kind kind) noexcept {
  Parcel* parcel = nullptr;
  try {
    parcel = m_parcels.take_copy({});
  } catch (std::bad_alloc const&) {
    return;  // the next ping or pong may succeed
  }
  parcel->head.engine = {m_key, m_me, kind};
  parcel->set_header({});
  parcel->owner = this;
  parcel->peer  = peer.pe;
  parcel->token = 0;
  if (peer.is_connected) {
    submit(peer, parcel);
  } else {
    m_to_post.push(parcel);
  }
}

void ServedEngine::send_farewell(std::span<std::byte const> header,
                                 std::span<std::byte const> payload) noexcept {
  Section const section(*this);
  if (!m_is_open || m_is_closing) return;
  for (auto* const peer : m_met) {
    bool const can_take =
        peer->is_connected && !peer->has_failed && !is_full(peer->pe);
    if (!can_take) continue;
    try {
      auto* const parcel = parcel_for(header, payload, 0);
      parcel->peer       = peer->pe;
      submit(*peer, parcel);
    } catch (std::bad_alloc const&) {
      return;  // the other PEs will notice the loss without a farewell
    }
  }
}

// --- Receiving

bool ServedEngine::is_of_job(ParcelHead const& head) noexcept {
  if (head.key == m_key && head.from >= 0 &&
      static_cast<std::size_t>(head.from) < m_peers.size() &&
      head.from != m_me) {
    return true;
  }
  m_n_strangers.fetch_add(1, std::memory_order_relaxed);
  return false;
}

/// The job cannot continue without this message, so its sender is considered
/// lost.
void ServedEngine::refuse_message(Pe from) noexcept {
  m_receiver.load()->lost(
      from, Text("PE ", m_me, " has no private memory for a message from it"));
}

ServedEngine::Peer* ServedEngine::take_head(ParcelHead const& head) noexcept {
  if (!is_of_job(head) || m_is_over) return nullptr;
  Peer* peer = nullptr;
  try {
    peer = &peer_of(head.from);
  } catch (std::bad_alloc const&) {
    refuse_message(head.from);
    return nullptr;
  }
  // Once a PE is considered lost, it stays lost, because the receiver has been
  // notified.
  if (peer->has_failed) return nullptr;

  peer->was_heard = true;
  if (!peer->is_connected && !peer->is_to_connect) {
    // The network library reports a peer's failure only if this PE is connected
    // to the peer.
    peer->is_to_connect = true;
    m_to_connect.push_back(peer);
  }
  if (head.kind == ParcelHead::Kind::ping) {
    post_control(*peer, ParcelHead::Kind::pong);
  }
  return peer;
}

// --- Failures

void ServedEngine::note_failure(Peer& peer) noexcept {
  if (std::exchange(peer.has_failed, true)) return;
  count_pending(peer, peer.pending_bytes);
  m_failed.push_back(&peer);
}

void ServedEngine::lose(Peer& peer, Text const& why) noexcept {
  peer.has_failed = true;
  count_pending(peer, peer.pending_bytes);
  disconnect(peer);
  if (!m_is_closing) m_receiver.load()->lost(peer.pe, why);
}

// --- Progress

bool ServedEngine::poll() {
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

bool ServedEngine::progress() noexcept {
  if (!m_is_open || m_receiver.load() == nullptr) return false;
  bool const any = progress_network();
  return settle() || any;
}

/// Does the work that could not be done from within callbacks of the network
/// library.
bool ServedEngine::settle() noexcept {
  bool any = false;
  while (!m_to_connect.empty()) {
    auto& peer = *m_to_connect.back();
    m_to_connect.pop_back();
    peer.is_to_connect = false;
    if (!peer.is_connected && !peer.has_failed) connect(peer);
    any = true;
  }
  // The receiver may add to these queues.
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
    lose(peer, reason_of(peer));
    any = true;
  }
  m_failed.clear();
  return any;
}

}  // namespace symm::Impl

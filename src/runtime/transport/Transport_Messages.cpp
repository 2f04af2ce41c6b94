// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Transport_Messages.hpp"

#include <cstring>
#include <exception>
#include <utility>

#include "../base/LibraryThread.hpp"
#include "../memory/HostCopy.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t batch_size = std::size_t{16} << 10U;
/// Bytes that a message counts beside its payload.
constexpr std::size_t bytes_of_message = 256;

}  // namespace

Transport_Messages::Transport_Messages(Pe my_pe, int n_pes,
                                       std::unique_ptr<MessageEngine> engine,
                                       TransportTarget& target, EndJob end_job,
                                       Options options)
    : m_my_pe(my_pe),
      m_target(target),
      m_end_job(std::move(end_job)),
      m_options(options),
      m_peers(static_cast<std::size_t>(n_pes)),
      m_engine(std::move(engine)) {
  if (options.flush_interval.count() != 0) {
    m_thread = make_library_thread(
        "starting the thread of the transport between nodes", "symm_batches",
        [this] { flush_in_time(); });
  }
  m_engine->set_receiver(*this);
}

Transport_Messages::~Transport_Messages() {
  stop_thread();
  m_engine.reset();
  for (auto& peer : m_peers) delete peer.load();
}

Transport_Messages::Peer& Transport_Messages::peer_of(Pe pe) {
  auto& place = m_peers[static_cast<std::size_t>(pe)];
  if (auto* const peer = place.load(std::memory_order_acquire)) return *peer;
  auto made      = std::make_unique<Peer>(pe);
  Peer* expected = nullptr;
  if (!place.compare_exchange_strong(expected, made.get())) return *expected;
  return *made.release();
}

// Batches.

void Transport_Messages::mark_dirty(Peer& peer) {
  if (peer.is_dirty) return;
  peer.dirty_at = m_dirty.size();
  m_dirty.push_back(&peer);
  peer.is_dirty = true;
}

std::byte* Transport_Messages::add_entry(Lock& lock, Peer& peer,
                                         BatchEntry entry) {
  auto const bytes = BatchEntry::head_bytes + entry.room();
  while (peer.batch_bytes + bytes > batch_size) {
    flush(lock, peer);
    // Takes what other PEs send meanwhile. Else the engine's thread would take
    // the core for it, which costs more.
    static_cast<void>(m_engine->poll());
  }
  if (peer.batch_bytes == 0) {
    if (m_is_lost) end_job_of_lost("an operation", peer.pe);
    if (!peer.batch) peer.batch = std::make_unique<std::byte[]>(batch_size);
    mark_dirty(peer);
    peer.batch_tick = m_tick;
    m_n_open.fetch_add(1, std::memory_order_relaxed);
    if (m_thread_sleeps) {
      m_thread_sleeps = false;
      m_wake.notify_one();
    }
  }
  auto* const place = peer.batch.get() + peer.batch_bytes;
  auto const word   = entry.word();
  std::memcpy(place, &word, sizeof word);
  peer.batch_bytes += bytes;
  return place + BatchEntry::head_bytes;
}

void Transport_Messages::flush(Lock& lock, Peer& peer, Wait wait,
                               bool wants_ack) {
  if (peer.batch_bytes == 0) return;
  if (wait == Wait::must_not && is_window_full(peer)) return;
  auto const n = peer.n_batches;
  wait_for_room(lock, peer);
  if (peer.n_batches != n) return;  // another thread has sent it
  post(peer, {.kind = MessageKind::batch}, peer.fenced,
       {peer.batch.get(), peer.batch_bytes}, wants_ack);
  peer.batch_bytes = 0;
  ++peer.n_batches;
  m_n_open.fetch_sub(1, std::memory_order_relaxed);
}

void Transport_Messages::flush_all(Lock& lock, std::uint64_t tick) {
  // flush() does not unlock here, nor change m_dirty.
  for (auto* const peer : m_dirty) {
    if (peer->batch_tick < tick) flush(lock, *peer, Wait::must_not);
  }
}

void Transport_Messages::flush_in_time() {
  constexpr int n_idle_before_sleep = 20;
  Lock lock(m_mutex);
  for (int n_idle = 0; !m_thread_is_done;) {
    if (n_idle >= n_idle_before_sleep) {
      // Not after each batch: waking the thread takes longer than a batch.
      m_thread_sleeps = true;
      m_wake.wait(lock, [&] { return !m_thread_sleeps || m_thread_is_done; });
      n_idle = 0;
    }
    m_wake.wait_for(lock, m_options.flush_interval,
                    [&] { return m_thread_is_done; });
    n_idle = m_n_open == 0 ? n_idle + 1 : 0;
    flush_all(lock, m_tick);
    ++m_tick;
  }
}

void Transport_Messages::stop_thread() {
  {
    Lock const lock(m_mutex);
    m_thread_is_done = true;
  }
  m_wake.notify_one();
  if (m_thread.joinable()) m_thread.join();
}

// Messages.

Transport_Messages::Lock Transport_Messages::enter() {
  while (m_n_returning.load(std::memory_order_relaxed) != 0) {
    std::this_thread::yield();
  }
  return Lock(m_mutex);
}

void Transport_Messages::enter_again(Lock& lock) {
  m_n_returning.fetch_add(1, std::memory_order_relaxed);
  lock.lock();
  m_n_returning.fetch_sub(1, std::memory_order_relaxed);
}

bool Transport_Messages::is_window_full(Peer const& peer) const {
  return peer.bytes_since_half >= m_options.half_window &&
         peer.acked.load(std::memory_order_acquire) < peer.half;
}

void Transport_Messages::wait_for_room(Lock& lock, Peer& peer) {
  if (!is_window_full(peer)) return;
  auto const half = peer.half;
  lock.unlock();
  wait("a put", peer.pe, [&] { return peer.acked >= half; });
  enter_again(lock);
}

void Transport_Messages::post(Peer& peer, MessageHeader header,
                              std::uint64_t after,
                              std::span<std::byte const> payload,
                              bool wants_ack, Pending* unsent) {
  mark_dirty(peer);
  header.number    = ++peer.sent;
  header.after     = after;
  header.wants_ack = wants_ack;
  if (peer.bytes_since_half >= m_options.half_window && !is_window_full(peer)) {
    header.wants_ack      = true;
    peer.half             = header.number;
    peer.bytes_since_half = 0;
  }
  peer.bytes_since_half +=
      bytes_of_message + (unsent == nullptr ? payload.size() : 0);
  if (header.kind != MessageKind::atomic &&
      ++peer.n_since_quiet == peer.n_expected) {
    header.wants_ack = true;
  }
  if (header.wants_ack) peer.asked = header.number;
  send_message(peer.pe, header, payload, unsent);
}

Transport_Messages::Pending* Transport_Messages::begin(Peer& peer,
                                                       Pending pending) {
  auto made        = std::make_unique<Pending>(pending);
  made->peer       = &peer;
  made->begun      = ++peer.begun;
  made->is_on_heap = true;
  mark_dirty(peer);
  made->left->fetch_add(1, std::memory_order_relaxed);
  return made.release();
}

void Transport_Messages::send_message(Pe to, MessageHeader const& header,
                                      std::span<std::byte const> payload,
                                      Pending* unsent) noexcept {
  auto with_ack = header;
  if (auto* const peer = m_peers[static_cast<std::size_t>(to)].load(
          std::memory_order_acquire)) {
    with_ack.acked = peer->arrivals.done_up_to();
  }
  try {
    m_engine->send(to, bytes_of(with_ack), payload,
                   reinterpret_cast<std::size_t>(unsent));
  } catch (std::exception const& failure) {
    // If the engine has just found that a PE is lost, it tells so when polled.
    for (int i = 0; i < 100 && !m_is_lost; ++i) {
      if (m_engine->poll()) continue;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (m_is_lost) end_job_of_lost("an operation", to);
    end_job_of_failure(Text("a message to PE ", to, " could not be sent: ",
                            std::string_view(failure.what())));
  }
}

void Transport_Messages::post_block(Lock& lock, Peer& peer,
                                    MessageHeader const& header,
                                    void const* from, std::size_t bytes,
                                    Until until) {
  if (m_is_lost) end_job_of_lost("a put", peer.pe);
  flush(lock, peer);
  // Fences of other threads that come while this one waits do not count.
  auto const after       = peer.fenced;
  auto const* const data = static_cast<std::byte const*>(from);
  if (bytes <= MessageEngine::max_eager) {
    wait_for_room(lock, peer);
    std::byte words[most_bytes_by_words];
    if (bytes <= sizeof words && bytes != 0) {
      copy_host_memory(words, from, bytes);
      post(peer, header, after, {words, bytes});
    } else {
      post(peer, header, after, {data, bytes});
    }
    return;
  }
  if (peer.acked < after || peer.unsent >= most_large) {
    if (peer.acked < after) ask_for_ack(peer);
    lock.unlock();
    wait("a put", peer.pe,
         [&] { return peer.acked >= after && peer.unsent < most_large; });
    enter_again(lock);
  }
  wait_for_room(lock, peer);
  if (until == Until::is_begun) {
    post(peer, header, after, {data, bytes}, false,
         begin(peer, {.left = &peer.unsent}));
    return;
  }
  Counter left = 1;
  Pending unsent{.left = &left};
  post(peer, header, after, {data, bytes}, false, &unsent);
  lock.unlock();
  wait("a put", peer.pe, [&] { return left == 0; });
}

void Transport_Messages::ask_for_ack(Peer& peer) {
  if (peer.asked == peer.sent) return;
  send_message(peer.pe,
               {.kind = MessageKind::ack_request, .number = peer.sent});
  peer.asked = peer.sent;
}

// Completion and notes.

void Transport_Messages::fence() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  auto lock = enter();
  // flush() may unlock, and m_dirty change then.
  auto const dirty = m_dirty;
  for (auto* const peer : dirty) {
    flush(lock, *peer);
    peer->fenced = peer->sent;
  }
}

void Transport_Messages::quiet() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  struct Last {
    Peer* peer;
    std::uint64_t number;
    std::uint64_t begun;
  };
  std::vector<Last> all;
  auto lock = enter();
  if (m_dirty.empty()) return;
  all.reserve(m_dirty.size());
  for (auto* const peer : m_dirty) all.push_back({peer, 0, 0});
  for (auto& [peer, number, begun] : all) {
    flush(lock, *peer, Wait::may, true);
    number = peer->sent;
    begun  = peer->begun;
    if (peer->acked < number) ask_for_ack(*peer);
    if (peer->n_since_quiet != 0) peer->n_expected = peer->n_since_quiet;
    peer->n_since_quiet = 0;
  }
  lock.unlock();
  for (auto const& [peer, number, begun] : all) {
    wait("quiet()", peer->pe, [&, peer = peer, number = number, begun = begun] {
      return peer->acked >= number && peer->done.up_to() >= begun;
    });
  }
  enter_again(lock);
  for (auto const& last : all) {
    auto& peer         = *last.peer;
    bool const is_done = peer.acked >= peer.sent &&
                         peer.done.up_to() >= peer.begun &&
                         peer.batch_bytes == 0;
    if (!peer.is_dirty || !is_done) continue;
    m_dirty[peer.dirty_at]           = m_dirty.back();
    m_dirty[peer.dirty_at]->dirty_at = peer.dirty_at;
    m_dirty.pop_back();
    peer.is_dirty = false;
  }
}

void Transport_Messages::send(Pe to, std::uint64_t number,
                              std::span<std::byte const> message) {
  MessageHeader const header{.kind = MessageKind::note, .number = number};
  bool const is_large = message.size() > MessageEngine::max_eager;
  Counter left        = is_large ? 1 : 0;
  Pending unsent{.left = &left};
  {
    auto lock = enter();
    if (m_is_lost) end_job_of_lost("a collective call", to);
    flush(lock, peer_of(to));
    send_message(to, header, message, is_large ? &unsent : nullptr);
  }
  wait("a collective call", to, [&] { return left == 0; });
}

std::optional<std::vector<std::byte>> Transport_Messages::take_note(
    Peer& peer, std::uint64_t number, std::size_t& n_seen) {
  auto const n = peer.n_notes.load(std::memory_order_acquire);
  if (n == n_seen) return {};
  n_seen = n;
  std::lock_guard const lock(m_notes_mutex);
  for (auto& note : peer.notes) {
    if (note.number != number) continue;
    auto message = std::move(note.message);
    if (&note != &peer.notes.back()) note = std::move(peer.notes.back());
    peer.notes.pop_back();
    return message;
  }
  return {};
}

std::vector<std::byte> Transport_Messages::receive(Pe from,
                                                   std::uint64_t number) {
  auto& peer         = peer_of(from);
  std::size_t n_seen = SIZE_MAX;
  std::optional<std::vector<std::byte>> message;
  wait("a collective call", from, [&] {
    if (!message) message = take_note(peer, number, n_seen);
    return message.has_value();
  });
  return std::move(*message);
}

std::optional<std::vector<std::byte>> Transport_Messages::receive_within(
    Pe from, std::uint64_t number, std::chrono::milliseconds most) {
  auto& peer           = peer_of(from);
  std::size_t n_seen   = SIZE_MAX;
  auto const last_time = std::chrono::steady_clock::now() + most;
  std::optional<std::vector<std::byte>> message;
  static_cast<void>(poll());
  wait("a collective call", from, [&] {
    if (!message) message = take_note(peer, number, n_seen);
    return message.has_value() || std::chrono::steady_clock::now() >= last_time;
  });
  return message;
}

bool Transport_Messages::poll() {
  if (m_n_open.load(std::memory_order_relaxed) != 0) {
    if (Lock lock(m_mutex, std::try_to_lock); lock) {
      flush_all(lock, UINT64_MAX);
    }
  }
  bool const moved = m_engine->poll();
  if (has_lost()) end_job_of_lost("the library", m_my_pe);
  return moved;
}

void Transport_Messages::close() {
  quiet();
  stop_thread();
  m_is_closed = true;
  m_engine->close();
}

}  // namespace symm::Impl

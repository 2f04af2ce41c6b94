// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Transport_Messages.hpp"

#include <exception>
#include <utility>

#include "../base/LibraryThread.hpp"

namespace symm::Impl {

Transport_Messages::Transport_Messages(Pe my_pe, int n_pes,
                                       std::unique_ptr<MessageEngine> engine,
                                       TransportTarget& target, EndJob end_job,
                                       Options options)
    : Transport(m_default),
      m_my_pe(my_pe),
      m_target(target),
      m_end_job(std::move(end_job)),
      m_options(options),
      m_peers(static_cast<std::size_t>(n_pes)),
      m_default(*this, 0, n_pes),
      m_engine(std::move(engine)) {
  m_channels[0] = &m_default;
  if (options.flush_interval.count() != 0) {
    m_thread = make_library_thread(
        "starting the thread of the transport between nodes", "symm_batches",
        [this] { flush_in_time(); });
  }
  if (auto const* const one_sided = m_engine->one_sided()) {
    m_least_one_sided = one_sided->least_bytes();
  }
  m_engine->set_receiver(*this);
}

Transport_Messages::~Transport_Messages() {
  stop_thread();
  // The Receiver may use m_engine until the engine's thread has ended. So do
  // not use reset(), which would set m_engine to null before that.
  m_engine.get_deleter()(m_engine.get());
  static_cast<void>(m_engine.release());
  for (auto& peer : m_peers) delete peer.load();
  for (std::size_t i = 1; i < m_n_channels; ++i) delete m_channels[i].load();
}

Transport_Messages::Peer& Transport_Messages::peer_of(Pe pe) {
  auto& place = m_peers[static_cast<std::size_t>(pe)];
  if (auto* const peer = place.load(std::memory_order_acquire)) return *peer;
  auto made      = std::make_unique<Peer>(pe);
  Peer* expected = nullptr;
  if (!place.compare_exchange_strong(expected, made.get())) return *expected;
  return *made.release();
}

// Channels.

Channel* Transport_Messages::open_channel() {
  std::lock_guard const lock(m_channels_mutex);
  if (!m_closed_channels.empty()) {
    auto* const channel = m_closed_channels.back();
    m_closed_channels.pop_back();
    channel->open();
    return channel;
  }
  auto const n = m_n_channels.load();
  if (n == max_channels) return nullptr;
  m_closed_channels.reserve(n);  // close_channel() must not allocate
  auto* const channel = new Channel_Messages(
      *this, static_cast<std::uint16_t>(n), static_cast<int>(m_peers.size()));
  m_channels[n] = channel;
  m_n_channels  = n + 1;
  return channel;
}

void Transport_Messages::close_channel(Channel& channel) noexcept {
  auto& closed = static_cast<Channel_Messages&>(channel);
  closed.close();
  std::lock_guard const lock(m_channels_mutex);
  m_closed_channels.push_back(&closed);
}

template <class Work>
void Transport_Messages::for_each_channel(Work const& work) {
  // Sequentially consistent, like m_thread_sleeps: the thread must not sleep
  // while a new channel has an open batch.
  auto const n = m_n_channels.load();
  work(m_default);
  for (std::size_t i = 1; i < n; ++i) work(*m_channels[i].load());
}

void Transport_Messages::quiet_channels(char const* call) {
  if (m_n_channels == 1) return m_default.quiet(call);
  std::vector<Channel_Messages::Asked> asked;
  asked.reserve(m_n_channels);
  for_each_channel([&](Channel_Messages& channel) {
    asked.push_back(channel.ask_for_all(nullptr, call));
  });
  auto next = asked.begin();
  for_each_channel([&](Channel_Messages& channel) {
    if (next != asked.end()) channel.wait_for(*next++, call);
  });
}

void Transport_Messages::flush_in_time() {
  constexpr int n_idle_before_sleep = 20;
  std::unique_lock lock(m_thread_mutex);
  auto const has_open_batches = [&] {
    bool has = false;
    for_each_channel([&](Channel_Messages const& channel) {
      has = has || channel.has_open_batches();
    });
    return has;
  };
  for (int n_idle = 0; !m_thread_is_done;) {
    if (n_idle >= n_idle_before_sleep) {
      // The thread does not sleep after each batch, because waking the thread
      // takes longer than sending a batch.
      m_thread_sleeps = true;
      // Any batch opened from here on wakes the thread.
      if (!has_open_batches()) {
        m_wake.wait(lock, [&] { return !m_thread_sleeps || m_thread_is_done; });
      }
      m_thread_sleeps = false;
      n_idle          = 0;
    }
    m_wake.wait_for(lock, m_options.flush_interval,
                    [&] { return m_thread_is_done; });
    n_idle = has_open_batches() ? 0 : n_idle + 1;
    // A channel's lock must be acquired before m_thread_mutex: see
    // wake_thread().
    lock.unlock();
    auto const tick = m_tick.load();
    for_each_channel(
        [&](Channel_Messages& channel) { channel.flush_older(tick); });
    m_tick = tick + 1;
    lock.lock();
  }
}

void Transport_Messages::wake_thread() {
  if (!m_thread_sleeps.load()) return;
  {
    std::lock_guard const lock(m_thread_mutex);
    m_thread_sleeps = false;
  }
  m_wake.notify_one();
}

void Transport_Messages::stop_thread() {
  {
    std::lock_guard const lock(m_thread_mutex);
    m_thread_is_done = true;
  }
  m_wake.notify_one();
  if (m_thread.joinable()) m_thread.join();
}

// Messages.

void Transport_Messages::send_message(Pe to, MessageHeader const& header,
                                      std::span<std::byte const> payload,
                                      PendingOperation* unsent) noexcept {
  auto with_ack = header;
  if (header.channel == 0) {
    if (auto* const peer = m_peers[static_cast<std::size_t>(to)].load(
            std::memory_order_acquire)) {
      with_ack.acked = peer->incoming.arrivals.done_up_to();
    }
  }
  try {
    m_engine->send(to, bytes_of(with_ack), payload,
                   reinterpret_cast<std::size_t>(unsent));
  } catch (std::exception const& failure) {
    end_job_unless_lost(Text("a message to PE ", to, " could not be sent: ",
                             std::string_view(failure.what())));
  }
}

void Transport_Messages::end_job_unless_lost(Text const& failed) noexcept {
  // If the engine has just found that a PE is lost, poll() reports the loss.
  for (int i = 0; i < 100 && !m_is_lost; ++i) {
    if (m_engine->poll()) continue;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  if (!m_is_lost) end_job_of_failure(failed);
}

// Notes.

void Transport_Messages::send(Pe to, std::uint64_t number,
                              std::span<std::byte const> message,
                              char const* call) {
  MessageHeader const header{.kind = MessageKind::note, .number = number};
  bool const is_large = message.size() > MessageEngine::max_eager;
  Counter left        = is_large ? 1 : 0;
  PendingOperation unsent{.left = &left};
  static_cast<void>(peer_of(to));  // records the contact
  if (m_is_lost) end_job_of_lost(call, "a collective call", to);
  m_default.flush(to);
  wait(call, "a collective call", to, [&] { return !m_engine->is_full(to); });
  send_message(to, header, message, is_large ? &unsent : nullptr);
  wait(call, "a collective call", to, [&] { return left == 0; });
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
  wait(nullptr, "a collective call", from, [&] {
    if (!message) message = take_note(peer, number, n_seen);
    return message.has_value();
  });
  return std::move(*message);
}

std::optional<std::vector<std::byte>> Transport_Messages::receive_within(
    Pe from, std::uint64_t number, std::chrono::milliseconds most,
    char const* call) {
  auto& peer           = peer_of(from);
  std::size_t n_seen   = SIZE_MAX;
  auto const last_time = std::chrono::steady_clock::now() + most;
  std::optional<std::vector<std::byte>> message;
  static_cast<void>(poll(call));
  wait(call, "a collective call", from, [&] {
    if (!message) message = take_note(peer, number, n_seen);
    return message.has_value() || std::chrono::steady_clock::now() >= last_time;
  });
  return message;
}

bool Transport_Messages::poll(char const* call) {
  for_each_channel([](Channel_Messages& channel) { channel.try_flush_all(); });
  return progress(call, "the library", m_my_pe);
}

bool Transport_Messages::progress(char const* call, char const* what, Pe pe) {
  bool const moved = m_engine->poll();
  if (has_lost()) end_job_of_lost(call, what, pe);
  return moved;
}

void Transport_Messages::close() {
  quiet_channels(nullptr);
  stop_thread();
  m_is_closed = true;
  m_engine->close();
}

}  // namespace symm::Impl

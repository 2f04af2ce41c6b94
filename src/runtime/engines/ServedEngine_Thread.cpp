// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// The engine's thread, which delivers messages while no other thread polls. It
// also sends heartbeats.
#include <algorithm>
#include <utility>

#include "../base/LibraryThread.hpp"
#include "../symm_errors.hpp"
#include "ServedEngine.hpp"

namespace symm::Impl {

namespace {

using namespace std::chrono_literals;

/// The minimum and maximum times for which the thread parks while other threads
/// poll. The time increases as long as they keep polling, because each wake-up
/// takes the core away from a waiting PE for several microseconds.
constexpr auto shortest_park = std::chrono::microseconds(200us);
constexpr auto longest_park  = std::chrono::microseconds(1000us);
/// The time that the thread polls after the last message before it goes to
/// sleep.
constexpr auto silence = 5us;
/// A thread that polls less often than this is assumed to sleep between polls,
/// as idle waits do. If the engine relied on such a thread, messages would have
/// to wait until that thread wakes up.
constexpr auto longest_between_polls = 50us;
}  // namespace

void ServedEngine::start_thread() {
  m_thread = make_library_thread("starting the thread of messages",
                                 "symm_messages", [this] { serve(); });
}

void ServedEngine::stop_thread() noexcept {
  if (!m_thread.joinable()) return;
  m_stops     = true;
  m_may_start = true;
  m_may_start.notify_all();
  // If this fails, the thread still wakes up after m_check_time.
  wake_thread();
  m_thread.join();
}

void ServedEngine::serve() noexcept {
  m_may_start.wait(false);
  auto park    = shortest_park;
  m_last_check = m_last_look = Clock::now();
  while (!m_stops) {
    if (Clock::now() - m_last_check >= m_check_time) {
      check_peers();
      look_after();
    }
    if (others_poll()) {
      std::this_thread::sleep_for(park);
      park = std::min(park * 2, longest_park);
      continue;
    }
    // If this thread found the messages, they may have been delivered late, so
    // the next sleep is short again. If a polling thread woke this thread, no
    // messages were late.
    if (poll_until_silent()) sleep_until_something_comes();
    park = m_is_polled ? std::min(park * 2, longest_park) : shortest_park;
  }
}

/// Whether other threads are polling, or have polled recently and will probably
/// do so again.
bool ServedEngine::others_poll() noexcept {
  auto const n_polls = m_n_polls.load(std::memory_order_relaxed);
  auto const now     = Clock::now();
  auto const n_new   = n_polls - std::exchange(m_n_polls_seen, n_polls);
  auto const passed  = now - std::exchange(m_last_look, now);
  if (m_is_polled.exchange(false) ||
      n_new > static_cast<std::uint64_t>(passed / longest_between_polls)) {
    m_they_polled = now;
  }
  return now - m_they_polled < longest_park;
}

/// Lets threads that are waiting for the lock go first, then calls progress().
bool ServedEngine::progress_in_turn() noexcept {
  while (m_n_waiting.load() != 0) std::this_thread::yield();
  Section const section(*this);
  return progress();
}

/// Polls until no more messages arrive.
/// \returns false if another thread polls or there is other work to do.
bool ServedEngine::poll_until_silent() noexcept {
  auto const n_polls = m_n_polls.load(std::memory_order_relaxed);
  auto last          = Clock::time_point{};
  while (m_n_polls.load(std::memory_order_relaxed) == n_polls && !m_stops) {
    bool const any = progress_in_turn();
    auto const now = Clock::now();
    if (any) last = now;
    if (now - last > silence) return true;
    if (now - m_last_check >= m_check_time) return false;
  }
  return false;
}

void ServedEngine::sleep_until_something_comes() noexcept {
  {
    Section const section(*this);
    m_needs_progress = false;
    if (!prepare_sleep()) return;
    m_is_asleep = true;
  }
  sleep(std::chrono::duration_cast<std::chrono::milliseconds>(m_check_time));
  m_is_asleep = false;
}

/// Must be called after starting work that the thread may have to finish.
void ServedEngine::wake_if_needed() noexcept {
  if (!m_needs_progress || !m_is_asleep) return;
  m_needs_progress = false;
  wake();
}

/// Must be called after delivering messages. If the engine's thread stayed in
/// poll(2), the system would wake it for each message, although the message has
/// already been delivered. After a call to wake_to_park(), the thread parks for
/// a while instead.
void ServedEngine::wake_to_park() noexcept {
  if (!m_is_asleep) return;
  m_is_polled = true;
  wake();
}

void ServedEngine::wake() noexcept {
  m_is_asleep = false;
  // Even if this fails, the thread wakes up after m_check_time.
  wake_thread();
}

// --- Heartbeats

void ServedEngine::watch(Pe pe) {
  check_other_pe(pe);
  Section const section(*this);
  auto& peer = peer_of(pe);
  // Earlier silence does not count, because no caller was waiting for the peer.
  if (peer.n_watching++ == 0) peer.last_heard = Clock::now();
}

void ServedEngine::unwatch(Pe pe) {
  check_other_pe(pe);
  Section const section(*this);
  --peer_of(pe).n_watching;
}

void ServedEngine::watch_all() {
  Section const section(*this);
  if (m_n_watching_all++ != 0) return;
  for (auto* const peer : m_met) {
    if (peer->n_watching == 0) peer->last_heard = Clock::now();
  }
}

void ServedEngine::unwatch_all() {
  Section const section(*this);
  --m_n_watching_all;
}

void ServedEngine::check_peers() noexcept {
  auto const now    = Clock::now();
  auto const passed = now - std::exchange(m_last_check, now);
  if (m_peer_timeout == Clock::duration(0)) return;
  // First deliver messages that have already arrived, as far as time allows.
  while (progress_in_turn() && Clock::now() - now < m_check_time) {
  }
  Section const section(*this);
  if (m_is_closing) return;
  // If this process was suspended (SIGSTOP, a debugger, a busy machine), its
  // peers were not necessarily silent during that time.
  auto const overslept = passed > 4 * m_check_time ? passed : passed * 0;
  for (std::size_t i = 0; i < m_met.size(); ++i) {
    auto& peer = *m_met[i];
    peer.last_heard += overslept;
    if (std::exchange(peer.was_heard, false)) peer.last_heard = now;
    bool const is_watched = peer.n_watching != 0 || m_n_watching_all != 0;
    if (!is_watched || peer.has_failed) continue;
    auto const silent = now - peer.last_heard;
    if (silent >= m_peer_timeout) {
      lose(peer,
           Text("it has not responded for ",
                std::chrono::ceil<std::chrono::milliseconds>(silent).count(),
                " ms (SYMM_PEER_TIMEOUT); it is stopped or hangs, or the "
                "network to it is cut"));
    } else if (silent >= m_ping_time && now - peer.last_pinged >= m_ping_time) {
      peer.last_pinged = now;
      post_control(peer, ParcelHead::Kind::ping);
    }
  }
  settle();
}

}  // namespace symm::Impl

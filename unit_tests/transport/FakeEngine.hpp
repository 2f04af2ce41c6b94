// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_ENGINE_HPP
#define SYMM_TEST_FAKE_ENGINE_HPP

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include <runtime/engines/MessageEngine.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test {

using symm::Pe;
using symm::Impl::MessageEngine;

/// Joins the engines of several PEs in one process. The order in which messages
/// come is random, from a seed, and some come late.
///
/// poll() of any PE moves the messages of all PEs, so that one thread can be
/// all PEs. With threads, one PE's messages are delivered by one thread at a
/// time.
///
/// A thread that polls for longest_silence without any message under way ends
/// the process: it waits for one that nobody has sent.
class FakeNetwork {
 public:
  enum class Order { as_sent, random };
  /// What the engines can do. immediate: one-sided operations that are done
  /// when they return. unreached: no PE is reached by them. failing: they fail.
  enum class Can { messages, one_sided, immediate, unreached, failing };
  static constexpr std::chrono::seconds longest_silence{10};
  static constexpr std::size_t least_one_sided = 1024;
  static constexpr std::size_t max_one_sided   = std::size_t{768} << 10U;

  /// Sees each message as it is sent and as it is delivered, whole. One at a
  /// time.
  class Observer {
   public:
    virtual ~Observer()                                       = default;
    virtual void sent(Pe from, Pe to, std::span<std::byte const> header,
                      std::size_t bytes, bool is_copied)      = 0;
    virtual void delivered(Pe from, Pe to,
                           std::span<std::byte const> header) = 0;
    /// A step has delivered something.
    virtual void stepped() {}
  };

  explicit FakeNetwork(int n_pes, Order order = Order::as_sent,
                       std::uint64_t seed = 1, Can can = Can::messages)
      : m_order(order), m_can(can), m_seed(seed), m_random(seed) {
    for (int pe = 0; pe < n_pes; ++pe) {
      m_places.push_back(std::make_unique<Place>());
    }
  }

  [[nodiscard]] std::unique_ptr<MessageEngine> engine_of(Pe pe);
  /// Before the first message.
  void set_observer(Observer& observer) { m_observer = &observer; }
  /// It may end afterwards.
  void unset_observer() {
    std::lock_guard const lock(m_mutex);
    m_observer = nullptr;
  }

  /// Delivers a message, or a part of a large one; false: there is none, or
  /// others are at it.
  bool step() {
    bool const has_stepped = deliver_one();
    if (has_stepped && m_observer != nullptr) m_observer->stepped();
    return has_stepped;
  }

  /// As if they had not been sent.
  void drop_all() {
    std::lock_guard const lock(m_mutex);
    m_messages.clear();
  }

  /// Nothing reaches or leaves `pe` any more, and the others are told.
  void lose(Pe pe) {
    m_lost = pe;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
      if (static_cast<Pe>(i) == pe) continue;
      std::lock_guard const lock(m_places[i]->mutex);
      m_places[i]->receiver->lost(pe, "the test cut its link");
    }
  }

  /// Engines are full of messages to `pe`; -1: of none.
  void set_full(Pe pe) { m_full = pe; }

  /// Messages that have been sent and not delivered.
  [[nodiscard]] std::size_t n_waiting() {
    std::lock_guard const lock(m_mutex);
    return m_messages.size();
  }
  /// Ever.
  [[nodiscard]] std::uint64_t n_sent() const { return m_n_sent; }
  /// One-sided operations, ever.
  [[nodiscard]] std::uint64_t n_one_sided() const { return m_n_one_sided; }

 private:
  class Engine;
  struct Place {
    // Not for who is in there already.
    std::recursive_mutex mutex;
    MessageEngine::Receiver* receiver = nullptr;
    bool is_delivering                = false;
  };
  struct Message {
    // first_half, second_half: of a one-sided operation.
    enum class Next { all, data, sent, first_half, second_half };

    Pe from = 0;
    Pe to   = 0;  // the sender, once it is to be told
    std::vector<std::byte> header;
    std::vector<std::byte> payload;
    // Of a large one.
    Next next               = Next::all;
    bool is_rendezvous      = false;
    std::byte const* data   = nullptr;
    std::size_t bytes       = 0;
    void* place             = nullptr;
    std::size_t token       = 0;
    std::uint64_t late_till = 0;  // of m_n_steps
  };

  /// A key is of one opening of a chunk.
  symm::Impl::OneSided::Key open_chunk(Pe pe, void* start, std::size_t bytes) {
    std::lock_guard const lock(m_mutex);
    auto& chunk = m_chunks[{pe, reinterpret_cast<std::uint64_t>(start)}];
    if (chunk.number == 0) chunk = {bytes, ++m_n_chunks};
    return {static_cast<std::uint64_t>(pe), m_seed, chunk.number, ~0U};
  }
  void close_chunk(Pe pe, void* start) {
    std::lock_guard const lock(m_mutex);
    m_chunks.erase({pe, reinterpret_cast<std::uint64_t>(start)});
  }
  [[nodiscard]] bool opens(symm::Impl::OneSided::Place const& place,
                           std::size_t bytes) {
    std::lock_guard const lock(m_mutex);
    auto next = m_chunks.upper_bound({place.pe, place.address});
    if (next == m_chunks.begin()) return false;
    auto const& [at, chunk] = *--next;
    symm::Impl::OneSided::Key const key{static_cast<std::uint64_t>(place.pe),
                                        m_seed, chunk.number, ~0U};
    return at.first == place.pe && key == place.key &&
           place.address - at.second + bytes <= chunk.bytes;
  }

  /// Of `pe` on memory of `other`: at once if they are immediate, else first
  /// one half, then the other one, then `pe` is told.
  void copy(Pe pe, Pe other, void* to, void const* from, std::size_t bytes,
            std::size_t token) {
    std::lock_guard const lock(m_mutex);
    if (m_can == Can::failing) throw symm::SystemError("no such memory");
    ++m_n_one_sided;
    if (pe == m_lost || other == m_lost) return;
    if (m_can == Can::immediate) {
      std::memcpy(to, from, bytes);
      return;
    }
    Message message{pe, pe, {}, {}};
    message.next  = Message::Next::first_half;
    message.data  = static_cast<std::byte const*>(from);
    message.place = to;
    message.bytes = bytes;
    message.token = token;
    set_late(message);
    m_messages.push_back(std::move(message));
  }

  /// With m_mutex.
  void set_late(Message& message) {
    if (m_order != Order::random || m_random() % 16 != 0) return;
    message.late_till = m_n_steps + m_random() % 200;
  }

  void send(Message message) {
    std::lock_guard const lock(m_mutex);
    ++m_n_sent;
    if (message.from == m_lost || message.to == m_lost) return;
    if (m_observer != nullptr) {
      m_observer->sent(message.from, message.to, message.header,
                       std::max(message.payload.size(), message.bytes),
                       message.data == nullptr);
    }
    if (m_order == Order::random) {
      // As UCX does, which has a limit of its own.
      message.is_rendezvous =
          message.bytes > MessageEngine::max_eager && m_random() % 2 == 0;
      set_late(message);
    } else {
      message.is_rendezvous = message.bytes > MessageEngine::max_eager;
    }
    m_messages.push_back(std::move(message));
  }

  /// Of a message that has been moved from. Tens of thousands may be there:
  /// none is moved but the last.
  void remove(std::size_t at) {
    if (m_order == Order::as_sent) {
      m_messages.pop_front();
      return;
    }
    if (at + 1 != m_messages.size()) {
      m_messages[at] = std::move(m_messages.back());
    }
    m_messages.pop_back();
  }

  /// A random message, rather none that is to be late. With m_mutex.
  std::size_t next() {
    std::size_t at = 0;
    for (int i = 0; i < 8; ++i) {
      at = m_random() % m_messages.size();
      if (m_messages[at].late_till <= m_n_steps) break;
    }
    return at;
  }

  void expect_no_hang() {
    if (std::chrono::steady_clock::now() - m_last_step < longest_silence)
      return;
    std::fprintf(stderr,
                 "seed %llu: a PE waits, and no message is under way: one is "
                 "missing\n",
                 static_cast<unsigned long long>(m_seed));
    std::abort();
  }

  bool deliver_one() {
    std::unique_lock lock(m_mutex);
    if (m_messages.empty()) {
      expect_no_hang();
      return false;
    }
    std::size_t const at = m_order == Order::as_sent ? 0 : next();
    auto message         = std::move(m_messages[at]);
    auto& place          = *m_places[static_cast<std::size_t>(message.to)];
    std::unique_lock receiving(place.mutex, std::try_to_lock);
    if (!receiving || place.receiver == nullptr || place.is_delivering) {
      m_messages[at] = std::move(message);
      return false;
    }
    remove(at);
    ++m_n_steps;
    m_last_step = std::chrono::steady_clock::now();
    if (m_observer != nullptr && message.next == Message::Next::all) {
      m_observer->delivered(message.from, message.to, message.header);
    }
    lock.unlock();
    place.is_delivering = true;
    bool const is_done  = deliver(message, *place.receiver);
    place.is_delivering = false;
    if (is_done) return true;
    receiving.unlock();
    lock.lock();
    if (m_order == Order::as_sent) {
      m_messages.push_front(std::move(message));
    } else {
      m_messages.push_back(std::move(message));
    }
    return true;
  }

  /// Whether that was its last part.
  static bool deliver(Message& message, MessageEngine::Receiver& receiver) {
    using Next = Message::Next;
    if (message.next == Next::sent) {
      receiver.sent(message.token);
      return true;
    }
    auto const half = message.bytes / 2;
    if (message.next == Next::first_half) {
      std::memcpy(message.place, message.data, half);
      message.next = Next::second_half;
      return false;
    }
    if (message.next == Next::second_half) {
      std::memcpy(static_cast<std::byte*>(message.place) + half,
                  message.data + half, message.bytes - half);
      message.next = Next::sent;
      return false;
    }
    if (message.data == nullptr) {
      receiver.receive(message.from, message.header, message.payload);
      return true;
    }
    if (!message.is_rendezvous) {
      receiver.receive(message.from, message.header,
                       {message.data, message.bytes});
      message.next = Next::sent;
      message.to   = message.from;
      return false;
    }
    if (message.next == Next::all) {
      message.place =
          receiver.place_for(message.from, message.header, message.bytes);
      message.next = Next::data;
      return false;
    }
    if (message.place != nullptr) {
      std::memcpy(message.place, message.data, message.bytes);
    }
    receiver.received(message.from, message.header, message.place,
                      message.bytes);
    message.next = Next::sent;
    message.to   = message.from;
    return false;
  }

  Order m_order;
  Can m_can;
  std::uint64_t m_seed;
  std::mt19937_64 m_random;
  std::vector<std::unique_ptr<Place>> m_places;
  std::mutex m_mutex;  // of what follows; taken last
  std::deque<Message> m_messages;
  struct OpenChunk {
    std::size_t bytes    = 0;
    std::uint64_t number = 0;
  };
  std::map<std::pair<Pe, std::uint64_t>, OpenChunk> m_chunks;
  std::uint64_t m_n_chunks    = 0;
  std::uint64_t m_n_sent      = 0;
  std::uint64_t m_n_one_sided = 0;
  std::uint64_t m_n_steps     = 0;
  std::chrono::steady_clock::time_point m_last_step =
      std::chrono::steady_clock::now();
  Observer* m_observer = nullptr;
  Pe m_lost            = -1;
  std::atomic<Pe> m_full{-1};
};

class FakeNetwork::Engine final : public MessageEngine,
                                  private symm::Impl::OneSided {
 public:
  Engine(FakeNetwork& network, Pe pe) : m_network(network), m_pe(pe) {}
  /// Delivers to the end, as an engine with a thread does.
  ~Engine() override {
    while (m_network.n_waiting() != 0 && m_network.step()) {
    }
    set(nullptr);
  }

  void set_receiver(Receiver& receiver) override { set(&receiver); }
  void send(Pe to, std::span<std::byte const> header,
            std::span<std::byte const> payload, std::size_t token) override {
    if (header.size() > max_header) throw symm::UsageError("a long header");
    Message message{m_pe, to, {header.begin(), header.end()}, {}};
    if (token == 0 && payload.size() <= max_eager) {
      message.payload.assign(payload.begin(), payload.end());
    } else {
      message.data  = payload.data();
      message.bytes = payload.size();
      message.token = token;
    }
    m_network.send(std::move(message));
  }
  [[nodiscard]] bool is_full(Pe to) const noexcept override {
    return m_network.m_full == to;
  }
  symm::Impl::OneSided* one_sided() noexcept override {
    return m_network.m_can == Can::messages ? nullptr : this;
  }
  bool poll() override { return m_network.step(); }
  void watch(Pe /*pe*/) override {}
  void unwatch(Pe /*pe*/) override {}
  void watch_all() override {}
  void unwatch_all() override {}
  void send_farewell(std::span<std::byte const> /*header*/,
                     std::span<std::byte const> /*payload*/) noexcept override {
  }
  void close() override {}

 private:
  [[nodiscard]] std::size_t least_bytes() const noexcept override {
    return least_one_sided;
  }
  [[nodiscard]] std::size_t max_bytes() const noexcept override {
    return max_one_sided;
  }
  [[nodiscard]] std::optional<Key> open_chunk(
      void* start, std::size_t bytes) noexcept override {
    return m_network.open_chunk(m_pe, start, bytes);
  }
  void close_chunk(void* start) noexcept override {
    m_network.close_chunk(m_pe, start);
  }
  [[nodiscard]] bool reaches(Pe pe, Key const& key) noexcept override {
    return m_network.m_can != Can::unreached &&
           key[0] == static_cast<std::uint64_t>(pe) &&
           key[1] == m_network.m_seed;
  }
  [[nodiscard]] bool is_immediate() const noexcept override {
    return m_network.m_can == Can::immediate;
  }
  void put(Place const& to, void const* from, std::size_t bytes,
           std::size_t token) override {
    if (!m_network.opens(to, bytes)) throw symm::UsageError("a wrong key");
    m_network.copy(m_pe, to.pe, reinterpret_cast<void*>(to.address), from,
                   bytes, token);
  }
  void get(void* to, Place const& from, std::size_t bytes,
           std::size_t token) override {
    if (!m_network.opens(from, bytes)) throw symm::UsageError("a wrong key");
    m_network.copy(m_pe, from.pe, to,
                   reinterpret_cast<void const*>(from.address), bytes, token);
  }
  void set(Receiver* receiver) {
    auto& place = *m_network.m_places[static_cast<std::size_t>(m_pe)];
    std::lock_guard const lock(place.mutex);
    place.receiver = receiver;
  }

  FakeNetwork& m_network;
  Pe m_pe;
};

inline std::unique_ptr<MessageEngine> FakeNetwork::engine_of(Pe pe) {
  return std::make_unique<Engine>(*this, pe);
}

}  // namespace symm_test

#endif

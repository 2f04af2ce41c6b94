// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_ENGINE_HPP
#define SYMM_TEST_FAKE_ENGINE_HPP

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <span>
#include <vector>

#include <runtime/symm_errors.hpp>
#include <runtime/transport/MessageEngine.hpp>

namespace symm_test {

using symm::Pe;
using symm::Impl::MessageEngine;

/// Joins the engines of several PEs in one process. The order in which messages
/// come is random, from a seed.
///
/// Who polls moves the messages of all PEs, so that one thread can be all PEs.
/// With threads, one PE's messages are delivered by one thread at a time.
class FakeNetwork {
 public:
  enum class Order { as_sent, random };

  explicit FakeNetwork(int n_pes, Order order = Order::as_sent,
                       std::uint64_t seed = 1)
      : m_order(order), m_random(seed) {
    for (int pe = 0; pe < n_pes; ++pe) {
      m_places.push_back(std::make_unique<Place>());
    }
  }

  [[nodiscard]] std::unique_ptr<MessageEngine> engine_of(Pe pe);

  /// Delivers a message, or a part of a large one; false: there is none, or
  /// others are at it.
  bool step() {
    std::unique_lock lock(m_mutex);
    if (m_messages.empty()) return false;
    std::size_t const at =
        m_order == Order::as_sent ? 0 : m_random() % m_messages.size();
    auto message = std::move(m_messages[at]);
    auto& place  = *m_places[static_cast<std::size_t>(message.to)];
    std::unique_lock receiving(place.mutex, std::try_to_lock);
    if (!receiving || place.receiver == nullptr || place.is_delivering) {
      m_messages[at] = std::move(message);
      return false;
    }
    m_messages.erase(m_messages.begin() + static_cast<std::ptrdiff_t>(at));
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

  /// Nothing reaches or leaves `pe` any more, and the others are told.
  void lose(Pe pe) {
    m_lost = pe;
    for (std::size_t i = 0; i < m_places.size(); ++i) {
      if (static_cast<Pe>(i) == pe) continue;
      std::lock_guard const lock(m_places[i]->mutex);
      m_places[i]->receiver->lost(pe, "the test cut its link");
    }
  }

  /// Messages that have been sent and not delivered.
  [[nodiscard]] std::size_t n_waiting() {
    std::lock_guard const lock(m_mutex);
    return m_messages.size();
  }
  /// Ever.
  [[nodiscard]] std::uint64_t n_sent() const { return m_n_sent; }

 private:
  class Engine;
  struct Place {
    // Not for who is in there already.
    std::recursive_mutex mutex;
    MessageEngine::Receiver* receiver = nullptr;
    bool is_delivering                = false;
  };
  struct Message {
    enum class Next { all, data, sent };

    Pe from = 0;
    Pe to   = 0;  // the sender, once it is to be told
    std::vector<std::byte> header;
    std::vector<std::byte> payload;
    // Of a large one.
    Next next             = Next::all;
    std::byte const* data = nullptr;
    std::size_t bytes     = 0;
    void* place           = nullptr;
    std::size_t token     = 0;
  };

  void send(Message message) {
    std::lock_guard const lock(m_mutex);
    ++m_n_sent;
    if (message.from == m_lost || message.to == m_lost) return;
    m_messages.push_back(std::move(message));
  }

  /// Whether that was its last part.
  static bool deliver(Message& message, MessageEngine::Receiver& receiver) {
    using Next = Message::Next;
    if (message.next == Next::sent) {
      receiver.sent(message.token);
      return true;
    }
    if (message.data == nullptr) {
      receiver.receive(message.from, message.header, message.payload);
      return true;
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
    return message.token == 0;
  }

  Order m_order;
  std::mt19937_64 m_random;
  std::vector<std::unique_ptr<Place>> m_places;
  std::mutex m_mutex;  // of what follows; taken last
  std::deque<Message> m_messages;
  std::uint64_t m_n_sent = 0;
  Pe m_lost              = -1;
};

class FakeNetwork::Engine final : public MessageEngine {
 public:
  Engine(FakeNetwork& network, Pe pe) : m_network(network), m_pe(pe) {}
  ~Engine() override { set(nullptr); }

  void set_receiver(Receiver& receiver) override { set(&receiver); }
  void send(Pe to, std::span<std::byte const> header,
            std::span<std::byte const> payload, std::size_t token) override {
    if (header.size() > max_header) throw symm::UsageError("a long header");
    Message message{m_pe, to, {header.begin(), header.end()}, {}};
    if (payload.size() <= max_eager) {
      message.payload.assign(payload.begin(), payload.end());
    } else {
      message.data  = payload.data();
      message.bytes = payload.size();
      message.token = token;
    }
    m_network.send(std::move(message));
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

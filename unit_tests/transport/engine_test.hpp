// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_ENGINE_TEST_HPP
#define SYMM_TEST_ENGINE_TEST_HPP

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <span>
#include <string>
#include <support/ForkedPes.hpp>
#include <thread>
#include <vector>

#include <runtime/engines/MessageEngines.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>
#include <runtime/symm_errors.hpp>

/// What tests of message engines share.
namespace symm_test {

using symm::Pe;
using symm::Impl::MessageEngine;
using symm::Impl::MessageEngineOptions;
using Clock = std::chrono::steady_clock;

/// Every PE a node of its own.
inline symm::Impl::Nodes nodes_of(symm::Impl::Bootstrap const& bootstrap) {
  symm::Impl::Nodes nodes;
  nodes.first.resize(static_cast<std::size_t>(bootstrap.n_pes()) + 1);
  std::iota(nodes.first.begin(), nodes.first.end(), 0);
  nodes.my_node = bootstrap.my_pe();
  return nodes;
}

/// What an engine is made with, of PEs that are each a node of their own.
class EngineParts {
 public:
  explicit EngineParts(symm::Impl::Bootstrap& bootstrap)
      : EngineParts(bootstrap, nodes_of(bootstrap)) {}
  EngineParts(symm::Impl::Bootstrap& bootstrap, symm::Impl::Nodes const& nodes)
      : m_bootstrap(bootstrap), m_exchange(bootstrap, nodes, {}) {}

  std::unique_ptr<MessageEngine> make(MessageEngineOptions const& options) {
    auto const* kind = symm::Impl::message_engine_of_environment();
    if (kind == nullptr) kind = &symm::Impl::message_engines().front();
    return kind->make(m_bootstrap, m_exchange, m_vmm, options);
  }

 private:
  symm::Impl::Bootstrap& m_bootstrap;
  symm::Impl::FdExchange m_exchange;
  symm::Impl::Vmm_HostMemfd m_vmm;
};

/// Differs for every (sender, receiver, message, byte).
inline std::byte pattern(Pe from, Pe to, std::uint64_t id, std::size_t i) {
  auto const mixed = static_cast<std::uint64_t>(from) * 7919 +
                     static_cast<std::uint64_t>(to) * 104'729 + id * 31 +
                     i * 2'654'435'761U;
  return static_cast<std::byte>((mixed >> 8U) ^ mixed);
}

/// The header of the messages that tests send.
struct TestHead {
  enum Kind : std::uint32_t { data, question, answer };

  std::uint64_t id    = 0;
  std::uint64_t bytes = 0;
  std::uint32_t kind  = data;
  std::int32_t from   = 0;

  [[nodiscard]] std::span<std::byte const> span() const {
    return std::as_bytes(std::span(this, 1));
  }
};

/// Counts what comes, looks at every byte, and answers questions.
class TestReceiver final : public MessageEngine::Receiver {
 public:
  TestReceiver(MessageEngine& engine, Pe me) : m_engine(engine), m_me(me) {}

  void receive(Pe from, std::span<std::byte const> header,
               std::span<std::byte const> payload) noexcept override {
    take(from, header, payload);
  }
  void* place_for(Pe /*from*/, std::span<std::byte const> header,
                  std::size_t bytes) noexcept override {
    if (drops_large) return nullptr;
    TestHead head;
    std::memcpy(&head, header.data(), sizeof head);
    auto& place = m_places[head.id];
    place.resize(bytes);
    return place.data();
  }
  void received(Pe from, std::span<std::byte const> header, void* place,
                std::size_t bytes) noexcept override {
    if (place == nullptr) {
      ++n_dropped;
      return;
    }
    take(from, header, {static_cast<std::byte const*>(place), bytes});
    TestHead head;
    std::memcpy(&head, header.data(), sizeof head);
    m_places.erase(head.id);
  }
  void sent(std::size_t token) noexcept override {
    ++n_sent;
    last_sent = token;
  }
  void lost(Pe pe, symm::Impl::Text const& why) noexcept override {
    lost_why = why;
    lost_pe  = pe;
    ++n_lost;
  }

  bool drops_large = false;
  std::atomic<std::chrono::milliseconds> time_of_each{};
  std::atomic<std::uint64_t> n_data{0}, n_answers{0}, n_wrong{0}, n_sent{0},
      n_dropped{0}, n_lost{0}, sum_of_ids{0}, data_bytes{0};
  std::atomic<std::size_t> last_sent{0};
  std::atomic<Pe> lost_pe{-1};
  symm::Impl::Text lost_why;

 private:
  void take(Pe from, std::span<std::byte const> header,
            std::span<std::byte const> payload) noexcept {
    TestHead head;
    if (header.size() < sizeof head) {
      ++n_wrong;
      return;
    }
    std::memcpy(&head, header.data(), sizeof head);
    if (head.from != from || head.bytes != payload.size()) ++n_wrong;
    for (std::size_t i = 0; i < payload.size(); ++i) {
      if (payload[i] != pattern(from, m_me, head.id, i)) {
        ++n_wrong;
        break;
      }
    }
    auto const its_time = time_of_each.load();
    if (its_time.count() != 0) std::this_thread::sleep_for(its_time);
    switch (head.kind) {
      case TestHead::question: {
        // The payload is ours no more when this returns.
        TestHead const back{head.id, 0, TestHead::answer, m_me};
        m_engine.send(from, back.span());
        break;
      }
      case TestHead::answer: ++n_answers; break;
      default:
        sum_of_ids += head.id;
        data_bytes += payload.size();
        ++n_data;
    }
  }

  MessageEngine& m_engine;
  Pe m_me;
  std::map<std::uint64_t, std::vector<std::byte>> m_places;
};

/// An engine of one PE with a receiver.
struct TestEngine {
  explicit TestEngine(symm::Impl::Bootstrap& bootstrap,
                      MessageEngineOptions const& options = {})
      : me(bootstrap.my_pe()),
        parts(bootstrap),
        engine(parts.make(options)),
        receiver(*engine, me) {
    engine->set_receiver(receiver);
  }
  TestEngine(TestEngine const&)            = delete;
  TestEngine& operator=(TestEngine const&) = delete;
  ~TestEngine() { engine.reset(); }  // before the receiver

  /// Polls until `is_done`; false: it has taken too long.
  bool poll_until(std::function<bool()> const& is_done,
                  std::chrono::seconds at_most = std::chrono::seconds(60)) {
    auto const deadline = Clock::now() + at_most;
    while (!is_done()) {
      engine->poll();
      if (Clock::now() > deadline) return false;
    }
    return true;
  }

  /// \returns the payload, which lives as long as it has to.
  std::vector<std::byte> payload_to(Pe to, std::uint64_t id,
                                    std::size_t bytes) const {
    std::vector<std::byte> payload(bytes);
    for (std::size_t i = 0; i < bytes; ++i) payload[i] = pattern(me, to, id, i);
    return payload;
  }

  void send(Pe to, std::uint64_t id, std::span<std::byte const> payload,
            TestHead::Kind kind = TestHead::data, std::size_t token = 0) {
    TestHead const head{id, payload.size(), kind, me};
    while (engine->is_full(to)) engine->poll();
    engine->send(to, head.span(), payload, token);
  }

  /// Asks and waits for the answer.
  bool ask(Pe to, std::uint64_t id, std::span<std::byte const> payload = {}) {
    auto const before = receiver.n_answers.load();
    send(to, id, payload, TestHead::question);
    return poll_until([&] { return receiver.n_answers > before; });
  }

  Pe me;
  EngineParts parts;
  std::unique_ptr<MessageEngine> engine;
  TestReceiver receiver;
};

}  // namespace symm_test

#endif

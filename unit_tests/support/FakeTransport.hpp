// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_TRANSPORT_HPP
#define SYMM_TEST_FAKE_TRANSPORT_HPP

#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/bootstrap/Bootstrap.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/transport/Channel.hpp>
#include <runtime/transport/Transport.hpp>

namespace symm_test {

/// A job that consists of this process alone.
class OnePe final : public symm::Impl::Bootstrap {
 public:
  [[nodiscard]] symm::Pe my_pe() const override { return 0; }
  [[nodiscard]] int n_pes() const override { return 1; }
  [[nodiscard]] int node() const override { return 0; }
  void barrier() override {}
  void allgather(void const* mine, void* all, std::size_t bytes) override {
    std::memcpy(all, mine, bytes);
  }
  [[nodiscard]] int min(int mine) override { return mine; }
  void broadcast(void*, std::size_t, symm::Pe) override {}
  void close() override {}
  [[noreturn]] void abort(int) noexcept override { std::abort(); }
};

/// Stands in for PEs on other nodes, whose parts of the heap are memory of this
/// process, and records all calls. Operations that need not be done before
/// quiet() are not done earlier.
class FakeTransport final : public symm::Impl::Transport,
                            public symm::Impl::Channel {
 public:
  using Completion = symm::Impl::Completion;
  using HostCall   = symm::Impl::HostCall;
  using Runtime    = symm::Impl::Runtime;
  using Channel    = symm::Impl::Channel;
  using Pe         = symm::Pe;
  using PeMemory   = symm::Impl::PeMemory;
  using AtomicOp   = symm::Impl::AtomicOp;
  using WordType   = symm::Impl::WordType;
  using Strides    = symm::Impl::Strides;

  /// Becomes the runtime's transport. If there is no runtime, starts one for a
  /// job of one PE.
  /// \param find_part returns the address of a PE's part of the host heap.
  explicit FakeTransport(std::function<char*(Pe)> find_part)
      : Transport(static_cast<Channel&>(*this)),
        m_find_part(std::move(find_part)),
        m_ends_runtime(!Runtime::is_initialized()) {
    if (m_ends_runtime) Runtime::initialize(std::make_unique<OnePe>());
    Runtime::instance("a test").set_transport(this);
  }
  ~FakeTransport() override {
    Runtime::instance("a test").set_transport(nullptr);
    if (m_ends_runtime) Runtime::finalize();
  }
  FakeTransport(FakeTransport const&)            = delete;
  FakeTransport& operator=(FakeTransport const&) = delete;

  /// Returns the calls since the last time, such as "put 3" for a put to PE 3,
  /// and clears the record.
  std::vector<std::string> calls() {
    std::lock_guard const lock(m_mutex);
    return std::exchange(m_calls, {});
  }

  // All channels are this one.
  Channel* open_channel() override { return this; }

  void put(PeMemory to, void const* from, std::size_t bytes,
           Completion completion, HostCall const& call) override {
    run(until_of(completion, call), name("put", to, completion),
        [=, this] { std::memcpy(at(to), from, bytes); });
  }
  void put_strided(PeMemory to, void const* from, Strides strides,
                   HostCall const&) override {
    run(Completion::local, name("put_strided", to), [=, this] {
      copy_strided(at(to), strides.remote_bytes, static_cast<char const*>(from),
                   strides.local_bytes, strides);
    });
  }
  void put_signal(PeMemory to, void const* from, std::size_t bytes,
                  PeMemory signal, std::uint64_t value, AtomicOp op,
                  Completion completion, HostCall const& call) override {
    run(until_of(completion, call), name("put_signal", to, completion),
        [=, this] {
          if (bytes != 0) std::memcpy(at(to), from, bytes);
          static_cast<void>(change<std::uint64_t>(at(signal), op, value, 0));
        });
  }
  void get(void* to, PeMemory from, std::size_t bytes, Completion completion,
           HostCall const& call) override {
    run(until_of(completion, call), name("get", from, completion),
        [=, this] { std::memcpy(to, at(from), bytes); });
  }
  void get_strided(void* to, PeMemory from, Strides strides,
                   HostCall const&) override {
    run(Completion::local, name("get_strided", from), [=, this] {
      copy_strided(static_cast<char*>(to), strides.local_bytes, at(from),
                   strides.remote_bytes, strides);
    });
  }
  std::uint64_t atomic(PeMemory where, AtomicOp op, WordType type,
                       std::uint64_t value, std::uint64_t compare,
                       HostCall const&) override {
    std::uint64_t was = 0;
    run(Completion::local, name("atomic", where),
        [&] { was = change_typed(at(where), op, type, value, compare); });
    return was;
  }
  void fetch_nbi(PeMemory where, AtomicOp op, WordType type,
                 std::uint64_t value, std::uint64_t compare, void* was,
                 HostCall const& call) override {
    run(until_of(Completion::none, call), name("fetch_nbi", where), [=, this] {
      auto const bits = change_typed(at(where), op, type, value, compare);
      std::memcpy(was, &bits, symm::Impl::bytes_of(type));
    });
  }
  void post_atomic(PeMemory where, AtomicOp op, WordType type,
                   std::uint64_t value, HostCall const&) override {
    run(Completion::none, name("post_atomic", where), [=, this] {
      static_cast<void>(change_typed(at(where), op, type, value, 0));
    });
  }
  void fence(HostCall const&) override {
    std::lock_guard const lock(m_mutex);
    m_calls.emplace_back("fence");
  }
  void quiet(HostCall const&) override {
    std::lock_guard const lock(m_mutex);
    m_calls.emplace_back("quiet");
    for (auto const& action : std::exchange(m_begun, {})) action();
  }
  void quiet(std::span<Pe const>, HostCall const& call) override {
    quiet(call);
  }
  void quiet_channels(char const*) override { quiet({}); }
  void send(Pe, std::uint64_t, std::span<std::byte const>,
            char const*) override {
    throw std::logic_error("no collective steps");
  }
  std::vector<std::byte> receive(Pe, std::uint64_t) override {
    throw std::logic_error("no collective steps");
  }
  std::optional<std::vector<std::byte>> receive_within(
      Pe, std::uint64_t, std::chrono::milliseconds, char const*) override {
    throw std::logic_error("no collective steps");
  }
  void watch(Pe) override {}
  void unwatch(Pe) override {}
  bool poll(char const*) override {
    std::lock_guard const lock(m_mutex);
    m_calls.emplace_back("poll");
    if (!m_on_poll) return false;
    std::exchange(m_on_poll, {})();
    return true;
  }
  void close() override {}
  std::optional<symm::Impl::PeProgress> progress_of(Pe,
                                                    std::chrono::milliseconds,
                                                    char const*) override {
    return {};
  }
  void watch_all() override {}
  void unwatch_all() override {}
  [[noreturn]] void end_job(symm::Impl::LostPe const&) noexcept override {
    std::abort();
  }

  /// The n-th operation from now on, counted from 1, begins and then fails,
  /// like an operation of several messages in which there is no memory for a
  /// later one.
  void fail_at(int n) { m_fails_at = n; }

  /// What the next poll() does.
  void at_next_poll(std::function<void()> action) {
    m_on_poll = std::move(action);
  }

 private:
  /// An operation with a Request is done at once.
  static Completion until_of(Completion completion, HostCall const& call) {
    return call.request == nullptr ? completion : Completion::local;
  }
  static std::string name(char const* call, PeMemory remote,
                          Completion completion = Completion::local) {
    if (remote.segment != symm::Impl::Segment::host_heap) {
      throw std::logic_error("not of the heap");
    }
    return std::string(call) +
           (completion == Completion::none ? "_nbi " : " ") +
           std::to_string(remote.pe);
  }
  [[nodiscard]] char* at(PeMemory remote) const {
    return m_find_part(remote.pe) + remote.offset();
  }
  template <class Action>
  void run(Completion completion, std::string call, Action const& action) {
    std::lock_guard const lock(m_mutex);
    m_calls.push_back(std::move(call));
    if (completion == Completion::local) {
      action();
    } else {
      m_begun.emplace_back(action);
    }
    if (--m_fails_at == 0) throw std::bad_alloc();
  }
  static void copy_strided(char* to, std::size_t to_stride, char const* from,
                           std::size_t from_stride, Strides const& strides) {
    for (std::size_t i = 0; i < strides.count; ++i) {
      std::memcpy(to + i * to_stride, from + i * from_stride,
                  strides.element_bytes);
    }
  }

  template <class T, class Bits>
  static std::uint64_t change_as(char* where, AtomicOp op, std::uint64_t value,
                                 std::uint64_t compare) {
    auto const bits = static_cast<Bits>(value);
    if (op == AtomicOp::compare_swap) {
      Bits was{};
      std::memcpy(&was, where, sizeof was);
      if (was == static_cast<Bits>(compare)) {
        std::memcpy(where, &bits, sizeof bits);
      }
      return was;
    }
    return change<T>(where, op, std::bit_cast<T>(bits), 0);
  }
  template <class T>
  static std::uint64_t change(char* where, AtomicOp op, T value, int) {
    using Bits =
        std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    T was{};
    std::memcpy(&was, where, sizeof was);
    T now = was;
    switch (op) {
      case AtomicOp::fetch: break;
      case AtomicOp::set:
      case AtomicOp::swap: now = value; break;
      case AtomicOp::add: now = was + value; break;
      case AtomicOp::min: now = value < was ? value : was; break;
      case AtomicOp::max: now = value > was ? value : was; break;
      default:
        if constexpr (std::is_integral_v<T>) {
          if (op == AtomicOp::bit_and) now = was & value;
          if (op == AtomicOp::bit_or) now = was | value;
          if (op == AtomicOp::bit_xor) now = was ^ value;
        }
    }
    std::memcpy(where, &now, sizeof now);
    return std::bit_cast<Bits>(was);
  }
  static std::uint64_t change_typed(char* where, AtomicOp op, WordType type,
                                    std::uint64_t value,
                                    std::uint64_t compare) {
    using std::int32_t, std::uint32_t, std::int64_t, std::uint64_t;
    switch (type) {
      case WordType::i32:
        return change_as<int32_t, uint32_t>(where, op, value, compare);
      case WordType::u32:
        return change_as<uint32_t, uint32_t>(where, op, value, compare);
      case WordType::f32:
        return change_as<float, uint32_t>(where, op, value, compare);
      case WordType::i64:
        return change_as<int64_t, uint64_t>(where, op, value, compare);
      case WordType::u64:
        return change_as<uint64_t, uint64_t>(where, op, value, compare);
      case WordType::f64:
        return change_as<double, uint64_t>(where, op, value, compare);
    }
    throw std::logic_error("no such type");
  }

  std::function<char*(Pe)> m_find_part;
  bool m_ends_runtime;
  std::mutex m_mutex;
  std::vector<std::string> m_calls;
  std::vector<std::function<void()>> m_begun;
  std::function<void()> m_on_poll;
  int m_fails_at = 0;
};

}  // namespace symm_test

#endif

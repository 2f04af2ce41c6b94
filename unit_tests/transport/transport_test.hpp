// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_TRANSPORT_TEST_HPP
#define SYMM_TEST_TRANSPORT_TEST_HPP

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <runtime/transport/TransportTarget.hpp>
#include <runtime/transport/Transport_Messages.hpp>
#include "FakeEngine.hpp"

namespace symm_test {

using symm::Impl::AtomicOp;
using symm::Impl::Channel;
using symm::Impl::Completion;
using symm::Impl::HostCall;
using symm::Impl::OperationHandle;
using symm::Impl::PeMemory;
using symm::Impl::Segment;
using symm::Impl::Stage;
using symm::Impl::Strides;
using symm::Impl::Transport;
using symm::Impl::Transport_Messages;
using symm::Impl::WordType;

/// Ends a PE whose transport ends the job, in death tests.
constexpr int ended_status = 72;

/// A host heap and words of teams, in plain memory.
class TestTarget final : public symm::Impl::TransportTarget {
 public:
  static constexpr std::size_t heap_bytes  = std::size_t{4} << 20U;
  static constexpr std::size_t chunk_bytes = std::size_t{1} << 20U;
  static constexpr std::size_t words_bytes = 4096;

  TestTarget() : m_heap(heap_bytes / 8), m_words(words_bytes / 8) {}

  char* find(Segment segment, std::size_t offset,
             std::size_t bytes) noexcept override {
    auto& words      = segment == Segment::host_heap ? m_heap : m_words;
    auto const total = words.size() * 8;
    if (offset > total || bytes > total - offset) return nullptr;
    return reinterpret_cast<char*>(words.data()) + offset;
  }
  /// The heap is chunks of chunk_bytes.
  symm::Impl::MemoryRange find_around(Segment segment, std::size_t offset,
                                      std::size_t bytes) noexcept override {
    auto const first = offset - offset % chunk_bytes;
    bool const has_all =
        segment == Segment::host_heap && offset - first + bytes <= chunk_bytes;
    if (!has_all || find(segment, offset, bytes) == nullptr)
      return TransportTarget::find_around(segment, offset, bytes);
    return {find(segment, first, chunk_bytes), first, chunk_bytes};
  }
  [[nodiscard]] std::byte* heap() {
    return reinterpret_cast<std::byte*>(m_heap.data());
  }
  template <class T = std::uint64_t>
  [[nodiscard]] T& at(std::size_t offset) {
    return *reinterpret_cast<T*>(heap() + offset);
  }

 private:
  std::vector<std::uint64_t> m_heap;
  std::vector<std::uint64_t> m_words;
};

/// PEs of this process, each a node of its own. One thread is all of them
/// unless a test starts others.
struct FakeJob {
  using Order = FakeNetwork::Order;

  static constexpr Transport_Messages::Options without_thread{
      .flush_interval = std::chrono::microseconds(0)};

  explicit FakeJob(int n_pes, Order order = Order::as_sent,
                   std::uint64_t seed                  = 1,
                   Transport_Messages::Options options = without_thread,
                   FakeNetwork::Can can = FakeNetwork::Can::messages)
      : network(n_pes, order, seed, can) {
    for (Pe pe = 0; pe < n_pes; ++pe) {
      targets.push_back(std::make_unique<TestTarget>());
      pes.push_back(std::make_unique<Transport_Messages>(
          pe, n_pes, network.engine_of(pe), *targets.back(),
          [] { ::_exit(ended_status); }, options));
    }
  }
  FakeJob(FakeJob const&)            = delete;
  FakeJob& operator=(FakeJob const&) = delete;
  // The engines deliver to the end; a test's observer has ended by then.
  ~FakeJob() { network.unset_observer(); }

  Transport_Messages& operator[](Pe pe) {
    return *pes[static_cast<std::size_t>(pe)];
  }
  TestTarget& target(Pe pe) { return *targets[static_cast<std::size_t>(pe)]; }
  void deliver_all() {
    while (network.step()) {
    }
  }

  FakeNetwork network;
  std::vector<std::unique_ptr<TestTarget>> targets;
  std::vector<std::unique_ptr<Transport_Messages>> pes;
};

/// Differs for every (operation, byte).
inline std::byte pattern_of(std::uint64_t id, std::size_t i) {
  auto const mixed = (id * 0x9e37'79b9'7f4a'7c15U) ^ (i * 2'654'435'761U);
  return static_cast<std::byte>((mixed >> 24U) ^ (mixed >> 8U) ^ mixed);
}
inline std::vector<std::byte> block_of(std::uint64_t id, std::size_t bytes) {
  std::vector<std::byte> block(bytes);
  for (std::size_t i = 0; i < bytes; ++i) block[i] = pattern_of(id, i);
  return block;
}

/// Whether there is the block `id`, with zeros around it.
inline testing::AssertionResult holds(std::byte const* memory, std::uint64_t id,
                                      std::size_t bytes) {
  constexpr std::size_t guard = 64;
  for (std::size_t i = 0; i < bytes + 2 * guard; ++i) {
    bool const is_inside = i >= guard && i < guard + bytes;
    auto const wanted    = is_inside ? pattern_of(id, i - guard) : std::byte{};
    if (*(memory - guard + i) == wanted) continue;
    return testing::AssertionFailure()
           << "byte " << static_cast<std::ptrdiff_t>(i - guard) << " of "
           << bytes << " is wrong";
  }
  return testing::AssertionSuccess();
}

constexpr std::array<std::size_t, 16> block_sizes{
    0,   1,   2,         4,      7,      8,      64,        65,
    512, 513, 8U << 10U, 65'535, 65'536, 65'537, 1U << 20U, 3'001};

}  // namespace symm_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Updates that wait for the nodes of their PEs: what is sent, and the memory
// that they take in large jobs.
#include <cstdio>
#include <map>
#include <new>
#include <random>
#include <tuple>

#include <runtime/one_sided/NodeBins.hpp>
#include <runtime/transport/NodeUpdates.hpp>
#include "transport_test.hpp"

namespace {

using namespace symm_test;
using symm::Impl::FarAtomic;
using symm::Impl::NodeBins;
using symm::Impl::Nodes;
using symm::Impl::NodeUpdate;

/// Notes what is sent, as updates of the PEs that have the words.
class NotingChannel final : public Channel {
 public:
  using Noted =
      std::tuple<Pe, std::uint64_t, AtomicOp, WordType, std::uint64_t>;

  explicit NotingChannel(Nodes const& nodes) : m_nodes(nodes) {}

  void post_node_updates(Pe to, std::span<std::byte const> updates,
                         bool has_values, std::uint64_t value,
                         HostCall const&) override {
    if (n_failures > 0) {
      --n_failures;
      throw std::bad_alloc();
    }
    ++n_messages[to];
    EXPECT_LE(updates.size(), max_bytes);
    auto const first = m_nodes.leader(m_nodes.node_of(to));
    for (; !updates.empty(); updates = updates.subspan(has_values ? 16 : 8)) {
      std::uint64_t words[2] = {0, value};
      std::memcpy(words, updates.data(), has_values ? 16 : 8);
      auto const its = NodeUpdate::of(words[0]);
      ++all[{first + its.near, its.offset, its.op, its.type, words[1]}];
    }
  }

  void put(PeMemory, void const*, std::size_t, Completion,
           HostCall const&) override {}
  void put_strided(PeMemory, void const*, Strides, HostCall const&) override {}
  void put_signal(PeMemory, void const*, std::size_t, PeMemory, std::uint64_t,
                  AtomicOp, Completion, HostCall const&) override {}
  void get(void*, PeMemory, std::size_t, Completion, HostCall const&) override {
  }
  void get_strided(void*, PeMemory, Strides, HostCall const&) override {}
  std::uint64_t atomic(PeMemory, AtomicOp, WordType, std::uint64_t,
                       std::uint64_t, HostCall const&) override {
    return 0;
  }
  void fetch_nbi(PeMemory, AtomicOp, WordType, std::uint64_t, std::uint64_t,
                 void*, HostCall const&) override {}
  void post_atomic(PeMemory, AtomicOp, WordType, std::uint64_t,
                   HostCall const&) override {}
  void fence(HostCall const&) override {}
  void quiet(HostCall const&) override {}
  void quiet(std::span<Pe const>, HostCall const&) override {}

  static constexpr std::size_t max_bytes = std::size_t{16} << 10U;
  std::map<Noted, int> all;
  std::map<Pe, int> n_messages;
  int n_failures = 0;  // of the next messages

 private:
  Nodes const& m_nodes;
};

Nodes nodes_of(std::vector<int> const& n_pes, int mine) {
  Nodes nodes;
  nodes.first = {0};
  for (int const n : n_pes) nodes.first.push_back(nodes.first.back() + n);
  nodes.my_node = mine;
  return nodes;
}

TEST(NodeBins, send_each_update_once_to_a_pe_of_its_node) {
  std::mt19937_64 random(1);
  constexpr std::array ops{AtomicOp::add, AtomicOp::bit_xor, AtomicOp::max};
  constexpr std::array types{WordType::u64, WordType::i32};
  for (auto const& shape :
       {std::vector{1, 1}, {2, 2}, {3, 1, 2}, {1, 4, 2, 5}, {8, 8, 8}}) {
    for (unsigned const n_values : {1U, 2U, 1'000'000U}) {
      auto const nodes = nodes_of(shape, 1);
      auto const me    = nodes.leader(2) - 1;
      NotingChannel channel(nodes);
      NodeBins bins(nodes, me);
      std::map<NotingChannel::Noted, int> all;
      for (std::size_t const count : {1U, 2U, 3U, 4U, 30'000U}) {
        for (std::size_t i = 0; i < count; ++i) {
          auto const pe = static_cast<Pe>(random() % unsigned(nodes.n_pes()));
          if (nodes.is_near(pe)) continue;
          FarAtomic const it{{pe, Segment::host_heap,
                              random() % (NodeUpdate::end_offset / 4) * 4},
                             ops[random() % ops.size()],
                             types[random() % types.size()],
                             random() % 50 == 0 ? 77 : random() % n_values};
          ++all[{pe, it.at.offset(), it.op, it.type, it.value}];
          bins.add(it, channel, {});
        }
        bins.deliver(channel, {});
        EXPECT_EQ(channel.all, all) << count << " updates";
      }
      EXPECT_EQ(channel.n_messages.size(), shape.size() - 1)
          << "one PE of each node";
      for (auto const& [pe, n] : channel.n_messages) EXPECT_LT(n, 200);
    }
  }
}

TEST(NodeBins, lose_no_update_if_a_message_cannot_be_sent) {
  auto const nodes = nodes_of({1, 2, 2, 2}, 0);
  NotingChannel channel(nodes);
  NodeBins bins(nodes, 0);
  for (Pe pe = 1; pe < nodes.n_pes(); ++pe) {
    bins.add({{pe, Segment::host_heap, 64}, AtomicOp::add, WordType::u64, 1},
             channel, {});
  }
  for (int const n_failures : {1, 2}) {
    channel.n_failures = n_failures;
    for (int i = 0; i < n_failures; ++i)
      EXPECT_THROW(bins.deliver(channel, {}), std::bad_alloc);
  }
  bins.deliver(channel, {});
  EXPECT_EQ(channel.all.size(), 6U);
  for (auto const& [update, n] : channel.all) EXPECT_EQ(n, 1);
}

TEST(NodeBins, do_not_have_an_update_that_they_refused) {
  auto const nodes = nodes_of({1, 2}, 0);
  NotingChannel channel(nodes);
  NodeBins bins(nodes, 0);
  channel.n_failures     = 1;
  constexpr int n        = 3 * NotingChannel::max_bytes / 8;
  int n_thrown           = 0;
  FarAtomic const update = {
      {1, Segment::host_heap, 64}, AtomicOp::add, WordType::u64, 1};
  for (int i = 0; i < n; ++i) {
    try {
      bins.add(update, channel, {});
    } catch (std::bad_alloc const&) {
      ++n_thrown;
      --i;  // again
    }
  }
  bins.deliver(channel, {});
  EXPECT_EQ(n_thrown, 1);
  ASSERT_EQ(channel.all.size(), 1U);
  EXPECT_EQ(channel.all.begin()->second, n);
}

/// 12 500 nodes of 8 PEs, all of which get updates.
TEST(NodeBins, of_100000_pes_take_less_than_64_MiB) {
  auto const nodes = nodes_of(std::vector<int>(12'500, 8), 77);
  ASSERT_TRUE(NodeBins::are_better(nodes));
  NotingChannel channel(nodes);
  NodeBins bins(nodes, 77 * 8 + 3);
  for (int round = 0; round < 3; ++round) {
    for (Pe pe = 0; pe < nodes.n_pes(); ++pe) {
      if (nodes.is_near(pe)) continue;
      bins.add({{pe, Segment::host_heap, 64}, AtomicOp::add, WordType::u64, 1},
               channel, {});
    }
  }
  EXPECT_TRUE(channel.n_messages.empty()) << "nothing is full";
  EXPECT_LE(bins.bytes(), std::size_t{40} << 20U);
  std::printf("bins for %d PEs on %d nodes: %.1f MiB, %.1f KiB each\n",
              nodes.n_pes(), nodes.n(), double(bins.bytes()) / (1 << 20),
              double(bins.bytes()) / nodes.n() / 1024);
  bins.deliver(channel, {});
  EXPECT_EQ(channel.n_messages.size(), 12'499U);
}

TEST(NodeBins, are_for_many_nodes_of_several_pes) {
  EXPECT_FALSE(NodeBins::are_better(nodes_of({4, 4}, 0)));
  EXPECT_FALSE(NodeBins::are_better(nodes_of(std::vector<int>(32, 8), 0)));
  EXPECT_TRUE(NodeBins::are_better(nodes_of(std::vector<int>(33, 8), 0)));
  EXPECT_FALSE(NodeBins::are_better(nodes_of(std::vector<int>(1000, 1), 0)));
  EXPECT_FALSE(NodeBins::are_possible(nodes_of({4}, 0)));
  EXPECT_TRUE(NodeBins::are_possible(nodes_of({4, 1}, 0)));
}

}  // namespace

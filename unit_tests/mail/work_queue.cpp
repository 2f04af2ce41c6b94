// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Tasks that make tasks, stolen by other PEs: each is done once, whoever has
// it, and the end is found.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include "support/pes.hpp"

namespace {

using symm::Pe;
using symm::WorkQueue;
using testing::HasSubstr;

std::uint64_t mix(std::uint64_t x) {
  x += 0x9e37'79b9'7f4a'7c15U;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
  return x ^ (x >> 31U);
}

/// A node of an unbalanced tree; of a size that is no power of two.
struct Node {
  std::uint64_t random;
  std::uint32_t depth;
  std::uint32_t padding[5];

  [[nodiscard]] std::uint64_t n_children() const {
    if (depth == 0) return 300;
    return random % 100 < 24 ? 4 : 0;
  }
  [[nodiscard]] Node child(std::uint64_t k) const {
    return {mix(random + k), depth + 1, {}};
  }
};

/// Sums over nodes, the same in any order.
struct Sums {
  std::uint64_t count = 0;
  std::uint64_t sum   = 0;

  void add(Node const& node) {
    ++count;
    sum += node.random * (node.depth + 1);
  }
};

Sums sums_of_tree(Node const& root) {
  Sums sums;
  std::vector<Node> nodes{root};
  while (!nodes.empty()) {
    auto const node = nodes.back();
    nodes.pop_back();
    sums.add(node);
    for (std::uint64_t k = 0; k < node.n_children(); ++k)
      nodes.push_back(node.child(k));
  }
  return sums;
}

Sums sums_of_all(Sums const& mine) {
  auto const team = symm::team_world();
  return {symm::reduce(team, mine.count, symm::Sum{}),
          symm::reduce(team, mine.sum, symm::Sum{})};
}

TEST(WorkQueues, do_each_task_of_an_unbalanced_tree_once) {
  for (std::size_t const shared : {0U, 1U, 2U, 7U, 1000U}) {
    Sums mine;
    WorkQueue<Node>* queue = nullptr;
    WorkQueue<Node> nodes("nodes",
                          [&](Node const& node) {
                            mine.add(node);
                            for (std::uint64_t k = 0; k < node.n_children();
                                 ++k)
                              queue->push(node.child(k));
                          },
                          {.shared_tasks = shared});
    queue = &nodes;
    for (std::uint64_t round = 0; round < 12; ++round) {
      // Of one PE, of the last one, of all PEs, of none.
      mine = {};
      Sums expected;
      for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
        bool const has_root = round % 4 == 0   ? pe == 0
                              : round % 4 == 1 ? pe == symm::n_pes() - 1
                                               : round % 4 == 2;
        if (!has_root) continue;
        Node const root{
            mix(round * 64 + static_cast<std::uint64_t>(pe)), 0, {}};
        if (pe == symm::my_pe()) nodes.push(root);
        auto const its = sums_of_tree(root);
        expected.count += its.count;
        expected.sum += its.sum;
      }
      nodes.finish();
      auto const all = sums_of_all(mine);
      EXPECT_EQ(all.count, expected.count) << "round " << round;
      EXPECT_EQ(all.sum, expected.sum);
    }
  }
}

TEST(WorkQueues, share_tasks_that_take_long) {
  constexpr int n = 200;
  int n_mine      = 0;
  WorkQueue<int> tasks("tasks", [&](int) {
    ++n_mine;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  });
  if (symm::my_pe() == 0)
    for (int i = 0; i < n; ++i) tasks.push(i);
  tasks.finish();
  auto const team = symm::team_world();
  EXPECT_EQ(symm::reduce(team, n_mine, symm::Sum{}), n);
  if (symm::n_pes() > 1) {
    EXPECT_LT(symm::reduce(team, n_mine, symm::Max{}), n);
    EXPECT_GT(symm::reduce(team, tasks.n_stolen(), symm::Sum{}), 0U);
  }
}

TEST(WorkQueues, stop_and_throw_on_all_pes_if_a_task_throws) {
  bool is_bad = true;
  Sums mine;
  WorkQueue<Node>* queue = nullptr;
  WorkQueue<Node> nodes("bad ones", [&](Node const& node) {
    mine.add(node);
    if (is_bad && node.depth == 2 && node.random % 8 == 0)
      throw std::runtime_error("a bad node");
    for (std::uint64_t k = 0; k < node.n_children(); ++k)
      queue->push(node.child(k));
  });
  queue = &nodes;
  Node const root{5, 0, {}};
  for (int i = 0; i < 5; ++i) {
    if (symm::my_pe() == 0) nodes.push(root);
    std::string text;
    try {
      nodes.finish();
    } catch (symm::Error const& error) {
      text = error.what();
    }
    EXPECT_THAT(text, HasSubstr("bad ones"));
    EXPECT_THAT(text, HasSubstr("a bad node"));
  }
  // It works as before.
  is_bad = false;
  mine   = {};
  if (symm::my_pe() == 0) nodes.push(root);
  nodes.finish();
  EXPECT_EQ(sums_of_all(mine).count, sums_of_tree(root).count);
}

TEST(WorkQueues, refuse_to_finish_within_a_task) {
  WorkQueue<int>* queue = nullptr;
  WorkQueue<int> tasks("tasks", [&](int) { queue->finish(); });
  queue = &tasks;
  if (symm::my_pe() == 0) tasks.push(1);
  EXPECT_THROW(tasks.finish(), symm::UsageError);
  tasks.finish();
}

TEST(WorkQueues, several_at_once_keep_their_tasks) {
  int n_first  = 0;
  int n_second = 0;
  WorkQueue<int> first("first", [&](int) { ++n_first; });
  WorkQueue<int> second("second", [&](int) { ++n_second; });
  for (int i = 0; i < 10; ++i) {
    first.push(i);
    second.push(i);
    second.push(i);
  }
  second.finish();
  first.finish();
  auto const team = symm::team_world();
  EXPECT_EQ(symm::reduce(team, n_first, symm::Sum{}), 10 * symm::n_pes());
  EXPECT_EQ(symm::reduce(team, n_second, symm::Sum{}), 20 * symm::n_pes());
}

}  // namespace

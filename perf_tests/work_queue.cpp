// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Unbalanced tree search, as in examples/tree_search: the nodes of a tree, of
// which most are below few children of the root. An iteration is a search, of
// all PEs.
//
// "divided" deals the root's children out to the PEs, and no PE takes another
// one's nodes. "mailbox" sends each node to a PE by its random number, "work
// queue" lets PEs that have none steal some. A node takes as long as the case
// says, by arithmetic.

#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "harness/Session.hpp"

namespace perf::work_queue_benchmark {
namespace {

struct Node {
  std::uint64_t random;

  [[nodiscard]] Node child(std::uint64_t k) const {
    auto x = random + (k + 1) * 0x9e37'79b9'7f4a'7c15U;
    x      = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    x      = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return {x ^ (x >> 31U)};
  }
  [[nodiscard]] std::uint64_t n_children() const {
    return random % 1000 < 124 ? 8 : 0;  // 0.992 on average
  }
};

constexpr Node root{1};

/// The work of a node.
struct Work {
  int steps;
  std::uint64_t count = 0;

  void operator()(Node node) {
    for (int i = 0; i < steps; ++i) node = node.child(1);
    keep(node);
    ++count;
  }
};

class Search {
 public:
  virtual ~Search() = default;
  /// \returns the nodes that this PE has counted.
  virtual std::uint64_t run(std::uint64_t n_root_children, int steps) = 0;
};

class Divided final : public Search {
 public:
  std::uint64_t run(std::uint64_t n_root_children, int steps) override {
    Work work{steps};
    std::vector<Node> nodes;
    auto const n = static_cast<std::uint64_t>(symm::n_pes());
    auto const i = static_cast<std::uint64_t>(symm::my_pe());
    for (auto k = i; k < n_root_children; k += n)
      nodes.push_back(root.child(k));
    while (!nodes.empty()) {
      auto const node = nodes.back();
      nodes.pop_back();
      work(node);
      for (std::uint64_t k = 0; k < node.n_children(); ++k)
        nodes.push_back(node.child(k));
    }
    symm::barrier_all();
    return work.count;
  }
};

class ByMailbox final : public Search {
 public:
  std::uint64_t run(std::uint64_t n_root_children, int steps) override {
    m_work = {steps};
    if (symm::my_pe() == 0)
      for (std::uint64_t k = 0; k < n_root_children; ++k) send(root.child(k));
    m_nodes.finish();
    return m_work.count;
  }

 private:
  void send(Node node) {
    m_nodes.send(static_cast<symm::Pe>((node.random >> 32U) %
                                       static_cast<unsigned>(symm::n_pes())),
                 node);
  }

  Work m_work{0};
  symm::Mailbox<Node> m_nodes{"nodes", [this](Node const& node) {
                                m_work(node);
                                for (std::uint64_t k = 0; k < node.n_children();
                                     ++k)
                                  send(node.child(k));
                              }};
};

class ByQueue final : public Search {
 public:
  std::uint64_t run(std::uint64_t n_root_children, int steps) override {
    m_work = {steps};
    if (symm::my_pe() == 0)
      for (std::uint64_t k = 0; k < n_root_children; ++k)
        m_nodes.push(root.child(k));
    m_nodes.finish();
    return m_work.count;
  }

 private:
  Work m_work{0};
  symm::WorkQueue<Node> m_nodes{"nodes", [this](Node const& node) {
                                  m_work(node);
                                  for (std::uint64_t k = 0;
                                       k < node.n_children(); ++k)
                                    m_nodes.push(node.child(k));
                                }};
};

void measure_trees(Session& session, std::uint64_t n_root_children, int steps) {
  Divided divided;
  ByMailbox mailbox;
  ByQueue queue;
  std::int64_t wrong     = 0;
  std::uint64_t expected = 0;
  auto const contestant  = [&](Search& search) {
    return [&, n_root_children, steps](std::int64_t n) {
      for (std::int64_t k = 0; k < n; ++k) search.run(n_root_children, steps);
    };
  };
  for (Search* const search :
       {static_cast<Search*>(&divided), static_cast<Search*>(&mailbox),
        static_cast<Search*>(&queue)}) {
    auto const all = symm::reduce(
        symm::team_world(), search->run(n_root_children, steps), symm::Sum{});
    if (expected == 0) expected = all;
    wrong += all != expected ? 1 : 0;
  }
  session.compare(
      {{{"nodes", static_cast<std::int64_t>(expected)}, {"steps", steps}}},
      {{"divided", "", contestant(divided)},
       {"mailbox", "divided", contestant(mailbox)},
       {"work queue", "divided", contestant(queue)},
       {"work queue again", "mailbox", contestant(queue)}});
  session.verify("numbers of nodes", wrong);
}

void measure(Session& session) {
  bool const quick = session.quick();
  for (int const steps : {1, 100, 2000}) {
    measure_trees(session, quick ? 8 : 30, steps);
    if (!quick && steps <= 100) measure_trees(session, 2000, steps);
  }
}

Registered const registered{"work_queue", measure};

}  // namespace
}  // namespace perf::work_queue_benchmark

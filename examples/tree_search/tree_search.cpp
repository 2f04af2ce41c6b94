// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Unbalanced tree search (UTS): how many nodes does a tree of unknown shape
// have? A node's children follow from its random number, and most nodes are
// below only a few others. So nodes are tasks that any idle PE can take: PEs
// that have run out of tasks steal some from others.
//
//     mpiexec -n PES tree_search [SEED]

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

struct Node {
  std::uint64_t random;

  Node child(std::uint64_t k) const {
    auto x = random + (k + 1) * 0x9e37'79b9'7f4a'7c15U;
    x      = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9U;
    x      = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11ebU;
    return {x ^ (x >> 31U)};
  }
  // The root has 2000 children; other nodes have 8 or, mostly, none.
  std::uint64_t n_children(bool is_root) const {
    if (is_root) return 2000;
    return random % 1000 < 124 ? 8 : 0;  // 0.992 on average
  }
};

std::uint64_t count_alone(Node root) {
  std::uint64_t n = 0;
  std::vector<Node> nodes{root};
  while (!nodes.empty()) {
    auto const node = nodes.back();
    nodes.pop_back();
    auto const n_children = node.n_children(n++ == 0);
    for (std::uint64_t k = 0; k < n_children; ++k)
      nodes.push_back(node.child(k));
  }
  return n;
}

class Search {
 public:
  std::uint64_t operator()(Node root) {
    if (symm::my_pe() == 0) visit(root, true);
    m_nodes.finish();  // all nodes on all PEs, including all children
    return m_count;
  }

 private:
  void visit(Node node, bool is_root) {
    ++m_count;
    auto const n_children = node.n_children(is_root);
    for (std::uint64_t k = 0; k < n_children; ++k) m_nodes.push(node.child(k));
  }

  std::uint64_t m_count = 0;  // nodes counted on this PE
  symm::WorkQueue<Node> m_nodes{
      "nodes", [this](Node const& node) { visit(node, false); }};
};

bool run(std::uint64_t seed) {
  Node const root = Node{seed}.child(0);
  Search search;
  Kokkos::Timer timer;
  auto const mine      = search(root);
  double const seconds = timer.seconds();
  auto const team      = symm::team_world();
  auto const count     = symm::reduce(team, mine, symm::Sum{});
  auto const most      = symm::reduce(team, mine, symm::Max{});
  bool const is_right  = count == count_alone(root);
  if (symm::my_pe() == 0) {
    std::printf(
        "tree_search: %" PRIu64
        " nodes, %.2f million a second, most of a PE %.2f of the mean: "
        "%s\n",
        count, static_cast<double>(count) / seconds / 1e6,
        static_cast<double>(most) * symm::n_pes() / static_cast<double>(count),
        is_right ? "correct" : "WRONG");
  }
  return is_right;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1) ? 0 : 1;
}

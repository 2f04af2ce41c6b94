// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_NODES_HPP
#define SYMM_NODES_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "../base/Types.hpp"
#include "Bootstrap.hpp"

namespace symm::Impl {

/// Which PEs share a node with which: consecutive ones.
struct Nodes {
  /// Of each node, and behind the last the number of PEs.
  std::vector<Pe> first{0, 1};
  int mine = 0;
  /// SYMM_PES_PER_NODE: PEs of several nodes share a machine.
  bool are_pretended = false;
  /// Of each node, for messages; none, if they are not known.
  std::vector<std::string> hosts{};
  /// Of each node: whether it and this PE's are containers of one running
  /// system; none, if that is not known.
  std::vector<bool> share_machine{};

  static Nodes one(int n_pes) { return {{0, n_pes}, 0, false, {}}; }

  [[nodiscard]] int n() const { return static_cast<int>(first.size()) - 1; }
  [[nodiscard]] int n_pes() const { return first.back(); }
  /// This PE's node.
  [[nodiscard]] Pe first_near() const { return first[index(mine)]; }
  [[nodiscard]] int n_near() const {
    return first[index(mine) + 1] - first[index(mine)];
  }
  [[nodiscard]] bool is_near(Pe pe) const {
    return static_cast<unsigned>(pe - first_near()) <
           static_cast<unsigned>(n_near());
  }
  [[nodiscard]] int node_of(Pe pe) const {
    auto const behind = std::upper_bound(first.begin(), first.end(), pe);
    return static_cast<int>(behind - first.begin()) - 1;
  }
  /// Of a PE, for messages in a job of several nodes; else, or if it is not
  /// known, empty.
  [[nodiscard]] std::string_view host_of(Pe pe) const {
    if (n() == 1 || pe < 0 || pe >= n_pes()) return {};
    auto const node = index(node_of(pe));
    return node < hosts.size() ? std::string_view(hosts[node])
                               : std::string_view();
  }
  /// Who speaks for a node: its first PE.
  [[nodiscard]] Pe leader(int node) const { return first[index(node)]; }
  /// Of the largest node.
  [[nodiscard]] int most_near() const {
    int most = 0;
    for (int node = 0; node < n(); ++node) {
      most = std::max(most, leader(node + 1) - leader(node));
    }
    return most;
  }
  /// Whether `pe` may take memory and cores of this PE's machine.
  [[nodiscard]] bool may_share_machine(Pe pe) const {
    return are_pretended || is_near(pe) ||
           (!share_machine.empty() && share_machine[index(node_of(pe))]);
  }
  /// How many may, this PE among them.
  [[nodiscard]] int n_on_machine() const {
    int n_pes_there = 0;
    for (int node = 0; node < n(); ++node) {
      if (may_share_machine(leader(node)))
        n_pes_there += leader(node + 1) - leader(node);
    }
    return n_pes_there;
  }

 private:
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
};

/// Collective. PEs are on one node if the launcher says so and Unix sockets
/// connect them: in one network namespace of one running system.
/// \param pes_per_node SYMM_PES_PER_NODE: so many consecutive PEs, counted from
///        PE 0, are taken for a node of their own; 0: as many as share one.
/// \throws UsageError on every PE, if PEs of a node are not consecutive, or
///         `pes_per_node` differs. SystemError on every PE.
[[nodiscard]] Nodes find_nodes(Bootstrap& bootstrap, int pes_per_node = 0);

}  // namespace symm::Impl

#endif

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

namespace symm::Impl {

class Bootstrap;

/// A job's nodes. The PEs on a node have consecutive numbers.
struct Nodes {
  /// The first PE of each node, followed by the total number of PEs.
  std::vector<Pe> first{0, 1};
  /// The number of this PE's node.
  int my_node = 0;
  /// Whether SYMM_PES_PER_NODE is set: several nodes then share a machine.
  bool are_simulated = false;
  /// Each node's name, for error messages; empty if the names are unknown.
  std::vector<std::string> hosts{};
  /// For each node, whether it runs on the same operating system instance as
  /// this PE's node (as containers on one machine do). Empty if this is
  /// unknown.
  std::vector<bool> share_machine{};

  static Nodes one(int n_pes) { return {{0, n_pes}, 0, false, {}}; }

  [[nodiscard]] int n() const { return static_cast<int>(first.size()) - 1; }
  [[nodiscard]] int n_pes() const { return first.back(); }
  /// The first PE on this PE's node.
  [[nodiscard]] Pe first_near() const { return first[index_of(my_node)]; }
  [[nodiscard]] int n_near() const {
    return first[index_of(my_node) + 1] - first[index_of(my_node)];
  }
  [[nodiscard]] bool is_near(Pe pe) const {
    return static_cast<unsigned>(pe - first_near()) <
           static_cast<unsigned>(n_near());
  }
  /// The PEs on this PE's node, including this PE.
  [[nodiscard]] PeRange near_pes() const {
    return {first_near(), first_near() + n_near()};
  }
  [[nodiscard]] int node_of(Pe pe) const {
    auto const behind = std::upper_bound(first.begin(), first.end(), pe);
    return static_cast<int>(behind - first.begin()) - 1;
  }
  /// The name of the node on which `pe` runs, for error messages; empty in a
  /// single-node job or if the name is unknown.
  [[nodiscard]] std::string_view host_of(Pe pe) const {
    if (n() == 1 || pe < 0 || pe >= n_pes()) return {};
    auto const node = index_of(node_of(pe));
    return node < hosts.size() ? std::string_view(hosts[node])
                               : std::string_view();
  }
  /// The first PE on a node, which acts on behalf of the node.
  [[nodiscard]] Pe leader(int node) const { return first[index_of(node)]; }
  /// The number of PEs on the largest node.
  [[nodiscard]] int max_near() const {
    int most = 0;
    for (int node = 0; node < n(); ++node) {
      most = std::max(most, leader(node + 1) - leader(node));
    }
    return most;
  }
  /// Whether `pe` may share this PE's machine, that is, its memory and cores.
  [[nodiscard]] bool may_share_machine(Pe pe) const {
    return are_simulated || is_near(pe) ||
           (!share_machine.empty() && share_machine[index_of(node_of(pe))]);
  }
  /// The number of PEs that may share this PE's machine, including this PE.
  [[nodiscard]] int n_on_machine() const {
    int n_pes_there = 0;
    for (int node = 0; node < n(); ++node) {
      if (may_share_machine(leader(node)))
        n_pes_there += leader(node + 1) - leader(node);
    }
    return n_pes_there;
  }
};

/// Collective: finds the job's nodes. PEs are on one node if the launcher says
/// so and if Unix sockets can connect them, that is, if they share a network
/// namespace on one operating system instance.
/// \param pes_per_node SYMM_PES_PER_NODE: divides each node into nodes of this
///        many consecutive PEs, counted from PE 0; 0 leaves the nodes
///        undivided.
/// \throws UsageError on every PE if the PEs on a node are not consecutive, or
///         if `pes_per_node` differs between PEs.
/// \throws SystemError on every PE.
[[nodiscard]] Nodes find_nodes(Bootstrap& bootstrap, int pes_per_node = 0);

}  // namespace symm::Impl

#endif

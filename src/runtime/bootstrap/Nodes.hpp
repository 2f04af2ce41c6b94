// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_NODES_HPP
#define SYMM_NODES_HPP

#include <algorithm>
#include <vector>

#include "../base/Types.hpp"

namespace symm::Impl {

/// Which PEs share a node with which: consecutive ones.
struct Nodes {
  /// Of each node, and behind the last the number of PEs.
  std::vector<Pe> first{0, 1};
  int mine = 0;

  [[nodiscard]] int n() const { return static_cast<int>(first.size()) - 1; }
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
  /// Who speaks for a node: its first PE.
  [[nodiscard]] Pe leader(int node) const { return first[index(node)]; }

 private:
  static std::size_t index(int node) { return static_cast<std::size_t>(node); }
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_NODE_EXCHANGE_HPP
#define SYMM_PES_NODE_EXCHANGE_HPP

#include <vector>

namespace symm::Impl {

/// A message between two nodes, or one message in each direction.
struct ExchangeStep {
  int phase     = 0;  // the same on both nodes; below max_exchange_phases
  int node      = 0;  // the other node
  bool sends    = false;
  bool receives = false;
  // The received message contains the combined data of nodes [first, end). If
  // these are all nodes, the message replaces this node's data. Otherwise, it
  // is combined with this node's data.
  int first = 0;
  int end   = 0;
};

inline constexpr int max_exchange_phases = 64;

/// One node's exchange steps, in order (recursive doubling). After all nodes
/// have executed their steps, every node holds the combined data of all nodes.
/// Each of floor(log2(n_nodes)) steps doubles the number of nodes whose data a
/// node has combined. If n_nodes is not a power of two, there are two extra
/// steps. In an extra first step, each surplus node sends its data to a
/// neighbor. In an extra last step, it receives the result from that neighbor.
///
/// Each node's data are added exactly once, as a sum requires. In each step,
/// both nodes combine the data of the same two adjacent ranges of nodes. All
/// nodes therefore obtain the same result even if the result depends on the
/// order of combination.
std::vector<ExchangeStep> exchange_steps(int node, int n_nodes);

}  // namespace symm::Impl

#endif

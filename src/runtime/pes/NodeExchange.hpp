// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_NODE_EXCHANGE_HPP
#define SYMM_PES_NODE_EXCHANGE_HPP

#include <vector>

namespace symm::Impl {

/// One message, or one in each direction, between two nodes.
struct ExchangeStep {
  int phase     = 0;  // the same on both nodes; below max_exchange_phases
  int node      = 0;  // the other node
  bool sends    = false;
  bool receives = false;
  // The received message contains the data of nodes [first, end). They are
  // combined with this node's data or, if they are the data of all nodes,
  // replace this node's data.
  int first = 0;
  int end   = 0;
};

inline constexpr int max_exchange_phases = 64;

/// The steps of one node, in order. Once all nodes have done their steps, every
/// node has the combined data of all nodes. In each of floor(log2 n_nodes)
/// steps, the number of nodes whose data a node has doubles. If n_nodes is not
/// a power of two, there are two extra steps: each surplus node first sends its
/// data to a neighbor, and in the end receives the result from that neighbor.
///
/// Each node's data are added exactly once, as sums require. In each step, both
/// nodes combine the data of the same two adjacent ranges of nodes. So all
/// nodes get the same result even if the result depends on the order.
std::vector<ExchangeStep> exchange_steps(int node, int n_nodes);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_NODE_EXCHANGE_HPP
#define SYMM_PES_NODE_EXCHANGE_HPP

#include <vector>

namespace symm::Impl {

/// One message, or one in each direction, between two nodes.
struct ExchangeStep {
  int phase     = 0;  // equal on both nodes; below max_exchange_phases
  int node      = 0;  // the other node
  bool sends    = false;
  bool receives = false;
  // The received message has the data of the nodes [first, end). It is added to
  // this node's data, or replaces them if it has the data of all nodes.
  int first = 0;
  int end   = 0;
};

inline constexpr int max_exchange_phases = 64;

/// The steps of one node, in order. After the steps of all nodes, every node
/// has the combined data of all nodes. In each of floor(log2 n_nodes) steps, a
/// node doubles the number of nodes whose data it has. If n_nodes is not a
/// power of two, there are two more steps: each surplus node first sends its
/// data to a neighbor, and receives the result from that neighbor in the end.
///
/// Each node's data are added exactly once, as sums require. Both nodes of a
/// step combine the same two adjacent ranges of nodes. So all nodes get the
/// same result even if the order matters.
std::vector<ExchangeStep> exchange_steps(int node, int n_nodes);

}  // namespace symm::Impl

#endif

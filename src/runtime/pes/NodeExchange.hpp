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
  // The received message is of the nodes [first, end). It is added to this
  // node's data, or replaces them if it is of all nodes.
  int first = 0;
  int end   = 0;
};

inline constexpr int max_exchange_phases = 64;

/// The steps of one node, in their order, after which every node has the
/// combined data of all nodes. In each of floor(log2 n_nodes) steps a node
/// doubles the number of nodes whose data it has. If n_nodes is no power of
/// two, each surplus node first sends its data to a neighbour, and gets the
/// result from it in the end: two more steps.
///
/// Each node's data are added once, as sums need it. Both nodes of a step
/// combine the same two neighbouring ranges of nodes: all nodes get the same
/// result even where the order matters.
std::vector<ExchangeStep> exchange_steps(int node, int n_nodes);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PES_NODE_EXCHANGE_HPP
#define SYMM_PES_NODE_EXCHANGE_HPP

#include <vector>

namespace symm::Impl {

/// One message, or one in each direction, between two nodes.
struct ExchangeStep {
  int phase     = 0;  // the same on both; below max_exchange_phases
  int node      = 0;  // the other one
  bool sends    = false;
  bool receives = false;
  // What is received is of the nodes [first, end): to be added to what is
  // here, or, if of all, to take its place.
  int first = 0;
  int end   = 0;
};

inline constexpr int max_exchange_phases = 64;

/// What a node does, one step after the other, so that all nodes have what is
/// of all. Those that are too many for a power of two give theirs to their
/// neighbour first, and get the result of it; the others double the number of
/// nodes that they know of in each step: floor(log2 n_nodes) messages, and two
/// more steps where n_nodes is no power of two.
///
/// Nothing comes twice: good for sums. What is added is of nodes next to those
/// here, and both sides add the same two: all get the same, also where the
/// order matters.
std::vector<ExchangeStep> exchange_steps(int node, int n_nodes);

}  // namespace symm::Impl

#endif

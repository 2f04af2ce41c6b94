// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MESH_HPP
#define SYMM_MESH_HPP

#include <sys/types.h>

#include <vector>

#include "../base/UniqueFd.hpp"
#include "Bootstrap.hpp"
#include "Nodes.hpp"

namespace symm::Impl {

/// A connection between this PE and another PE on the same node.
struct MeshLink {
  /// SOCK_SEQPACKET: a message arrives whole or not at all. poll() reports a
  /// hangup once no process has the other end open anymore.
  UniqueFd socket;
  /// The other PE's process (pidfd_open()): poll() reports the descriptor as
  /// readable once the process has exited. Empty if the system has no
  /// pidfd_open(), or if the process is in a PID namespace that this process
  /// cannot see.
  UniqueFd process;
  /// The other PE's PID as seen by this process; 0 if the process is not
  /// visible.
  pid_t pid = 0;
};

/// Collective: connects every pair of PEs on a node. \returns a link for each
/// PE on the node, in PE order; in this PE's own entry, only `pid` is set.
///
/// The sockets are in the abstract namespace. Their names contain a random
/// number, which any process on the machine can read. A PE proves its identity
/// with a second number, which it can learn only from the bootstrap.
/// Connections that do not send that number are dropped, so other programs
/// cannot make startup fail, no matter how many connections they open.
///
/// PEs on a node may be in different PID namespaces (containers), but not in
/// different network namespaces: find_nodes() ensures this.
///
/// \throws SystemError on every PE if any PE cannot connect.
std::vector<MeshLink> connect_mesh(Bootstrap& bootstrap, Nodes const& nodes);

}  // namespace symm::Impl

#endif

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

/// Connects this PE with another one of its node.
struct MeshLink {
  /// SOCK_SEQPACKET: a message arrives whole or not at all. poll() reports a
  /// hangup when the last process that holds the other end is gone.
  UniqueFd socket;
  /// The other PE's process (pidfd_open()): poll() reports the descriptor as
  /// readable once the process is gone. Empty if the system has no
  /// pidfd_open(), or the process is in a PID namespace that this one cannot
  /// see.
  UniqueFd process;
  /// The other PE's PID, as this process sees it; 0 if it cannot see it.
  pid_t pid = 0;
};

/// Collective: connects every pair of PEs of a node. \returns a link for each
/// PE of the node, in the order of PEs; in this PE's own, only the PID is set.
///
/// The sockets are in the abstract namespace. Their names contain a random
/// number, which every process of the machine can read. A PE proves its
/// identity by a second number, which it knows only from the bootstrap.
/// Connections without that number are dropped, so other programs cannot make
/// the start fail, however many connections they open.
///
/// PEs of a node may be in different PID namespaces (containers), but not in
/// different network namespaces: find_nodes() ensures this.
///
/// \throws SystemError on every PE, if any PE cannot connect.
std::vector<MeshLink> connect_mesh(Bootstrap& bootstrap, Nodes const& nodes);

}  // namespace symm::Impl

#endif

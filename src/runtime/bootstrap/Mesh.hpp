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

/// What connects this PE with another one of its node.
struct MeshLink {
  /// SOCK_SEQPACKET: a message arrives whole or not at all. It hangs up when
  /// the last process that holds its other end is gone.
  UniqueFd socket;
  /// Can be read once the other PE's process is gone (pidfd_open()). Empty
  /// where the system has none, and for a process in a PID namespace that this
  /// one cannot see.
  UniqueFd process;
  /// Its number, as this process sees it; 0 if it cannot.
  pid_t pid = 0;
};

/// Collective: connects every two PEs of a node. One link for each of them, in
/// their order; this PE's is empty but for its number.
///
/// The sockets are in the abstract namespace, under a random number that every
/// process of the machine can read. A PE proves that it is one by a second
/// number, which only the bootstrap has told it. Whoever connects and cannot is
/// dropped: strangers, however many, do not make the start fail.
///
/// PEs of a node may be in different PID namespaces (containers), but not in
/// different network namespaces: find_nodes() sees to that.
///
/// \throws SystemError on every PE, if any PE cannot connect.
std::vector<MeshLink> connect_mesh(Bootstrap& bootstrap, Nodes const& nodes);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FD_EXCHANGE_HPP
#define SYMM_FD_EXCHANGE_HPP

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "../runtime/Bootstrap.hpp"
#include "../runtime/Error.hpp"
#include "../runtime/Types.hpp"
#include "../runtime/UniqueFd.hpp"

namespace symm {

/// A mesh of Unix sockets between the PEs of a node. Carries file descriptors
/// (SCM_RIGHTS), and tells when a PE's process is gone: the kernel closes its
/// ends.
///
/// The sockets live in the abstract namespace under a random job id, and each
/// end checks that the other is a process of the same user and job.
class FdExchange {
 public:
  /// A few bytes that travel beside a descriptor, for whoever uses it.
  using Note = std::array<std::byte, 128>;

  /// What a PE has passed.
  struct Parcel {
    UniqueFd descriptor;
    Note note{};
  };

  /// Collective. All PEs must be on one node.
  /// \throws SystemError on every PE, if any PE cannot connect; on the wrong
  ///         node the message names both PEs and both hosts.
  explicit FdExchange(Bootstrap& bootstrap);

  /// Collective: passes a descriptor and a note to every other PE and returns
  /// theirs, in the order of PEs (the entry of this PE is empty). A PE without
  /// a descriptor passes -1 and the others get an empty one.
  ///
  /// A PE whose own part fails still does the rest, so the mesh stays in step.
  /// \throws SystemError on the PE concerned only: agree afterwards. The
  ///         process is aborted if a peer has died.
  [[nodiscard]] std::vector<Parcel> exchange(int fd, Note const& note = {});

  /// Whether the process of `pe` is gone (or has finalised). Local.
  [[nodiscard]] bool is_gone(Pe pe) const;

  /// The number of the process of `pe`, as this process sees it; 0 if it is in
  /// a namespace that this one cannot see. Local.
  /// \throws SystemError on this PE.
  [[nodiscard]] pid_t process_of(Pe pe) const;

 private:
  void connect_mesh();
  void send(Pe to, int fd, Note const& note) const;
  [[nodiscard]] Parcel receive(Pe from) const;

  Bootstrap& m_bootstrap;
  std::vector<UniqueFd> m_sockets;  // one per PE; empty at our own place
};

}  // namespace symm

#endif

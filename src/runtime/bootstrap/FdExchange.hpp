// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FD_EXCHANGE_HPP
#define SYMM_FD_EXCHANGE_HPP

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "../base/Types.hpp"
#include "../base/UniqueFd.hpp"
#include "Bootstrap.hpp"
#include "Mesh.hpp"
#include "Nodes.hpp"

namespace symm::Impl {

/// Passes file descriptors (SCM_RIGHTS) between the PEs of a node, over a mesh
/// of Unix sockets, and tells when a PE's process is gone.
class FdExchange {
 public:
  /// A few bytes that travel beside a descriptor, for whoever uses it.
  using Note = std::array<std::byte, 128>;

  /// How often a PE that waits for others, in here or elsewhere, looks whether
  /// their processes live.
  static constexpr auto health_interval = std::chrono::milliseconds(100);

  /// What a PE has passed.
  struct Parcel {
    UniqueFd descriptor;
    Note note{};
  };

  /// Collective over all PEs of the job.
  /// \param timeout how long a PE waits in an exchange before it reports for
  ///        whom; 0: never. It goes on waiting afterwards.
  /// \throws SystemError on every PE.
  FdExchange(Bootstrap& bootstrap, Nodes nodes,
             std::chrono::duration<double> timeout);
  /// The same for PEs that are all on one node.
  explicit FdExchange(Bootstrap& bootstrap,
                      std::chrono::duration<double> timeout = {})
      : FdExchange(bootstrap, Nodes::one(bootstrap.n_pes()), timeout) {}

  [[nodiscard]] Nodes const& nodes() const { return m_nodes; }

  /// Collective over the PEs of a node: passes a descriptor and a note to every
  /// other one and returns theirs, in the order of PEs from the first of the
  /// node on (the entry of this PE is empty). A PE without a descriptor passes
  /// -1 and the others get an empty one.
  ///
  /// A PE whose own part fails, for lack of private memory too, still sends all
  /// its messages and takes all of the others': the mesh stays in step. Where
  /// that is not so, or a peer's process is gone, the job ends with a message.
  /// \throws SystemError, OutOfMemory on the PE concerned only: agree
  ///         afterwards.
  [[nodiscard]] std::vector<Parcel> exchange(int fd, Note const& note = {});

  /// Whether the process of `pe` is gone (or has finalised, or executes another
  /// program); not known of PEs of other nodes: false. Local. A process that it
  /// has forked and that lives does not hide it, unless the system has no
  /// pidfd_open() or `pe` is in a PID namespace that this process cannot see.
  [[nodiscard]] bool is_gone(Pe pe) const;

  /// The number of the process of `pe`, as this process sees it; 0 if it is in
  /// a namespace that this one cannot see, or on another node. Local.
  [[nodiscard]] pid_t process_of(Pe pe) const;

 private:
  struct Message;
  struct Envelope;

  [[nodiscard]] MeshLink const& link(Pe near) const;
  void send(Pe to, int fd, Note const& note) const;
  [[nodiscard]] Parcel receive(Pe from) const;
  void wait_for_message(Pe from) const;
  [[noreturn]] void end_job_of_gone(Pe pe) const;
  [[noreturn]] void end_job_out_of_step(char const* what, Pe pe,
                                        char const* why) const;

  Bootstrap& m_bootstrap;
  std::chrono::duration<double> m_timeout;
  Nodes m_nodes;
  std::vector<MeshLink> m_links;    // see connect_mesh()
  std::uint64_t m_n_exchanges = 0;  // the latest one's number
};

}  // namespace symm::Impl

#endif

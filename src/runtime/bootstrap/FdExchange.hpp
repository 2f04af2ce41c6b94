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

/// Passes file descriptors (SCM_RIGHTS) between the PEs on a node over a mesh
/// of Unix sockets and detects when a PE's process has exited.
class FdExchange {
 public:
  /// A few bytes sent with a descriptor; the caller defines their meaning.
  using Attachment = std::array<std::byte, 128>;

  /// The interval at which a PE that is waiting for other PEs, here or
  /// elsewhere, checks that their processes are alive.
  static constexpr auto health_interval = std::chrono::milliseconds(100);

  /// A descriptor and a note that exchange() has received from a PE.
  struct Parcel {
    UniqueFd descriptor;
    Attachment note{};
  };

  /// Collective over all PEs in the job.
  /// \param timeout the time after which a PE that is waiting in an exchange
  ///        reports which PE it is waiting for. The PE then continues to wait.
  ///        0: no reports.
  /// \throws SystemError on every PE.
  FdExchange(Bootstrap& bootstrap, Nodes nodes,
             std::chrono::duration<double> timeout);
  /// Like the constructor above, but for a job whose PEs are all on one node.
  explicit FdExchange(Bootstrap& bootstrap,
                      std::chrono::duration<double> timeout = {})
      : FdExchange(bootstrap, Nodes::one(bootstrap.n_pes()), timeout) {}

  [[nodiscard]] Nodes const& nodes() const { return m_nodes; }

  /// Collective over the PEs on a node: passes a descriptor and a note to every
  /// other PE on the node. Returns the Parcel received from each PE, in PE
  /// order; this PE's own entry is empty. A PE that has no descriptor to pass
  /// sets `fd` to -1; the other PEs then receive an empty UniqueFd from it.
  ///
  /// If a PE's own part of the exchange fails, even for lack of private memory,
  /// the PE still sends and receives all messages so that the next exchange can
  /// follow. If a PE cannot do so, or if a peer's process has exited, the job
  /// ends with an error message.
  /// \throws SystemError, OutOfMemory only on the PE whose part failed. The PEs
  ///         must therefore agree on the outcome after the call.
  [[nodiscard]] std::vector<Parcel> exchange(int fd,
                                             Attachment const& note = {});

  /// Whether `pe`'s process has exited, has finalized the library, or has
  /// called exec() to run another program. False for PEs on other nodes, whose
  /// processes this PE cannot see. Local. If a child outlives `pe`'s process,
  /// the exit is detected only with pidfd_open(), and only if `pe` is not in a
  /// PID namespace that this process cannot see.
  [[nodiscard]] bool is_gone(Pe pe) const;

  /// The PID of `pe` as seen by this process; 0 if `pe` is in a PID namespace
  /// that this process cannot see, or on another node. Local.
  [[nodiscard]] pid_t process_of(Pe pe) const;

 private:
  struct Message;
  struct Envelope;

  [[nodiscard]] MeshLink const& link(Pe near) const;
  /// Null if `pe` is on another node.
  [[nodiscard]] MeshLink const* find_link(Pe pe) const;
  void send(Pe to, int fd, Attachment const& note) const;
  [[nodiscard]] Parcel receive(Pe from) const;
  void wait_for_message(Pe from) const;
  [[noreturn]] void end_job_of_gone(Pe pe) const;
  [[noreturn]] void end_job_out_of_step(char const* what, Pe pe,
                                        char const* why) const;

  Bootstrap& m_bootstrap;
  std::chrono::duration<double> m_timeout;
  Nodes m_nodes;
  std::vector<MeshLink> m_links;    // see connect_mesh()
  std::uint64_t m_n_exchanges = 0;  // so far; also the latest exchange's number
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_TCP_HPP
#define SYMM_BOOTSTRAP_TCP_HPP

#include <chrono>

#include "JobStart.hpp"
#include "TcpLinks.hpp"

namespace symm::Impl {

/// Whether SYMM_ROOT requests a start over TCP, without MPI.
[[nodiscard]] bool is_tcp_asked_for();

/// Connects processes, however they were started (by a shell, ssh, Slurm), to
/// PE 0, whose address SYMM_ROOT gives. All collective steps go through PE 0,
/// which is fast enough for thousands of PEs, but not for more. A process that
/// ends without finalize() ends the job, as under mpiexec.
[[nodiscard]] JobStart& start_by_tcp();

// The rest is for other kinds of start, which find PE 0 in another way.

/// Collective: connects the PEs of `job`, as a start over TCP does.
/// \throws the errors of connect_by_tcp().
[[nodiscard]] JobPes make_tcp_pes(TcpJob const& job);
/// Ends the job that make_tcp_pes() has connected; if there is none, ends only
/// this process.
[[noreturn]] void abort_tcp_job(int status) noexcept;
/// \param why how the job starts without MPI, for the error message.
/// \throws UsageError on this PE if the caller has passed a communicator.
void refuse_communicator(Communicator const& communicator, char const* why);
/// The value of SYMM_START_TIMEOUT; 0 means no timeout.
/// \throws UsageError on this PE.
[[nodiscard]] std::chrono::duration<double> start_timeout();

}  // namespace symm::Impl

#endif

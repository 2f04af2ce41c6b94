// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_TCP_HPP
#define SYMM_BOOTSTRAP_TCP_HPP

#include <chrono>

#include "JobStart.hpp"
#include "TcpLinks.hpp"

namespace symm::Impl {

/// Whether SYMM_ROOT is set, which requests startup over TCP, without MPI.
[[nodiscard]] bool is_tcp_asked_for();

/// Returns the JobStart that uses TCP. It connects the processes to PE 0 at the
/// address in SYMM_ROOT, no matter how they were started (by a shell, ssh,
/// Slurm). All collective steps go through PE 0, which is fast enough for
/// thousands of PEs, but not for more. A process that ends without finalize()
/// ends the job, as under mpiexec.
[[nodiscard]] JobStart& start_by_tcp();

// The functions below are also used by other start methods, such as PMIx, which
// find PE 0 in a different way.

/// Collective: connects the job's PEs over TCP.
/// \throws the same exceptions as connect_by_tcp().
[[nodiscard]] JobPes make_tcp_pes(TcpJob const& job);
/// Ends the job that make_tcp_pes() has connected. If there is no such job,
/// ends only this process.
[[noreturn]] void abort_tcp_job(int status) noexcept;
/// Rejects an MPI communicator in a job that starts without MPI.
/// \param why how the job starts, for the error message.
/// \throws UsageError on this PE if the caller has passed a communicator.
void refuse_communicator(Communicator const& communicator, char const* why);
/// The value of SYMM_START_TIMEOUT; 0 means no timeout.
/// \throws UsageError on this PE.
[[nodiscard]] std::chrono::duration<double> start_timeout();

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_TCP_HPP
#define SYMM_BOOTSTRAP_TCP_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Whether SYMM_ROOT asks for a start by TCP, without MPI.
[[nodiscard]] bool is_tcp_asked_for();

/// Connects processes that anything has started (a shell, ssh, Slurm) with PE
/// 0, which SYMM_ROOT names. All steps go through PE 0: for thousands of PEs,
/// not for more. A process that ends without finalize() ends the job, as under
/// mpiexec.
[[nodiscard]] JobStart& start_by_tcp();

}  // namespace symm::Impl

#endif

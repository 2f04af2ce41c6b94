// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_ALONE_HPP
#define SYMM_BOOTSTRAP_ALONE_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Starts a job of one PE without MPI, for a process that nothing connects to
/// other processes, like an MPI program started without mpiexec. If a launcher
/// has started several such processes, the first one reports this on stderr.
[[nodiscard]] JobStart& start_alone();

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_ALONE_HPP
#define SYMM_BOOTSTRAP_ALONE_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Returns the JobStart for a single-PE job without MPI. It is used if nothing
/// connects this process to other processes. (Similarly, an MPI program started
/// without mpiexec is a single-process job.) If a launcher has started several
/// such processes, the first one prints a warning to stderr.
[[nodiscard]] JobStart& start_alone();

}  // namespace symm::Impl

#endif

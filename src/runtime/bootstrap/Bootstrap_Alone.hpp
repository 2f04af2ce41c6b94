// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_ALONE_HPP
#define SYMM_BOOTSTRAP_ALONE_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// For a process that nothing connects with others, without MPI: a job of one
/// PE, as a program of MPI without mpiexec. If a launcher has started several,
/// the first says so, on stderr.
[[nodiscard]] JobStart& start_alone();

}  // namespace symm::Impl

#endif

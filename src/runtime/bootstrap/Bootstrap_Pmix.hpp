// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_PMIX_HPP
#define SYMM_BOOTSTRAP_PMIX_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Whether a launcher has started this process that offers PMIx: Open MPI's
/// mpiexec, PRRTE's prun, Slurm's srun --mpi=pmix.
[[nodiscard]] bool is_pmix_offered();

/// A start without MPI by a launcher with PMIx, which says which PE this is and
/// of how many, and carries the place of PE 0 to the others: then they connect
/// as by TCP. libpmix.so is loaded when such a job starts.
[[nodiscard]] JobStart& start_by_pmix();

}  // namespace symm::Impl

#endif

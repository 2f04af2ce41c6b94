// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_PMIX_HPP
#define SYMM_BOOTSTRAP_PMIX_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Whether this process was started by a launcher that offers PMIx, such as
/// Open MPI's mpiexec, PRRTE's prun, or Slurm's srun --mpi=pmix.
[[nodiscard]] bool is_pmix_offered();

/// Returns the JobStart that uses PMIx, without MPI. The launcher gives each
/// process its PE number and the number of PEs and passes PE 0's address to the
/// other PEs. The PEs then connect in the same way as in a job started over
/// TCP. libpmix.so is loaded only when such a job starts.
[[nodiscard]] JobStart& start_by_pmix();

}  // namespace symm::Impl

#endif

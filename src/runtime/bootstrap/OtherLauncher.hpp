// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OTHER_LAUNCHER_HPP
#define SYMM_OTHER_LAUNCHER_HPP

#include <optional>

namespace symm::Impl {

/// A launcher says that it has started several processes of this program.
struct OtherLauncher {
  int n_processes      = 0;
  char const* variable = nullptr;  // that says so
};

/// For a process that is a job of one PE: the launcher that has started it with
/// others, as jobs of one PE each. Knows launchers that set the size of the job
/// in the environment: Open MPI's, and those with PMI (MPICH's, Intel MPI's,
/// Slurm's). Nothing but on the first of the processes: one reports.
[[nodiscard]] std::optional<OtherLauncher> other_launcher();

}  // namespace symm::Impl

#endif

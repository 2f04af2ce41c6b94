// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OTHER_LAUNCHER_HPP
#define SYMM_OTHER_LAUNCHER_HPP

#include <optional>

namespace symm::Impl {

/// A launcher that claims to have started several processes of this program.
struct OtherLauncher {
  int n_processes      = 0;
  char const* variable = nullptr;  // the variable that contains n_processes
};

/// Must be called in a process that is a single-PE job. Returns the launcher
/// that has started this process and others, each as a single-PE job; nullopt
/// if there is none. Recognizes launchers that set the job's size in the
/// environment: Open MPI's, and PMI launchers (MPICH's, Intel MPI's, Slurm's).
/// Returns a launcher only in the first of these processes so that only one of
/// them prints the warning.
[[nodiscard]] std::optional<OtherLauncher> other_launcher();

}  // namespace symm::Impl

#endif

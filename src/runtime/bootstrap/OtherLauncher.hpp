// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_OTHER_LAUNCHER_HPP
#define SYMM_OTHER_LAUNCHER_HPP

#include <optional>

namespace symm::Impl {

/// A launcher that claims to have started several processes of this program.
struct OtherLauncher {
  int n_processes      = 0;
  char const* variable = nullptr;  // the variable that gives n_processes
};

/// For a process that is a job of one PE. If a launcher started this process
/// together with others, returns that launcher; otherwise nullopt. Each of
/// these processes is then a job of one PE. Recognizes launchers that set the
/// size of the job in the environment: Open MPI's, and those with PMI (MPICH's,
/// Intel MPI's, Slurm's). Returns a launcher only in the first of these
/// processes, so that only one of them prints the warning.
[[nodiscard]] std::optional<OtherLauncher> other_launcher();

}  // namespace symm::Impl

#endif

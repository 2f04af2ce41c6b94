// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_MOLECULES_PROBLEM_HPP
#define SYMM_EXAMPLES_MOLECULES_PROBLEM_HPP

#include <common/progress.hpp>
#include <cstdint>
#include <molecules_common/decomposition.hpp>
#include <molecules_common/forces.hpp>
#include <molecules_common/options.hpp>
#include <stdexcept>

namespace molecules {

/// The PEs of the job, and the operations over all PEs that the shared code
/// needs.
struct Pes {
  int me;
  int count;
  /// Adds up numbers over all PEs, in place. Collective.
  void (*sum)(std::uint64_t* words, int count);
};

/// The input of a program.
struct Problem {
  /// \throws UsageError on every PE if the options do not fit the number of
  ///         PEs.
  Problem(Options const& options, Pes const& pes);

  /// Shows the progress of the time steps.
  examples::Progress progress() const;
  /// The totals over all PEs. Collective.
  Totals over_pes(Totals totals) const;
  double n_atoms() const;

  Options options;
  Pes pes;
  double range;  ///< range of neighbor lists
  Decomposition boxes;
};

/// Atoms moved by more than half the skin. Thrown on every PE.
class FastAtoms : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The output of a program, for this PE's own atoms.
struct Solution {
  double seconds;  ///< for all time steps
  Totals first;    ///< totals at the start
  Totals last;     ///< totals at the end
};

/// The side length of a lattice cell, for a density of 0.8442.
constexpr double lattice_side = 0x1.adfa43fe5dp0;  // 1.6796

/// A complete program: options, solver, report.
/// \returns the exit status: 0 only if everything went well on all PEs; 2 for
///          bad options, which PE 0 explains.
int run(int argc, char* argv[], Pes const& pes,
        Solution (*solve)(Problem const& problem));

}  // namespace molecules

#endif

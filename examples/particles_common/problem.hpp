// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_PARTICLES_PROBLEM_HPP
#define SYMM_EXAMPLES_PARTICLES_PROBLEM_HPP

#include <Kokkos_Core.hpp>
#include <common/progress.hpp>
#include <cstdint>
#include <particles_common/boxes.hpp>
#include <particles_common/cells.hpp>
#include <particles_common/options.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace particles {

/// The PEs of the job, and the operations over all PEs that the programs'
/// shared code needs.
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

  Options options;
  Pes pes;
  Boxes boxes;
  Box box;  ///< this PE's box
};

/// Thrown on every PE if a cell had no room for particles, or if a particle was
/// too fast.
class LostParticles : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Counts, in kernels, the particles that found no room in a cell or were too
/// fast.
class Trouble {
 public:
  KOKKOS_FUNCTION void found_no_room(int particles) const {
    Kokkos::atomic_add(&m_counts(0), static_cast<std::uint64_t>(particles));
  }
  KOKKOS_FUNCTION void was_too_fast() const {
    Kokkos::atomic_inc(&m_counts(1));
  }

  /// Waits for the kernels. Collective.
  /// \throws LostParticles if any PE has counted such particles up to this
  ///         step.
  void check(Problem const& problem, int step) const;
  /// Calls check() now and then and at the end, so that errors are detected but
  /// the host seldom waits.
  void check_sometimes(Problem const& problem, int step) const {
    if (step % 100 == 0 || step == problem.options.steps) check(problem, step);
  }

 private:
  Kokkos::View<std::uint64_t[2]> m_counts{"trouble"};
};

/// The output of a program. Everything except the time is for this PE's own
/// particles.
struct Solution {
  double seconds;                         ///< for all time steps
  Totals first;                           ///< totals at the start
  Totals last;                            ///< totals at the end
  std::vector<std::uint64_t> brightness;  ///< pixels of the picture, if there
                                          ///< is one
};

/// A complete program: options, solver, report, files.
/// \returns the exit status: 0 only if everything went well on all PEs; 2 for
///          bad options, which PE 0 explains.
int run(int argc, char* argv[], Pes const& pes,
        Solution (*solve)(Problem const& problem));

}  // namespace particles

#endif

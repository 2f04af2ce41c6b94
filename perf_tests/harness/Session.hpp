// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_SESSION_HPP
#define SYMM_PERF_SESSION_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "harness/Gpus.hpp"
#include "harness/Options.hpp"
#include "harness/Registered.hpp"
#include "harness/Report.hpp"
#include "harness/Sampler.hpp"

namespace perf {

/// What a benchmark needs to run: which PE this is, how much to measure, and
/// where the results go. MPI must be initialized.
class Session {
 public:
  /// Collective over MPI_COMM_WORLD.
  explicit Session(Options options);

  [[nodiscard]] int my_pe() const { return m_my_pe; }
  [[nodiscard]] int n_pes() const { return m_n_pes; }
  [[nodiscard]] bool quick() const { return m_options.quick; }
  [[nodiscard]] SamplingPlan plan() const;
  [[nodiscard]] Report& report() { return m_report; }

  /// Samples the contestants and reports them. Collective.
  void compare(Case const& measured,
               std::vector<Contestant> const& contestants);
  /// The same, with a plan other than plan().
  void compare(Case const& measured, std::vector<Contestant> const& contestants,
               SamplingPlan const& plan);

  /// The GPUs of the job; none in a build without GPUs.
  [[nodiscard]] Gpus const& gpus() const { return m_gpus; }

  /// Every benchmark calls this after its timed part, with the number of
  /// elements that this PE found wrong. Collective; the sum is reported, and a
  /// single wrong element makes the program fail on all PEs.
  void verify(std::string const& what, std::int64_t wrong_here);

  [[nodiscard]] int exit_status() const;

  /// The time that MPI_Init_thread took on the slowest PE, if the program
  /// called it itself (Starts::kokkos).
  [[nodiscard]] double mpi_init_seconds() const;

 private:
  Options m_options;
  int m_my_pe;
  int m_n_pes;
  Gpus m_gpus;
  Report m_report;
  bool m_verified = false;
  bool m_wrong    = false;
};

/// The `main` of the programs: parses the command line, initializes what the
/// benchmark needs (OpenSHMEM first, NVSHMEM last), prints the environment and
/// runs the benchmark. An exception on one PE aborts the job, because the
/// others would wait for that PE.
[[nodiscard]] int run_benchmark(int argc, char** argv);

}  // namespace perf

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Session.hpp"

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <utility>

#include "baselines/Nvshmem.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/Environment.hpp"
#include "harness/MpiCheck.hpp"

namespace perf {
namespace {

int world_pe() {
  int pe = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &pe), "MPI_Comm_rank");
  return pe;
}

int world_pes() {
  int pes = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &pes), "MPI_Comm_size");
  return pes;
}

[[noreturn]] void abort_job(std::string const& name, char const* why) {
  static_cast<void>(std::fprintf(stderr, "%s: %s\n", name.c_str(), why));
  int is_over = 0;  // initialize() ends MPI where it fails on all PEs
  if (MPI_Finalized(&is_over) == MPI_SUCCESS && is_over != 0)
    std::exit(EXIT_FAILURE);
  static_cast<void>(MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE));
  std::abort();
}

}  // namespace

Session::Session(std::string benchmark, Options options)
    : m_options(std::move(options)),
      m_my_pe(world_pe()),
      m_n_pes(world_pes()),
      m_gpus(gpus_of_job()),
      m_report(std::move(benchmark), m_n_pes, m_my_pe == 0, m_options.quick,
               m_options.json_file) {
  m_report.environment(describe_environment(m_gpus, m_options.command));
}

SamplingPlan Session::plan() const {
  SamplingPlan plan;
  if (m_options.quick)
    plan = {.warm_up = 1, .samples = 10, .sample_seconds = 1e-4};
  if (m_options.samples != 0) plan.samples = m_options.samples;
  return plan;
}

void Session::compare(Case const& measured,
                      std::vector<Contestant> const& contestants) {
  compare(measured, contestants, plan());
}

void Session::compare(Case const& measured,
                      std::vector<Contestant> const& contestants,
                      SamplingPlan const& plan) {
  m_report.comparison(measured, take_samples(plan, contestants));
}

void Session::verify(std::string const& what, std::int64_t wrong_here) {
  std::int64_t wrong = 0;
  check_mpi(MPI_Allreduce(&wrong_here, &wrong, 1, MPI_INT64_T, MPI_SUM,
                          MPI_COMM_WORLD),
            "MPI_Allreduce");
  m_verified = true;
  m_wrong    = m_wrong || wrong != 0;
  m_report.verification(what, wrong);
}

int Session::exit_status() const {
  return m_verified && !m_wrong ? EXIT_SUCCESS : EXIT_FAILURE;
}

int run_session(int argc, char const* const* argv, std::string const& name,
                Benchmark const& benchmark) {
  Options options;
  try {
    options = parse_options(argc, argv);
  } catch (std::invalid_argument const& error) {
    if (world_pe() == 0)
      static_cast<void>(
          std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what()));
    return 2;
  }
  if (options.help) {
    if (world_pe() == 0)
      static_cast<void>(std::fputs(usage(argv[0]).c_str(), stdout));
    return EXIT_SUCCESS;
  }
  try {
    Session session(name, options);
    benchmark(session);
    return session.exit_status();
  } catch (std::exception const& error) {
    abort_job(name, error.what());
  }
}

int run_benchmark(int argc, char** argv, std::string const& name,
                  Benchmark const& benchmark) {
  try {
    openshmem::Job const job;  // finalises MPI, so it must go last
    symm::ScopeGuard const guard(argc, argv);
    nvshmem::Job const nvshmem_job;  // with MPI, on the GPU of Kokkos
    return run_session(argc, argv, name, benchmark);
  } catch (std::exception const& error) {
    abort_job(name, error.what());
  }
}

}  // namespace perf

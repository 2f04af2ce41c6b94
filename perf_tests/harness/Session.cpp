// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/Session.hpp"

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
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

Session::Session(Options options)
    : m_options(std::move(options)),
      m_my_pe(world_pe()),
      m_n_pes(world_pes()),
      m_gpus(gpus_of_job()),
      m_report(m_options.benchmark, m_n_pes, m_my_pe == 0, m_options.quick,
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

namespace {

double seconds_of_mpi_init = 0;

}  // namespace

double Session::mpi_init_seconds() const {
  double slowest = 0;
  check_mpi(MPI_Allreduce(&seconds_of_mpi_init, &slowest, 1, MPI_DOUBLE,
                          MPI_MAX, MPI_COMM_WORLD),
            "MPI_Allreduce");
  return slowest;
}

namespace {

/// Like MPI's own guard would be, if it had one.
class MpiJob {
 public:
  MpiJob(int* argc, char*** argv) {
    using Clock      = std::chrono::steady_clock;
    auto const start = Clock::now();
    int provided     = 0;
    check_mpi(MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided),
              "MPI_Init_thread");
    seconds_of_mpi_init =
        std::chrono::duration<double>(Clock::now() - start).count();
  }
  ~MpiJob() { static_cast<void>(MPI_Finalize()); }
  MpiJob(MpiJob const&)            = delete;
  MpiJob& operator=(MpiJob const&) = delete;
};

int run_session(Registered const& benchmark, Options const& options) {
  try {
    Session session(options);
    benchmark.run(session);
    return session.exit_status();
  } catch (std::exception const& error) {
    abort_job(benchmark.name, error.what());
  }
}

int start_and_run(int argc, char** argv, Registered const& benchmark,
                  Options const& options) {
  switch (benchmark.starts) {
    case Starts::kokkos: {
      MpiJob const mpi(&argc, &argv);
      Kokkos::ScopeGuard const kokkos(argc, argv);
      return run_session(benchmark, options);
    }
    case Starts::openshmem: {
      openshmem::Job const job;
      return run_session(benchmark, options);
    }
    case Starts::all: break;
  }
  openshmem::Job const job;  // finalizes MPI, so it must go last
  symm::ScopeGuard const guard(argc, argv);
  nvshmem::Job const nvshmem_job;  // with MPI, on the GPU of Kokkos
  return run_session(benchmark, options);
}

Registered const& find(std::string const& name) {
  auto const& all = all_registered();
  return *std::find_if(all.begin(), all.end(), [&](Registered const& each) {
    return each.name == name;
  });
}

}  // namespace

int run_benchmark(int argc, char** argv) {
  std::vector<std::string> names;
  for (auto const& each : all_registered()) names.push_back(each.name);
  Options options;
  try {
    options = parse_options(argc, argv, names);
  } catch (NothingToRun const& end) {
    MpiJob const mpi(&argc, &argv);
    if (world_pe() == 0) static_cast<void>(std::fputs(end.what(), stderr));
    return end.exit_status();
  }
  try {
    return start_and_run(argc, argv, find(options.benchmark), options);
  } catch (std::exception const& error) {
    abort_job(options.benchmark, error.what());
  }
}

}  // namespace perf

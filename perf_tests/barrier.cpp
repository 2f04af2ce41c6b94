// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::barrier_all against MPI_Barrier, and against shmem_barrier_all or
// nvshmem_barrier_all where there is OpenSHMEM or NVSHMEM. Run it with one PE
// per core and with more PEs than cores: there the waiting PEs must leave the
// cores to the ones they wait for.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <atomic>
#include <cstdint>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/Session.hpp"

namespace perf::barrier_benchmark {
namespace {

/// Counts the PEs that a barrier let pass before all had arrived. Each PE
/// publishes how often it has arrived and looks at the others' numbers after
/// the barrier.
std::int64_t count_early_departures(Session const& session) {
  constexpr int rounds = 100;
  Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace> const arrived(
      "arrived", 1);
  auto const everywhere = symm::global_view(arrived);
  std::int64_t early    = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    std::atomic_ref<std::uint64_t>(arrived(0))
        .store(round, std::memory_order_relaxed);
    symm::barrier_all();
    for (int pe = 0; pe < session.n_pes(); ++pe)
      early += std::atomic_ref<std::uint64_t>(everywhere(pe, 0))
                           .load(std::memory_order_relaxed) < round
                   ? 1
                   : 0;
  }
  return early;
}

void measure(Session& session) {
  std::vector<Contestant> contestants{
      {"MPI_Barrier", "",
       [](std::int64_t n) {
         int code = MPI_SUCCESS;
         for (std::int64_t i = 0; i < n; ++i)
           code |= MPI_Barrier(MPI_COMM_WORLD);
         check_mpi(code, "MPI_Barrier");
       }},
      {"symm::barrier_all", "MPI_Barrier", [](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) symm::barrier_all();
       }}};
  if (openshmem::available()) {
    contestants.push_back({"OpenSHMEM barrier_all", "", [](std::int64_t n) {
                             for (std::int64_t i = 0; i < n; ++i)
                               openshmem::barrier();
                           }});
    contestants[1].baseline = contestants.back().name;
  }
  if (nvshmem::available()) {
    contestants.push_back({"NVSHMEM barrier_all", "", [](std::int64_t n) {
                             for (std::int64_t i = 0; i < n; ++i)
                               nvshmem::barrier();
                           }});
    contestants[1].baseline = contestants.back().name;
  }
  session.compare({}, contestants);
  session.verify("early departures", count_early_departures(session));
}

Registered const registered{"barrier", measure};

}  // namespace
}  // namespace perf::barrier_benchmark

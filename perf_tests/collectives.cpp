// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective operations that the host calls: symm::broadcast, fcollect,
// alltoall, reduce (a sum of doubles) and barrier of the team of all PEs
// against MPI's and OpenSHMEM's.
//
// Bytes are those of a block, which is what an operation is given as its count.
// Ours end everywhere when the dest of every PE is complete; a broadcast of MPI
// or OpenSHMEM ends on the root when its source may be changed, and leaves the
// root's dest as it is, so that a row of them runs ahead of its receivers. So
// it is also measured with a barrier, by which all PEs know that all have
// called. OpenSHMEM is called as version 1.4 has it. Open MPI broadcasts,
// collects and reduces by MPI's collectives then, which is its faster way for
// small blocks; for large ones OMPI_MCA_scoll=basic is.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "baselines/OpenShmem.hpp"
#include "baselines/OpenShmemCollectives.hpp"
#include "collectives/CollectiveLanes.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/PrivateBuffer.hpp"
#include "harness/Session.hpp"

namespace perf::collectives_benchmark {
namespace {

constexpr std::size_t kib = std::size_t{1} << 10U;

std::vector<std::size_t> sizes(bool quick) {
  if (quick) return {8, 4 * kib + 8};
  return {8, kib, 64 * kib, 1024 * kib};
}

/// One call with doubles; broadcast() needs one block on every PE.
void call_mpi(CollectiveCall const& call, bool is_root, Number* dest,
              Number* source) {
  int const count = static_cast<int>(call.count);
  switch (call.what) {
    case Collective::broadcast:
      return check_mpi(MPI_Bcast(is_root ? source : dest, count, MPI_DOUBLE,
                                 call.root(), MPI_COMM_WORLD),
                       "MPI_Bcast");
    case Collective::fcollect:
      return check_mpi(MPI_Allgather(source, count, MPI_DOUBLE, dest, count,
                                     MPI_DOUBLE, MPI_COMM_WORLD),
                       "MPI_Allgather");
    case Collective::alltoall:
      return check_mpi(MPI_Alltoall(source, count, MPI_DOUBLE, dest, count,
                                    MPI_DOUBLE, MPI_COMM_WORLD),
                       "MPI_Alltoall");
    case Collective::reduce:
      return check_mpi(MPI_Allreduce(source, dest, count, MPI_DOUBLE, MPI_SUM,
                                     MPI_COMM_WORLD),
                       "MPI_Allreduce");
  }
}

void call_openshmem(CollectiveCall const& call, openshmem::Collectives& shmem,
                    Number* dest, Number const* source) {
  switch (call.what) {
    case Collective::broadcast:
      return shmem.broadcast(dest, source, call.count, call.root());
    case Collective::fcollect: return shmem.fcollect(dest, source, call.count);
    case Collective::alltoall: return shmem.alltoall(dest, source, call.count);
    case Collective::reduce: return shmem.sum(dest, source, call.count);
  }
}

/// Blocks of OpenSHMEM's heap and what its operations need. Allocation and
/// destruction are collective.
class OpenShmemMemory {
 public:
  explicit OpenShmemMemory(std::size_t bytes)
      : m_shmem(bytes / sizeof(Number)),
        m_dest(static_cast<Number*>(openshmem::allocate(bytes))),
        m_source(static_cast<Number*>(openshmem::allocate(bytes))) {}
  ~OpenShmemMemory() {
    openshmem::deallocate(m_source);
    openshmem::deallocate(m_dest);
  }
  OpenShmemMemory(OpenShmemMemory const&)            = delete;
  OpenShmemMemory& operator=(OpenShmemMemory const&) = delete;

  [[nodiscard]] openshmem::Collectives& calls() { return m_shmem; }
  [[nodiscard]] Number* dest() const { return m_dest; }
  [[nodiscard]] Number* source() const { return m_source; }

 private:
  openshmem::Collectives m_shmem;
  Number* m_dest;
  Number* m_source;
};

/// `call` as many times as it is asked for.
template <class Call>
auto repeated(Call call) {
  return [call](CollectiveCall const& what, std::int64_t iterations) {
    for (std::int64_t i = 0; i < iterations; ++i) call(what);
  };
}

void measure_operations(Session& session, symm::PeTeam const& team) {
  auto const all_sizes = sizes(session.quick());
  auto const n_pes     = static_cast<std::size_t>(session.n_pes());
  auto const bytes     = all_sizes.back() * n_pes;
  CollectiveLanes lanes;

  PrivateBuffer const mpi_dest(bytes);
  PrivateBuffer const mpi_source(bytes);
  bool const is_root = session.my_pe() + 1 == session.n_pes();
  lanes.add({"MPI", "", reinterpret_cast<Number*>(mpi_dest.data()),
             reinterpret_cast<Number*>(mpi_source.data()),
             repeated([&, is_root](CollectiveCall const& call) {
               call_mpi(call, is_root,
                        reinterpret_cast<Number*>(mpi_dest.data()),
                        reinterpret_cast<Number*>(mpi_source.data()));
             }),
             false});

  Kokkos::View<Number*, symm::SymmetricSpace> const dest(
      "dest", bytes / sizeof(Number));
  Kokkos::View<Number*, symm::SymmetricSpace> const source(
      "source", bytes / sizeof(Number));
  lanes.add({"symm", openshmem::available() ? "OpenSHMEM" : "MPI", dest.data(),
             source.data(), repeated([&](CollectiveCall const& call) {
               call_symm(call, team, dest.data(), source.data());
             })});

  // With the guarantee that ours has: no PE returns before all have called.
  lanes.add(
      {"MPI and a barrier", "symm", reinterpret_cast<Number*>(mpi_dest.data()),
       reinterpret_cast<Number*>(mpi_source.data()),
       repeated([&, is_root](CollectiveCall const& call) {
         call_mpi(call, is_root, reinterpret_cast<Number*>(mpi_dest.data()),
                  reinterpret_cast<Number*>(mpi_source.data()));
         check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
       }),
       false, true});

  std::unique_ptr<OpenShmemMemory> shmem;
  if (openshmem::available()) {
    shmem = std::make_unique<OpenShmemMemory>(bytes);
    lanes.add({"OpenSHMEM", "MPI", shmem->dest(), shmem->source(),
               repeated([&](CollectiveCall const& call) {
                 call_openshmem(call, shmem->calls(), shmem->dest(),
                                shmem->source());
               }),
               false});
    lanes.add_again();
  }
  for (Collective const what : all_collectives)
    for (std::size_t const size : all_sizes)
      lanes.measure(session, {what, size / sizeof(Number), session.n_pes()});
}

/// Counts the PEs that a barrier let pass before all had arrived.
std::int64_t count_early_departures(Session const& session,
                                    symm::PeTeam const& team) {
  constexpr std::uint64_t rounds = 100;
  Kokkos::View<std::uint64_t, symm::SymmetricHostSpace> const arrived(
      "arrived");
  std::int64_t early = 0;
  for (std::uint64_t round = 1; round <= rounds; ++round) {
    symm::store_relaxed(arrived.data(), round);
    symm::barrier(team);
    for (int pe = 0; pe < session.n_pes(); ++pe)
      early += symm::g(arrived.data(), pe) < round ? 1 : 0;
  }
  return early;
}

void measure_barrier(Session& session, symm::PeTeam const& team) {
  std::vector<Contestant> contestants{
      {"barrier, MPI", "",
       [](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i)
           check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
       }},
      {"barrier, symm", "barrier, MPI", [&team](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) symm::barrier(team);
       }}};
  if (openshmem::available()) {
    auto const run = [](std::int64_t n) {
      for (std::int64_t i = 0; i < n; ++i) openshmem::barrier();
    };
    std::string const name  = "barrier, OpenSHMEM";
    contestants[1].baseline = name;
    contestants.push_back({name, "", run});
    contestants.push_back({name + ", again", name, run});
  }
  session.compare({}, contestants);
  session.verify("early departures", count_early_departures(session, team));
}

void measure(Session& session) {
  auto const team = symm::team_world();
  measure_barrier(session, team);
  measure_operations(session, team);
}

Registered const registered{"collectives", measure};

}  // namespace
}  // namespace perf::collectives_benchmark

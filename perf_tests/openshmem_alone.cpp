// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// OpenSHMEM without this project's heap in the process. The benchmarks of
// perf_tests_openshmem sample both in turn in one process; that is only fair if
// OpenSHMEM is not slower there than here. MPI_Barrier is the yardstick: it is
// measured in both.

#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <vector>

#include "baselines/OpenShmem.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/Pattern.hpp"
#include "harness/Session.hpp"

namespace perf::openshmem_alone_benchmark {
namespace {

void measure(Session& session) {
  constexpr std::size_t bytes = std::size_t{64} << 10U;
  std::vector<Contestant> const contestants{
      {"MPI_Barrier", "",
       [](std::int64_t n) {
         int code = MPI_SUCCESS;
         for (std::int64_t i = 0; i < n; ++i)
           code |= MPI_Barrier(MPI_COMM_WORLD);
         check_mpi(code, "MPI_Barrier");
       }},
      {"OpenSHMEM barrier_all", "MPI_Barrier",
       [](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) openshmem::barrier();
       }},
      {"OpenSHMEM malloc + free", "MPI_Barrier", [](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i)
           openshmem::deallocate(openshmem::allocate(bytes));
       }}};
  session.compare({{{"bytes", static_cast<std::int64_t>(bytes)}}}, contestants);

  int const me       = session.my_pe();
  int const next     = (me + 1) % session.n_pes();
  int const previous = (me + session.n_pes() - 1) % session.n_pes();
  auto* const word   = static_cast<std::uint64_t*>(openshmem::allocate(8));
  openshmem::put_word(word, pattern(me, next, 0), next, 1);
  openshmem::barrier();
  session.verify("words put", count_wrong({word, 1}, previous, me));
  openshmem::deallocate(word);
}

Registered const registered{"openshmem_alone", measure, Starts::openshmem};

}  // namespace
}  // namespace perf::openshmem_alone_benchmark

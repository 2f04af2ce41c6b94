// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Conjugate gradients with Kokkos Views and NCCL. Compare it with
// ../cg_solve/cg_solve.cpp, which does the same with an exchange plan, and
// ../cg_mpi/cg_mpi.cpp, which uses MPI messages. The three differ in how a PE
// gets entries from other PEs, and in how dot products are summed. Here, as in
// cg_solve, scalars stay on the GPU.

#include <mpi.h>
#include <nccl.h>

#include <Kokkos_Core.hpp>
#include <cg_common/conjugate_gradients.hpp>
#include <cg_common/problem.hpp>
#include <cg_mpi/ghosts.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <nccl_common/communicator.hpp>
#include <nccl_common/ranks.hpp>
#include <vector>

namespace {

using cg::Vector;
using examples::check_nccl;
using examples::Communicator;

using Dots = Kokkos::View<cg::Dots>;

// The messages to and from all neighbors, stored consecutively. Entries are
// received directly where the product reads them.
struct Messages {
  explicit Messages(cg::Ghosts const& ghosts)
      : sends(ghosts.sends),
        receives(ghosts.receives),
        sent(cg::copy_to_device("sent", ghosts.sent)),
        outgoing(Kokkos::view_alloc("outgoing", Kokkos::WithoutInitializing),
                 ghosts.sent.size()) {}

  std::vector<cg::Exchange> sends;
  std::vector<cg::Exchange> receives;
  Kokkos::View<int*> sent;
  Vector outgoing;
};

void pack(Vector const& u, Messages const& messages) {
  auto const sent     = messages.sent;
  auto const outgoing = messages.outgoing;
  Kokkos::parallel_for(
      "cg: pack", sent.extent(0),
      KOKKOS_LAMBDA(std::size_t n) { outgoing(n) = u(sent(n)); });
}

// Fills the ghosts of `u`, which come after the `count` own entries, with their
// owners' entries.
void exchange_ghosts(Kokkos::Cuda const& exec, Vector const& u,
                     std::size_t count, Messages const& messages,
                     Communicator const& nccl) {
  pack(u, messages);
  check_nccl(ncclGroupStart(), "ncclGroupStart");
  for (auto const& [rank, first, size] : messages.receives)
    check_nccl(
        ncclRecv(u.data() + count + first, static_cast<std::size_t>(size),
                 ncclDouble, rank, nccl, exec.cuda_stream()),
        "ncclRecv");
  for (auto const& [rank, first, size] : messages.sends)
    check_nccl(ncclSend(messages.outgoing.data() + first,
                        static_cast<std::size_t>(size), ncclDouble, rank, nccl,
                        exec.cuda_stream()),
               "ncclSend");
  check_nccl(ncclGroupEnd(), "ncclGroupEnd");
}

cg::Solution solve(cg::Problem const& problem, cg::Traffic& traffic) {
  Kokkos::DefaultExecutionSpace const exec;
  Communicator const nccl;
  cg::Ghosts const ghosts(problem.rows, problem.blocks, problem.pes.me);
  Messages const messages(ghosts);
  cg::SparseRows const a(problem.rows, ghosts.column);
  auto const count = static_cast<std::size_t>(problem.rows.count());
  Vector const u("u", count + static_cast<std::size_t>(ghosts.n_ghosts));
  Dots const dots("dot products");

  traffic = {"received entries", static_cast<double>(ghosts.n_ghosts)};
  auto const exchange = [&] {
    exchange_ghosts(exec, u, count, messages, nccl);
  };
  auto const add_up = [&](Dots const& mine) {
    static_assert(sizeof(cg::Dots) == 2 * sizeof(double));
    check_nccl(ncclAllReduce(mine.data(), mine.data(), 2, ncclDouble, ncclSum,
                             nccl, exec.cuda_stream()),
               "ncclAllReduce");
    return mine;
  };
  // NCCL connects ranks when they first exchange data.
  exchange_ghosts(exec, u, count, messages, nccl);
  add_up(dots);
  exec.fence("cg: start");
  return cg::conjugate_gradients(problem, a, u, dots, exchange, add_up);
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    status = cg::run(
        argc, argv,
        {examples::my_rank(), examples::rank_count(), examples::sum_over_ranks,
         examples::max_over_ranks, examples::sum_before},
        solve);
  } catch (std::exception const& error) {
    // This rank may be the only one that is out of memory; the others would
    // wait for it.
    std::fprintf(stderr, "cg_nccl: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

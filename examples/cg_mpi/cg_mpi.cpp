// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Conjugate gradients with Kokkos Views and MPI messages. Compare it with
// ../cg_solve/cg_solve.cpp, which does the same with an exchange plan. The two
// differ in how a PE gets entries from other PEs, and in how dot products are
// summed.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cg_common/conjugate_gradients.hpp>
#include <cg_common/problem.hpp>
#include <cg_mpi/ghosts.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace {

using cg::Vector;

// Host memory that kernels can access, so that any MPI can read and write it.
// (With a GPU-aware MPI, a Vector would suffice.)
using Message = Kokkos::View<double*, Kokkos::SharedHostPinnedSpace>;
using Dots    = Kokkos::View<cg::Dots, Kokkos::SharedHostPinnedSpace>;

double sum_over_ranks(double mine) {
  double sum = 0;
  MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sum;
}

double max_over_ranks(double mine) {
  double max = 0;
  MPI_Allreduce(&mine, &max, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return max;
}

double sum_before(double mine) {
  double sum = 0;
  int rank   = 0;
  MPI_Exscan(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank == 0 ? 0 : sum;  // undefined on the first rank
}

cg::Pes all_ranks() {
  int rank    = 0;
  int n_ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
  return {rank, n_ranks, sum_over_ranks, max_over_ranks, sum_before};
}

// The messages to and from all neighbors, stored consecutively.
struct Messages {
  explicit Messages(cg::Ghosts const& ghosts)
      : sends(ghosts.sends),
        receives(ghosts.receives),
        sent(cg::copy_to_device("sent", ghosts.sent)),
        outgoing(allocate("outgoing", ghosts.sent.size())),
        incoming(
            allocate("incoming", static_cast<std::size_t>(ghosts.n_ghosts))) {}

  static Message allocate(std::string const& label, std::size_t count) {
    return Message(Kokkos::view_alloc(label, Kokkos::WithoutInitializing),
                   count);
  }

  std::vector<cg::Exchange> sends;
  std::vector<cg::Exchange> receives;
  Kokkos::View<int*> sent;
  Message outgoing;
  Message incoming;
};

void pack(Vector const& u, Messages const& messages) {
  auto const sent     = messages.sent;
  auto const outgoing = messages.outgoing;
  Kokkos::parallel_for(
      "cg: pack", sent.extent(0),
      KOKKOS_LAMBDA(std::size_t n) { outgoing(n) = u(sent(n)); });
}

// The ghosts come after the `count` own entries.
void unpack(Messages const& messages, Vector const& u, std::size_t count) {
  auto const incoming = messages.incoming;
  Kokkos::parallel_for(
      "cg: unpack", incoming.extent(0),
      KOKKOS_LAMBDA(std::size_t n) { u(count + n) = incoming(n); });
}

// Fills the ghosts of `u` with the entries of their owners.
void exchange_ghosts(Vector const& u, std::size_t count,
                     Messages const& messages) {
  std::vector<MPI_Request> requests;
  requests.reserve(messages.sends.size() + messages.receives.size());

  pack(u, messages);
  Kokkos::fence("cg: packed, and the messages before unpacked");

  // Two ranks exchange one message each way, so a single tag is enough for all
  // messages.
  for (auto const& [rank, first, size] : messages.receives)
    MPI_Irecv(messages.incoming.data() + first, size, MPI_DOUBLE, rank, 0,
              MPI_COMM_WORLD, &requests.emplace_back());
  for (auto const& [rank, first, size] : messages.sends)
    MPI_Isend(messages.outgoing.data() + first, size, MPI_DOUBLE, rank, 0,
              MPI_COMM_WORLD, &requests.emplace_back());
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
              MPI_STATUSES_IGNORE);

  unpack(messages, u, count);
}

// Kernels receive the sums as arguments.
cg::Dots sums_over_ranks(Dots const& mine) {
  Kokkos::fence("cg: dot products are there");
  cg::Dots sums;
  MPI_Allreduce(mine.data(), &sums, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  return sums;
}

cg::Solution solve(cg::Problem const& problem, cg::Traffic& traffic) {
  cg::Ghosts const ghosts(problem.rows, problem.blocks, problem.pes.me);
  Messages const messages(ghosts);
  cg::SparseRows const a(problem.rows, ghosts.column);
  auto const count = static_cast<std::size_t>(problem.rows.count());
  Vector const u("u", count + messages.incoming.size());
  Dots const dots("dot products");

  traffic = {"received entries", static_cast<double>(ghosts.n_ghosts)};
  auto const exchange = [&] { exchange_ghosts(u, count, messages); };
  return cg::conjugate_gradients(problem, a, u, dots, exchange,
                                 sums_over_ranks);
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    status = cg::run(argc, argv, all_ranks(), solve);
  } catch (std::exception const& error) {
    // This rank may be the only one that is out of memory; the others would
    // wait for it.
    std::fprintf(stderr, "cg_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

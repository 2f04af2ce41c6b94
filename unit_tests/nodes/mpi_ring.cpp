// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Sends blocks around a ring of MPI processes, as many rounds as the argument
// says, and checks them: what check_cluster.sh tries clusters with.

#include <mpi.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int count = 5000;

int value(int from, int round, int i) { return from * 1000000 + round + i; }

int count_errors(int rounds) {
  int me = 0;
  int n  = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  int const left = (me + n - 1) % n;
  int errors     = 0;
  static std::array<int, count> mine;
  static std::array<int, count> theirs;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < count; ++i) {
      mine.at(static_cast<std::size_t>(i)) = value(me, round, i);
    }
    MPI_Sendrecv(mine.data(), count, MPI_INT, (me + 1) % n, 0, theirs.data(),
                 count, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) {
      if (theirs.at(static_cast<std::size_t>(i)) != value(left, round, i)) {
        ++errors;
      }
    }
  }
  return errors;
}

void say_where() {
  int me    = 0;
  int n     = 0;
  int local = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, me, MPI_INFO_NULL,
                      &node);
  MPI_Comm_size(node, &local);
  std::array<char, 100> host{};
  if (::gethostname(host.data(), host.size() - 1) != 0) host.at(0) = '?';
  std::printf("%d of %d, one of %d on %s\n", me, n, local, host.data());
  MPI_Comm_free(&node);
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  say_where();
  int const errors = count_errors(argc > 1 ? std::atoi(argv[1]) : 10);
  std::printf("%d errors\n", errors);
  MPI_Finalize();
  return errors == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_CHECK_MPI_CASES_HPP
#define SYMM_TEST_CHECK_MPI_CASES_HPP

#include <mpi.h>

#include <cstddef>
#include <vector>

#include "cases.hpp"

// The order that messages and collective calls of MPI make, or not: a PE that
// gets data of another one knows what that one has done before.
namespace symm_test {

inline MPI_Datatype const type = MPI_INT;
inline MPI_Comm world() { return MPI_COMM_WORLD; }
inline std::size_t n() { return static_cast<std::size_t>(symm::n_pes()); }

inline void send(int to, int tag = 0, MPI_Comm comm = MPI_COMM_WORLD) {
  int const value = 7;
  MPI_Send(&value, 1, MPI_INT, to, tag, comm);
}
inline void receive(int from, int tag = 0, MPI_Comm comm = MPI_COMM_WORLD) {
  int value = 0;
  MPI_Recv(&value, 1, MPI_INT, from, tag, comm, MPI_STATUS_IGNORE);
}

/// What a call of MPI sends and receives: `n()` of MPI_INT, or one.
struct Buffers {
  std::vector<int> mine  = std::vector<int>(n(), 1);
  std::vector<int> all   = std::vector<int>(n(), 0);
  std::vector<int> ones  = std::vector<int>(n(), 1);
  std::vector<int> zeros = std::vector<int>(n(), 0);
  std::vector<int> places;
  int m = 1;
  int a = 0;

  Buffers() {
    for (std::size_t i = 0; i < n(); ++i) places.push_back(static_cast<int>(i));
  }
};

}  // namespace symm_test

#endif

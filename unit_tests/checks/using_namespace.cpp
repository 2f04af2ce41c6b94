// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Compiles: a file that says `using namespace symm` goes on to have the names
// of C, POSIX and the standard library.

#ifndef SYMM_WITHOUT_MPI
#include <mpi.h>
#endif
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <tuple>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

using namespace std;
using namespace symm;

int use_common_names(int n);

int use_common_names(int n) {
  void* memory = malloc(16);
  memory       = realloc(memory, 32);
  void* zeros  = calloc(2, 8);
  free(zeros);
  void* start       = memory;
  std::size_t space = 32;
  void* const found = align(16, 16, start, space);
  free(memory);

  sync();
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);

  vector<int> from{n, 2}, to(2);
  copy(from.begin(), from.end(), to.begin());
  swap(from, to);
  auto const pair      = make_pair(1, 2);
  auto const three     = tuple(1, 2, 3);
  array<int, 2> values = {4, 5};
  atomic<int> counter{0};
  atomic_fetch_add(&counter, 1);
  atomic_thread_fence(memory_order_seq_cst);
  exchange(values[0], 6);
  int tag = 0;
#ifndef SYMM_WITHOUT_MPI
  MPI_Status const status{};
  tag = status.MPI_TAG;
#endif
  return get<0>(pair) + get<1>(three) + get<1>(values) + tag +
         reduce(from.begin(), from.end()) + min(n, 3) + max(n, 4) +
         (found == nullptr ? 0 : 1) + counter.load();
}

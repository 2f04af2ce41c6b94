// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Starting MPI, and starting the detector in a program with MPI.
#include "MpiStart.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

#include "../bootstrap/Bootstrap.hpp"
#include "MpiCommunicator.hpp"

namespace symm::Impl::check {

namespace {

/// Whether the program is linked to this library's MPI functions.
bool are_functions_seen() {
  static char const here = 0;
  Dl_info this_library{};
  Dl_info linked_library{};
  auto* const linked = ::dlsym(RTLD_DEFAULT, "MPI_Send");
  return linked == nullptr ||  // a statically linked program
         ::dladdr(&here, &this_library) == 0 ||
         ::dladdr(linked, &linked_library) == 0 ||
         this_library.dli_fbase == linked_library.dli_fbase;
}

bool does_mpi_run() {
  int begun = 0;
  int ended = 0;
  return PMPI_Initialized(&begun) == MPI_SUCCESS && begun != 0 &&
         PMPI_Finalized(&ended) == MPI_SUCCESS && ended == 0;
}

}  // namespace

void begin_mpi(Bootstrap& bootstrap) {
  see_mpi_messages();
  see_mpi_collectives();
  int rank = -1;
  if (does_mpi_run()) {
    MpiCommunicator::begin();
    if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank) != MPI_SUCCESS) rank = -1;
  }
  auto const all = allgather(bootstrap, rank);
  if (bootstrap.my_pe() == 0 && rank >= 0 && !are_functions_seen()) {
    std::fputs(
        "symm: ordering by MPI is not detected: link "
        "KokkosSymmetricSpace::Checked before MPI\n",
        stderr);
  }
  std::vector<bool> are_pes;
  for (auto const process : all) {
    if (process < 0) continue;
    auto const at = static_cast<std::size_t>(process);
    if (at >= are_pes.size()) are_pes.resize(at + 1);
    are_pes[at] = true;
  }
  MpiCommunicator::set_pes(std::move(are_pes));
}

}  // namespace symm::Impl::check

using symm::Impl::check::MpiCommunicator;

// MPI functions.

extern "C" {

int MPI_Init(int* argc, char*** argv) {
  int const result = PMPI_Init(argc, argv);
  if (result == MPI_SUCCESS) MpiCommunicator::begin();
  return result;
}
int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
  int const result = PMPI_Init_thread(argc, argv, required, provided);
  if (result == MPI_SUCCESS) MpiCommunicator::begin();
  return result;
}

}  // extern "C"

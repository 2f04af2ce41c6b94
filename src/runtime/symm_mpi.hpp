// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MPI_HPP
#define SYMM_MPI_HPP

#ifdef SYMM_WITHOUT_MPI
#error "symm_mpi.hpp: the library was built without MPI (SYMM_ENABLE_MPI)"
#endif

#include <mpi.h>

#include <cstdint>
#include <cstring>

#include "bootstrap/Communicator.hpp"

/// The only header that includes mpi.h. Programs need it only to choose which
/// of the job's processes become PEs, and in what order. A program that
/// includes it must itself link against MPI (MPI::MPI_CXX), the same MPI that
/// the library was built with.
namespace symm {

/// Wraps an MPI communicator as an argument for initialize():
/// symm::initialize(argc, argv, symm::communicator(comm)).
/// \param mpi initialize() duplicates this communicator, which must live until
///        initialize() returns.
[[nodiscard]] inline Communicator communicator(MPI_Comm mpi) {
  static_assert(sizeof(MPI_Comm) <= sizeof(std::uintptr_t));
  std::uintptr_t handle = 0;  // MPI_Comm is a pointer or an int
  std::memcpy(&handle, &mpi, sizeof(mpi));
  return Communicator(handle);
}

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_MPI_MAIN_HPP
#define SYMM_TEST_MPI_MAIN_HPP

namespace symm_test {

/// What the main() of an MPI test program starts before its tests.
enum class Start {
  symm,     // symm::ScopeGuard: MPI, Kokkos and the symmetric heap
  kokkos,   // MPI and Kokkos
  mpi,      // MPI, or what replaces it in a build without MPI
  nothing,  // nothing: the tests start everything; the program ends without
            // agreement on the exit status, which mpiexec takes care of
};

/// The default in mpi_main.cpp returns Start::symm. A test program whose tests
/// start the library themselves defines this function and returns less:
///
///     symm_test::Start symm_test::what_to_start() { return Start::mpi; }
Start what_to_start();

}  // namespace symm_test

#endif

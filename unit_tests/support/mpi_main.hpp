// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_MPI_MAIN_HPP
#define SYMM_TEST_MPI_MAIN_HPP

namespace symm_test {

/// What main() of an MPI test program starts before its tests.
enum class Start {
  symm,     // symm::ScopeGuard: MPI, Kokkos and the symmetric heap
  kokkos,   // MPI and Kokkos
  mpi,      // MPI, or what a build without it has in its place
  nothing,  // the tests start all; the program ends without agreement on the
            // exit status, mpiexec takes care of that
};

/// mpi_main.cpp's answer is Start::symm. A test program whose tests start the
/// library themselves defines this function and answers less:
///
///     symm_test::Start symm_test::what_to_start() { return Start::mpi; }
Start what_to_start();

}  // namespace symm_test

#endif

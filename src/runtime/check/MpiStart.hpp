// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_MPI_START_HPP
#define SYMM_CHECK_MPI_START_HPP

namespace symm::Impl {
class Bootstrap;
}

namespace symm::Impl::check {

/// Collective. The PEs exchange their ranks in MPI_COMM_WORLD. If MPI is
/// running, the detector from then on also considers the order that MPI calls
/// establish.
void begin_mpi(Bootstrap& bootstrap);

// These functions do nothing. Calling them makes the linker include the files
// that define them. Otherwise, a linker that reads MPI's library first would
// use MPI's own functions instead of the intercepting ones.
void see_mpi_messages() noexcept;
void see_mpi_collectives() noexcept;

}  // namespace symm::Impl::check

#endif

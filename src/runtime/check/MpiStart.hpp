// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_MPI_START_HPP
#define SYMM_CHECK_MPI_START_HPP

namespace symm::Impl {
class Bootstrap;
}

namespace symm::Impl::check {

/// Collective: PEs tell each other their ranks in MPI_COMM_WORLD. From now on
/// the order that MPI makes is seen, if MPI runs.
void begin_mpi(Bootstrap& bootstrap);

// They do nothing: a call has their files linked. A linker that has read MPI's
// library first would take the functions of that.
void see_mpi_messages() noexcept;
void see_mpi_collectives() noexcept;

}  // namespace symm::Impl::check

#endif

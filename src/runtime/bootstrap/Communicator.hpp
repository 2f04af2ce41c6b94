// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COMMUNICATOR_HPP
#define SYMM_COMMUNICATOR_HPP

#include <cstdint>
#include <optional>

namespace symm {

/// An MPI communicator whose processes become the PEs, in rank order.
/// symm_mpi.hpp converts an MPI_Comm to a Communicator so that no other header
/// needs mpi.h.
class Communicator {
 public:
  /// All of the job's processes: MPI_COMM_WORLD.
  Communicator() = default;

  /// Called only by symm_mpi.hpp.
  explicit Communicator(std::uintptr_t handle) : m_handle(handle) {}
  /// The bits of the MPI_Comm; nullopt for MPI_COMM_WORLD.
  [[nodiscard]] std::optional<std::uintptr_t> handle() const {
    return m_handle;
  }

 private:
  std::optional<std::uintptr_t> m_handle;
};

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BOOTSTRAP_MPI_HPP
#define SYMM_BOOTSTRAP_MPI_HPP

#include <mpi.h>

#include <cstddef>

#include "Bootstrap.hpp"

namespace symm::Impl {

/// The PEs are the processes of a communicator, in the order of its ranks.
class Bootstrap_Mpi final : public Bootstrap {
 public:
  /// Collective over `communicator`, which is duplicated: messages of the
  /// program never meet ours.
  /// Precondition: MPI is initialised and not finalised.
  /// \throws SystemError on this PE.
  explicit Bootstrap_Mpi(MPI_Comm communicator);

  [[nodiscard]] Pe my_pe() const override { return m_rank; }
  [[nodiscard]] int n_pes() const override { return m_size; }
  void barrier() override;
  void allgather(void const* mine, void* all, std::size_t bytes) override;
  /// Frees the duplicate, unless MPI is finalised already, which has freed
  /// everything.
  void close() override;
  [[noreturn]] void abort() noexcept override;

 private:
  MPI_Comm m_communicator = MPI_COMM_NULL;
  int m_rank              = 0;
  int m_size              = 0;
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_NCCL_COMMUNICATOR_HPP
#define SYMM_EXAMPLES_NCCL_COMMUNICATOR_HPP

#include <nccl.h>

namespace examples {

/// \throws std::runtime_error with NCCL's error text if `result` is not
///         success.
void check_nccl(ncclResult_t result, char const* call);

/// An NCCL communicator over all processes in MPI_COMM_WORLD. MPI must outlive
/// it.
class Communicator {
 public:
  /// Collective. Precondition: each process has made its GPU current. Unless
  /// NCCL_NVLS_ENABLE is in the environment, NCCL creates no multicast objects.
  /// \throws std::runtime_error on every process if two processes have the same
  ///         GPU; on this process if NCCL fails.
  Communicator();
  /// Precondition: all enqueued work has finished.
  ~Communicator();
  Communicator(Communicator const&)            = delete;
  Communicator& operator=(Communicator const&) = delete;

  operator ncclComm_t() const { return m_communicator; }

 private:
  ncclComm_t m_communicator = nullptr;
};

}  // namespace examples

#endif

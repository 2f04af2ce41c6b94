// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_NCCL_COMMUNICATOR_HPP
#define SYMM_EXAMPLES_NCCL_COMMUNICATOR_HPP

#include <nccl.h>

namespace examples {

/// \throws std::runtime_error with NCCL's text, if that is no success.
void check_nccl(ncclResult_t result, char const* call);

/// NCCL's communicator of all processes of MPI_COMM_WORLD. MPI must outlive it.
class Communicator {
 public:
  /// Collective. Each process has its GPU current. Without NCCL_NVLS_ENABLE in
  /// the environment, NCCL makes no multicast objects.
  /// \throws std::runtime_error on every process, if two have the same GPU; on
  ///         this one, if NCCL fails.
  Communicator();
  /// All that was enqueued has ended.
  ~Communicator();
  Communicator(Communicator const&)            = delete;
  Communicator& operator=(Communicator const&) = delete;

  operator ncclComm_t() const { return m_communicator; }

 private:
  ncclComm_t m_communicator = nullptr;
};

}  // namespace examples

#endif

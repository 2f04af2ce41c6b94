// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHECK_MPI_REQUESTS_HPP
#define SYMM_CHECK_MPI_REQUESTS_HPP

#include <mpi.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "MpiCommunicator.hpp"

namespace symm::Impl::check {

/// An MPI request's record. It is used when the request completes or, for a
/// persistent request, when the request is started.
struct MpiRequest {
  enum class Kind : std::uint8_t { receive, send, call };

  MpiCommunicator::Pointer communicator;
  Kind kind          = Kind::receive;
  bool is_persistent = false;
  int to             = MPI_PROC_NULL;  // rank, for a send
  int tag            = 0;
  std::vector<std::uint64_t> keys{};  // keys to receive in a collective call
};

/// Stores a request's record.
void remember(MPI_Request request, MpiRequest what);
/// Removes a request's record. \returns nullopt if there is none.
std::optional<MpiRequest> forget(MPI_Request request);

}  // namespace symm::Impl::check

#endif

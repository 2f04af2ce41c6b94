// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cuda_runtime.h>
#include <mpi.h>

#include <cstddef>
#include <cstdlib>
#include <nccl_common/communicator.hpp>
#include <nccl_common/ranks.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

namespace examples {
namespace {

void check_cuda(cudaError_t error, char const* call) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(call) +
                             " failed: " + cudaGetErrorString(error));
}

/// NCCL itself would only report "invalid usage".
void check_that_nobody_shares_a_gpu() {
  int device = 0;
  cudaDeviceProp properties{};
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaGetDeviceProperties(&properties, device),
             "cudaGetDeviceProperties");
  constexpr std::size_t bytes = sizeof properties.uuid.bytes;
  auto const n_ranks          = static_cast<std::size_t>(rank_count());
  std::vector<char> uuids(n_ranks * bytes);
  MPI_Allgather(properties.uuid.bytes, static_cast<int>(bytes), MPI_BYTE,
                uuids.data(), static_cast<int>(bytes), MPI_BYTE,
                MPI_COMM_WORLD);
  std::set<std::string> gpus;
  for (std::size_t rank = 0; rank < n_ranks; ++rank)
    gpus.emplace(&uuids[rank * bytes], bytes);
  if (gpus.size() < n_ranks)
    throw std::runtime_error("NCCL needs a GPU for each process, but " +
                             std::to_string(n_ranks) + " processes have " +
                             std::to_string(gpus.size()) + " GPUs");
}

}  // namespace

void check_nccl(ncclResult_t result, char const* call) {
  if (result != ncclSuccess)
    throw std::runtime_error(std::string(call) +
                             " failed: " + ncclGetErrorString(result));
}

Communicator::Communicator() {
  check_that_nobody_shares_a_gpu();
  if (setenv("NCCL_NVLS_ENABLE", "0", 0) != 0)
    throw std::runtime_error("cannot set NCCL_NVLS_ENABLE");
  ncclUniqueId id{};
  if (my_rank() == 0) check_nccl(ncclGetUniqueId(&id), "ncclGetUniqueId");
  MPI_Bcast(&id, static_cast<int>(sizeof id), MPI_BYTE, 0, MPI_COMM_WORLD);
  check_nccl(ncclCommInitRank(&m_communicator, rank_count(), id, my_rank()),
             "ncclCommInitRank");
}

Communicator::~Communicator() {
  static_cast<void>(ncclCommDestroy(m_communicator));
}

}  // namespace examples

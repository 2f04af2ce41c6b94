// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_IPC_BLOCK_HPP
#define SYMM_PERF_IPC_BLOCK_HPP

#include <cuda_runtime_api.h>
#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "harness/CudaCheck.hpp"
#include "harness/MpiCheck.hpp"

namespace perf {

/// Memory from cudaMalloc on PE `owner`, which PE 0 accesses through CUDA's
/// interprocess handles: what a program without this library would use.
/// Construction and destruction are collective over MPI_COMM_WORLD.
class IpcBlock {
 public:
  IpcBlock(int owner, int my_pe, std::size_t bytes)
      : m_is_owner(owner == my_pe) {
    cudaIpcMemHandle_t handle{};
    if (m_is_owner) {
      check_cuda(cudaMalloc(&m_address, bytes), "cudaMalloc");
      check_cuda(cudaIpcGetMemHandle(&handle, m_address),
                 "cudaIpcGetMemHandle");
    }
    check_mpi(MPI_Bcast(&handle, static_cast<int>(sizeof(handle)), MPI_BYTE,
                        owner, MPI_COMM_WORLD),
              "MPI_Bcast");
    if (my_pe == 0 && !m_is_owner)
      check_cuda(cudaIpcOpenMemHandle(&m_address, handle,
                                      cudaIpcMemLazyEnablePeerAccess),
                 "cudaIpcOpenMemHandle");
  }

  ~IpcBlock() {
    cudaError_t code = cudaSuccess;
    if (!m_is_owner && m_address != nullptr)
      code = cudaIpcCloseMemHandle(m_address);
    int const mpi_code = MPI_Barrier(MPI_COMM_WORLD);  // closed before freed
    if (m_is_owner) code = cudaFree(m_address);
    if (code != cudaSuccess || mpi_code != MPI_SUCCESS)
      static_cast<void>(std::fprintf(stderr, "IpcBlock: cannot be freed: %s\n",
                                     cudaGetErrorName(code)));
  }
  IpcBlock(IpcBlock const&)            = delete;
  IpcBlock& operator=(IpcBlock const&) = delete;

  /// The address on the owner and on PE 0; null elsewhere.
  [[nodiscard]] std::uint64_t* data() const {
    return static_cast<std::uint64_t*>(m_address);
  }

 private:
  bool m_is_owner;
  void* m_address = nullptr;
};

}  // namespace perf

#endif

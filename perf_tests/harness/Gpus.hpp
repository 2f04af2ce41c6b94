// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_GPUS_HPP
#define SYMM_PERF_GPUS_HPP

#include <cstddef>
#include <string>

namespace perf {

// Gpus_Cuda.cpp or, in a build without GPUs, Gpus_None.cpp defines this.

/// The GPUs that a job runs on.
struct Gpus {
  int count    = 0;      ///< different ones
  int max_pes  = 0;      ///< PEs on the GPU that has most of them
  bool has_mps = false;  ///< this PE's
  std::string name;      ///< of this PE's
  std::string versions;  ///< of the CUDA runtime and of what the driver has

  /// Whether any PEs share a GPU. Measurements that need one GPU per PE then
  /// mean something else.
  [[nodiscard]] bool are_shared() const { return max_pes > 1; }
  /// Whether kernels of PEs take turns. A wait in a kernel for another PE's
  /// kernel then takes milliseconds.
  [[nodiscard]] bool take_turns() const { return are_shared() && !has_mps; }
};

/// Collective over MPI_COMM_WORLD; Kokkos must be initialized.
/// \throws std::runtime_error
[[nodiscard]] Gpus gpus_of_job();

/// Free memory of this PE's GPU; 0 without GPUs. \throws std::runtime_error
[[nodiscard]] std::size_t free_gpu_bytes();

/// How much of its GPU's memory each PE can use: an equal part of what is free,
/// the minimum over all PEs. Collective over MPI_COMM_WORLD.
[[nodiscard]] std::size_t gpu_share_bytes(Gpus const& gpus);

}  // namespace perf

#endif

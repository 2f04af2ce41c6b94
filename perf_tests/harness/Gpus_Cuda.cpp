// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <cuda_runtime_api.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <runtime/memory/Device.hpp>
#include "harness/CudaCheck.hpp"
#include "harness/Gpus.hpp"
#include "harness/MpiCheck.hpp"

namespace perf {
namespace {

using symm::Impl::GpuOfPe;

std::vector<GpuOfPe> gather(GpuOfPe const& mine) {
  int pes = 0;
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &pes), "MPI_Comm_size");
  std::vector<GpuOfPe> all(static_cast<std::size_t>(pes));
  int const bytes = static_cast<int>(sizeof mine);
  check_mpi(MPI_Allgather(&mine, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE,
                          MPI_COMM_WORLD),
            "MPI_Allgather");
  return all;
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

std::string versions() {
  int runtime = 0;
  int driver  = 0;
  check_cuda(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
  check_cuda(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
  return version_text(runtime) + ", driver for up to " + version_text(driver);
}

}  // namespace

Gpus gpus_of_job() {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, Kokkos::Cuda().cuda_device()),
             "cudaGetDeviceProperties");
  auto const mine = symm::Impl::identify_device(Kokkos::Cuda().cuda_device());
  std::map<decltype(mine.uuid), int> pes_of;
  for (auto const& gpu : gather(mine)) ++pes_of[gpu.uuid];
  int most = 0;
  for (auto const& [uuid, pes] : pes_of) most = std::max(most, pes);
  return {.count    = static_cast<int>(pes_of.size()),
          .max_pes  = most,
          .has_mps  = mine.has_mps,
          .name     = properties.name,
          .versions = versions()};
}

std::size_t free_gpu_bytes() {
  std::size_t free_bytes  = 0;
  std::size_t total_bytes = 0;
  check_cuda(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
  return free_bytes;
}

std::size_t gpu_share_bytes(Gpus const& gpus) {
  std::uint64_t const mine =
      free_gpu_bytes() / static_cast<std::uint64_t>(gpus.max_pes);
  std::uint64_t least = 0;
  check_mpi(
      MPI_Allreduce(&mine, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD),
      "MPI_Allreduce");
  return least;
}

}  // namespace perf

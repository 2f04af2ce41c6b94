// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_TEST_GPUS_HPP
#define SYMM_TEST_GPUS_HPP

#include <gtest/gtest.h>
#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>

#include "view_helpers.hpp"

namespace symm_test {

/// GPUs that this process sees. Kokkos need not run.
inline int n_gpus() {
  int count = 0;
  EXPECT_EQ(gpuGetDeviceCount(&count), gpuSuccess);
  return count;
}

/// Collective: free memory of this PE's GPU while no PE is at work.
inline std::size_t free_bytes_of_gpu() {
  Kokkos::fence();
  wait_for_all_pes();
  std::size_t free  = 0;
  std::size_t total = 0;
  EXPECT_EQ(gpuMemGetInfo(&free, &total), gpuSuccess);
  wait_for_all_pes();
  return free;
}

/// On which GPU the memory at an address is.
inline int gpu_of(void const* address) {
  auto const memory = gpu_memory_of(address);
  EXPECT_EQ(memory.type, GpuMemory::on_device);
  return memory.device;
}

/// Collective: Kokkos and this PE's part of the heap are on GPU `gpu`, the
/// peers' parts are on theirs, and data get through.
inline void expect_all_is_on(int gpu) {
  EXPECT_EQ(Kokkos::device_id(), gpu);
  EXPECT_EQ(device_of(Gpu()), gpu);
  Kokkos::View<int*, SymmetricGpuSpace> const view("v", 1000);
  EXPECT_EQ(gpu_of(view.data()), gpu);
  int gpu_of_right = gpu;
  MPI_Sendrecv(&gpu, 1, MPI_INT, left(), 0, &gpu_of_right, 1, MPI_INT, right(),
               0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  auto const remote = symm::peer_view(view, right());
  EXPECT_EQ(gpu_of(remote.data()), gpu_of_right);
  symm::barrier_all();
  fill(remote, symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

/// A program's arguments with one for Kokkos.
struct ArgumentsWith {
  explicit ArgumentsWith(std::string argument)
      : of_kokkos(std::move(argument)) {}
  ArgumentsWith(ArgumentsWith const&)            = delete;
  ArgumentsWith& operator=(ArgumentsWith const&) = delete;
  ~ArgumentsWith()                               = default;

  std::string program = "program";
  std::string of_kokkos;
  std::string own = "--own";
  char* values[4] = {program.data(), of_kokkos.data(), own.data(), nullptr};
  int count       = 3;
};

}  // namespace symm_test

#endif

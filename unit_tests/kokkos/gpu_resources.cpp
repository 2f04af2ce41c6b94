// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the library takes of a GPU and of the system: little, and all of it
// comes back.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/ProcessResources.hpp>
#include <support/mpi_main.hpp>

#include "gpus.hpp"
#include "view_helpers.hpp"

symm_test::Start symm_test::what_to_start() { return Start::kokkos; }

namespace {

using namespace symm_test;
using GpuView             = Kokkos::View<int*, SymmetricGpuSpace>;
using HostView            = Kokkos::View<int*, symm::SymmetricHostSpace>;
constexpr std::size_t mib = std::size_t{1} << 20U;

/// Collective: the PEs that share this PE's GPU.
std::size_t n_pes_on_gpu() {
  std::array<char, 32> bus{};
  EXPECT_EQ(gpuDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()),
                                 device_of(Gpu())),
            gpuSuccess);
  auto const all = gather(bus);
  return static_cast<std::size_t>(std::count(all.begin(), all.end(), bus));
}

/// All that a program does with the library, of `bytes` bytes.
void use(std::size_t bytes) {
  GpuView const on_gpu("gpu", bytes / sizeof(int));
  HostView const on_host("host", bytes / sizeof(int));
  symm::barrier_all();
  fill(symm::peer_view(on_gpu, right()), symm::my_pe(), right());
  Kokkos::deep_copy(symm::peer_view(on_host, right()),
                    symm::peer_view(on_gpu, right()));
  symm::barrier_all();
  EXPECT_EQ(count_wrong(on_gpu, left(), symm::my_pe()), 0U);
  EXPECT_EQ(count_wrong(on_host, left(), symm::my_pe()), 0U);
  symm::barrier_all();
}

TEST(GpuMemory, initialize_takes_4_MiB_per_PE_at_most) {
  auto const sharers = n_pes_on_gpu();
  auto const before  = free_bytes_of_gpu();
  symm::initialize();
  auto const after = free_bytes_of_gpu();
  EXPECT_LE(before, after + sharers * 4 * mib);
  symm::finalize();
}

TEST(GpuMemory, a_View_takes_its_size_and_heap_trim_gives_it_back) {
  symm::initialize();
  use(mib);  // with it come the modules of all kernels
  symm::heap_trim();
  auto const sharers = n_pes_on_gpu();
  auto const before  = free_bytes_of_gpu();
  {
    Kokkos::View<char*, SymmetricGpuSpace> const view(
        Kokkos::view_alloc("64 MiB", Kokkos::WithoutInitializing), 64 * mib);
    auto const during = free_bytes_of_gpu();
    EXPECT_GE(before, during + sharers * 64 * mib) << "of whom is it, then?";
    EXPECT_LE(before, during + sharers * 68 * mib);
  }
  symm::heap_trim();
  EXPECT_EQ(free_bytes_of_gpu(), before);
  symm::finalize();
}

TEST(GpuMemory, cycles_leave_no_memory_and_no_descriptors_behind) {
  auto const cycle = [] {
    symm::initialize();
    use(20 * mib);
    symm::heap_trim();
    use(3 * mib);
    EXPECT_EQ(symm::malloc(~std::size_t{0}), nullptr);
    symm::finalize();
  };
  for (int i = 0; i < 2; ++i) cycle();  // the driver keeps some for itself
  auto const memory      = free_bytes_of_gpu();
  auto const descriptors = n_open_descriptors();
  for (int i = 0; i < 5; ++i) cycle();
  EXPECT_EQ(free_bytes_of_gpu(), memory);
  EXPECT_EQ(n_open_descriptors(), descriptors);
}

TEST(GpuMemory, M48_what_a_GPU_has_not_is_refused_and_leaks_nothing) {
  symm::initialize();
  use(mib);
  symm::heap_trim();
  auto const before      = free_bytes_of_gpu();
  auto const descriptors = n_open_descriptors();
  std::size_t free       = 0;
  std::size_t total      = 0;
  EXPECT_EQ(gpuMemGetInfo(&free, &total), gpuSuccess);
  EXPECT_NE(message_of<symm::OutOfMemory>([&] {
              Kokkos::View<char*, SymmetricGpuSpace>(
                  Kokkos::view_alloc("large", Kokkos::WithoutInitializing),
                  total);  // of which the driver has some
            }).find("has no memory for"),
            std::string::npos);
  EXPECT_EQ(free_bytes_of_gpu(), before);
  EXPECT_EQ(n_open_descriptors(), descriptors);
  use(mib);
  symm::finalize();
}

}  // namespace

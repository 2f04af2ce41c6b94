// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_TEST_LATE_STORE_HPP
#define SYMM_TEST_LATE_STORE_HPP

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>

#include <support/gpu.hpp>

namespace symm_test {

/// The minimum duration of a kernel of launch_late_stores(), in milliseconds of
/// the GPU's clock.
inline constexpr int late_ms = 60;

/// The same by the host's clock, less the amount by which the two clocks may
/// differ.
inline constexpr auto late_on_host = std::chrono::milliseconds(late_ms - 5);

__device__ inline unsigned long long nanoseconds_of_gpu() {
#ifdef KOKKOS_ENABLE_CUDA
  unsigned long long result = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(result));
  return result;
#elif defined(__HIP_DEVICE_COMPILE__)
  // Assumed is a clock of 100 MHz, as that of the MI200 series.
  return static_cast<unsigned long long>(wall_clock64()) * 10;
#else
  return 0;  // where Clang reads it for the host
#endif
}

/// Starts a kernel that does nothing for `late_ms` and then stores `what` to
/// `count` integers. Does not wait for the kernel.
inline void launch_late_stores(Gpu const& exec, int* start, std::size_t count,
                               int what) {
  Kokkos::parallel_for(
      "late stores",
      Kokkos::RangePolicy<Gpu, Kokkos::IndexType<std::size_t>>(exec, 0, count),
      KOKKOS_LAMBDA(std::size_t i) {
        KOKKOS_IF_ON_DEVICE(
            (auto const end = nanoseconds_of_gpu() + late_ms * 1'000'000ULL;
             while (nanoseconds_of_gpu() < end){}))
        start[i] = what;
      });
}

}  // namespace symm_test

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Looks at the memory of the GPU: no other test may be at work.

#include <cstddef>

#include <kokkos/gpus.hpp>
#include <registration/registration_test.hpp>
#include <runtime/CudaProgram.hpp>

namespace {

using namespace symm_test;

TEST(RegisteredGpuMemory, R23_memory_returns_to_the_GPU) {
  constexpr std::size_t large = 512 * mib;
  auto const before           = free_bytes_of_gpu();
  CudaProgram memory(symm::MemoryKind::device, large, gpu::by_descriptor, 1,
                     device_of(Gpu()));
  auto* const address =
      symm::buffer_register_symmetric(memory.address(), large, 0);
  EXPECT_NE(address, nullptr) << symm::last_error();
  EXPECT_LE(free_bytes_of_gpu() + large, before);
  unregister(address, large);
  memory.unmap();
  auto const after = free_bytes_of_gpu();
  EXPECT_LE(before, after + 64 * mib) << "all of it has come back";
}

}  // namespace

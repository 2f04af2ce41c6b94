// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <string>

#include "../memory/Device.hpp"
#include "../symm_errors.hpp"
#include "CudaDriver.hpp"
#include "Vmm_Cuda.hpp"

namespace symm::Impl {

int n_devices() {
  auto const& driver = CudaDriver::instance();
  int count          = 0;
  driver.check(driver.cuDeviceGetCount(&count), "counting GPUs",
               "cuDeviceGetCount");
  if (count == 0) throw SystemError("the CUDA driver finds no GPU");
  return count;
}

std::unique_ptr<MemoryProvider> make_device_memory(MemoryKind kind, int device,
                                                   int n_pes) {
  int const count = n_devices();
  if (device < 0 || device >= count) {
    throw UsageError("there is no GPU " + std::to_string(device) +
                     "; this process can use GPUs 0 to " +
                     std::to_string(count - 1));
  }
  return std::make_unique<Vmm_Cuda>(CudaDriver::instance(), kind, device,
                                    n_pes);
}

}  // namespace symm::Impl

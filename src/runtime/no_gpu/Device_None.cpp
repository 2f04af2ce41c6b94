// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../memory/Device.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

[[noreturn]] void throw_no_devices() {
  throw SystemError(
      "this build of the library has no GPU support; configure it with "
      "Kokkos_ENABLE_CUDA=ON or Kokkos_ENABLE_HIP=ON");
}

}  // namespace

int n_devices() { throw_no_devices(); }

GpuOfPe identify_device(int) { throw_no_devices(); }

void prepare_devices_for_nodes() {}

char const* how_pes_share_a_gpu() { throw_no_devices(); }

char const* why_kernels_load_late() { return nullptr; }

std::vector<DeviceProperties> describe_devices() { throw_no_devices(); }

std::string device_driver() { throw_no_devices(); }

std::unique_ptr<MemoryProvider> make_device_memory(MemoryKind, int, int) {
  throw_no_devices();
}

}  // namespace symm::Impl

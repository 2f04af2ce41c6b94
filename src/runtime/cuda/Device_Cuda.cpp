// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The NVIDIA-specific functions of the driver and of memory/Device.hpp.

#include <cstdlib>
#include <string>

#include "../base/EnvironmentTable.hpp"
#include "../gpu/Driver.hpp"
#include "../memory/Device.hpp"

namespace symm::Impl {

namespace gpu {

int Driver::attribute(Device device, DeviceAttribute which,
                      std::string const& place) const {
  int value         = 0;
  auto const result = device_get_attribute(&value, which, device);
  if (result == invalid_value) return 0;
  check(result, device_get_attribute.name, [&] {
    return "asking for attribute " + std::to_string(which) + " of " + place;
  });
  return value;
}

std::string Driver::text_of(Result result) const {
  // Both calls fail for error codes that this driver does not recognize.
  char const* name = nullptr;
  char const* text = nullptr;
  if (get_error_name(result, &name) != success) name = nullptr;
  if (get_error_string(result, &text) != success) text = nullptr;
  if (name == nullptr) return "CUDA error " + std::to_string(result);
  return std::string(name) +
         (text == nullptr ? "" : " (" + std::string(text) + ")");
}

std::string Driver::version() const {
  int version = 0;  // 1000 * major + 10 * minor
  run("asking for the version of the driver", driver_get_version, &version);
  return "CUDA driver " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

std::string Driver::architecture(Device device,
                                 std::string const& place) const {
  return std::to_string(attribute(
             device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, place)) +
         "." +
         std::to_string(attribute(
             device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, place));
}

bool Driver::has_mps(Device device, std::string const& place) const {
  // CU_DEVICE_ATTRIBUTE_MPS_ENABLED, which older headers do not define.
  constexpr auto mps_enabled = static_cast<DeviceAttribute>(133);
  return attribute(device, mps_enabled, place) != 0;
}

bool Driver::can_retain_memory() const { return true; }

}  // namespace gpu

void prepare_devices_for_nodes() {
  // Does not override variables that are already set. (setenv() is safe here:
  // the library has not started other threads yet.)
  static_cast<void>(::setenv(environment::module_loading.names[0], "EAGER", 0));
  static_cast<void>(::setenv(environment::gpu_connections.names[0], "8", 0));
}

char const* how_pes_share_a_gpu() {
  return " and take turns on it; to run their kernels concurrently, start MPS "
         "(nvidia-cuda-mps-control -d) before the job";
}

char const* why_kernels_load_late() {
  auto const& driver       = gpu::Driver::instance();
  CUmoduleLoadingMode mode = CU_MODULE_EAGER_LOADING;
  driver.run("asking when kernels are loaded", driver.module_get_loading_mode,
             &mode);
  return mode == CU_MODULE_LAZY_LOADING
             ? "CUDA loads kernels at their first launch in this process; set "
               "CUDA_MODULE_LOADING=EAGER, or call initialize() before CUDA "
               "is initialized"
             : nullptr;
}

}  // namespace symm::Impl

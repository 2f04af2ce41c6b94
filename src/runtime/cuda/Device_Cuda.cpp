// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string>
#include <vector>

#include "../base/EnvironmentTable.hpp"
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

void prepare_devices_for_nodes() {
  // Does not override variables that are already set. (setenv() is safe here:
  // the library has not started other threads yet.)
  static_cast<void>(::setenv(environment::module_loading.names[0], "EAGER", 0));
  static_cast<void>(::setenv(environment::gpu_connections.names[0], "8", 0));
}

bool loads_kernels_at_launch() {
  auto const& driver       = CudaDriver::instance();
  CUmoduleLoadingMode mode = CU_MODULE_EAGER_LOADING;
  driver.check(driver.cuModuleGetLoadingMode(&mode),
               "asking when kernels are loaded", "cuModuleGetLoadingMode");
  return mode == CU_MODULE_LAZY_LOADING;
}

namespace {

bool has_mps(CUdevice device, std::string const& place) {
  // CU_DEVICE_ATTRIBUTE_MPS_ENABLED, which older headers do not define.
  constexpr auto mps_enabled = static_cast<CUdevice_attribute>(133);
  return CudaDriver::instance().attribute(device, mps_enabled, place) != 0;
}

DeviceProperties describe(CudaDriver const& driver, int ordinal, int count) {
  auto const place = "GPU " + std::to_string(ordinal);
  auto const what  = "asking for the properties of " + place;
  auto const check = [&](CUresult result, char const* call) {
    driver.check(result, what, call);
  };
  CUdevice device = 0;
  check(driver.cuDeviceGet(&device, ordinal), "cuDeviceGet");
  auto const attribute = [&](CUdevice_attribute which) {
    return driver.attribute(device, which, place);
  };
  DeviceProperties properties;
  std::array<char, 128> text{};
  int const bytes = static_cast<int>(text.size());
  check(driver.cuDeviceGetName(text.data(), bytes, device), "cuDeviceGetName");
  properties.name = text.data();
  check(driver.cuDeviceGetPCIBusId(text.data(), bytes, device),
        "cuDeviceGetPCIBusId");
  properties.bus_address = text.data();
  properties.architecture =
      std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)) +
      "." +
      std::to_string(attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  check(driver.cuDeviceTotalMem(&properties.memory_bytes, device),
        "cuDeviceTotalMem");
  properties.has_virtual_memory =
      attribute(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) != 0;
  properties.has_file_descriptors =
      attribute(
          CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED) != 0;
  properties.has_host_memory =
      attribute(
          CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) !=
      0;
  properties.has_mps = has_mps(device, place);
  for (int other = 0; other < count; ++other) {
    if (other == ordinal) continue;
    CUdevice peer  = 0;
    int can_access = 0;
    check(driver.cuDeviceGet(&peer, other), "cuDeviceGet");
    check(driver.cuDeviceCanAccessPeer(&can_access, device, peer),
          "cuDeviceCanAccessPeer");
    if (can_access != 0) properties.peers.push_back(other);
  }
  return properties;
}

}  // namespace

GpuOfPe identify_device(int device) {
  auto const& driver = CudaDriver::instance();
  auto const place   = "GPU " + std::to_string(device);
  auto const what    = "asking which one " + place + " is";
  CUdevice handle    = 0;
  driver.check(driver.cuDeviceGet(&handle, device), what, "cuDeviceGet");
  CUuuid uuid{};
  driver.check(driver.cuDeviceGetUuid(&uuid, handle), what, "cuDeviceGetUuid");
  GpuOfPe gpu;
  std::copy(std::begin(uuid.bytes), std::end(uuid.bytes), gpu.uuid.begin());
  gpu.has_mps = has_mps(handle, place);
  return gpu;
}

std::vector<DeviceProperties> describe_devices() {
  int const count = n_devices();
  std::vector<DeviceProperties> all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    all.push_back(describe(CudaDriver::instance(), ordinal, count));
  }
  return all;
}

std::string device_driver() {
  auto const& driver = CudaDriver::instance();
  int version        = 0;  // 1000 * major + 10 * minor
  driver.check(driver.cuDriverGetVersion(&version),
               "asking for the version of the driver", "cuDriverGetVersion");
  return "CUDA driver " + std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
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

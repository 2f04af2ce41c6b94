// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "../memory/Device.hpp"
#include "../symm_errors.hpp"
#include "Driver.hpp"
#include "Vmm_Gpu.hpp"

namespace symm::Impl {

int n_devices() {
  auto const& driver = gpu::Driver::instance();
  int count          = 0;
  driver.run("counting GPUs", driver.device_get_count, &count);
  if (count == 0) {
    throw SystemError(std::string("the ") + gpu::text::driver +
                      " finds no GPU");
  }
  return count;
}

namespace {

DeviceProperties describe(gpu::Driver const& driver, int ordinal, int count) {
  auto const place   = "GPU " + std::to_string(ordinal);
  auto const what    = "asking for the properties of " + place;
  gpu::Device device = 0;
  driver.run(what, driver.device_get, &device, ordinal);
  auto const attribute = [&](gpu::DeviceAttribute which) {
    return driver.attribute(device, which, place);
  };
  DeviceProperties properties;
  std::array<char, 128> text{};
  int const bytes = static_cast<int>(text.size());
  driver.run(what, driver.device_get_name, text.data(), bytes, device);
  properties.name = text.data();
  driver.run(what, driver.device_get_bus_id, text.data(), bytes, device);
  properties.bus_address  = text.data();
  properties.architecture = driver.architecture(device, place);
  driver.run(what, driver.device_total_mem, &properties.memory_bytes, device);
  properties.has_virtual_memory   = attribute(gpu::has_virtual_memory) != 0;
  properties.has_file_descriptors = attribute(gpu::has_file_descriptors) != 0;
  properties.has_host_memory      = attribute(gpu::has_host_memory) != 0;
  properties.has_mps              = driver.has_mps(device, place);
  for (int other = 0; other < count; ++other) {
    if (other == ordinal) continue;
    gpu::Device peer = 0;
    int can_access   = 0;
    driver.run(what, driver.device_get, &peer, other);
    driver.run(what, driver.device_can_access_peer, &can_access, device, peer);
    if (can_access != 0) properties.peers.push_back(other);
  }
  return properties;
}

}  // namespace

GpuOfPe identify_device(int device) {
  auto const& driver = gpu::Driver::instance();
  auto const place   = "GPU " + std::to_string(device);
  auto const what    = "asking which one " + place + " is";
  gpu::Device handle = 0;
  driver.run(what, driver.device_get, &handle, device);
  gpu::Uuid uuid{};
  driver.run(what, driver.device_get_uuid, &uuid, handle);
  GpuOfPe result;
  std::copy(std::begin(uuid.bytes), std::end(uuid.bytes), result.uuid.begin());
  result.has_mps = driver.has_mps(handle, place);
  result.n_multiprocessors =
      driver.attribute(handle, gpu::n_multiprocessors, place);
  return result;
}

std::vector<DeviceProperties> describe_devices() {
  int const count = n_devices();
  std::vector<DeviceProperties> all;
  for (int ordinal = 0; ordinal < count; ++ordinal) {
    all.push_back(describe(gpu::Driver::instance(), ordinal, count));
  }
  return all;
}

std::string device_driver() { return gpu::Driver::instance().version(); }

std::unique_ptr<MemoryProvider> make_device_memory(MemoryKind kind, int device,
                                                   int n_pes) {
  int const count = n_devices();
  if (device < 0 || device >= count) {
    throw UsageError("there is no GPU " + std::to_string(device) +
                     "; this process can use GPUs 0 to " +
                     std::to_string(count - 1));
  }
  return std::make_unique<Vmm_Gpu>(gpu::Driver::instance(), kind, device,
                                   n_pes);
}

}  // namespace symm::Impl

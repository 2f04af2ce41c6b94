// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The AMD-specific functions of the driver and of memory/Device.hpp.

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <string>

#include "../base/EnvironmentTable.hpp"
#include "../gpu/Driver.hpp"
#include "../memory/Device.hpp"

namespace symm::Impl {

namespace gpu {

namespace {

/// Whether HIP accepts a place for memory of a device. (HIP 5.2.3 has no
/// attribute for this. HIP need not look at the handle type here.)
bool has_memory(Driver const& driver, Device device, Location const& place,
                HandleType types) {
  MemoryProperties properties{};
  properties.type          = pinned;
  properties.location      = place;
  handle_types(properties) = types;
  std::size_t bytes        = 0;
  int before               = 0;
  if (driver.get_device(&before) != success ||
      driver.set_device(device) != success) {
    return false;
  }
  auto const result = driver.mem_get_allocation_granularity(
      &bytes, &properties, minimum_granularity);
  return driver.set_device(before) == success && result == success;
}

/// The NUMA node next to a GPU, which Linux knows; -1 if it does not.
int numa_node_of(Driver const& driver, Device device,
                 std::string const& place) {
  std::array<char, 32> bus{};
  driver.run("asking for the place of " + place, driver.device_get_bus_id,
             bus.data(), static_cast<int>(bus.size()), device);
  std::string name = bus.data();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return static_cast<char>(std::tolower(c));
  });
  int node = -1;
  std::ifstream("/sys/bus/pci/devices/" + name + "/numa_node") >> node;
  return node;
}

}  // namespace

int Driver::attribute(Device device, DeviceAttribute which,
                      std::string const& place) const {
  auto const has = [&](Location const& there, HandleType types) {
    return has_memory(*this, device, there, types) ? 1 : 0;
  };
  if (which == has_virtual_memory) return has({on_device, device}, by_nothing);
  if (which == has_file_descriptors) {
    return has({on_device, device}, by_descriptor);
  }
  if (which == has_fabric) return 0;
  if (which == numa_node) return numa_node_of(*this, device, place);
  if (which == has_host_memory) {
    int const node = std::max(numa_node_of(*this, device, place), 0);
    return has({on_numa_node, node}, by_descriptor);
  }
  int value = 0;
  run("asking for attribute " + std::to_string(which) + " of " + place,
      device_get_attribute, &value, which, device);
  return value;
}

std::string Driver::text_of(Result result) const {
  return std::string(get_error_name(result)) + " (" + get_error_string(result) +
         ")";
}

std::string Driver::version() const {
  int version = 0;  // 10^7 * major + 10^5 * minor + patch
  run("asking for the version of HIP", driver_get_version, &version);
  return "HIP " + std::to_string(version / 10'000'000) + "." +
         std::to_string(version / 100'000 % 100);
}

std::string Driver::architecture(Device device,
                                 std::string const& place) const {
  hipDeviceProp_t properties{};
  run("asking for the architecture of " + place, get_device_properties,
      &properties, device);
  return properties.gcnArchName;
}

// HIP does not tell, so a kernel never waits for a PE that shares its GPU.
bool Driver::has_mps(Device, std::string const&) const { return false; }

// In earlier versions, the function does not add a reference, and it crashes if
// no such memory is mapped at the address. (This is from ROCm's sources, whose
// commits are from 2026. Nobody has tried in which version they are.)
bool Driver::can_retain_memory() const {
  constexpr int since = 71'500'000;
  int version         = 0;
  return driver_get_version(&version) == success && version >= since;
}

}  // namespace gpu

// HIP reads its variable when a program's kernels are registered, before
// main(): only the program's environment can set it.
void prepare_devices_for_nodes() {}

char const* how_pes_share_a_gpu() {
  return "; the library assumes that they take turns on it";
}

char const* why_kernels_load_late() {
  auto const setting = setting_of(environment::hip_loading);
  return setting && setting->text == "0"
             ? nullptr
             : "HIP may load kernels at their first launch; try to set "
               "HIP_ENABLE_DEFERRED_LOADING=0 before the program starts";
}

}  // namespace symm::Impl

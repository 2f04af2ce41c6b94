// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Config.hpp"

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace fake_cuda {

namespace {

std::string text_of(char const* variable, char const* otherwise) {
  char const* const value = std::getenv(variable);
  return value != nullptr ? value : otherwise;
}

std::vector<std::string> parts_of(std::string const& list) {
  std::vector<std::string> parts;
  std::istringstream in(list);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

/// Calls set(device) for the devices that the variable lists.
template <class Set>
void for_listed(char const* variable, std::vector<Device>& devices,
                Set const& set) {
  for (auto const& part : parts_of(text_of(variable, ""))) {
    set(devices.at(std::stoul(part)));
  }
}

std::vector<Device> read_devices() {
  std::vector<Device> devices(std::stoul(text_of("FAKE_CUDA_DEVICES", "1")));
  auto const sizes = parts_of(text_of("FAKE_CUDA_MEMORY", "16384"));
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto const& size        = sizes[std::min(i, sizes.size() - 1)];
    devices[i].memory_bytes = std::stoul(size) << 20U;
  }
  for_listed("FAKE_CUDA_NO_VMM", devices,
             [](Device& device) { device.has_vmm = false; });
  for_listed("FAKE_CUDA_NO_DESCRIPTORS", devices,
             [](Device& device) { device.has_descriptors = false; });
  for_listed("FAKE_CUDA_NO_HOST_NUMA", devices,
             [](Device& device) { device.has_host_numa = false; });
  for_listed("FAKE_CUDA_SMALL", devices,
             [](Device& device) { device.n_multiprocessors = 56; });
  return devices;
}

/// The first entry that is no device ends the list, as the driver has it.
std::vector<int> read_visible(int n_devices) {
  std::vector<int> visible;
  if (std::getenv("CUDA_VISIBLE_DEVICES") == nullptr) {
    for (int i = 0; i < n_devices; ++i) visible.push_back(i);
    return visible;
  }
  for (auto const& part : parts_of(text_of("CUDA_VISIBLE_DEVICES", ""))) {
    std::istringstream in(part);
    int device = -1;
    if (!(in >> device) || device < 0 || device >= n_devices) break;
    visible.push_back(device);
  }
  return visible;
}

Fabric read_fabric() {
  auto const text = text_of("FAKE_CUDA_FABRIC", "absent");
  if (text == "denied") return Fabric::denied;
  if (text == "granted") return Fabric::granted;
  if (text == "import_denied") return Fabric::import_denied;
  return Fabric::absent;
}

}  // namespace

Config Config::from_environment() {
  Config config;
  config.machine       = text_of("FAKE_CUDA_MACHINE", "0");
  config.device_name   = text_of("FAKE_CUDA_NAME", "Fake H200");
  config.devices       = read_devices();
  config.visible       = read_visible(static_cast<int>(config.devices.size()));
  config.fabric        = read_fabric();
  config.has_read_only = text_of("FAKE_CUDA_READ_ONLY", "") != "refused";
  config.has_mps       = text_of("FAKE_CUDA_MPS", "") == "1";
  config.is_eager      = text_of("CUDA_MODULE_LOADING", "") == "EAGER";
  for (auto const& part : parts_of(text_of("FAKE_CUDA_NO_PEER", ""))) {
    auto const dash = part.find('-');
    int const first = std::stoi(part);
    int const other = std::stoi(part.substr(dash + 1));
    config.unreachable.insert({std::min(first, other), std::max(first, other)});
  }
  return config;
}

}  // namespace fake_cuda

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../../runtime/memory/Device.hpp"
#include "../../runtime/symm_errors.hpp"
#include "Sections.hpp"

namespace symm_info {

Section gpu_driver() {
  Facts facts;
  try {
    facts.emplace_back("driver", text(symm::Impl::device_driver()));
    facts.emplace_back(
        "gpus", number(static_cast<std::uint64_t>(symm::Impl::n_devices())));
  } catch (symm::Error const& error) {
    facts.emplace_back("driver", with_remark(nothing("none"), error.what()));
    facts.emplace_back("gpus", number(0));
  }
  return {"gpu_driver", false, {facts}};
}

Section gpus() {
  Section section{"gpu", true, {}};
  std::vector<symm::Impl::DeviceProperties> all;
  try {
    all = symm::Impl::describe_devices();
  } catch (symm::Error const&) {
    return section;  // gpu_driver() reports why
  }
  for (auto const& gpu : all) {
    Facts facts;
    facts.emplace_back("name", text(gpu.name));
    facts.emplace_back("bus_address", text(gpu.bus_address));
    facts.emplace_back("architecture", text(gpu.architecture));
    facts.emplace_back("memory", bytes(gpu.memory_bytes));
    facts.emplace_back("virtual_memory", flag(gpu.has_virtual_memory));
    facts.emplace_back("file_descriptors", flag(gpu.has_file_descriptors));
    facts.emplace_back("host_memory", flag(gpu.has_host_memory));
    facts.emplace_back("mps", flag(gpu.has_mps));
    facts.emplace_back("peers", numbers(gpu.peers));
    section.items.push_back(facts);
  }
  return section;
}

}  // namespace symm_info

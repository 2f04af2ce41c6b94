// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <sched.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "../../runtime/memory/Vmm_HostMemfd.hpp"
#include "../../runtime/symm_errors.hpp"
#include "Sections.hpp"

// Finds the NUMA nodes of the heap's pages. A page is allocated when a thread
// first touches it, on the node that the thread's memory policy selects. By
// default, this is the node of the thread's CPU.

namespace symm_info {

namespace {

using symm::Impl::Vmm;

/// The numbers in a file that contains a list such as "0-2,5", the system's
/// format for sets of CPUs and nodes. Empty if the file does not exist.
std::vector<int> numbers_in(std::string const& file) {
  std::ifstream in(file);
  std::vector<int> numbers;
  int first = 0;
  while (in >> first) {
    int last = first;
    if (in.peek() == '-') {
      in.ignore();
      in >> last;
    }
    for (int number = first; number <= last; ++number)
      numbers.push_back(number);
    if (in.peek() == ',') in.ignore();
  }
  return numbers;
}

constexpr char const* nodes_folder = "/sys/devices/system/node/";

/// The nodes with at least one CPU that this process may use.
std::vector<int> nodes_of_cpus(std::vector<int> const& nodes) {
  cpu_set_t my_cpus;
  CPU_ZERO(&my_cpus);
  // (If the set is too small for the machine's CPUs, the call fails, and no
  // nodes are found.)
  static_cast<void>(::sched_getaffinity(0, sizeof my_cpus, &my_cpus));
  std::vector<int> found;
  for (int const node : nodes) {
    auto const cpus =
        numbers_in(nodes_folder + ("node" + std::to_string(node)) + "/cpulist");
    if (std::any_of(cpus.begin(), cpus.end(), [&](int cpu) {
          auto const number = static_cast<std::size_t>(cpu);
          return number < CPU_SETSIZE && CPU_ISSET(number, &my_cpus);
        }))
      found.push_back(node);
  }
  return found;
}

/// The fields of one line in /proc/self/numa_maps, such as "7f2c4fe00000
/// default file=/memfd:symm\040(deleted) dirty=512 N0=512 kernelpagesize_kB=4".
struct Placement {
  std::string policy;
  std::vector<int> nodes;  ///< nodes that contain pages
};

std::optional<Placement> placement_of(void const* address) {
  std::ifstream maps("/proc/self/numa_maps");
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::size_t start = 0;
    Placement found;
    words >> std::hex >> start >> found.policy;
    if (start != reinterpret_cast<std::size_t>(address)) continue;
    for (std::string word; words >> word;)
      if (word.size() > 1 && word[0] == 'N' && word[1] >= '0' && word[1] <= '9')
        found.nodes.push_back(std::stoi(word.substr(1)));
    return found;
  }
  return std::nullopt;
}

/// The placement of memory that is allocated like heap memory and first touched
/// by this thread.
std::optional<Placement> placement_of_touched_memory() {
  symm::Impl::Vmm_HostMemfd vmm;
  auto const bytes    = vmm.granularity(Vmm::Granularity::recommended);
  auto* const address = vmm.reserve(bytes, bytes, nullptr);
  auto const handle   = vmm.create(bytes, Vmm::Sharing::by_descriptor);
  vmm.map(address, bytes, 0, handle);
  vmm.set_access(address, bytes, Vmm::Access::read_write);
  vmm.zero(address, bytes);
  auto found = placement_of(address);
  vmm.unmap(address, bytes);
  vmm.release(handle);
  vmm.address_free(address, bytes);
  return found;
}

void add_placement(Facts& facts) {
  auto const name_policy = "memory_policy", name_nodes = "first_touch";
  try {
    if (auto const found = placement_of_touched_memory()) {
      facts.emplace_back(name_policy, text(found->policy));
      facts.emplace_back(name_nodes, numbers(found->nodes));
      return;
    }
    facts.emplace_back(name_policy, nothing("unknown"));
    facts.emplace_back(
        name_nodes, with_remark(nothing("unknown"), "no /proc/self/numa_maps"));
  } catch (symm::Error const& error) {
    facts.emplace_back(name_policy, nothing("unknown"));
    facts.emplace_back(name_nodes,
                       with_remark(nothing("unknown"), error.what()));
  }
}

}  // namespace

Section numa() {
  auto const nodes = numbers_in(std::string(nodes_folder) + "online");
  Facts facts;
  facts.emplace_back("nodes", numbers(nodes));
  facts.emplace_back("nodes_of_cpus", numbers(nodes_of_cpus(nodes)));
  add_placement(facts);
  return {"numa", false, {facts}};
}

}  // namespace symm_info

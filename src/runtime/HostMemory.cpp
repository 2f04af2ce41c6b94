// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "../runtime/HostMemory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace symm {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// The number behind `key` in a file of lines "key number ...".
std::optional<std::size_t> number_of(std::filesystem::path const& file,
                                     std::string const& key) {
  std::ifstream in(file);
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind(key, 0) != 0) continue;
    try {
      return std::stoull(line.substr(key.size()));
    } catch (std::exception const&) {
      return std::nullopt;  // "max"
    }
  }
  return std::nullopt;
}

std::size_t left_in_machine(HostMemoryUse use) {
  constexpr std::size_t kib = 1024;
  auto const available      = number_of("/proc/meminfo", "MemAvailable:");
  if (!available) return unlimited;
  if (use == HostMemoryUse::pinned) return kib * *available;
  return kib *
         (*available + number_of("/proc/meminfo", "SwapFree:").value_or(0));
}

std::size_t left_in_group(std::filesystem::path const& group) {
  auto const limit = number_of(group / "memory.max", "");
  if (!limit) return unlimited;
  auto const used = number_of(group / "memory.current", "").value_or(0);
  auto const reclaimable =
      number_of(group / "memory.stat", "inactive_file ").value_or(0);
  auto const held = used - std::min(used, reclaimable);
  return *limit - std::min(*limit, held);
}

/// Path of our control group below the mount point, such as "/user.slice/job".
std::string own_group() {
  std::ifstream in("/proc/self/cgroup");
  std::string line;
  while (std::getline(in, line)) {
    if (line.rfind("0::", 0) == 0) return line.substr(3);
  }
  return "/";
}

}  // namespace

std::size_t available_host_memory(HostMemoryUse use) {
  std::filesystem::path const root = "/sys/fs/cgroup";
  std::size_t left                 = left_in_machine(use);
  auto group                       = root / own_group().substr(1);
  while (true) {
    left = std::min(left, left_in_group(group));
    if (group == root || !group.has_relative_path()) return left;
    group = group.parent_path();
  }
}

}  // namespace symm

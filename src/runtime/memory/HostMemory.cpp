// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "HostMemory.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace symm::Impl {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// Returns the number after `key` in a file whose lines are "key number ...".
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

/// The file names in the two versions of control groups.
struct GroupFiles {
  char const* limit;
  char const* used;
  char const* reclaimable;  // a key in memory.stat
};
constexpr GroupFiles version_1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                               "total_inactive_file "};
constexpr GroupFiles version_2{"memory.max", "memory.current",
                               "inactive_file "};

std::size_t left_in_group(std::filesystem::path const& group,
                          GroupFiles const& files) {
  auto const limit = number_of(group / files.limit, "");
  if (!limit) return unlimited;
  auto const used = number_of(group / files.used, "").value_or(0);
  auto const reclaimable =
      number_of(group / "memory.stat", files.reclaimable).value_or(0);
  auto const held = used - std::min(used, reclaimable);
  return *limit - std::min(*limit, held);
}

/// Returns the number of bytes left in a group, such as "/user.slice/job", and
/// in its ancestors. Inside a container, the group may appear as the root,
/// although its name is the path outside the container. Therefore, a group
/// whose files do not exist counts as unlimited.
std::size_t left_in_hierarchy(std::filesystem::path const& root,
                              std::string const& own, GroupFiles const& files) {
  std::size_t left = unlimited;
  auto group       = root / own.substr(1);
  while (true) {
    left = std::min(left, left_in_group(group, files));
    if (group == root || !group.has_relative_path()) return left;
    group = group.parent_path();
  }
}

}  // namespace

std::size_t left_in_control_groups(std::filesystem::path const& mount,
                                   std::filesystem::path const& membership) {
  std::size_t left = unlimited;
  std::ifstream in(membership);
  std::string line;
  while (std::getline(in, line)) {  // "number:controllers:/path"
    auto const first  = line.find(':');
    auto const second = line.find(':', first + 1);
    if (second == std::string::npos || line[second + 1] != '/') continue;
    auto const own = line.substr(second + 1);
    // Both versions may be mounted, but only one controls memory.
    if (second == first + 1) {
      left = std::min(left, left_in_hierarchy(mount, own, version_2));
    } else if (("," + line.substr(first + 1, second - first - 1) + ",")
                   .find(",memory,") != std::string::npos) {
      left =
          std::min(left, left_in_hierarchy(mount / "memory", own, version_1));
    }
  }
  return left;
}

std::size_t available_host_memory(HostMemoryUse use) {
  return std::min(left_in_machine(use), left_in_control_groups());
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/ProcessMemory.hpp"

#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace perf {
namespace {

/// The lines "Key:   123 kB" of a file in /proc.
std::map<std::string, std::int64_t> read_kib(char const* file_name) {
  std::map<std::string, std::int64_t> kib_of;
  std::ifstream file(file_name);
  for (std::string line; std::getline(file, line);) {
    auto const colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::istringstream rest(line.substr(colon + 1));
    std::int64_t kib = 0;
    if (rest >> kib) kib_of[line.substr(0, colon)] = kib;
  }
  return kib_of;
}

std::int64_t find(std::map<std::string, std::int64_t> const& kib_of,
                  char const* key) {
  auto const found = kib_of.find(key);
  if (found == kib_of.end())
    throw std::runtime_error(std::string("/proc/self has no line ") + key);
  return found->second;
}

}  // namespace

ProcessMemory process_memory() {
  auto const rollup = read_kib("/proc/self/smaps_rollup");
  auto const status = read_kib("/proc/self/status");
  return {.anonymous   = find(rollup, "Pss_Anon"),
          .shared      = find(rollup, "Pss_Shmem"),
          .file        = find(rollup, "Pss_File"),
          .page_tables = find(status, "VmPTE"),
          .reserved    = find(status, "VmSize")};
}

ProcessMemory operator-(ProcessMemory const& a, ProcessMemory const& b) {
  return {.anonymous   = a.anonymous - b.anonymous,
          .shared      = a.shared - b.shared,
          .file        = a.file - b.file,
          .page_tables = a.page_tables - b.page_tables,
          .reserved    = a.reserved - b.reserved};
}

}  // namespace perf

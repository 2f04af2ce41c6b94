// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <string>

#include <runtime/HostMemory.hpp>

namespace {

/// A line "key: number kB" of /proc/meminfo, in bytes.
std::size_t meminfo(std::string const& key) {
  std::ifstream in("/proc/meminfo");
  std::string word;
  while (in >> word) {
    if (word != key) continue;
    std::size_t kib = 0;
    in >> kib;
    return kib * 1024;
  }
  return 0;
}

TEST(HostMemory, what_is_available_is_not_more_than_the_machine_has) {
  auto const all = meminfo("MemTotal:") + meminfo("SwapTotal:");
  ASSERT_GT(all, 0U);
  EXPECT_LE(symm::available_host_memory(), all);
}

TEST(HostMemory, what_is_available_is_enough_to_run_this_test) {
  EXPECT_GT(symm::available_host_memory(), std::size_t{1} << 20U);
}

// Other processes take and give back memory meanwhile: one of many tries must
// come between two equal looks.
TEST(HostMemory, what_the_machine_has_left_is_what_the_kernel_says) {
  std::ifstream limit_file("/sys/fs/cgroup/memory.max");
  std::size_t limit = 0;
  if (limit_file >> limit) GTEST_SKIP() << "a control group may have less";
  constexpr std::size_t tolerance = std::size_t{1} << 20U;

  auto const left = [] {
    return meminfo("MemAvailable:") + meminfo("SwapFree:");
  };
  bool is_seen = false;
  for (int i = 0; i < 1000 && !is_seen; ++i) {
    auto const before = left();
    auto const found  = symm::available_host_memory();
    auto const after  = left();
    is_seen           = std::max({before, found, after}) <
              std::min({before, found, after}) + tolerance;
  }
  EXPECT_TRUE(is_seen) << left() << " left, found "
                       << symm::available_host_memory();
}

TEST(HostMemory, a_control_group_with_less_than_the_machine_counts) {
  std::ifstream in("/sys/fs/cgroup/memory.max");
  std::size_t limit = 0;
  if (!(in >> limit)) GTEST_SKIP() << "no limit in the group at the root";
  EXPECT_LE(symm::available_host_memory(), limit);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <string>
#include <system_error>

#include <runtime/memory/HostMemory.hpp>

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
  EXPECT_LE(symm::Impl::available_host_memory(), all);
}

TEST(HostMemory, what_is_available_is_enough_to_run_this_test) {
  EXPECT_GT(symm::Impl::available_host_memory(), std::size_t{1} << 20U);
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
    auto const found  = symm::Impl::available_host_memory();
    auto const after  = left();
    is_seen           = std::max({before, found, after}) <
              std::min({before, found, after}) + tolerance;
  }
  EXPECT_TRUE(is_seen) << left() << " left, found "
                       << symm::Impl::available_host_memory();
}

TEST(HostMemory, a_control_group_with_less_than_the_machine_counts) {
  std::ifstream in("/sys/fs/cgroup/memory.max");
  std::size_t limit = 0;
  if (!(in >> limit)) GTEST_SKIP() << "no limit in the group at the root";
  EXPECT_LE(symm::Impl::available_host_memory(), limit);
}

/// Files as the kernel shows them, in a folder of their own.
class ControlGroups : public testing::Test {
 protected:
  ControlGroups() {
    std::string name =
        (std::filesystem::temp_directory_path() / "symm_control_groups_XXXXXX");
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
    m_folder = name;
  }
  ~ControlGroups() override {
    std::error_code ignored;
    std::filesystem::remove_all(m_folder, ignored);
  }

  void write(std::string const& file, std::string const& text) const {
    std::filesystem::create_directories((m_folder / file).parent_path());
    std::ofstream(m_folder / file) << text << "\n";
  }

  [[nodiscard]] std::size_t left() const {
    return symm::Impl::left_in_control_groups(m_folder,
                                              m_folder / "membership");
  }

  std::filesystem::path m_folder;
};

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

TEST_F(ControlGroups, of_version_2_count_with_those_around_them) {
  write("membership", "0::/job/step");
  EXPECT_EQ(left(), unlimited);
  write("job/step/memory.max", "max");
  EXPECT_EQ(left(), unlimited);
  write("job/memory.max", "10000");
  EXPECT_EQ(left(), 10000U);
  write("job/memory.current", "4000");
  EXPECT_EQ(left(), 6000U);
  write("job/memory.stat", "anon 1000\ninactive_file 3000");
  EXPECT_EQ(left(), 9000U);
  write("job/step/memory.max", "500");
  EXPECT_EQ(left(), 500U);
  write("memory.max", "100");
  EXPECT_EQ(left(), 100U);
}

TEST_F(ControlGroups, of_version_1_count_with_those_around_them) {
  write("membership",
        "12:cpu,cpuacct:/other\n5:memory:/job/step\n0::/system.slice");
  EXPECT_EQ(left(), unlimited);
  write("memory/job/step/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_GE(left(), std::size_t{1} << 62U) << "how version 1 says unlimited";
  write("memory/job/memory.limit_in_bytes", "10000");
  EXPECT_EQ(left(), 10000U);
  write("memory/job/memory.usage_in_bytes", "4000");
  EXPECT_EQ(left(), 6000U);
  write("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 3000");
  EXPECT_EQ(left(), 9000U);
  write("memory/other/memory.limit_in_bytes", "1");
  EXPECT_EQ(left(), 9000U);
  write("memory/memory.limit_in_bytes", "100");
  EXPECT_EQ(left(), 100U);
}

TEST_F(ControlGroups, of_a_container_that_sees_its_own_group_only_count) {
  write("membership", "5:memory:/docker/1234");
  write("memory/memory.limit_in_bytes", "10000");
  EXPECT_EQ(left(), 10000U);
}

}  // namespace

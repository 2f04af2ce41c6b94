// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The contract suite on host memory, and what is particular to it.

#include <gmock/gmock.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include <runtime/base/Failure.hpp>
#include <runtime/base/UniqueFd.hpp>
#include <runtime/memory/ReservedPages.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>
#include "VmmContract.hpp"

namespace symm_test {
namespace {

using symm::Impl::HugePages;
using symm::Impl::ReservedPages;
using symm::Impl::Vmm;
using symm::Impl::Vmm_HostMemfd;
using testing::AllOf;
using testing::HasSubstr;

Vmm_HostMemfd with_pages(HugePages pages) {
  return Vmm_HostMemfd(1, symm::Impl::available_pageable_memory, pages);
}

class HostMemfdProvider final : public VmmProvider {
 public:
  explicit HostMemfdProvider(std::string name,
                             HugePages pages = HugePages::never)
      : m_name(std::move(name)), m_pages(pages) {}
  [[nodiscard]] std::string name() const override { return m_name; }
  [[nodiscard]] std::string reason_to_skip() const override {
    // The tests use some hundred at a time.
    constexpr std::size_t n_pages = 300;
    auto const bytes              = bytes_of(m_pages);
    if (bytes == 0) return {};
    for (auto const& pages : ReservedPages::all())
      if (pages.bytes == bytes && pages.n_left >= n_pages) return {};
    return "fewer than " + std::to_string(n_pages) + " pages of " +
           symm::Impl::page_size_text(bytes) + " are reserved";
  }
  [[nodiscard]] std::unique_ptr<symm::Impl::MemoryProvider> make()
      const override {
    auto const pages = reason_to_skip().empty() ? m_pages : HugePages::never;
    return std::make_unique<Vmm_HostMemfd>(
        1, symm::Impl::available_pageable_memory, pages);
  }
  void write(char* to, std::vector<char> const& from) const override {
    std::memcpy(to, from.data(), from.size());
  }
  [[nodiscard]] std::vector<char> read(char const* from,
                                       std::size_t bytes) const override {
    return {from, from + bytes};
  }
  [[nodiscard]] bool can_read(char const* address) const override {
    return symm_test::can_read(address);
  }
  [[nodiscard]] bool can_write(char* address) const override {
    return symm_test::can_write(address);
  }
  [[nodiscard]] bool counts_references() const override { return true; }
  [[nodiscard]] std::optional<std::size_t> in_use() const override {
    return n_memfd_descriptors("symm") + n_memfd_mappings("symm");
  }
  [[nodiscard]] std::optional<std::size_t> n_mappings() const override {
    return n_memfd_mappings("symm");
  }
  [[nodiscard]] std::optional<std::size_t> bytes_behind(
      symm::Impl::UniqueFd const& descriptor) const override {
    struct stat status {};
    EXPECT_EQ(::fstat(descriptor.get(), &status), 0);
    return static_cast<std::size_t>(status.st_blocks) * 512;
  }

 private:
  std::string m_name;
  HugePages m_pages;
};

constexpr HugePages pages_of_2m{std::size_t{2} << 20U};
HostMemfdProvider const host_memfd("HostMemfd");
HostMemfdProvider const advised("HostMemfdAdvised", HugePages::advise);
HostMemfdProvider const reserved("HostMemfdReserved", pages_of_2m);
auto const all_kinds = testing::Values(&host_memfd, &advised, &reserved);

INSTANTIATE_TEST_SUITE_P(Providers, VmmContractOfPes, all_kinds,
                         [](auto const& test) { return test.param->name(); });
INSTANTIATE_TEST_SUITE_P(Providers, VmmContract, all_kinds,
                         [](auto const& test) { return test.param->name(); });

/// A folder as the system shows its large pages, with ten of 2M.
class HostMemfdPages : public testing::Test {
 protected:
  HostMemfdPages() {
    std::filesystem::create_directories(m_root / "hugepages-2048kB");
    std::filesystem::create_directories(m_root / "hugepages-1048576kB");
    set("nr_hugepages", 10);
    set("free_hugepages", 7);
    set("resv_hugepages", 4);
    set("nr_overcommit_hugepages", 3);
    set("surplus_hugepages", 1);
  }
  ~HostMemfdPages() override { std::filesystem::remove_all(m_root); }
  void set(char const* name, int value) {
    std::ofstream(m_root / "hugepages-2048kB" / name) << value << '\n';
  }

  std::filesystem::path m_root =
      std::filesystem::temp_directory_path() /
      ("symm_test_pages." + std::to_string(::getpid()));
};

TEST_F(HostMemfdPages, those_that_are_promised_are_not_left) {
  auto const all = ReservedPages::all(m_root);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].bytes, bytes_of(pages_of_2m));
  EXPECT_EQ(all[0].n, 10U);
  EXPECT_EQ(all[0].n_left, 7U - 4U + 3U - 1U);
  EXPECT_EQ(all[1].bytes, std::size_t{1} << 30U);
  EXPECT_EQ(all[1].n_left, 0U);
  EXPECT_TRUE(ReservedPages::all(m_root / "none").empty());
}

TEST_F(HostMemfdPages, a_refusal_says_how_many_are_needed_and_where) {
  EXPECT_THAT(ReservedPages::all(m_root)[0].refusal(std::size_t{8} << 20U, 2),
              AllOf(HasSubstr("each of the 2 PEs of this node needs 4"),
                    HasSubstr("5 of 10 are left"),
                    HasSubstr("hugepages-2048kB/nr_hugepages to 13 or more")));
}

TEST(HostMemfd, more_large_pages_than_there_are_cannot_be_had) {
  if (ReservedPages::all().empty()) GTEST_SKIP() << "no large pages here";
  auto vmm           = with_pages(HugePages{ReservedPages::all()[0].bytes});
  auto const failure = symm::Impl::failure_of([&] {
    static_cast<void>(
        vmm.create(std::size_t{1} << 46U, Vmm::Sharing::by_descriptor));
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
  EXPECT_THAT(failure->message, HasSubstr("nr_hugepages"));
}

TEST(HostMemfd, a_size_of_pages_that_the_system_lacks_is_refused) {
  auto const failure = symm::Impl::failure_of(
      [&] { static_cast<void>(with_pages(HugePages{std::size_t{1} << 43U})); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage);
  EXPECT_THAT(failure->message, HasSubstr("SYMM_HUGE_PAGES=8T"));
}

/// What the system says of the mapping that begins at the address.
std::string flags_of_mapping(void const* address) {
  std::ifstream maps("/proc/self/smaps");
  char start[32];
  std::snprintf(start, sizeof start, "%zx-",
                reinterpret_cast<std::size_t>(address));
  bool is_it = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.rfind(start, 0) == 0) is_it = true;
    if (is_it && line.rfind("VmFlags:", 0) == 0) return line;
  }
  return "no such mapping";
}

TEST(HostMemfd, memory_is_advised_to_have_large_pages) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "this system has no transparent large pages";
  auto vmm            = with_pages(HugePages::advise);
  auto const bytes    = vmm.granularity(Vmm::Granularity::recommended);
  char* const address = vmm.reserve(bytes);
  EXPECT_EQ(reinterpret_cast<std::size_t>(address) % bytes, 0U);
  auto const handle = vmm.create(bytes, Vmm::Sharing::by_descriptor);
  vmm.map(address, bytes, 0, handle);
  EXPECT_THAT(flags_of_mapping(address), HasSubstr(" hg"));
  vmm.unmap(address, bytes);
  vmm.release(handle);
  vmm.address_free(address, bytes);
}

TEST(HostMemfd, B17_all_of_a_large_range_must_be_mapped_to_be_pinned) {
  constexpr std::size_t bytes = std::size_t{3} << 30U;
  Vmm_HostMemfd vmm;
  auto const page = vmm.granularity(Vmm::Granularity::minimum);
  // Nothing of it is touched, here or by pin().
  void* const memory =
      ::mmap(nullptr, bytes, PROT_READ,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const start = static_cast<char*>(memory);
  EXPECT_FALSE(vmm.pin(start + 1, bytes - 1));
  char* const hole = start + bytes / 2 + 5 * page;
  ASSERT_EQ(::munmap(hole, page), 0);
  EXPECT_THROW(static_cast<void>(vmm.pin(start + 1, bytes - 1)),
               symm::UsageError);
  EXPECT_THROW(static_cast<void>(vmm.pin(hole - 1, 2)), symm::UsageError);
  EXPECT_THROW(static_cast<void>(vmm.pin(hole + page - 1, 2)),
               symm::UsageError);
  EXPECT_FALSE(vmm.pin(start, static_cast<std::size_t>(hole - start)));
  EXPECT_FALSE(vmm.pin(hole + page, bytes / 4));
  EXPECT_EQ(vmm.describe(hole), "no memory");
  ASSERT_EQ(::munmap(memory, bytes), 0);
}

/// A Vmm on a machine with as much memory as a test says.
class HostMemfdCapacity : public testing::Test {
 protected:
  static inline std::size_t const page =
      Vmm_HostMemfd().granularity(Vmm::Granularity::minimum);

  /// Pages that are promised to memory of this size, mapped.
  Vmm::Handle map_new(Vmm& vmm, std::size_t n_pages) {
    auto const handle = vmm.create(n_pages * page, Vmm::Sharing::by_descriptor);
    m_address         = vmm.reserve(n_pages * page);
    vmm.map(m_address, n_pages * page, 0, handle);
    vmm.set_access(m_address, n_pages * page, Vmm::Access::read_write);
    return handle;
  }

  static bool has_room(Vmm& vmm, std::size_t n_pages) {
    try {
      vmm.release(vmm.create(n_pages * page, Vmm::Sharing::none));
      return true;
    } catch (symm::OutOfMemory const&) {
      return false;
    }
  }

  [[nodiscard]] std::function<std::size_t()> available() {
    return [this] { return m_available_pages * page; };
  }

  char* m_address               = nullptr;
  std::size_t m_available_pages = 10;
};

TEST_F(HostMemfdCapacity, more_than_is_available_is_refused) {
  Vmm_HostMemfd vmm(1, available());
  EXPECT_TRUE(has_room(vmm, 10));
  EXPECT_FALSE(has_room(vmm, 11));
  EXPECT_THROW(static_cast<void>(vmm.create(
                   std::numeric_limits<std::size_t>::max() - page + 1,
                   Vmm::Sharing::none)),
               symm::OutOfMemory);
}

TEST_F(HostMemfdCapacity, a_refusal_names_what_was_asked_for_and_what_is_left) {
  Vmm_HostMemfd vmm(2, available());
  static_cast<void>(map_new(vmm, 2));
  try {
    static_cast<void>(vmm.create(8 * page, Vmm::Sharing::none));
    FAIL();
  } catch (symm::OutOfMemory const& error) {
    EXPECT_THAT(error.what(), HasSubstr(std::to_string(8 * page) + " bytes"));
    EXPECT_THAT(error.what(),
                HasSubstr(std::to_string(3 * page) + " bytes left"));
    EXPECT_THAT(error.what(),
                HasSubstr(std::to_string(2 * page) + " bytes reserved"));
    EXPECT_THAT(error.what(), HasSubstr("2 PEs"));
  }
}

TEST_F(HostMemfdCapacity, what_is_promised_and_not_touched_is_no_longer_left) {
  Vmm_HostMemfd vmm(1, available());
  static_cast<void>(map_new(vmm, 6));
  EXPECT_TRUE(has_room(vmm, 4));
  EXPECT_FALSE(has_room(vmm, 5));
}

TEST_F(HostMemfdCapacity, what_is_touched_is_not_counted_twice) {
  Vmm_HostMemfd vmm(1, available());
  static_cast<void>(map_new(vmm, 6));
  std::memset(m_address, 1, 2 * page);
  m_available_pages = 8;  // the system counts these 2 pages itself
  EXPECT_TRUE(has_room(vmm, 4));
  EXPECT_FALSE(has_room(vmm, 5));
  std::memset(m_address, 1, 6 * page);
  m_available_pages = 4;
  EXPECT_TRUE(has_room(vmm, 4));
  EXPECT_FALSE(has_room(vmm, 5));
}

TEST_F(HostMemfdCapacity, what_is_given_back_is_left_again) {
  Vmm_HostMemfd vmm(1, available());
  auto const handle = map_new(vmm, 6);
  vmm.release(handle);
  EXPECT_FALSE(has_room(vmm, 5)) << "still mapped";
  vmm.unmap(m_address, 6 * page);
  EXPECT_TRUE(has_room(vmm, 10));
}

TEST_F(HostMemfdCapacity, memory_that_is_not_mapped_yet_is_promised_too) {
  Vmm_HostMemfd vmm(1, available());
  auto const handle = vmm.create(6 * page, Vmm::Sharing::none);
  EXPECT_TRUE(has_room(vmm, 4));
  EXPECT_FALSE(has_room(vmm, 5));
  vmm.release(handle);
  EXPECT_TRUE(has_room(vmm, 10));
}

TEST_F(HostMemfdCapacity, memory_with_two_mappings_is_promised_once) {
  Vmm_HostMemfd vmm(1, available());
  auto const handle  = map_new(vmm, 3);
  char* const second = vmm.reserve(3 * page);
  vmm.map(second, 3 * page, 0, handle);
  EXPECT_TRUE(has_room(vmm, 7));
  EXPECT_FALSE(has_room(vmm, 8));
}

TEST_F(HostMemfdCapacity, each_sharer_has_its_part_of_what_is_left) {
  Vmm_HostMemfd vmm(4, available());
  EXPECT_TRUE(has_room(vmm, 2));
  EXPECT_FALSE(has_room(vmm, 3));
}

TEST_F(HostMemfdCapacity, imported_memory_is_its_creators_affair) {
  Vmm_HostMemfd creator(1, available());
  Vmm_HostMemfd vmm(1, available());
  auto const handle =
      vmm.import_handle(creator.export_handle(map_new(creator, 6)), 6 * page);
  char* const address = vmm.reserve(6 * page);
  vmm.map(address, 6 * page, 0, handle);
  EXPECT_TRUE(has_room(vmm, 10));
}

TEST_F(HostMemfdCapacity, a_refusal_changes_nothing) {
  Vmm_HostMemfd vmm(1, available());
  auto const descriptors = n_open_descriptors();
  EXPECT_FALSE(has_room(vmm, 11));
  EXPECT_EQ(n_open_descriptors(), descriptors);
  EXPECT_TRUE(has_room(vmm, 10));
}

// It would end the peers with SIGBUS.
TEST(HostMemfd, nobody_can_change_the_size_of_memory_that_is_shared) {
  Vmm_HostMemfd vmm;
  auto const bytes  = vmm.granularity(Vmm::Granularity::recommended);
  auto const handle = vmm.create(bytes, Vmm::Sharing::by_descriptor);
  auto const shared = vmm.export_handle(handle);
  for (auto const other : {bytes / 2, 2 * bytes}) {
    EXPECT_EQ(::ftruncate(shared.get(), static_cast<off_t>(other)), -1);
    EXPECT_EQ(errno, EPERM);
  }
  vmm.release(handle);
}

TEST(HostMemfd, memory_that_a_peer_could_make_smaller_is_not_imported) {
  Vmm_HostMemfd vmm;
  auto const bytes = vmm.granularity(Vmm::Granularity::recommended);
  symm::Impl::UniqueFd file(::memfd_create("not sealed", MFD_CLOEXEC));
  ASSERT_EQ(::ftruncate(file.get(), static_cast<off_t>(bytes)), 0);
  auto const failure = symm::Impl::failure_of(
      [&] { static_cast<void>(vmm.import_handle(std::move(file), bytes)); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage);
  EXPECT_THAT(failure->message, HasSubstr("not sealed against shrinking"));
}

TEST(HostMemfd, more_than_a_file_may_have_is_refused) {
  expect_on_pes(1, [](symm::Impl::Bootstrap&) {
    Vmm_HostMemfd vmm;
    auto const bytes = vmm.granularity(Vmm::Granularity::recommended);
    rlimit const limit{bytes, bytes};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
    auto const create = [&](std::size_t n) {
      vmm.release(vmm.create(n * bytes, Vmm::Sharing::by_descriptor));
    };
    auto const failure = symm::Impl::failure_of([&] { create(2); });
    EXPECT_FALSE(symm::Impl::failure_of([&] { create(1); }));
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
    EXPECT_THAT(failure->message, HasSubstr("ulimit -f"));
  });
}

}  // namespace
}  // namespace symm_test

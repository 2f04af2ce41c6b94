// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Who reaches the memory of a pool.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>

#include "memory_of_space.hpp"
#include "shared_pools.hpp"

namespace symm_test::shared_pools {
namespace {

using symm::MemAccessFlags;
using symm::MemLocation;
using symm::MemoryKind;
using symm::Status;
using testing::HasSubstr;

constexpr MemLocation the_host{MemoryKind::host};
constexpr MemLocation no_gpu{MemoryKind::device, 1000};

MemAccessFlags access(symm::MemPool pool, MemLocation const& location) {
  auto flags = MemAccessFlags::read;
  EXPECT_EQ(symm::mem_pool_get_access(&flags, pool, &location), Status::success)
      << symm::last_error();
  return flags;
}

/// One of each kind: symmetric, local, shareable.
std::vector<symm::UniqueMemPool> all_pools(MemoryKind memory) {
  std::vector<symm::UniqueMemPool> pools;
  pools.emplace_back(symm::MemPoolProperties{.memory = memory});
  pools.emplace_back(symm::MemPoolProperties{.kind   = symm::MemPoolKind::local,
                                             .memory = memory});
  pools.emplace_back(shareable(memory));
  return pools;
}

TEST(PoolAccess, H41_H71_a_pool_is_for_its_own_place) {
  auto const memory = memory_of_space<SYMM_TEST_SPACE>();
  for (auto const& pool : all_pools(memory)) {
    EXPECT_EQ(access(pool, the_host), memory == MemoryKind::host
                                          ? MemAccessFlags::read_write
                                          : MemAccessFlags::none);
#ifdef SYMM_TEST_GPU
    EXPECT_EQ(access(pool, {MemoryKind::device, device_of(Gpu())}),
              MemAccessFlags::read_write);
#endif
  }
}

TEST(PoolAccess, H70_what_is_so_can_be_set_and_nothing_else) {
  for (auto const& pool : all_pools(memory_of_space<SYMM_TEST_SPACE>())) {
    auto const now = access(pool, the_host);
    std::array<symm::MemAccessDesc, 2> list{{{the_host, now}, {the_host, now}}};
    EXPECT_EQ(symm::mem_pool_set_access(pool, list.data(), list.size()),
              Status::success)
        << symm::last_error();
    EXPECT_EQ(symm::mem_pool_set_access(pool, nullptr, 0), Status::success);
    for (auto const flags : {MemAccessFlags::none, MemAccessFlags::read,
                             MemAccessFlags::read_write}) {
      if (flags == now) continue;
      list[1].flags = flags;
      EXPECT_EQ(symm::mem_pool_set_access(pool, list.data(), list.size()),
                Status::invalid_value);
      EXPECT_THAT(symm::last_error(), HasSubstr("the host has"));
      EXPECT_EQ(access(pool, the_host), now);
    }
  }
}

TEST(PoolAccess, H72_wrong_arguments_are_refused) {
  symm::UniqueMemPool const pool(symm::MemPoolProperties{});
  symm::MemAccessDesc const desc{no_gpu, MemAccessFlags::none};
  auto flags = MemAccessFlags::read;
  EXPECT_EQ(symm::mem_pool_get_access(nullptr, pool, &the_host),
            Status::invalid_value);
  EXPECT_EQ(symm::mem_pool_get_access(&flags, pool, nullptr),
            Status::invalid_value);
  EXPECT_EQ(symm::mem_pool_get_access(&flags, {}, &the_host),
            Status::invalid_value);
  EXPECT_EQ(symm::mem_pool_get_access(&flags, pool, &no_gpu),
            Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("no GPU 1000"));
  EXPECT_EQ(flags, MemAccessFlags::read);
  EXPECT_EQ(symm::mem_pool_set_access(pool, nullptr, 1), Status::invalid_value);
  EXPECT_EQ(symm::mem_pool_set_access({}, nullptr, 0), Status::invalid_value);
  EXPECT_EQ(symm::mem_pool_set_access(pool, &desc, 1), Status::invalid_value);
  EXPECT_THAT(symm::last_error(), HasSubstr("no GPU 1000"));
}

TEST(PoolAccess, H71_an_imported_pool_has_a_place_from_the_first_pointer_on) {
  auto const memory = memory_of_space<SYMM_TEST_SPACE>();
  symm::UniqueMemPool const pool(shareable(memory));
  void* const block = allocate(100, pool);
  symm::UniqueMemPool const imported(import_pool(handle_of(pool)));
  auto flags = MemAccessFlags::read;
  EXPECT_EQ(symm::mem_pool_get_access(&flags, imported, &the_host),
            Status::invalid_value);
  void* const theirs = import_pointer(imported, data_of(block));
  EXPECT_EQ(access(imported, the_host), access(pool, the_host));
  EXPECT_EQ(symm::free_async(theirs), Status::success);
  EXPECT_EQ(symm::free_async(block), Status::success);
}

}  // namespace
}  // namespace symm_test::shared_pools

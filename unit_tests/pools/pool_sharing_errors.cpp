// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What is refused between processes, and that nothing is left of it. On every
// PE for itself: all calls are local.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>

#include "memory_of_space.hpp"
#include "shared_pools.hpp"

namespace symm_test::shared_pools {
namespace {

using symm::Status;
using symm::Impl::UniqueFd;
using testing::HasSubstr;

symm::MemoryKind memory() { return memory_of_space<SYMM_TEST_SPACE>(); }

#define EXPECT_REFUSED(call, text)                \
  EXPECT_EQ((call), symm::Status::invalid_value); \
  EXPECT_THAT(symm::last_error(), HasSubstr(text))

TEST(SharedPoolErrors, H80_a_pool_with_handles_has_a_size_and_is_local) {
  symm::MemPool pool;
  auto properties      = shareable(memory());
  properties.max_bytes = 0;
  EXPECT_REFUSED(symm::mem_pool_create(&pool, properties), "max_bytes is 0");
  properties      = shareable(memory());
  properties.kind = symm::MemPoolKind::symmetric;
  EXPECT_REFUSED(symm::mem_pool_create(&pool, properties), "symmetric");
  properties             = shareable(memory());
  properties.handle_type = static_cast<symm::MemPoolHandleType>(7);
  EXPECT_REFUSED(symm::mem_pool_create(&pool, properties), "handle type 7");
  properties           = shareable(memory());
  properties.max_bytes = ~std::size_t{0};
  EXPECT_EQ(symm::mem_pool_create(&pool, properties), Status::out_of_memory);
  EXPECT_THAT(symm::last_error(), HasSubstr("SYMM_HEAP_LIMIT"));
  EXPECT_FALSE(pool.is_valid());
}

TEST(SharedPoolErrors, H42_H81_a_pool_without_handles_is_not_exported) {
  auto properties        = shareable(memory());
  properties.handle_type = symm::MemPoolHandleType::none;
  symm::UniqueMemPool const pool(properties);
  int descriptor = -1;
  EXPECT_REFUSED(symm::mem_pool_export_to_shareable_handle(&descriptor, pool,
                                                           by_descriptor, 0),
                 "created without handles");
  symm::MemPool of_all_pes;
  ASSERT_EQ(symm::device_get_default_mem_pool(&of_all_pes, memory()),
            Status::success);
  EXPECT_REFUSED(symm::mem_pool_export_to_shareable_handle(
                     &descriptor, of_all_pes, by_descriptor, 0),
                 "created without handles");
  EXPECT_EQ(descriptor, -1);
}

TEST(SharedPoolErrors, H82_H83_flags_are_0_and_the_type_is_a_descriptor) {
  symm::UniqueMemPool const pool(shareable(memory()));
  auto const handle = handle_of(pool);
  int descriptor    = handle.get();
  symm::MemPool imported;
  for (auto const type : {symm::MemPoolHandleType::none,
                          static_cast<symm::MemPoolHandleType>(9)}) {
    EXPECT_REFUSED(
        symm::mem_pool_export_to_shareable_handle(&descriptor, pool, type, 0),
        "handle type");
    EXPECT_REFUSED(symm::mem_pool_import_from_shareable_handle(
                       &imported, &descriptor, type, 0),
                   "handle type");
  }
  EXPECT_REFUSED(symm::mem_pool_export_to_shareable_handle(&descriptor, pool,
                                                           by_descriptor, 1),
                 "flags are 1");
  EXPECT_REFUSED(symm::mem_pool_import_from_shareable_handle(
                     &imported, &descriptor, by_descriptor, 2),
                 "flags are 2");
  EXPECT_EQ(descriptor, handle.get());
  EXPECT_FALSE(imported.is_valid());
}

TEST(SharedPoolErrors, H84_H87_H88_null_is_refused) {
  symm::UniqueMemPool const pool(shareable(memory()));
  void* const block = allocate(100, pool);
  auto const handle = handle_of(pool);
  int descriptor    = handle.get();
  symm::UniqueMemPool const imported(import_pool(handle));
  symm::MemPool unused;
  auto data     = data_of(block);
  void* address = &data;
  EXPECT_REFUSED(symm::mem_pool_export_to_shareable_handle(nullptr, pool,
                                                           by_descriptor, 0),
                 "is null");
  EXPECT_REFUSED(symm::mem_pool_export_to_shareable_handle(
                     &descriptor, symm::MemPool(), by_descriptor, 0),
                 "the pool is invalid");
  EXPECT_REFUSED(symm::mem_pool_import_from_shareable_handle(
                     nullptr, &descriptor, by_descriptor, 0),
                 "is null");
  EXPECT_REFUSED(symm::mem_pool_import_from_shareable_handle(&unused, nullptr,
                                                             by_descriptor, 0),
                 "is null");
  EXPECT_REFUSED(symm::mem_pool_export_pointer(nullptr, block), "is null");
  EXPECT_REFUSED(symm::mem_pool_export_pointer(&data, nullptr), "not a block");
  EXPECT_REFUSED(symm::mem_pool_import_pointer(nullptr, imported, &data),
                 "is null");
  EXPECT_REFUSED(symm::mem_pool_import_pointer(&address, imported, nullptr),
                 "is null");
  EXPECT_EQ(address, nullptr);
  EXPECT_EQ(symm::free_async(block), Status::success);
}

TEST(SharedPoolErrors, H84_what_is_no_descriptor_of_memory_is_refused) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  UniqueFd const reader(ends[0]);
  UniqueFd const writer(ends[1]);
  UniqueFd const zeros(::open("/dev/zero", O_RDWR | O_CLOEXEC));
  UniqueFd const folder(::open("/", O_RDONLY | O_CLOEXEC));
  UniqueFd ended(::dup(folder.get()));
  int const closed = ended.get();
  ended.reset();
  symm::MemPool imported;
  for (int descriptor : {-1, closed}) {
    EXPECT_REFUSED(symm::mem_pool_import_from_shareable_handle(
                       &imported, &descriptor, by_descriptor, 0),
                   "not an open file descriptor");
  }
  for (int descriptor : {reader.get(), zeros.get(), folder.get()}) {
    EXPECT_REFUSED(symm::mem_pool_import_from_shareable_handle(
                       &imported, &descriptor, by_descriptor, 0),
                   "not a descriptor of memory");
  }
  EXPECT_FALSE(imported.is_valid());
}

TEST(SharedPoolErrors, H87_blocks_of_exported_pools_only_are_exported) {
  symm::UniqueMemPool const pool(shareable(memory()));
  auto* const block = static_cast<char*>(allocate(1000, pool));
  symm::MemPoolPtrExportData data;
  EXPECT_REFUSED(symm::mem_pool_export_pointer(&data, block),
                 "has not been exported");
  auto const handle = handle_of(pool);
  EXPECT_EQ(symm::mem_pool_export_pointer(&data, block), Status::success);
  EXPECT_REFUSED(symm::mem_pool_export_pointer(&data, block + 256),
                 "not a block");
  EXPECT_REFUSED(symm::mem_pool_export_pointer(&data, &data), "not a block");
  symm::UniqueMemPool const imported(import_pool(handle));
  void* const theirs = import_pointer(imported, data);
  EXPECT_REFUSED(symm::mem_pool_export_pointer(&data, theirs), "not a block");
  EXPECT_EQ(symm::free_async(theirs), Status::success);
  EXPECT_EQ(symm::free_async(block), Status::success);
  EXPECT_REFUSED(symm::mem_pool_export_pointer(&data, block), "not a block");
}

TEST(SharedPoolErrors, H88_export_data_that_are_none_or_of_another_pool) {
  symm::UniqueMemPool const pool(shareable(memory()));
  symm::UniqueMemPool const other(shareable(memory()));
  auto const handle       = handle_of(pool);
  auto const other_handle = handle_of(other);
  void* const block       = allocate(1000, pool);
  void* const other_block = allocate(1000, other);
  auto const data         = data_of(block);
  symm::UniqueMemPool const imported(import_pool(handle));
  void* address     = &address;
  auto const import = [&](symm::MemPool from,
                          symm::MemPoolPtrExportData const& what) {
    return symm::mem_pool_import_pointer(&address, from, &what);
  };
  EXPECT_REFUSED(import(imported, {}), "damaged");
  for (std::size_t i = 0; i < sizeof data; ++i) {
    auto wrong = data;
    wrong.bytes[i] ^= std::byte{0x80};
    EXPECT_REFUSED(import(imported, wrong), "damaged") << "byte " << i;
  }
  EXPECT_REFUSED(import(pool, data), "not imported");
  EXPECT_REFUSED(import(symm::MemPool(), data), "the pool is invalid");
  void* const theirs = import_pointer(imported, data);
  EXPECT_REFUSED(import(imported, data_of(other_block)), "another pool");
  EXPECT_EQ(address, nullptr);
  for (auto* const mine : {theirs, block, other_block}) {
    EXPECT_EQ(symm::free_async(mine), Status::success);
  }
}

}  // namespace
}  // namespace symm_test::shared_pools

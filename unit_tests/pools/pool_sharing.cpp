// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Local pools between PEs, as any processes would share them.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>

#include <Kokkos_SymmetricSpace.hpp>

#include "memory_of_space.hpp"
#include "shared_pools.hpp"

namespace symm_test::shared_pools {
namespace {

using symm::Status;

constexpr std::size_t block_bytes = 1'000'000;

/// A block of this PE's pool, and one of the previous PE's.
class SharedPools : public testing::Test {
 protected:
  SharedPools() {
    m_mine    = allocate(block_bytes, m_pool);
    auto ours = pass({handle_of(m_pool), data_of(m_mine)});
    m_handle  = std::move(ours.handle);
    m_data    = ours.data;
  }
  /// The order of H90: importers first.
  ~SharedPools() override {
    symm::barrier_all();
    static_cast<void>(symm::free_async(m_mine));
    symm::barrier_all();
  }

  symm::MemoryKind m_memory = memory_of_space<SYMM_TEST_SPACE>();
  symm::UniqueMemPool m_pool{shareable(m_memory)};
  void* m_mine = nullptr;
  symm::Impl::UniqueFd m_handle;
  symm::MemPoolPtrExportData m_data;
};

TEST_F(SharedPools, H80_H85_H88_an_imported_block_is_the_exporters) {
  symm::UniqueMemPool const pool(import_pool(m_handle));
  fill(m_memory, m_mine, block_bytes, symm::my_pe());
  void* const theirs = import_pointer(pool, m_data);
  symm::barrier_all();
  EXPECT_EQ(n_wrong(m_memory, theirs, block_bytes, previous_pe()), 0U);
  symm::barrier_all();
  fill(m_memory, theirs, block_bytes, 100 + symm::my_pe());
  symm::barrier_all();
  EXPECT_EQ(n_wrong(m_memory, m_mine, block_bytes, 100 + next_pe()), 0U);
  EXPECT_EQ(symm::free_async(theirs), Status::success) << symm::last_error();
}

TEST_F(SharedPools, H80_the_exporter_keeps_all_of_the_pool_to_its_end) {
  EXPECT_EQ(m_pool.reserved(), pool_bytes);
  m_pool.trim_to(0);
  EXPECT_EQ(m_pool.reserved(), pool_bytes);
  symm::barrier_all();
  symm::free(symm::malloc(16));  // a collective call of the heap
  EXPECT_EQ(m_pool.reserved(), pool_bytes);
  void* more = &m_mine;
  EXPECT_EQ(symm::malloc_from_pool_async(&more, pool_bytes, m_pool),
            Status::out_of_memory);
  EXPECT_EQ(more, nullptr);
  symm::barrier_all();
}

TEST_F(SharedPools, H83_the_handle_is_a_descriptor_that_each_side_closes) {
  struct stat status {};
  EXPECT_EQ(::fstat(m_handle.get(), &status), 0);
  symm::UniqueMemPool const pool(import_pool(m_handle));
  m_handle.reset();  // the pool has one of its own
  void* const theirs = import_pointer(pool, m_data);
  fill(m_memory, theirs, block_bytes, 1);
  EXPECT_EQ(n_wrong(m_memory, theirs, block_bytes, 1), 0U);
  EXPECT_EQ(symm::free_async(theirs), Status::success);
}

TEST_F(SharedPools, H85_a_pool_may_be_imported_twice) {
  symm::UniqueMemPool const a(import_pool(m_handle));
  symm::UniqueMemPool const b(import_pool(m_handle));
  EXPECT_NE(a.get(), b.get());
  void* const first  = import_pointer(a, m_data);
  void* const second = import_pointer(b, m_data);
  EXPECT_NE(first, second);
  fill(m_memory, first, block_bytes, 1 + symm::my_pe());
  EXPECT_EQ(n_wrong(m_memory, second, block_bytes, 1 + symm::my_pe()), 0U);
  EXPECT_EQ(symm::free_async(first), Status::success);
  EXPECT_EQ(symm::free_async(second), Status::success);
}

TEST_F(SharedPools, H86_an_imported_pool_allocates_nothing) {
  symm::UniqueMemPool pool(import_pool(m_handle));
  void* const theirs = import_pointer(pool, m_data);
  void* more         = &m_mine;
  EXPECT_EQ(symm::malloc_from_pool_async(&more, 16, pool),
            Status::invalid_value);
  EXPECT_NE(std::string(symm::last_error()).find("imported"), std::string::npos)
      << symm::last_error();
  EXPECT_EQ(more, nullptr);
  EXPECT_EQ(symm::device_set_mem_pool(m_memory, pool), Status::invalid_value);
  int descriptor = -1;
  EXPECT_EQ(symm::mem_pool_export_to_shareable_handle(&descriptor, pool,
                                                      by_descriptor, 0),
            Status::invalid_value);
  EXPECT_EQ(descriptor, -1);
  pool.trim_to(0);  // does nothing
  EXPECT_EQ(pool.reserved(), pool_bytes);
  EXPECT_GE(pool.used(), block_bytes);
  EXPECT_EQ(symm::free_async(theirs), Status::success);
  EXPECT_EQ(pool.used(), 0U);
}

TEST_F(SharedPools, H91_free_and_free_async_take_imported_blocks) {
  symm::UniqueMemPool const pool(import_pool(m_handle));
  // Each PE at its own time: no PE waits for another in here.
  for (int i = 0; i <= symm::my_pe(); ++i) {
    void* const theirs = import_pointer(pool, m_data);
    EXPECT_EQ(import_pointer(pool, m_data), theirs) << "imported twice";
    symm::free(theirs);
    EXPECT_STREQ(symm::last_error(), "");
    Kokkos::DefaultExecutionSpace const exec;
    EXPECT_EQ(symm::free_async(theirs, exec), Status::success)
        << symm::last_error();
    EXPECT_EQ(symm::free_async(theirs), Status::invalid_value)
        << "and freed twice";
  }
}

TEST_F(SharedPools, H92_H93_the_exporter_frees_behind_the_importers_free) {
  symm::UniqueMemPool const pool(import_pool(m_handle));
  Kokkos::DefaultExecutionSpace const exec;
  void* const theirs = import_pointer(pool, m_data);
  symm::barrier_all();
  EXPECT_EQ(symm::free_async(theirs, exec), Status::success);
  // All that follows in the order of the streams is behind all importers' free.
  symm::barrier(exec, symm::team_world());
  EXPECT_EQ(symm::free_async(m_mine, exec), Status::success);
  void* again = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&again, block_bytes, m_pool, exec),
            Status::success);
  EXPECT_EQ(again, m_mine) << "used again at once";
}

TEST_F(SharedPools, H44_imported_memory_outlives_both_pools) {
  symm::UniqueMemPool pool(import_pool(m_handle));
  m_handle.reset();
  void* const theirs = import_pointer(pool, m_data);
  pool               = symm::UniqueMemPool();
  symm::barrier_all();
  EXPECT_EQ(symm::free_async(m_mine), Status::success);  // against H90
  m_mine = nullptr;
  m_pool = symm::UniqueMemPool();
  symm::free(symm::malloc(16));  // where ended pools give back
  symm::free(symm::malloc(16));
  fill(m_memory, theirs, block_bytes, symm::my_pe());
  EXPECT_EQ(n_wrong(m_memory, theirs, block_bytes, symm::my_pe()), 0U);
  EXPECT_EQ(symm::free_async(theirs), Status::success);
}

}  // namespace
}  // namespace symm_test::shared_pools

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Pools of one PE that another one imports, in memory of the fake driver's
// GPUs.

#include <pools/shared_pools.hpp>

#include <array>
#include <ostream>
#include <string>

#include <runtime/pools/SharedPool.hpp>
#include "CudaRuntime.hpp"
#include "GpuNames.hpp"

namespace symm_test::shared_pools {
namespace {

using symm::MemAccessFlags;
using symm::MemoryKind;
using symm::Status;
using symm::UniqueMemPool;
using symm::Impl::Runtime;

constexpr std::size_t block_bytes = 100'000;

/// A block of this PE's pool, and what the previous PE has passed of its own.
struct SharedBlock {
  explicit SharedBlock(MemoryKind memory) : pool(shareable(memory)) {
    block  = allocate(block_bytes, pool);
    parcel = pass({handle_of(pool), data_of(block)});
  }
  /// Importers first (H90).
  ~SharedBlock() {
    symm::barrier_all();
    EXPECT_EQ(symm::free_async(block), Status::success);
  }
  SharedBlock(SharedBlock const&)            = delete;
  SharedBlock& operator=(SharedBlock const&) = delete;

  UniqueMemPool pool;
  void* block = nullptr;
  Parcel parcel;
};

/// Two PEs, each with a GPU; nothing may be left of what they do.
void on_two_gpus(std::function<void()> const& body) {
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    auto const nothing = held();
    initialize(bootstrap, bootstrap.my_pe());
    body();
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    EXPECT_EQ(fake().n_current_contexts(), 0);
    expect_nothing_in_use(bootstrap);
  });
}

class CudaSharedPools : public CudaRuntime,
                        public testing::WithParamInterface<MemoryKind> {};

INSTANTIATE_TEST_SUITE_P(Memories, CudaSharedPools,
                         testing::Values(MemoryKind::device, MemoryKind::host),
                         [](auto const& test) {
                           return std::string(test.param == MemoryKind::device
                                                  ? "device"
                                                  : "host");
                         });

TEST_P(CudaSharedPools, H80_H85_H88_another_gpu_reads_and_writes_the_block) {
  on_two_gpus([] {
    auto const memory = GetParam();
    SharedBlock const mine(memory);
    UniqueMemPool const pool(import_pool(mine.parcel.handle));
    fill(memory, mine.block, block_bytes, symm::my_pe());
    void* const theirs = import_pointer(pool, mine.parcel.data);
    symm::barrier_all();
    EXPECT_EQ(n_wrong(memory, theirs, block_bytes, previous_pe()), 0U);
    symm::barrier_all();
    fill(memory, theirs, block_bytes, 100 + symm::my_pe());
    symm::barrier_all();
    EXPECT_EQ(n_wrong(memory, mine.block, block_bytes, 100 + next_pe()), 0U);
    EXPECT_EQ(symm::free_async(theirs, fake().make_stream()), Status::success)
        << symm::last_error();
  });
}

TEST_P(CudaSharedPools, H91_free_waits_for_the_kernels_of_this_pe_alone) {
  on_two_gpus([] {
    SharedBlock const mine(GetParam());
    UniqueMemPool const pool(import_pool(mine.parcel.handle));
    auto* const theirs =
        static_cast<char*>(import_pointer(pool, mine.parcel.data));
    std::atomic<bool> has_ended{false};
    for (int i = 0; i <= symm::my_pe(); ++i) {
      fake().launch(0 + symm::my_pe(), 30, [&] { has_ended = true; });
    }
    symm::free(theirs);
    EXPECT_STREQ(symm::last_error(), "");
    EXPECT_TRUE(has_ended);
  });
}

TEST_P(CudaSharedPools, H88_a_size_that_the_memory_does_not_have_is_refused) {
  on_two_gpus([] {
    SharedBlock const mine(GetParam());
    UniqueMemPool const pool(import_pool(mine.parcel.handle));
    auto pointer = symm::Impl::SharedPointer::unpack(mine.parcel.data, "test");
    pointer.pool_bytes *= 2;
    auto const wrong  = pointer.pack();
    auto const before = held();
    void* address     = &pointer;
    EXPECT_NE(symm::mem_pool_import_pointer(&address, pool, &wrong),
              Status::success);
    EXPECT_THAT(symm::last_error(), HasSubstr("cannot be mapped"));
    EXPECT_EQ(address, nullptr);
    EXPECT_EQ(held(), before);
  });
}

TEST_P(CudaSharedPools, H43_a_pool_that_gets_no_memory_leaves_nothing) {
  on_two_gpus([] {
    symm::MemPool pool;
    static_cast<void>(UniqueMemPool(shareable(GetParam())));
    symm::free(symm::malloc(16));
    symm::heap_trim();
    auto const before = held();
    for (char const* function : {"cuMemAddressReserve", "cuMemCreate"}) {
      fake().fail(function, CUDA_ERROR_OUT_OF_MEMORY);
      EXPECT_EQ(symm::mem_pool_create(&pool, shareable(GetParam())),
                Status::out_of_memory);
      EXPECT_THAT(symm::last_error(), HasSubstr(function));
      fake().heal();
      EXPECT_FALSE(pool.is_valid());
      EXPECT_EQ(held(), before);
    }
  });
}

/// A function of the driver that fails where a pool or pointer is imported.
struct ImportFault {
  char const* function;
  CUresult result;
  Status expected;
};

class CudaImportFaults : public CudaRuntime,
                         public testing::WithParamInterface<ImportFault> {};

INSTANTIATE_TEST_SUITE_P(
    Functions, CudaImportFaults,
    testing::Values(ImportFault{"cuMemAddressReserve", CUDA_ERROR_OUT_OF_MEMORY,
                                Status::out_of_memory},
                    ImportFault{"cuMemImportFromShareableHandle",
                                CUDA_ERROR_UNKNOWN, Status::internal},
                    ImportFault{"cuMemMap", CUDA_ERROR_INVALID_VALUE,
                                Status::internal},
                    ImportFault{"cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE,
                                Status::internal}),
    [](auto const& test) { return std::string(test.param.function); });

TEST_P(CudaImportFaults, H88_what_the_driver_refuses_leaves_nothing) {
  on_two_gpus([] {
    auto const& [function, result, expected] = GetParam();
    SharedBlock const mine(MemoryKind::device);
    UniqueMemPool const pool(import_pool(mine.parcel.handle));
    auto const before = held();
    void* address     = &address;
    fake().fail(function, result);
    EXPECT_EQ(symm::mem_pool_import_pointer(&address, pool, &mine.parcel.data),
              expected);
    EXPECT_THAT(symm::last_error(), HasSubstr(function));
    fake().heal();
    EXPECT_EQ(address, nullptr);
    EXPECT_EQ(held(), before);
    EXPECT_EQ(symm::free_async(import_pointer(pool, mine.parcel.data)),
              Status::success);
  });
}

TEST_F(CudaRuntime, H84_a_descriptor_that_the_driver_does_not_know_is_refused) {
  on_two_gpus([] {
    SharedBlock const mine(MemoryKind::device);
    symm::MemPool pool;
    int descriptor    = mine.parcel.handle.get();
    auto const before = held();
    fake().fail("cuMemImportFromShareableHandle", CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(symm::mem_pool_import_from_shareable_handle(&pool, &descriptor,
                                                          by_descriptor, 0),
              Status::invalid_value);
    fake().heal();
    EXPECT_THAT(symm::last_error(), HasSubstr("not a descriptor of memory"));
    EXPECT_FALSE(pool.is_valid());
    EXPECT_EQ(held(), before);
  });
}

TEST_F(CudaRuntime, H41_H70_H71_memory_is_for_its_own_gpu) {
  on_two_gpus([] {
    auto const access = [](symm::MemPool pool, symm::MemLocation const& where) {
      auto flags = MemAccessFlags::read;
      EXPECT_EQ(symm::mem_pool_get_access(&flags, pool, &where),
                Status::success)
          << symm::last_error();
      return flags;
    };
    int const own   = symm::my_pe();
    int const other = 1 - own;
    for (auto const memory : {MemoryKind::device, MemoryKind::host}) {
      UniqueMemPool const pool({.memory = memory});
      EXPECT_EQ(access(pool, {MemoryKind::device, own}),
                MemAccessFlags::read_write);
      EXPECT_EQ(access(pool, {MemoryKind::device, other}),
                MemAccessFlags::none);
      EXPECT_EQ(access(pool, {MemoryKind::host}),
                memory == MemoryKind::host ? MemAccessFlags::read_write
                                           : MemAccessFlags::none);
      std::array<symm::MemAccessDesc, 2> list{
          {{{MemoryKind::device, own}, MemAccessFlags::read_write},
           {{MemoryKind::device, other}, MemAccessFlags::none}}};
      EXPECT_EQ(symm::mem_pool_set_access(pool, list.data(), list.size()),
                Status::success)
          << symm::last_error();
      list[1].flags = MemAccessFlags::read;
      EXPECT_EQ(symm::mem_pool_set_access(pool, list.data(), list.size()),
                Status::invalid_value);
      EXPECT_THAT(symm::last_error(),
                  HasSubstr("GPU " + std::to_string(other)));
      list[0].flags = MemAccessFlags::none;
      EXPECT_EQ(symm::mem_pool_set_access(pool, list.data(), 1),
                Status::invalid_value)
          << "its own GPU cannot be taken away";
      symm::MemLocation const none{MemoryKind::device, 2};
      auto flags = MemAccessFlags::read;
      EXPECT_EQ(symm::mem_pool_get_access(&flags, pool, &none),
                Status::invalid_value);
    }
  });
}

}  // namespace
}  // namespace symm_test::shared_pools

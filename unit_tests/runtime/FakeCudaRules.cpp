// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The fake driver is as strict as the real one. The library's own checks come
// first, so no other test would see it if it were not.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <support/FakeCuda.hpp>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>

#include <cstddef>
#include <cstdint>

#include <runtime/base/UniqueFd.hpp>
#include <runtime/gpu/Driver.hpp>

namespace symm_test::driver_rules {
namespace {

constexpr std::size_t unit = std::size_t{2} << 20U;

class FakeCudaRules : public testing::Test {
 protected:
  void SetUp() override { FakeCuda::set_machine(2); }

  using Handle = CUmemGenericAllocationHandle;

  static CUmemAllocationProp properties(CUmemLocationType type, int id,
                                        int handle_types) {
    CUmemAllocationProp result{};
    result.type     = CU_MEM_ALLOCATION_TYPE_PINNED;
    result.location = {type, {id}};
    result.requestedHandleTypes =
        static_cast<CUmemAllocationHandleType>(handle_types);
    return result;
  }

  CUresult create(Handle& handle, std::size_t bytes = unit,
                  CUmemLocationType type = CU_MEM_LOCATION_TYPE_DEVICE,
                  int id                 = 0,
                  int handle_types = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR,
                  unsigned long long flags = 0) {
    auto const wanted = properties(type, id, handle_types);
    return driver().mem_create(&handle, bytes, &wanted, flags);
  }

  CUdeviceptr reserve(std::size_t bytes) {
    CUdeviceptr address = 0;
    EXPECT_EQ(driver().mem_address_reserve(&address, bytes, 0, 0, 0),
              CUDA_SUCCESS);
    return address;
  }

  CUresult give_access(CUdeviceptr address, std::size_t bytes,
                       CUmemLocation location) {
    CUmemAccessDesc const wish{location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    return driver().mem_set_access(address, bytes, &wish, 1);
  }

  static symm::Impl::gpu::Driver const& driver() {
    return symm::Impl::gpu::Driver::instance();
  }
  static constexpr CUmemLocation gpu_0{CU_MEM_LOCATION_TYPE_DEVICE, {0}};
  static constexpr CUmemLocation cpu{CU_MEM_LOCATION_TYPE_HOST, {0}};
};

TEST_F(FakeCudaRules, reservations) {
  CUdeviceptr address     = 0;
  auto const reserve_with = [&](std::size_t bytes, std::size_t alignment,
                                CUdeviceptr hint, unsigned long long flags) {
    return driver().mem_address_reserve(&address, bytes, alignment, hint,
                                        flags);
  };
  EXPECT_EQ(reserve_with(0, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_with(100, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_with(unit, 3, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_with(unit, 0, 100, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_with(unit, 0, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(reserve_with(std::size_t{1} << 60U, 0, 0, 0),
            CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(reserve_with(4 * unit, 0, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(driver().mem_address_free(address, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().mem_address_free(address + unit, 3 * unit),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().mem_address_free(address, 4 * unit), CUDA_SUCCESS);
  EXPECT_EQ(driver().mem_address_free(address, 4 * unit),
            CUDA_ERROR_INVALID_VALUE);
}

TEST_F(FakeCudaRules, memory) {
  constexpr auto device    = CU_MEM_LOCATION_TYPE_DEVICE;
  constexpr auto host      = CU_MEM_LOCATION_TYPE_HOST;
  constexpr auto host_numa = CU_MEM_LOCATION_TYPE_HOST_NUMA;
  constexpr int by_fd      = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  Handle handle            = 0;
  EXPECT_EQ(create(handle, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(handle, unit / 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(handle, unit, device, 0, by_fd, 1),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(handle, unit, device, 2), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(create(handle, unit, host, 0, by_fd), CUDA_ERROR_INVALID_VALUE)
      << "V15";
  EXPECT_EQ(create(handle, unit, host_numa, 5), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(create(handle, std::size_t{1} << 40U), CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_EQ(driver().mem_release(17), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(create(handle), CUDA_SUCCESS);
  EXPECT_EQ(driver().mem_release(handle), CUDA_SUCCESS);
  EXPECT_EQ(driver().mem_release(handle), CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(FakeCudaRules, mappings_and_rights) {
  Handle handle = 0;
  ASSERT_EQ(create(handle, 2 * unit), CUDA_SUCCESS);
  auto const address = reserve(6 * unit);
  auto const map = [&](CUdeviceptr where, std::size_t bytes, std::size_t offset,
                       unsigned long long flags) {
    return driver().mem_map(where, bytes, offset, handle, flags);
  };
  EXPECT_EQ(map(address + 6 * unit, 2 * unit, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map(address + 5 * unit, 2 * unit, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map(address, 3 * unit, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(map(address, unit, 0, 0), CUDA_ERROR_NOT_SUPPORTED);
  EXPECT_EQ(map(address, unit, unit, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map(address, unit, 0, 1), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map(address + 4096, unit, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().mem_map(address, unit, 0, 17, 0),
            CUDA_ERROR_INVALID_HANDLE);
  ASSERT_EQ(map(address + 2 * unit, 2 * unit, 0, 0), CUDA_SUCCESS);
  EXPECT_EQ(map(address + unit, 2 * unit, 0, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(map(address + 3 * unit, 2 * unit, 0, 0), CUDA_ERROR_INVALID_VALUE);
  auto const mapped = address + 2 * unit;
  EXPECT_FALSE(can_read(reinterpret_cast<char const*>(mapped)));
  EXPECT_EQ(give_access(mapped, unit, gpu_0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(give_access(address, 6 * unit, gpu_0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(give_access(mapped, 2 * unit, cpu), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(give_access(mapped, 2 * unit, gpu_0), CUDA_SUCCESS);
  EXPECT_TRUE(can_write(reinterpret_cast<char*>(mapped)));
  EXPECT_EQ(driver().mem_unmap(mapped, unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().mem_address_free(address, 6 * unit),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().mem_unmap(mapped, 2 * unit), CUDA_SUCCESS);
  EXPECT_FALSE(can_read(reinterpret_cast<char const*>(mapped)));
  EXPECT_EQ(driver().mem_unmap(mapped, 2 * unit), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().mem_address_free(address, 6 * unit), CUDA_SUCCESS);
  EXPECT_EQ(driver().mem_release(handle), CUDA_SUCCESS);
  EXPECT_EQ(FakeCuda::instance().counts(), FakeCudaCounts{});
}

TEST_F(FakeCudaRules, references_and_descriptors_keep_memory) {
  auto const in_use = [] { return FakeCuda::instance().bytes_in_use("gpu0"); };
  Handle handle     = 0;
  ASSERT_EQ(create(handle), CUDA_SUCCESS);
  auto const address = reserve(unit);
  ASSERT_EQ(driver().mem_map(address, unit, 0, handle, 0), CUDA_SUCCESS);
  Handle again = 0;
  ASSERT_EQ(driver().mem_retain_allocation_handle(
                &again, reinterpret_cast<void*>(address + 1)),
            CUDA_SUCCESS);
  EXPECT_EQ(FakeCuda::instance().counts().handles, 2U);
  int number = -1;
  ASSERT_EQ(driver().mem_export_to_shareable_handle(
                &number, handle, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
            CUDA_SUCCESS);
  symm::Impl::UniqueFd descriptor(number);
  EXPECT_EQ(driver().mem_export_to_shareable_handle(
                &number, handle, CU_MEM_HANDLE_TYPE_FABRIC, 0),
            CUDA_ERROR_INVALID_VALUE)
      << "not asked for";
  EXPECT_EQ(driver().mem_release(handle), CUDA_SUCCESS);
  EXPECT_EQ(driver().mem_release(again), CUDA_SUCCESS);
  EXPECT_EQ(driver().mem_release(again), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(in_use(), unit) << "the mapping";
  EXPECT_EQ(driver().mem_unmap(address, unit), CUDA_SUCCESS);
  EXPECT_EQ(in_use(), unit) << "the descriptor";
  descriptor.reset();
  EXPECT_EQ(in_use(), 0U);
}

TEST_F(FakeCudaRules, contexts) {
  auto const& all    = driver();
  std::size_t number = 0;
  EXPECT_EQ(all.synchronize(), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(all.mem_get_info(&number, &number), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(all.fill(0, 0, 1), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(all.copy(0, 0, 1), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(all.device_primary_ctx_release(1), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(all.ctx_push_current(nullptr), CUDA_ERROR_INVALID_CONTEXT);
  CUcontext context = nullptr;
  EXPECT_EQ(all.ctx_pop_current(&context), CUDA_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(all.device_primary_ctx_retain(&context, 2),
            CUDA_ERROR_INVALID_DEVICE);
  ASSERT_EQ(all.device_primary_ctx_retain(&context, 1), CUDA_SUCCESS);
  EXPECT_EQ(all.ctx_push_current(context), CUDA_SUCCESS);
  EXPECT_EQ(all.synchronize(), CUDA_SUCCESS);
  EXPECT_EQ(all.fill(reserve(unit), 0, 1), CUDA_ERROR_INVALID_VALUE)
      << "no memory";
  EXPECT_EQ(all.device_primary_ctx_release(1), CUDA_SUCCESS);
  EXPECT_EQ(all.synchronize(), CUDA_ERROR_INVALID_CONTEXT) << "it is gone";
}

TEST_F(FakeCudaRules, another_process_and_a_fork) {
  int count = 0;
  EXPECT_EQ(driver().device_get_count(&count), CUDA_SUCCESS);
  expect_on_pes(1, [](ForkedBootstrap&) {
    int n = 0;
    EXPECT_EQ(driver().device_get_count(&n), CUDA_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(driver().init(0), CUDA_ERROR_NOT_INITIALIZED);
  });
}

}  // namespace
}  // namespace symm_test::driver_rules

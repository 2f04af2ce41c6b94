// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The fake driver says of a program's own memory what H200s with driver 580 and
// CUDA 13.0 said: attributes, address ranges, registration and CUDA IPC.

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <support/FakeCuda.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include <runtime/gpu/Driver.hpp>
#include "CudaProgram.hpp"

namespace symm_test::program_rules {
namespace {

using symm::MemoryKind;
using symm::Impl::gpu::device_pointer;

constexpr std::size_t unit = std::size_t{2} << 20U;

/// With the context of GPU 0 as the current one.
class FakeCudaProgramRules : public testing::Test {
 protected:
  void SetUp() override {
    FakeCuda::set_machine(2);
    ASSERT_EQ(driver().device_primary_ctx_retain(&m_context, 0), CUDA_SUCCESS);
    ASSERT_EQ(driver().ctx_push_current(m_context), CUDA_SUCCESS);
  }
  void TearDown() override {
    CUcontext ours = nullptr;
    ASSERT_EQ(driver().ctx_pop_current(&ours), CUDA_SUCCESS);
    ASSERT_EQ(driver().device_primary_ctx_release(0), CUDA_SUCCESS);
    EXPECT_EQ(FakeCuda::instance().counts(), FakeCudaCounts{});
  }

  static symm::Impl::gpu::Driver const& driver() {
    return symm::Impl::gpu::Driver::instance();
  }
  static FakeCuda const& fake() { return FakeCuda::instance(); }

  /// -1 for CUDA_ERROR_INVALID_VALUE.
  static int attribute(void const* address, CUpointer_attribute which) {
    std::uint64_t value = 0;
    auto const result =
        driver().pointer_get_attribute(&value, which, device_pointer(address));
    if (result == CUDA_ERROR_INVALID_VALUE) return -1;
    EXPECT_EQ(result, CUDA_SUCCESS);
    return static_cast<int>(value);
  }
  static void expect_attributes(void const* address, int type, int is_managed,
                                int has_ipc) {
    EXPECT_EQ(attribute(address, CU_POINTER_ATTRIBUTE_MEMORY_TYPE), type);
    EXPECT_EQ(attribute(address, CU_POINTER_ATTRIBUTE_IS_MANAGED), is_managed);
    EXPECT_EQ(
        attribute(address, CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE),
        has_ipc);
  }

  static CUresult retain(void* address) {
    CUmemGenericAllocationHandle handle = 0;
    auto const result = driver().mem_retain_allocation_handle(&handle, address);
    if (result == CUDA_SUCCESS) {
      EXPECT_EQ(driver().mem_release(handle), CUDA_SUCCESS);
    }
    return result;
  }

  CUcontext m_context = nullptr;
};

TEST_F(FakeCudaProgramRules, attributes) {
  constexpr int unknown = -1;
  constexpr int host    = CU_MEMORYTYPE_HOST;
  constexpr int device  = CU_MEMORYTYPE_DEVICE;
  int local             = 0;
  expect_attributes(&local, unknown, unknown, unknown);
  char* const plain   = fake().allocate(fake_cuda_malloc, 100, 1);
  char* const async   = fake().allocate(fake_cuda_malloc_async, 100);
  char* const managed = fake().allocate(fake_cuda_malloc_managed, 100);
  char* const locked  = fake().allocate(fake_cuda_malloc_host, 100);
  expect_attributes(plain + 99, device, 0, 1);
  expect_attributes(plain + 100, unknown, unknown, unknown);
  EXPECT_EQ(attribute(plain, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL), 1);
  expect_attributes(async, device, 0, 0);
  expect_attributes(managed, device, 1, 0);
  expect_attributes(locked, host, 0, 0);
  CudaProgram const vmm(MemoryKind::device, unit, 0);
  expect_attributes(vmm.address(), device, 0, 0);
  for (char* const start : {plain, async, managed, locked}) {
    EXPECT_EQ(retain(start), CUDA_ERROR_INVALID_VALUE);
    fake().free(start);
  }
  EXPECT_EQ(retain(&local), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(retain(vmm.address() + 5), CUDA_SUCCESS);
  EXPECT_EQ(retain(vmm.address() - 5), CUDA_ERROR_INVALID_VALUE) << "reserved";
}

TEST_F(FakeCudaProgramRules, properties_of_a_handle) {
  constexpr int by_descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  auto const expect = [&](CudaProgram const& program, CUmemLocationType type,
                          int id, int handle_types) {
    CUmemGenericAllocationHandle handle = 0;
    ASSERT_EQ(driver().mem_retain_allocation_handle(&handle, program.address()),
              CUDA_SUCCESS);
    CUmemAllocationProp properties{};
    EXPECT_EQ(
        driver().mem_get_allocation_properties_from_handle(&properties, handle),
        CUDA_SUCCESS);
    EXPECT_EQ(properties.location.type, type);
    EXPECT_EQ(properties.location.id, id);
    EXPECT_EQ(properties.requestedHandleTypes, handle_types);
    EXPECT_EQ(driver().mem_release(handle), CUDA_SUCCESS);
  };
  expect({MemoryKind::device, unit, 0, 1, 1}, CU_MEM_LOCATION_TYPE_DEVICE, 1,
         0);
  expect({MemoryKind::host, unit, by_descriptor},
         CU_MEM_LOCATION_TYPE_HOST_NUMA, 0, by_descriptor);
  CUmemAllocationProp properties{};
  EXPECT_EQ(driver().mem_get_allocation_properties_from_handle(&properties, 17),
            CUDA_ERROR_INVALID_HANDLE);
}

TEST_F(FakeCudaProgramRules, address_ranges) {
  CUdeviceptr start   = 0;
  std::size_t bytes   = 0;
  auto const range_of = [&](void const* address) {
    return driver().mem_get_address_range(&start, &bytes,
                                          device_pointer(address));
  };
  CudaProgram const device(MemoryKind::device, 2 * unit, 0);
  EXPECT_EQ(range_of(device.address() + unit), CUDA_SUCCESS);
  EXPECT_EQ(start, device_pointer(device.address()));
  EXPECT_EQ(bytes, 2 * unit);
  EXPECT_EQ(range_of(device.address() - 1), CUDA_ERROR_NOT_FOUND);
  CudaProgram const host(MemoryKind::host, 2 * unit, 0);
  EXPECT_EQ(range_of(host.address() + unit), CUDA_SUCCESS);
  EXPECT_EQ(start, 0U) << "of host memory it is not told";
  EXPECT_EQ(bytes, 2 * unit);
  CudaProgram const mute(MemoryKind::device, unit, 0, 1, 0, false);
  EXPECT_EQ(range_of(mute.address()), CUDA_ERROR_NOT_FOUND) << "no access";
  char* const plain = fake().allocate(fake_cuda_malloc, 1000);
  EXPECT_EQ(range_of(plain + 999), CUDA_SUCCESS);
  EXPECT_EQ(start, device_pointer(plain));
  EXPECT_EQ(bytes, 1000U);
  fake().free(plain);
}

TEST_F(FakeCudaProgramRules, registration_of_host_memory) {
  constexpr unsigned portable = CU_MEMHOSTREGISTER_PORTABLE;
  constexpr auto already      = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  constexpr auto not_at_all   = CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  auto const register_at      = [&](void* address, std::size_t bytes) {
    return driver().host_register(address, bytes, portable);
  };
  auto const unregister = [&](void* address) {
    return driver().host_unregister(address);
  };
  std::vector<char> ours(20'000);
  char* const start = ours.data();
  EXPECT_EQ(register_at(start + 1, 5'000), CUDA_SUCCESS);
  EXPECT_EQ(register_at(start + 5'001, 100), CUDA_SUCCESS) << "in one page";
  EXPECT_EQ(register_at(start + 1, 5'000), already);
  EXPECT_EQ(register_at(start, 2), already);
  EXPECT_EQ(register_at(start, 20'000), already);
  EXPECT_EQ(register_at(start + 100, 10), already);
  expect_attributes(start + 1, CU_MEMORYTYPE_HOST, 0, 0);
  EXPECT_EQ(unregister(start), not_at_all);
  EXPECT_EQ(unregister(start + 2), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(unregister(start + 1), CUDA_SUCCESS);
  EXPECT_EQ(unregister(start + 1), not_at_all);
  EXPECT_EQ(unregister(start + 5'001), CUDA_SUCCESS);

  EXPECT_EQ(register_at(start, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(register_at(nullptr, 64), CUDA_ERROR_INVALID_VALUE);
  for (auto const kind : {fake_cuda_malloc, fake_cuda_malloc_async,
                          fake_cuda_malloc_managed, fake_cuda_malloc_host}) {
    char* const theirs = fake().allocate(kind, 4096);
    EXPECT_EQ(register_at(theirs, 64), CUDA_ERROR_INVALID_VALUE) << kind;
    fake().free(theirs);
  }
  CudaProgram const vmm(MemoryKind::host, unit, 0);
  EXPECT_EQ(register_at(vmm.address(), 64), CUDA_ERROR_INVALID_VALUE);
  for (int const rights : {PROT_NONE, PROT_READ}) {
    void* const page =
        ::mmap(nullptr, 4096, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_EQ(register_at(page, 64), CUDA_ERROR_INVALID_VALUE) << rights;
    ASSERT_EQ(::munmap(page, 4096), 0);
  }
}

TEST_F(FakeCudaProgramRules, ipc_handles) {
  CUipcMemHandle first{};
  CUipcMemHandle second{};
  char* const plain = fake().allocate(fake_cuda_malloc, 1000);
  EXPECT_EQ(driver().ipc_get_mem_handle(&first, device_pointer(plain)),
            CUDA_SUCCESS);
  EXPECT_EQ(driver().ipc_get_mem_handle(&second, device_pointer(plain + 999)),
            CUDA_SUCCESS);
  EXPECT_TRUE(std::equal(std::begin(first.reserved), std::end(first.reserved),
                         std::begin(second.reserved)))
      << "it names the whole";
  CUdeviceptr start   = 0;
  constexpr auto lazy = CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS;
  EXPECT_EQ(driver().ipc_open_mem_handle(&start, first, lazy),
            CUDA_ERROR_INVALID_CONTEXT)
      << "its own process has it already";
  EXPECT_EQ(driver().ipc_open_mem_handle(&start, first, 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().ipc_open_mem_handle(&start, {}, lazy),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(driver().ipc_close_mem_handle(device_pointer(plain)),
            CUDA_ERROR_INVALID_VALUE);
  fake().free(plain);
  for (auto const kind : {fake_cuda_malloc_async, fake_cuda_malloc_managed,
                          fake_cuda_malloc_host}) {
    char* const other = fake().allocate(kind, 1000);
    EXPECT_EQ(driver().ipc_get_mem_handle(&first, device_pointer(other)),
              CUDA_ERROR_INVALID_VALUE);
    fake().free(other);
  }
  CudaProgram const vmm(MemoryKind::device, unit, 0);
  EXPECT_EQ(driver().ipc_get_mem_handle(&first, device_pointer(vmm.address())),
            CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
}  // namespace symm_test::program_rules

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the provider does with memory of the CUDA runtime's functions and of
// other GPUs. On the fake driver, which has all of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/FakeCuda.hpp>
#include <support/ForkedPes.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/gpu/Vmm_Gpu.hpp>
#include "CudaProgram.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::Impl::Vmm;
using testing::AllOf;

constexpr std::size_t unit  = std::size_t{2} << 20U;
constexpr int by_descriptor = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;

/// The message of the UsageError that `call` throws.
std::string refusal(std::function<void()> const& call) {
  auto const failure = symm::Impl::failure_of(call);
  if (!failure) return "allowed";
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage) << failure->message;
  return failure->message;
}

/// Two GPUs; memory that the program has made lives as long as this.
class CudaForeign : public testing::Test {
 protected:
  void SetUp() override { FakeCuda::set_machine(2); }
  void TearDown() override {
    for (char* const start : m_allocated) FakeCuda::instance().free(start);
  }

  static std::unique_ptr<symm::Impl::MemoryProvider> make(
      MemoryKind kind = MemoryKind::device, int device = 0) {
    return std::make_unique<symm::Impl::Vmm_Gpu>(
        symm::Impl::gpu::Driver::instance(), kind, device);
  }

  char* allocate(FakeCudaMemory kind, std::size_t bytes, int device = 0) {
    static_cast<void>(
        symm::Impl::gpu::Driver::instance());  // which calls cuInit()
    auto* const start = FakeCuda::instance().allocate(kind, bytes, device);
    EXPECT_NE(start, nullptr);
    m_allocated.push_back(start);
    return start;
  }

  static constexpr MemoryKind both_kinds[] = {MemoryKind::device,
                                              MemoryKind::host};

 private:
  std::vector<char*> m_allocated;
};

TEST_F(CudaForeign, each_sort_of_memory_is_named) {
  std::vector<char> ours(4096);
  std::vector<char> registered(4096);
  for (auto const kind : both_kinds) {
    auto const vmm = make(kind);
    ASSERT_TRUE(vmm->pin(registered.data(), 4096));
    CudaProgram const gpu_0(MemoryKind::device, unit, 0);
    CudaProgram const gpu_1(MemoryKind::device, unit, 0, 1, 1);
    CudaProgram const host(MemoryKind::host, unit, 0);
    std::pair<char*, std::string> const all[] = {
        {gpu_0.address(), "VMM memory of this GPU"},
        {gpu_1.address(), "VMM memory of GPU 1 (which is not this PE's GPU 0)"},
        {host.address(), "VMM memory of host NUMA node 0"},
        {allocate(fake_cuda_malloc, 64), "memory of cudaMalloc on GPU 0"},
        {allocate(fake_cuda_malloc, 64, 1), "memory of cudaMalloc on GPU 1"},
        {allocate(fake_cuda_malloc_async, 64, 1),
         "memory of cudaMallocAsync on GPU 1"},
        {allocate(fake_cuda_malloc_managed, 64), "CUDA managed memory"},
        {allocate(fake_cuda_malloc_host, 64),
         "page-locked host memory (cudaMallocHost or cudaHostRegister)"},
        {registered.data(),
         "page-locked host memory (cudaMallocHost or cudaHostRegister)"},
        {ours.data(), "host memory that CUDA does not know (malloc, mmap)"},
        {gpu_0.address() - unit,
         "host memory that CUDA does not know "
         "(malloc, mmap)"},
        {nullptr, "no memory"},
    };
    for (auto const& [address, text] : all) {
      EXPECT_EQ(vmm->describe(address + (address == nullptr ? 0 : 63)),
                said(text));
    }
    vmm->unpin(registered.data());
  }
}

TEST_F(CudaForeign, V41_memory_of_another_gpu_is_not_this_providers) {
  auto const first  = make();
  auto const second = make(MemoryKind::device, 1);
  CudaProgram const program(MemoryKind::device, unit, by_descriptor, 1, 1);
  EXPECT_FALSE(first->find_mapping(program.address()));
  EXPECT_THAT(
      refusal([&] { static_cast<void>(first->retain(program.address())); }),
      AllOf(HasSubstr("retain: 0x"),
            HasSubstr("is in VMM memory of GPU 1 (which is not this "
                      "PE's GPU 0), not in GPU 0 (")));
  EXPECT_TRUE(second->find_mapping(program.address()));
  second->release(second->retain(program.address()));
}

TEST_F(CudaForeign, V41_memory_that_only_looks_alike_is_not_found) {
  auto const vmm = make();
  for (auto const kind : {fake_cuda_malloc, fake_cuda_malloc_async,
                          fake_cuda_malloc_managed, fake_cuda_malloc_host}) {
    EXPECT_FALSE(vmm->find_mapping(allocate(kind, unit)));
  }
}

TEST_F(CudaForeign, no_reference_is_left_by_a_search) {
  auto const vmm = make();
  CudaProgram const program(MemoryKind::device, unit, by_descriptor);
  CudaProgram const host(MemoryKind::host, 3 * unit, by_descriptor, 2);
  auto const host_vmm = make(MemoryKind::host);
  auto const before   = FakeCuda::instance().counts();
  for (auto const* const address :
       {program.address(), host.address(1) + unit}) {
    static_cast<void>(vmm->find_mapping(address));
    static_cast<void>(host_vmm->find_mapping(address));
    static_cast<void>(vmm->describe(address));
    EXPECT_THAT(refusal([&] { static_cast<void>(vmm->retain(nullptr)); }),
                HasSubstr("no memory"));
    EXPECT_EQ(FakeCuda::instance().counts(), before);
  }
  FakeCuda::instance().fail("cuMemGetAllocationPropertiesFromHandle",
                            CUDA_ERROR_UNKNOWN);
  EXPECT_THROW(static_cast<void>(vmm->find_mapping(program.address())),
               symm::SystemError);
  EXPECT_THROW(static_cast<void>(vmm->retain(program.address())),
               symm::SystemError);
  FakeCuda::instance().heal();
  EXPECT_EQ(FakeCuda::instance().counts(), before) << "when it fails, neither";
  EXPECT_EQ(FakeCuda::instance().n_current_contexts(), 0);
}

TEST_F(CudaForeign, V16_retained_memory_keeps_its_fabric_handle) {
  if (is_hip) GTEST_SKIP() << "HIP has no fabric handles";
  FakeCuda::set("FAKE_CUDA_FABRIC", "granted");
  auto const vmm = make();
  for (int const types :
       {by_descriptor, by_descriptor | int{CU_MEM_HANDLE_TYPE_FABRIC}}) {
    CudaProgram const program(MemoryKind::device, unit, types);
    auto const handle = vmm->retain(program.address());
    EXPECT_EQ(vmm->export_fabric(handle).has_value(), types != by_descriptor);
    vmm->release(handle);
  }
}

TEST_F(CudaForeign, B02_host_memory_is_page_locked_until_it_is_unpinned) {
  std::vector<char> ours(10'000);
  for (auto const kind : both_kinds) {
    auto const vmm    = make(kind);
    auto const before = FakeCuda::instance().counts();
    EXPECT_TRUE(vmm->pin(ours.data() + 3, 9'000));
    EXPECT_EQ(FakeCuda::instance().counts().registered, 1U);
    EXPECT_THAT(vmm->describe(ours.data() + 3), StartsWith("page-locked"));
    vmm->unpin(ours.data() + 3);
    EXPECT_EQ(FakeCuda::instance().counts(), before);
  }
}

TEST_F(CudaForeign, B11_memory_that_kernels_find_elsewhere_is_not_pinned) {
  if (!is_hip) GTEST_SKIP() << "CUDA has one address for both";
  FakeCuda::set("FAKE_HIP_MOVES", "1");
  auto const vmm = make();
  std::vector<char> block(10'000);
  auto const failure = symm::Impl::failure_of(
      [&] { static_cast<void>(vmm->pin(block.data(), block.size())); });
  ::unsetenv("FAKE_HIP_MOVES");
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::system);
  EXPECT_THAT(failure->message,
              testing::HasSubstr("this library needs the same address"));
  EXPECT_EQ(FakeCuda::instance().counts().registered, 0U);
}

TEST_F(CudaForeign, B02_memory_that_kernels_reach_already_needs_no_pinning) {
  for (auto const kind : both_kinds) {
    auto const vmm = make(kind);
    for (auto const sort :
         {fake_cuda_malloc, fake_cuda_malloc_async, fake_cuda_malloc_host}) {
      char* const start = allocate(sort, 10'000);
      EXPECT_FALSE(vmm->pin(start, 10'000));
      EXPECT_FALSE(vmm->pin(start + 9'999, 1));
      EXPECT_THAT(refusal([&] { static_cast<void>(vmm->pin(start, 10'001)); }),
                  AllOf(HasSubstr("begins in "), HasSubstr(" and ends in ")));
    }
  }
}

TEST_F(CudaForeign, B07_managed_memory_is_refused) {
  char* const managed = allocate(fake_cuda_malloc_managed, 10'000);
  for (auto const kind : both_kinds) {
    auto const vmm = make(kind);
    EXPECT_THAT(refusal([&] { static_cast<void>(vmm->pin(managed, 10'000)); }),
                HasSubstr("CUDA managed memory"));
  }
  EXPECT_THAT(
      refusal([&] { static_cast<void>(make()->export_foreign(managed, 64)); }),
      HasSubstr("CUDA managed memory"));
}

TEST_F(CudaForeign, B11_a_failure_of_the_driver_to_pin_is_told) {
  auto const vmm = make();
  std::vector<char> ours(4096);
  auto const pin   = [&] { static_cast<void>(vmm->pin(ours.data(), 4096)); };
  auto const& fake = FakeCuda::instance();
  fake.fail("cuMemHostRegister", CUDA_ERROR_OUT_OF_MEMORY);
  EXPECT_THROW(pin(), symm::OutOfMemory);
  fake.fail("cuMemHostRegister", CUDA_ERROR_UNKNOWN);
  EXPECT_THROW(pin(), symm::SystemError);
  fake.fail("cuMemHostRegister", CUDA_ERROR_INVALID_VALUE);
  EXPECT_THAT(refusal(pin), HasSubstr("read and write"));
  fake.heal();
  EXPECT_EQ(fake.counts().registered, 0U);
  EXPECT_EQ(fake.n_current_contexts(), 0);
  pin();
  vmm->unpin(ours.data());
}

TEST_F(CudaForeign, only_memory_of_cudaMalloc_on_this_gpu_is_exported) {
  auto const vmm = make();
  CudaProgram const program(MemoryKind::device, unit, by_descriptor);
  std::vector<char> ours(4096);
  EXPECT_THAT(refusal([&] {
                static_cast<void>(vmm->export_foreign(program.address(), 64));
              }),
              AllOf(HasSubstr("are in " + vmm->describe(program.address())),
                    HasSubstr("CUDA IPC cannot share"),
                    HasSubstr("symm::register_symmetric_view")));
  for (char* const start :
       {ours.data(), allocate(fake_cuda_malloc_async, 64),
        allocate(fake_cuda_malloc_host, 64), static_cast<char*>(nullptr)}) {
    EXPECT_THAT(
        refusal([&] { static_cast<void>(vmm->export_foreign(start, 64)); }),
        AllOf(HasSubstr("are in " + vmm->describe(start)),
              HasSubstr("CUDA IPC cannot share"), HasSubstr("cudaMalloc, or")));
  }
  char* const elsewhere = allocate(fake_cuda_malloc, 64, 1);
  EXPECT_THAT(
      refusal([&] { static_cast<void>(vmm->export_foreign(elsewhere, 64)); }),
      HasSubstr("cudaMalloc on GPU 1, not on this PE's GPU 0"));
  EXPECT_FALSE(make(MemoryKind::host)->export_foreign(elsewhere, 64));
}

TEST_F(CudaForeign, what_is_exported_stays_inside_one_allocation) {
  auto const vmm    = make();
  char* const start = allocate(fake_cuda_malloc, 10'000);
  for (std::size_t const offset : {0U, 1U, 5'000U, 9'999U}) {
    auto const handle = vmm->export_foreign(start + offset, 10'000 - offset);
    ASSERT_TRUE(handle);
    EXPECT_EQ(handle->offset, offset);
    EXPECT_THAT(refusal([&] {
                  static_cast<void>(
                      vmm->export_foreign(start + offset, 10'001 - offset));
                }),
                HasSubstr("the allocation ends after " +
                          std::to_string(10'000 - offset) + " bytes"));
  }
  EXPECT_THAT(
      refusal([&] { static_cast<void>(vmm->export_foreign(start, SIZE_MAX)); }),
      HasSubstr("exceeds the address space"));
}

TEST_F(CudaForeign, memory_of_cudaMalloc_is_mapped_by_all_the_other_pes) {
  constexpr std::size_t bytes = 10'000;
  auto const value            = [](int from, int to, std::size_t i) {
    return static_cast<char>(from * 50 + to * 7 + static_cast<int>(i % 97));
  };
  expect_on_pes(3, [&](ForkedBootstrap& bootstrap) {
    int const me      = bootstrap.my_pe();
    int const n_pes   = bootstrap.n_pes();
    auto const vmm    = make(MemoryKind::device, me % 2);
    auto const before = FakeCuda::instance().counts();
    char* const mine  = FakeCuda::instance().allocate(
         fake_cuda_malloc, static_cast<std::size_t>(n_pes) * bytes, me % 2);
    // From an address inside it, which differs between PEs.
    auto const shift = static_cast<std::size_t>(me) * 100;
    auto const all   = symm::Impl::allgather(
          bootstrap, vmm->export_foreign(mine + shift, bytes).value());
    for (int pe = 0; pe < n_pes; ++pe) {
      if (pe == me) continue;
      auto const& handle = all[static_cast<std::size_t>(pe)];
      char* const start  = vmm->open_foreign(handle);
      EXPECT_EQ(vmm->open_foreign(handle), start) << "twice";
      EXPECT_EQ(handle.offset, static_cast<std::size_t>(pe) * 100);
      vmm->close_foreign(start);
      char* const to = start + static_cast<std::size_t>(me) * bytes;
      for (std::size_t i = 0; i < bytes; ++i) to[i] = value(me, pe, i);
      vmm->close_foreign(start);
      EXPECT_THROW(vmm->close_foreign(start), symm::SystemError);
    }
    bootstrap.barrier();
    for (int pe = 0; pe < n_pes; ++pe) {
      if (pe == me) continue;
      char const* const from = mine + static_cast<std::size_t>(pe) * bytes;
      std::size_t n_wrong    = 0;
      for (std::size_t i = 0; i < bytes; ++i) {
        n_wrong += from[i] != value(pe, me, i);
      }
      EXPECT_EQ(n_wrong, 0U) << pe;
    }
    FakeCuda::instance().free(mine);
    bootstrap.barrier();
    EXPECT_THROW(static_cast<void>(vmm->open_foreign(
                     all[static_cast<std::size_t>((me + 1) % n_pes)])),
                 symm::SystemError)
        << "it is gone";
    EXPECT_EQ(FakeCuda::instance().counts(), before);
    EXPECT_EQ(FakeCuda::instance().n_current_contexts(), 0);
  });
}

}  // namespace
}  // namespace symm_test

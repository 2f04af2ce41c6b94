// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The contract suite on the CUDA driver's memory, and what is particular to it
// on any driver. With the fake driver or a GPU.

#include <gmock/gmock.h>
#include <support/FakeCuda.hpp>
#include <support/ProcessResources.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/gpu/Vmm_Gpu.hpp>
#include "CudaProvider.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::Impl::Vmm;

class Machine final : public testing::Environment {
  void SetUp() override {
    if (FakeCuda::is_selected()) FakeCuda::set_machine(1);
  }
};

testing::Environment* const machine =
    testing::AddGlobalTestEnvironment(new Machine);

auto const providers = testing::Values(&cuda_device_memory, &cuda_host_memory);

std::string name_of(testing::TestParamInfo<VmmProvider const*> const& test) {
  return test.param->name();
}

INSTANTIATE_TEST_SUITE_P(Cuda, VmmContractOfPes, providers, name_of);
INSTANTIATE_TEST_SUITE_P(Cuda, VmmContract, providers, name_of);

/// One mapped block with guards of its own memory on both sides of the part
/// that a test works on.
class CudaTransfer : public VmmContractBase {
 protected:
  static constexpr std::size_t guard = 256;

  CudaTransfer() {
    m_vmm->map(m_address, m_bytes, 0, m_handle);
    m_vmm->set_access(m_address, m_bytes, Vmm::Access::read_write);
    provider().write(m_address, pattern(m_bytes, 1));
  }
  ~CudaTransfer() override {
    m_vmm->unmap(m_address, m_bytes);
    m_vmm->release(m_handle);
    m_vmm->address_free(m_address, m_bytes);
  }

  /// The block is as the constructor left it, but for `expected` at `offset`.
  void expect_changed(std::size_t offset, std::vector<char> const& expected) {
    auto whole = pattern(m_bytes, 1);
    std::copy(expected.begin(), expected.end(),
              whole.begin() + static_cast<std::ptrdiff_t>(offset));
    EXPECT_EQ(provider().read(m_address, m_bytes), whole);
  }

  std::unique_ptr<symm::Impl::MemoryProvider> m_vmm = provider().make();
  std::size_t m_bytes  = m_vmm->granularity(Vmm::Granularity::minimum);
  char* m_address      = m_vmm->reserve(m_bytes);
  Vmm::Handle m_handle = m_vmm->create(m_bytes, Vmm::Sharing::none);
};

INSTANTIATE_TEST_SUITE_P(Cuda, CudaTransfer, providers, name_of);

std::vector<std::size_t> sizes() { return {1, 3, 255, 256, 4097, 1'000'003}; }

TEST_P(CudaTransfer, C04_zero_fills_the_range_and_no_more) {
  for (auto const bytes : sizes()) {
    provider().write(m_address, pattern(m_bytes, 1));
    m_vmm->zero(m_address + guard, bytes);
    // Done when it returns: the host, where it reaches the memory, would come
    // before a fill that goes on.
    if (GetParam() == &cuda_host_memory || FakeCuda::is_selected()) {
      EXPECT_EQ(m_address[guard], 0);
    }
    expect_changed(guard, std::vector<char>(bytes, 0));
  }
}

TEST_P(CudaTransfer, S02_copy_moves_the_range_and_no_more) {
  auto const half = m_bytes / 2;
  for (auto const bytes : sizes()) {
    auto const data = pattern(bytes, 7);
    provider().write(m_address, pattern(m_bytes, 1));
    m_vmm->copy(m_address + guard, data.data(), bytes);
    expect_changed(guard, data);  // from the host
    std::vector<char> back(bytes);
    m_vmm->copy(back.data(), m_address + guard, bytes);
    EXPECT_EQ(back, data);  // to the host
    provider().write(m_address, pattern(m_bytes, 1));
    auto const source = provider().read(m_address + half, bytes);
    m_vmm->copy(m_address + guard, m_address + half, bytes);
    expect_changed(guard, source);  // within
  }
}

TEST_P(CudaTransfer, zero_and_copy_of_what_is_not_accessible_are_errors) {
  if (!FakeCuda::is_selected()) {
    GTEST_SKIP() << "a real driver may find out too late and lose the context";
  }
  char* const nowhere = m_vmm->reserve(m_bytes);
  EXPECT_THROW(m_vmm->zero(nowhere, 64), symm::SystemError);
  EXPECT_THROW(m_vmm->copy(m_address, nowhere, 64), symm::SystemError);
  expect_changed(0, {});
  m_vmm->address_free(nowhere, m_bytes);
}

TEST_P(CudaTransfer, its_memory_is_not_taken_for_memory_of_the_runtime) {
  // (Before HIP 7.15, the driver cannot be asked.)
  EXPECT_THAT(m_vmm->describe(m_address + 1), StartsWith("VMM memory "));
  if (GetParam() == &cuda_host_memory) {
    EXPECT_FALSE(m_vmm->export_foreign(m_address, 64));
    return;
  }
  auto const failure = symm::Impl::failure_of(
      [&] { static_cast<void>(m_vmm->export_foreign(m_address, 64)); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::usage) << failure->message;
  EXPECT_THAT(failure->message, HasSubstr("reach it as symmetric memory"));
}

TEST_P(CudaTransfer, the_place_names_the_gpu_and_whose_memory_it_is) {
  bool const is_host = GetParam() == &cuda_host_memory;
  EXPECT_THAT(m_vmm->place(),
              StartsWith(is_host ? "host memory next to GPU 0 (" : "GPU 0 ("));
  EXPECT_EQ(m_vmm->place().back(), ')');
}

#ifdef SYMM_TEST_HIP
/// HIP has no contexts; each thread has a current device.
int current_context() {
  int device = -1;
  EXPECT_EQ(symm::Impl::gpu::Driver::instance().get_device(&device),
            hipSuccess);
  return device;
}
constexpr int no_context = 0;
#else
/// The context that is current on this thread, or null.
CUcontext current_context() {
  auto const& driver = symm::Impl::gpu::Driver::instance();
  CUcontext context  = nullptr;
  if (driver.ctx_pop_current(&context) != symm::Impl::gpu::success)
    return nullptr;
  EXPECT_EQ(driver.ctx_push_current(context), symm::Impl::gpu::success);
  return context;
}
constexpr CUcontext no_context = nullptr;
#endif

TEST_P(CudaTransfer, the_current_context_of_the_thread_stays_as_it_was) {
  auto const use_all = [&] {
    m_vmm->zero(m_address, 64);
    m_vmm->copy(m_address, m_address + guard, 64);
    m_vmm->synchronize();
    static_cast<void>(
        symm::Impl::failure_of([&] { m_vmm->zero(nullptr, 64); }));
  };
  EXPECT_EQ(current_context(), no_context);
  use_all();
  EXPECT_EQ(current_context(), no_context) << "none, as before";
  CurrentContext const current;
  auto const before = current_context();
  EXPECT_EQ(before == no_context, is_hip);
  use_all();
  EXPECT_EQ(current_context(), before);
}

TEST_P(CudaTransfer, descriptors_balance) {
  auto const before = n_open_descriptors();
  auto const in_use = provider().in_use();
  for (int round = 0; round < 20; ++round) {
    auto const handle = m_vmm->create(m_bytes, Vmm::Sharing::by_descriptor);
    m_vmm->release(m_vmm->import_handle(m_vmm->export_handle(handle), m_bytes));
    m_vmm->release(handle);
  }
  EXPECT_EQ(n_open_descriptors(), before);
  EXPECT_EQ(provider().in_use(), in_use);
}

TEST_P(CudaTransfer, more_than_there_is_is_out_of_memory) {
  auto const in_use  = provider().in_use();
  auto const bytes   = std::size_t{1} << 50U;
  auto const failure = symm::Impl::failure_of([&] {
    static_cast<void>(m_vmm->create(bytes, Vmm::Sharing::by_descriptor));
  });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, symm::Impl::ErrorKind::out_of_memory);
  EXPECT_THAT(failure->message, HasSubstr(std::to_string(bytes) + " bytes"));
  EXPECT_EQ(provider().in_use(), in_use);
}

}  // namespace
}  // namespace symm_test

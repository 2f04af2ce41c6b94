// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Handles for another node's PEs, which the system grants or not: descriptors
// do where they are not to be had.

#include <optional>
#include <string>

#include "CudaRuntime.hpp"

#include <runtime/memory/Device.hpp>
#include <runtime/memory/Vmm.hpp>

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::Impl::Runtime;
using symm::Impl::Vmm;

/// What the system grants, and how often a PE then imports one peer's memory.
struct Grant {
  char const* fabric;
  bool has_handle;
  int n_imports;
};

class CudaFabric : public CudaRuntime,
                   public testing::WithParamInterface<Grant> {
 protected:
  void SetUp() override {
    CudaRuntime::SetUp();
    FakeCuda::set("FAKE_CUDA_FABRIC", GetParam().fabric);
  }
};

INSTANTIATE_TEST_SUITE_P(
    Grants, CudaFabric,
    testing::Values(Grant{"absent", false, 1}, Grant{"denied", false, 1},
                    Grant{"granted", true, 1}, Grant{"import_denied", true, 2}),
    [](auto const& test) { return std::string(test.param.fabric); });

TEST_P(CudaFabric, V16_V39_the_heap_works_whatever_is_granted) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    auto const nothing = held();
    initialize(bootstrap, bootstrap.my_pe() % 2);
    for (auto const kind : {MemoryKind::device, MemoryKind::host}) {
      auto& its = heap(kind);
      expect_data_arrives(its, its.malloc(3 * mib), 3 * mib);
      expect_data_arrives(its, its.malloc(16 * mib), 16 * mib);
    }
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    expect_nothing_in_use(bootstrap);
  });
}

TEST_P(CudaFabric, V39_a_descriptor_is_taken_only_if_the_handle_is_refused) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe());
    auto const n = GetParam().n_imports;
    // One import more than expected would fail, one fewer is too few.
    fake().fail("cuMemImportFromShareableHandle", CUDA_ERROR_UNKNOWN, n);
    auto& its = heap(MemoryKind::device);
    expect_data_arrives(its, its.malloc(mib), mib);
    EXPECT_EQ(symm::malloc(16 * mib), nullptr) << "more imports fail";
    fake().heal();
    if (n > 1) {
      fake().fail("cuMemImportFromShareableHandle", CUDA_ERROR_UNKNOWN, n - 1);
      EXPECT_EQ(symm::malloc(16 * mib), nullptr);
      fake().heal();
    }
    EXPECT_NE(symm::malloc(16 * mib), nullptr);
    Runtime::finalize();
  });
}

TEST_P(CudaFabric, V16_V17_a_handle_is_there_if_it_is_granted) {
  expect_on_pes(1, [](ForkedBootstrap&) {
    auto const vmm  = symm::Impl::make_device_memory(MemoryKind::device, 0, 1);
    auto const unit = vmm->granularity(Vmm::Granularity::minimum);
    auto const before = held();
    // The first one finds out whether it is granted, the next ones know.
    for (int round = 0; round < 3; ++round) {
      auto const handle = vmm->create(unit, Vmm::Sharing::by_descriptor);
      EXPECT_EQ(vmm->export_fabric(handle).has_value(), GetParam().has_handle);
      EXPECT_TRUE(vmm->export_handle(handle)) << "and always a descriptor";
      vmm->release(handle);
    }
    auto const unshared = vmm->create(unit, Vmm::Sharing::none);
    EXPECT_THROW(static_cast<void>(vmm->export_fabric(unshared)),
                 symm::UsageError);
    vmm->release(unshared);
    EXPECT_EQ(held(), before);
  });
}

TEST_P(CudaFabric, V39_an_import_that_is_refused_is_no_error) {
  expect_on_pes(1, [](ForkedBootstrap&) {
    auto const vmm  = symm::Impl::make_device_memory(MemoryKind::device, 0, 1);
    auto const unit = vmm->granularity(Vmm::Granularity::minimum);
    auto const handle     = vmm->create(unit, Vmm::Sharing::by_descriptor);
    auto const before     = held();
    bool const is_granted = std::string(GetParam().fabric) == "granted";
    if (auto const fabric = vmm->export_fabric(handle)) {
      auto const imported = vmm->import_fabric(*fabric, unit);
      EXPECT_EQ(imported.has_value(), is_granted);
      if (imported) vmm->release(*imported);
    }
    EXPECT_FALSE(vmm->import_fabric(Vmm::FabricHandle{}, unit)) << "junk";
    EXPECT_EQ(held(), before);
    vmm->release(handle);
  });
}

TEST_P(CudaFabric, V16_memory_that_is_short_is_not_a_lack_of_permission) {
  FakeCuda::set("FAKE_CUDA_MEMORY", "8");
  expect_on_pes(1, [](ForkedBootstrap&) {
    auto const vmm  = symm::Impl::make_device_memory(MemoryKind::device, 0, 1);
    auto const unit = vmm->granularity(Vmm::Granularity::minimum);
    EXPECT_THROW(
        static_cast<void>(vmm->create(8 * unit, Vmm::Sharing::by_descriptor)),
        symm::OutOfMemory);
    auto const handle = vmm->create(unit, Vmm::Sharing::by_descriptor);
    EXPECT_EQ(vmm->export_fabric(handle).has_value(), GetParam().has_handle)
        << "still asked for";
    vmm->release(handle);
  });
}

}  // namespace
}  // namespace symm_test

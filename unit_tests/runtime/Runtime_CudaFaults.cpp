// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The heaps of GPUs when the driver refuses something on one PE.

#include <ostream>
#include <string>

#include "CudaRuntime.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::Pe;
using symm::Impl::ErrorKind;
using symm::Impl::Runtime;
using testing::AllOf;
using testing::Not;

constexpr Pe failing = 1;

/// A function of the driver that fails, from its call number `first` on.
struct Fault {
  char const* function;
  int first;
  CUresult result;
  char const* text;
  MemoryKind kind;
  char const* name;
};

std::ostream& operator<<(std::ostream& out, Fault const& fault) {
  return out << fault.name;
}

class CudaGrowthFaults : public CudaRuntime,
                         public testing::WithParamInterface<Fault> {};

TEST_P(CudaGrowthFaults, M34_M48_growth_that_fails_on_one_pe_fails_on_all) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    auto const& fault  = GetParam();
    auto const nothing = held();
    initialize(bootstrap, bootstrap.my_pe() % 2);
    auto& its         = heap(fault.kind);
    void* const old   = its.malloc(100'000);
    auto const stats  = stats_of(its);
    auto const before = held();
    for (int round = 0; round < 3; ++round) {
      if (bootstrap.my_pe() == failing) {
        fake().fail(fault.function, fault.result, fault.first);
      }
      auto const failure =
          failure_text([&] { static_cast<void>(its.malloc(16 * mib)); });
      fake().heal();
      EXPECT_THAT(failure.message,
                  AllOf(HasSubstr("symm::malloc(bytes = 16777216"),
                        HasSubstr("PE 1 failed: "), HasSubstr(fault.function),
                        HasSubstr(fault.text)));
      EXPECT_EQ(stats_of(its), stats);
      EXPECT_EQ(held(), before);
    }
    void* const next = its.malloc(16 * mib);
    expect_data_arrives(its, next, 16 * mib);
    expect_data_arrives(its, old, 100'000);
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    expect_nothing_in_use(bootstrap);
  });
}

constexpr auto gpu = MemoryKind::device;
INSTANTIATE_TEST_SUITE_P(
    Functions, CudaGrowthFaults,
    testing::Values(
        Fault{"cuMemCreate", 0, CUDA_ERROR_OUT_OF_MEMORY,
              "CUDA_ERROR_OUT_OF_MEMORY (out of memory)", gpu, "create"},
        Fault{"cuMemCreate", 0, CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", gpu,
              "create_other"},
        Fault{"cuMemExportToShareableHandle", 0, CUDA_ERROR_UNKNOWN,
              "CUDA_ERROR_UNKNOWN", gpu, "export"},
        Fault{"cuMemMap", 0, CUDA_ERROR_INVALID_VALUE,
              "CUDA_ERROR_INVALID_VALUE", gpu, "map_own"},
        Fault{"cuMemSetAccess", 0, CUDA_ERROR_NOT_SUPPORTED,
              "CUDA_ERROR_NOT_SUPPORTED", gpu, "access_own"},
        Fault{"cuMemImportFromShareableHandle", 1, CUDA_ERROR_UNKNOWN,
              "CUDA_ERROR_UNKNOWN", gpu, "import_second"},
        Fault{"cuMemMap", 2, CUDA_ERROR_OUT_OF_MEMORY,
              "CUDA_ERROR_OUT_OF_MEMORY", gpu, "map_second_peer"},
        Fault{"cuMemSetAccess", 1, CUDA_ERROR_INVALID_DEVICE,
              "CUDA_ERROR_INVALID_DEVICE", gpu, "access_first_peer"},
        Fault{"cuMemCreate", 0, CUDA_ERROR_OUT_OF_MEMORY,
              "CUDA_ERROR_OUT_OF_MEMORY", MemoryKind::host, "host_create"},
        Fault{"cuMemSetAccess", 2, CUDA_ERROR_INVALID_DEVICE,
              "CUDA_ERROR_INVALID_DEVICE", MemoryKind::host,
              "host_access_second_peer"}),
    [](auto const& test) { return std::string(test.param.name); });

TEST_F(CudaRuntime, M34_M48_memory_that_is_short_on_one_gpu_is_short_for_all) {
  // In MiB; of GPU 1 the start takes 2, and the first block 4.
  static_assert(start_bytes(2) == 2 * mib);
  FakeCuda::set("FAKE_CUDA_MEMORY", "4096,10");
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe() == failing ? 1 : 0);
    auto& its         = heap(MemoryKind::device);
    void* const small = its.malloc(3 * mib);
    auto const stats  = stats_of(its);
    auto const before = held();
    auto const failure =
        failure_text([&] { static_cast<void>(its.malloc(32 * mib)); });
    EXPECT_EQ(failure.kind, ErrorKind::out_of_memory);
    EXPECT_THAT(failure.message,
                AllOf(HasSubstr("PE 1 failed: "),
                      HasSubstr("GPU 1 (Fake H200, 0000:20:00.0)"),
                      HasSubstr("33554432 bytes"),
                      HasSubstr("4194304 of 10485760 bytes free")));
    EXPECT_EQ(symm::malloc(32 * mib), nullptr);
    EXPECT_THAT(symm::last_error(), HasSubstr("GPU 1"));
    EXPECT_EQ(stats_of(its), stats);
    EXPECT_EQ(held(), before);
    expect_data_arrives(its, small, 3 * mib);
    expect_data_arrives(its, its.malloc(3 * mib), 3 * mib);
    auto& host = heap(MemoryKind::host);
    expect_data_arrives(host, host.malloc(32 * mib), mib);
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, C07_a_calloc_that_cannot_fill_on_one_pe_changes_nothing) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe() % 2);
    for (auto const kind : {MemoryKind::device, MemoryKind::host}) {
      auto& its = heap(kind);
      its.free(its.malloc(4 * mib));  // the growth is no part of it
      auto const stats  = stats_of(its);
      auto const before = held();
      if (bootstrap.my_pe() == failing) {
        fake().fail("cuMemsetD8", CUDA_ERROR_INVALID_VALUE);
      }
      auto const failure =
          failure_text([&] { static_cast<void>(its.calloc(1000, 8)); });
      fake().heal();
      EXPECT_THAT(failure.message,
                  AllOf(HasSubstr("cuMemsetD8 failed"), HasSubstr("GPU 1"),
                        HasSubstr("CUDA_ERROR_INVALID_VALUE")));
      EXPECT_EQ(stats_of(its), stats);
      EXPECT_EQ(held(), before);
      void* const block = its.calloc(1000, 8);
      EXPECT_EQ(static_cast<char*>(block)[7999], 0);
      its.free(block);
    }
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, S06_a_realloc_that_cannot_copy_on_one_pe_keeps_the_block) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe() % 2);
    for (auto const kind : {MemoryKind::device, MemoryKind::host}) {
      auto& its         = heap(kind);
      auto* const block = static_cast<char*>(its.malloc(1000));
      its.free(its.malloc(4 * mib));
      block[999]        = 'x';
      auto const stats  = stats_of(its);
      auto const before = held();
      if (bootstrap.my_pe() == failing) {
        fake().fail("cuMemcpy", CUDA_ERROR_INVALID_VALUE);
      }
      auto const failure =
          failure_text([&] { static_cast<void>(its.realloc(block, mib)); });
      fake().heal();
      EXPECT_THAT(failure.message, AllOf(HasSubstr("cuMemcpy failed"),
                                         HasSubstr("CUDA_ERROR_INVALID")));
      EXPECT_EQ(stats_of(its), stats);
      EXPECT_EQ(held(), before);
      EXPECT_EQ(block[999], 'x');
      auto* const moved = static_cast<char*>(its.realloc(block, mib));
      EXPECT_EQ(moved[999], 'x');
      its.free(moved);
    }
    Runtime::finalize();
  });
}

/// PEs 0 and 1 on GPUs of their own; the message of a start that fails on all.
std::string failure_of_start(ForkedBootstrap& bootstrap, int device) {
  auto const nothing = held();
  auto const failure = failure_text([&] { initialize(bootstrap, device); });
  EXPECT_EQ(failure.kind, ErrorKind::system);
  EXPECT_THAT(failure.message, HasSubstr("symm::initialize: "));
  EXPECT_FALSE(Runtime::is_initialized());
  EXPECT_EQ(held(), nothing);
  expect_nothing_in_use(bootstrap);
  return failure.message;
}

TEST_F(CudaRuntime, gpus_that_do_not_reach_each_other_are_named_on_all_pes) {
  FakeCuda::set("FAKE_CUDA_NO_PEER", "0-1");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    EXPECT_THAT(
        failure_of_start(bootstrap, bootstrap.my_pe()),
        AllOf(HasSubstr("PE 0 (GPU 0 (Fake H200, 0000:10:00.0)) cannot map the "
                        "memory of PE 1 "
                        "(GPU 1 (Fake H200, 0000:20:00.0)): "),
              HasSubstr("cuMemSetAccess failed: CUDA_ERROR_INVALID_DEVICE "
                        "(invalid device ordinal)")));
  });
}

TEST_F(CudaRuntime, a_message_with_long_names_ends_with_the_drivers_text) {
  FakeCuda::set("FAKE_CUDA_NO_PEER", "0-1");
  // As long as the name of a GPU gets, and as the driver is asked for.
  FakeCuda::set("FAKE_CUDA_NAME",
                "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    EXPECT_THAT(failure_of_start(bootstrap, bootstrap.my_pe()),
                AllOf(HasSubstr("PE 0 (GPU 0 (NVIDIA RTX PRO 6000"),
                      HasSubstr("of PE 1 (GPU 1 (NVIDIA RTX PRO 6000"),
                      HasSubstr("cuMemSetAccess failed: "
                                "CUDA_ERROR_INVALID_DEVICE (invalid device "
                                "ordinal)")));
  });
}

// As in a container that may not choose NUMA nodes: the attribute says yes.
TEST_F(CudaRuntime, host_memory_that_one_pe_cannot_create_is_none_for_all) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    auto const nothing = held();
    if (bootstrap.my_pe() == failing) {
      // The first call tries GPU memory, the second host memory.
      fake().fail("cuMemCreate", CUDA_ERROR_NOT_PERMITTED, 1, 1);
    }
    initialize(bootstrap, bootstrap.my_pe() % 2);
    fake().heal();
    auto const failure =
        failure_text([] { static_cast<void>(heap(MemoryKind::host)); });
    EXPECT_EQ(failure.kind, ErrorKind::usage);
    EXPECT_THAT(
        failure.message,
        AllOf(HasSubstr("no symmetric heap in host memory"),
              HasSubstr("PE 1 failed"),
              HasSubstr("cuMemCreate failed: CUDA_ERROR_NOT_PERMITTED")));
    auto& its = heap(MemoryKind::device);
    expect_data_arrives(its, its.malloc(64), 64);
    Runtime::finalize();
    EXPECT_EQ(held(), nothing);
    expect_nothing_in_use(bootstrap);
  });
}

TEST_F(CudaRuntime, the_same_holds_for_the_long_names_of_host_memory) {
  FakeCuda::set("FAKE_CUDA_NAME",
                "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe());
    // Its second call is for the peer's memory.
    fake().fail("cuMemSetAccess", CUDA_ERROR_INVALID_DEVICE, 1);
    auto const failure = failure_text(
        [] { static_cast<void>(heap(MemoryKind::host).malloc(64)); });
    EXPECT_THAT(failure.message,
                AllOf(HasSubstr("PE 0 (host memory next to GPU 0 (NVIDIA RTX"),
                      HasSubstr("PE 1 (host memory next to GPU 1 (NVIDIA RTX"),
                      HasSubstr("CUDA_ERROR_INVALID_DEVICE (invalid device "
                                "ordinal)")));
    fake().heal();
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, a_context_that_is_lost_on_one_pe_fails_the_next_call) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe() % 2);
    auto& its         = heap(MemoryKind::device);
    void* const block = its.malloc(64);
    void* const view  = its.allocate_view("v", 64, 256, 128);
    if (bootstrap.my_pe() == failing) fake().lose_context(1);
    auto const expect_fails = [&](std::function<void()> const& call) {
      auto const failure = failure_text(call);
      EXPECT_EQ(failure.kind, ErrorKind::system);
      EXPECT_THAT(failure.message,
                  AllOf(HasSubstr("failed: on PE 1: "), HasSubstr("GPU 1"),
                        HasSubstr("cuCtxSynchronize failed: "
                                  "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal "
                                  "memory access was encountered)"),
                        HasSubstr("nothing was changed"),
                        Not(HasSubstr("PE 0")), Not(HasSubstr("PE 2"))));
    };
    expect_fails([&] { static_cast<void>(its.malloc(64)); });
    expect_fails([&] { static_cast<void>(its.calloc(64, 1)); });
    expect_fails([&] { its.free(block); });
    its.retire(view);  // local, and cannot fail
    expect_fails([&] { its.trim(); });
    expect_fails([&] { Runtime::finalize(); });
  });
}

}  // namespace
}  // namespace symm_test

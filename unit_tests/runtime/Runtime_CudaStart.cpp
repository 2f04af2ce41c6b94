// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The start of the runtime with GPUs where it cannot be had, on one PE or on
// all: refused by all PEs alike, or with one heap only.

#include <string>

#include <runtime/symm_teams.hpp>

#include "CudaRuntime.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::Impl::ErrorKind;
using symm::Impl::PeTeamWords;
using symm::Impl::Runtime;
using testing::AllOf;

/// PE 1 starts with `device`, the others with GPU 0. All must refuse with that
/// message, hold nothing, and work when PE 1 has GPU 0, too.
void expect_refused(std::optional<int> device, ErrorKind kind,
                    testing::Matcher<std::string const&> const& message) {
  expect_on_pes(3, [&](ForkedBootstrap& bootstrap) {
    auto const before  = held();
    auto const mine    = bootstrap.my_pe() == 1 ? device : 0;
    auto const failure = failure_text([&] { initialize(bootstrap, mine); });
    EXPECT_EQ(failure.kind, kind);
    EXPECT_THAT(failure.message, AllOf(HasSubstr("symm::initialize"), message));
    EXPECT_FALSE(Runtime::is_initialized());
    EXPECT_EQ(held(), before);
    initialize(bootstrap, 0);
    auto& gpu = heap(MemoryKind::device);
    expect_data_arrives(gpu, gpu.malloc(64), 64);
    Runtime::finalize();
    EXPECT_EQ(held(), before);
  });
}

TEST_F(CudaRuntime, a_pe_with_a_gpu_and_one_without_are_refused) {
  expect_refused(std::nullopt, ErrorKind::usage,
                 AllOf(HasSubstr("the use of a GPU differs between PEs"),
                       HasSubstr("PE 1")));
}

TEST_F(CudaRuntime, a_gpu_that_is_not_there_on_one_pe_is_refused_by_all) {
  expect_refused(7, ErrorKind::usage,
                 AllOf(HasSubstr("PE 1 failed: there is no GPU 7"),
                       HasSubstr("GPUs 0 to 1")));
}

TEST_F(CudaRuntime, a_gpu_without_vmm_on_one_pe_is_refused_by_all) {
  FakeCuda::set("FAKE_CUDA_NO_VMM", "1");
  expect_refused(
      1, ErrorKind::system,
      AllOf(HasSubstr("PE 1 failed: GPU 1 (Fake H200, 0000:20:00.0)"),
            HasSubstr("no virtual memory management")));
}

TEST_F(CudaRuntime, a_pe_that_sees_no_gpu_is_refused_by_all) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    auto const before = held();
    if (bootstrap.my_pe() == 2) FakeCuda::set("CUDA_VISIBLE_DEVICES", "");
    auto const failure = failure_text([&] { initialize(bootstrap, 0); });
    EXPECT_EQ(failure.kind, ErrorKind::system);
    EXPECT_THAT(failure.message, AllOf(HasSubstr("PE 2 failed: no GPU"),
                                       HasSubstr("CUDA_ERROR_NO_DEVICE"),
                                       HasSubstr("CUDA_VISIBLE_DEVICES=")));
    EXPECT_EQ(held(), before);
    initialize(bootstrap, std::nullopt);  // without GPUs, they work
    EXPECT_NE(symm::malloc(64), nullptr);
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, without_a_gpu_there_is_no_heap_on_it_and_it_says_why) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, std::nullopt);
    auto const failure = failure_text([] {
      static_cast<void>(Runtime::instance("test").heap(MemoryKind::device,
                                                       "symm::heap_stats"));
    });
    EXPECT_EQ(failure.kind, ErrorKind::usage);
    EXPECT_THAT(failure.message,
                AllOf(HasSubstr("symm::heap_stats: there is no symmetric heap "
                                "in GPU memory"),
                      HasSubstr("initialized without a GPU")));
    EXPECT_NE(heap(MemoryKind::host).malloc(64), nullptr);
    EXPECT_EQ(fake().counts(), FakeCudaCounts{}) << "no driver was asked";
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, a_gpu_that_shares_no_host_memory_has_its_own_heap) {
  FakeCuda::set("FAKE_CUDA_NO_HOST_NUMA", "1");
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    auto const before = held();
    initialize(bootstrap, bootstrap.my_pe() == 1 ? 1 : 0);
    auto& gpu = heap(MemoryKind::device);
    expect_data_arrives(gpu, gpu.malloc(4096), 4096);
    auto const failure =
        failure_text([] { static_cast<void>(heap(MemoryKind::host)); });
    EXPECT_EQ(failure.kind, ErrorKind::usage);
    EXPECT_THAT(failure.message,
                AllOf(HasSubstr("no symmetric heap in host memory: it is not "
                                "available: PE 1 failed: "),
                      HasSubstr("GPU 1 (Fake H200, 0000:20:00.0)"),
                      HasSubstr("virtual memory management of host memory")));
    EXPECT_EQ(symm::heap_trim(), 0U) << "a block lives in the only chunk";
    Runtime::finalize();
    EXPECT_EQ(held(), before);
  });
}

/// Starts `n` PEs, of which number `pe` has GPU device_of(pe).
/// \param told what PE 0 tells of PEs that take turns; "": nothing.
/// \param share whether PEs share a GPU: then packets are few.
/// \param wait whether several blocks of a kernel may wait.
template <class DeviceOf>
void expect_sharing(int n, DeviceOf const& device_of, std::string const& told,
                    bool share, bool wait = false) {
  expect_on_pes(n, [&](ForkedBootstrap& bootstrap) {
    auto const me = bootstrap.my_pe();
    testing::internal::CaptureStderr();
    initialize(bootstrap, device_of(me));
    auto const text = testing::internal::GetCapturedStderr();
    EXPECT_EQ(Runtime::instance("test").has_gates(), !told.empty());
    EXPECT_THAT(text, HasSubstr(me == 0 ? told : ""));
    EXPECT_EQ(symm::team_world().words_on_gpu().n_packets,
              share ? PeTeamWords::few_packets : PeTeamWords::many_packets);
    EXPECT_EQ(symm::team_world().may_blocks_wait(), wait);
    EXPECT_EQ(text.find("share") != text.npos, me == 0 && !told.empty())
        << text;
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, PEs_that_take_turns_on_a_GPU_are_found_and_told_of) {
  expect_sharing(
      3, [](int pe) { return pe == 2 ? 1 : 0; },
      is_hip ? "up to 2 PEs share a GPU; the library assumes"
             : "up to 2 PEs share a GPU and take turns on it; to run",
      true);
}

TEST_F(CudaRuntime, PEs_with_a_GPU_each_take_no_turns) {
  expect_sharing(
      2, [](int pe) { return pe; }, "", false, true);
}

TEST_F(CudaRuntime, one_block_waits_on_each_GPU_if_one_of_them_is_small) {
  FakeCuda::set("FAKE_CUDA_SMALL", "1");
  expect_sharing(
      2, [](int pe) { return pe; }, "", false);
}

TEST_F(CudaRuntime, other_jobs_may_be_on_the_GPU_with_MPS) {
  if (is_hip) GTEST_SKIP() << "HIP does not tell whether processes take turns";
  FakeCuda::set("FAKE_CUDA_MPS", "1");
  expect_sharing(
      2, [](int pe) { return pe; }, "", false);
}

TEST_F(CudaRuntime, PEs_that_share_a_GPU_by_MPS_take_no_turns) {
  if (is_hip) GTEST_SKIP() << "HIP does not tell whether processes take turns";
  FakeCuda::set("FAKE_CUDA_MPS", "1");
  expect_sharing(
      3, [](int) { return 0; }, "", true);
}

TEST_F(CudaRuntime, one_PE_without_MPS_is_enough_for_turns) {
  expect_sharing(
      2,
      [](int pe) {
        if (pe == 0) FakeCuda::set("FAKE_CUDA_MPS", "1");
        return 0;
      },
      "up to 2 PEs share a GPU", true);
}

/// A function of the driver that fails at the start of PE 1.
class CudaRuntimeStartFaults : public CudaRuntime,
                               public testing::WithParamInterface<char const*> {
};

TEST_P(CudaRuntimeStartFaults, M34_a_start_that_fails_on_one_pe_fails_on_all) {
  // Even addresses come from the driver as the rest; the first call is that of
  // the heap in GPU memory.
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    auto const before = held();
    if (bootstrap.my_pe() == 1) {
      fake().fail(GetParam(), CUDA_ERROR_NOT_SUPPORTED);
    }
    auto const failure = failure_text([&] { initialize(bootstrap, 1); });
    fake().heal();
    std::string const call = GetParam();
    EXPECT_THAT(failure.message, HasSubstr("PE 1 failed: "));
    if (is_hip &&
        (call == "cuDeviceGetAttribute" || call == "cuDevicePrimaryCtxRetain" ||
         call == "cuMemGetAllocationGranularity")) {
      // HIP has no attribute; what it answers says whether it has the memory.
      EXPECT_THAT(failure.message, HasSubstr("no virtual memory management"));
    } else {
      EXPECT_THAT(
          failure.message,
          AllOf(HasSubstr(call), HasSubstr("CUDA_ERROR_NOT_SUPPORTED")));
    }
    EXPECT_FALSE(Runtime::is_initialized());
    EXPECT_EQ(held(), before);
    initialize(bootstrap, 1);
    EXPECT_NE(symm::malloc(64), nullptr);
    Runtime::finalize();
    EXPECT_EQ(held(), before);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Functions, CudaRuntimeStartFaults,
    testing::Values("cuInit", "cuDeviceGetCount", "cuDeviceGet",
                    "cuDeviceGetUuid", "cuDeviceGetName",
                    "cuDeviceGetAttribute", "cuMemGetAllocationGranularity",
                    "cuDevicePrimaryCtxRetain", "cuMemAddressReserve",
                    "cuMemsetD8"),
    [](auto const& test) { return std::string(test.param); });

/// Calls of the driver that fail on PE 1, which are those for the memory of PE
/// teams: two units have been tried before, of GPU and of host memory.
struct TeamFault {
  char const* function;
  int first;
};

class CudaPeTeamMemory : public CudaRuntime,
                         public testing::WithParamInterface<TeamFault> {};

TEST_P(CudaPeTeamMemory, a_failure_on_one_pe_fails_on_all_and_leaves_nothing) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    auto const before = held();
    if (bootstrap.my_pe() == 1) {
      fake().fail(GetParam().function, CUDA_ERROR_UNKNOWN, GetParam().first, 1);
    }
    auto const failure =
        failure_text([&] { initialize(bootstrap, bootstrap.my_pe()); });
    fake().heal();
    EXPECT_THAT(failure.message, AllOf(HasSubstr("PE 1 failed: "),
                                       HasSubstr(GetParam().function),
                                       HasSubstr("CUDA_ERROR_UNKNOWN")));
    EXPECT_FALSE(Runtime::is_initialized());
    EXPECT_EQ(held(), before);
    expect_nothing_in_use(bootstrap);
    initialize(bootstrap, bootstrap.my_pe());
    expect_only_start_in_use(bootstrap, 1, 1);
    Runtime::finalize();
    expect_nothing_in_use(bootstrap);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Steps, CudaPeTeamMemory,
    testing::Values(TeamFault{"cuMemAddressReserve", 2},
                    TeamFault{"cuMemCreate", 2},
                    TeamFault{"cuMemExportToShareableHandle", 2},
                    TeamFault{"cuMemMap", 4}, TeamFault{"cuMemMap", 5},
                    TeamFault{"cuMemImportFromShareableHandle", 2},
                    TeamFault{"cuMemSetAccess", 5}, TeamFault{"cuMemsetD8", 0}),
    [](auto const& test) {
      return std::string(test.param.function) +
             std::to_string(test.param.first);
    });

TEST_F(CudaRuntime, M34_a_static_heap_that_one_gpu_has_no_room_for) {
  static_assert(start_bytes(1) == 4 * mib);
  FakeCuda::set("FAKE_CUDA_MEMORY", "1024,16");
  FakeCuda::set("SYMM_STATIC_HEAP", "1");
  FakeCuda::set("SYMM_SYMMETRIC_SIZE", "64M");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    auto const before = held();
    auto const failure =
        failure_text([&] { initialize(bootstrap, bootstrap.my_pe()); });
    EXPECT_EQ(failure.kind, ErrorKind::out_of_memory);
    EXPECT_THAT(
        failure.message,
        AllOf(HasSubstr(
                  "PE 1 failed: GPU 1 (Fake H200, 0000:20:00.0) has no memory"),
              HasSubstr("67108864 bytes"),
              HasSubstr("12582912 of 16777216 bytes free")));
    EXPECT_EQ(held(), before);
    expect_nothing_in_use(bootstrap);
  });
}

}  // namespace
}  // namespace symm_test

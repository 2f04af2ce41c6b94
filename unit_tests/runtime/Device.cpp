// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Which GPUs there are, and what they must be able to do. Every test is a
// process of its own, since the driver reads the environment once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/FakeCuda.hpp>
#include <support/ForkedPes.hpp>

#include <functional>
#include <memory>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/memory/Device.hpp>
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::Impl::ErrorKind;
using testing::AllOf;

class Device : public testing::Test {
 protected:
  void SetUp() override { FakeCuda::set_machine(3); }

  static void in_a_process(std::function<void()> const& body) {
    expect_on_pes(1, [&](ForkedBootstrap&) { body(); });
  }
};

void expect_refused(MemoryKind kind, int device, ErrorKind error,
                    testing::Matcher<std::string const&> const& message) {
  auto const before  = FakeCuda::instance().counts();
  auto const failure = symm::Impl::failure_of([&] {
    static_cast<void>(symm::Impl::make_device_memory(kind, device, 1));
  });
  ASSERT_TRUE(failure) << device;
  EXPECT_EQ(failure->kind, error);
  EXPECT_THAT(failure->message, message);
  EXPECT_EQ(FakeCuda::instance().counts(), before);
}

TEST_F(Device, the_gpus_of_the_machine_are_counted) {
  in_a_process([] { EXPECT_EQ(symm::Impl::n_devices(), 3); });
}

TEST_F(Device, those_that_are_hidden_do_not_count) {
  FakeCuda::set("CUDA_VISIBLE_DEVICES", "2,0");
  in_a_process([] {
    EXPECT_EQ(symm::Impl::n_devices(), 2);
    auto const vmm = symm::Impl::make_device_memory(MemoryKind::device, 0, 1);
    auto const handle =
        vmm->create(vmm->granularity(symm::Impl::Vmm::Granularity::minimum),
                    symm::Impl::Vmm::Sharing::none);
    EXPECT_GT(FakeCuda::instance().bytes_in_use("gpu2"), 0U);
    EXPECT_EQ(FakeCuda::instance().bytes_in_use("gpu0"), 0U);
    vmm->release(handle);
  });
}

TEST_F(Device, memory_is_on_its_gpu_whichever_the_thread_uses) {
  in_a_process([] {
    auto const vmm = symm::Impl::make_device_memory(MemoryKind::device, 1, 1);
#ifdef SYMM_TEST_HIP
    EXPECT_EQ(symm::Impl::gpu::Driver::instance().set_device(2),
              symm::Impl::gpu::success);
#endif
    auto const handle =
        vmm->create(vmm->granularity(symm::Impl::Vmm::Granularity::minimum),
                    symm::Impl::Vmm::Sharing::none);
    EXPECT_GT(FakeCuda::instance().bytes_in_use("gpu1"), 0U);
    EXPECT_EQ(FakeCuda::instance().bytes_in_use("gpu2"), 0U);
    vmm->release(handle);
#ifdef SYMM_TEST_HIP
    int device = -1;
    EXPECT_EQ(symm::Impl::gpu::Driver::instance().get_device(&device),
              symm::Impl::gpu::success);
    EXPECT_EQ(device, 2);
#endif
  });
}

TEST_F(Device, with_all_hidden_there_is_none) {
  FakeCuda::set("CUDA_VISIBLE_DEVICES", "-1");
  in_a_process([] {
    auto const failure = symm::Impl::failure_of(
        [] { static_cast<void>(symm::Impl::n_devices()); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(failure->message, AllOf(HasSubstr("CUDA_ERROR_NO_DEVICE"),
                                        HasSubstr("CUDA_VISIBLE_DEVICES=-1")));
  });
}

TEST_F(Device, a_number_that_is_no_gpu_is_a_usage_error) {
  in_a_process([] {
    for (int const device : {-1, 3, 1'000'000}) {
      for (auto const kind : {MemoryKind::device, MemoryKind::host}) {
        expect_refused(
            kind, device, ErrorKind::usage,
            AllOf(HasSubstr("there is no GPU " + std::to_string(device)),
                  HasSubstr("GPUs 0 to 2")));
      }
    }
  });
}

TEST_F(Device, a_gpu_without_virtual_memory_management_is_named) {
  FakeCuda::set("FAKE_CUDA_NO_VMM", "1");
  in_a_process([] {
    expect_refused(MemoryKind::device, 1, ErrorKind::system,
                   AllOf(HasSubstr("GPU 1 (Fake H200, 0000:20:00.0)"),
                         HasSubstr("no virtual memory management")));
    EXPECT_NE(symm::Impl::make_device_memory(MemoryKind::device, 2, 1),
              nullptr);
  });
}

TEST_F(Device, a_gpu_whose_memory_has_no_descriptors_is_named) {
  FakeCuda::set("FAKE_CUDA_NO_DESCRIPTORS", "0");
  in_a_process([] {
    expect_refused(MemoryKind::device, 0, ErrorKind::system,
                   AllOf(HasSubstr("GPU 0 (Fake H200, 0000:10:00.0)"),
                         HasSubstr("file descriptor")));
  });
}

TEST_F(Device, a_gpu_that_shares_no_host_memory_has_its_own) {
  FakeCuda::set("FAKE_CUDA_NO_HOST_NUMA", "2");
  in_a_process([] {
    expect_refused(MemoryKind::host, 2, ErrorKind::system,
                   AllOf(HasSubstr("GPU 2 (Fake H200, 0000:30:00.0)"),
                         HasSubstr("host memory")));
    EXPECT_NE(symm::Impl::make_device_memory(MemoryKind::device, 2, 1),
              nullptr);
  });
}

TEST_F(Device, a_process_forked_too_late_is_told_so_and_does_not_crash) {
  in_a_process([] {
    EXPECT_EQ(symm::Impl::n_devices(), 3);
    in_a_process([] {
      auto const failure = symm::Impl::failure_of(
          [] { static_cast<void>(symm::Impl::n_devices()); });
      ASSERT_TRUE(failure);
      EXPECT_THAT(failure->message, HasSubstr("CUDA_ERROR_NOT_INITIALIZED"));
    });
  });
}

}  // namespace
}  // namespace symm_test

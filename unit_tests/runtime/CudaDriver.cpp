// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Finding the CUDA driver. CTest runs some of these with a driver that cannot
// be had: fake_cuda/CMakeLists.txt has them.

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/FakeCuda.hpp>

#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include <runtime/base/Failure.hpp>
#include <runtime/gpu/Driver.hpp>
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::Impl::ErrorKind;
using symm::Impl::gpu::Driver;
using testing::AllOf;

/// Whether CTest has chosen that driver.
bool is_driver(std::string_view folder) {
  char const* const chosen = std::getenv("SYMM_TEST_FAKE_CUDA");
  return chosen != nullptr && chosen == folder;
}

/// Why there is no driver; must be a SystemError.
std::string refusal() {
  auto const failure =
      symm::Impl::failure_of([] { static_cast<void>(Driver::instance()); });
  if (!failure) return "it was found";
  EXPECT_EQ(failure->kind, ErrorKind::system);
  return failure->message;
}

TEST(CudaDriver, a_machine_without_a_driver_says_so) {
  if (!is_driver("nowhere")) GTEST_SKIP() << "CTest hides the fake driver";
  if (::dlopen(said("libcuda.so.1").c_str(), RTLD_NOW) != nullptr) {
    GTEST_SKIP() << "this machine has a driver";
  }
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("no CUDA driver on this machine: libcuda.so.1"),
                    HasSubstr("needs an NVIDIA GPU and its driver")));
}

TEST(CudaDriver, a_driver_that_cannot_be_loaded_says_why) {
  if (!is_driver("broken")) GTEST_SKIP() << "CTest gives it a broken one";
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("no CUDA driver on this machine: "),
                    HasSubstr("libcuda.so.1"), HasSubstr("file too short")));
}

TEST(CudaDriver, a_driver_that_lacks_a_function_is_to_be_updated) {
  if (!is_driver("old")) GTEST_SKIP() << "CTest gives it an old one";
  EXPECT_THAT(refusal(),
              AllOf(HasSubstr("the CUDA driver of this machine has no " +
                              std::string(is_hip ? "hip" : "cu")),
                    HasSubstr("update it")));
}

/// On the fake driver.
class FoundCudaDriver : public testing::Test {
 protected:
  void SetUp() override { FakeCuda::set_machine(1); }
};

TEST_F(FoundCudaDriver, without_a_gpu_it_says_why_and_tries_again_later) {
  FakeCuda::set("CUDA_VISIBLE_DEVICES", "");
  for (int i = 0; i < 2; ++i) {
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("no GPU that can be used: cuInit failed: "
                                "CUDA_ERROR_NO_DEVICE (no CUDA-capable"),
                      HasSubstr("CUDA_VISIBLE_DEVICES=")));
  }
  ASSERT_EQ(::unsetenv("CUDA_VISIBLE_DEVICES"), 0);
  EXPECT_NO_THROW(static_cast<void>(Driver::instance()));
}

TEST_F(FoundCudaDriver, it_is_found_once) {
  auto const& driver = Driver::instance();
  FakeCuda::instance().fail("cuInit", CUDA_ERROR_UNKNOWN);
  EXPECT_EQ(&Driver::instance(), &driver);
}

TEST_F(FoundCudaDriver, errors_have_a_name_and_a_text) {
  auto const& driver = Driver::instance();
  EXPECT_EQ(driver.text_of(symm::Impl::gpu::invalid_value),
            said("CUDA_ERROR_INVALID_VALUE (invalid argument)"));
  EXPECT_EQ(driver.text_of(static_cast<symm::Impl::gpu::Result>(998)),
            is_hip ? "hipErrorUnknown (unknown error)" : "CUDA error 998");
}

TEST_F(FoundCudaDriver, a_result_that_is_no_success_is_thrown) {
  auto const& driver = Driver::instance();
  auto const trying  = [] { return "trying"; };
  EXPECT_NO_THROW(driver.check(symm::Impl::gpu::success, "cuX", trying));
  auto const failure_with = [&](symm::Impl::gpu::Result result) {
    return symm::Impl::failure_of([&] { driver.check(result, "cuX", trying); })
        .value();
  };
  EXPECT_EQ(failure_with(symm::Impl::gpu::out_of_memory).kind,
            ErrorKind::out_of_memory);
  auto const other = failure_with(symm::Impl::gpu::invalid_value);
  EXPECT_EQ(other.kind, ErrorKind::system);
  EXPECT_EQ(other.message,
            "trying: cuX failed: " +
                said("CUDA_ERROR_INVALID_VALUE (invalid argument)"));
}

}  // namespace
}  // namespace symm_test

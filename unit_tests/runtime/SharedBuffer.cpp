// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Shared host memory between processes that may not reach each other, that end,
// or that leave the runtime.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_shared_buffers.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::SharedHostBuffer;
using symm::Impl::ErrorKind;
using symm::Impl::Runtime;
using testing::AllOf;
using testing::HasSubstr;

/// Differs for every sender, receiver and element.
std::uint32_t value(Pe from, Pe to, int i) {
  return static_cast<std::uint32_t>((from * 64 + to + 1) * 10'000 + i);
}

void initialize(ForkedBootstrap& bootstrap) {
  Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
  // Where Yama guards processes, a test lets its peers in, as a user would.
  if (::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0) != 0) {
    EXPECT_EQ(errno, EINVAL) << "there is no Yama";
  }
}

/// Collective: PEs share a word, and use it.
void expect_sharing_works() {
  Pe const me    = symm::my_pe();
  int const n    = symm::n_pes();
  Pe const right = (me + 1) % n;
  std::uint32_t word{};
  SharedHostBuffer<std::uint32_t> buffer(&word, 1);
  auto const sent = value(me, right, 0);
  buffer.put(0, &sent, 1, right);
  buffer.close();
  EXPECT_EQ(word, value((me + n - 1) % n, me, 0));
}

TEST(SharedBufferOfPes, pes_that_may_not_reach_each_other_are_told_what_helps) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    // Root may do all.
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0) {
      EXPECT_EQ(::setresuid(nobody, nobody, nobody), 0);
    }
    EXPECT_EQ(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
    initialize(bootstrap);
    Pe const closed = 1;
    if (symm::my_pe() == closed) {
      EXPECT_EQ(::prctl(PR_SET_DUMPABLE, 0, 0, 0, 0), 0);
    }
    std::uint32_t word = 0;
    auto const failure = symm::Impl::failure_of(
        [&] { SharedHostBuffer<std::uint32_t>(&word, 1); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(
        failure->message,
        AllOf(HasSubstr("symm::SharedHostBuffer: PE 0 failed: PE 0 cannot read "
                        "4 bytes at 0x"),
              HasSubstr(" of PE 1 (process "),
              HasSubstr("process_vm_readv failed: Operation not permitted"),
              HasSubstr("/proc/sys/kernel/yama/ptrace_scope is 0"),
              HasSubstr("prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY)")));
    EXPECT_EQ(::prctl(PR_SET_DUMPABLE, 1, 0, 0, 0), 0);
    symm::barrier_all();
    expect_sharing_works();
    Runtime::finalize();
  });
}

TEST(SharedBufferOfPes,
     a_buffer_may_outlive_the_runtime_and_is_of_no_use_then) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    std::uint32_t word = 0;
    std::optional<SharedHostBuffer<std::uint32_t>> buffer;
    std::optional<SharedHostBuffer<std::uint32_t>> another;
    initialize(bootstrap);
    buffer.emplace(&word, 1);
    another.emplace(&word, 1);
    Runtime::finalize();
    auto const is_refused = [&] {
      auto const failure = symm::Impl::failure_of([&] {
        std::uint32_t const sent = 1;
        buffer->put(0, &sent, 1, 0);
      });
      ASSERT_TRUE(failure);
      EXPECT_EQ(failure->kind, ErrorKind::usage);
      EXPECT_THAT(failure->message,
                  HasSubstr("symm::SharedHostBuffer::put: called after "
                            "symm::finalize()"));
    };
    is_refused();
    another.reset();
    initialize(bootstrap);  // another one
    is_refused();
    auto const failure = symm::Impl::failure_of([&] { buffer->close(); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    buffer.reset();
    expect_sharing_works();
    Runtime::finalize();
    EXPECT_EQ(word, 0U);
  });
}

TEST(SharedBufferOfPes, without_a_runtime_there_is_no_buffer) {
  std::uint32_t word = 0;
  auto const failure = symm::Impl::failure_of(
      [&] { SharedHostBuffer<std::uint32_t>(&word, 1); });
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->kind, ErrorKind::usage);
  EXPECT_THAT(failure->message,
              HasSubstr("symm::SharedHostBuffer: called before "
                        "symm::initialize()"));
}

TEST(SharedBufferOfPes, without_a_GPU_there_is_no_buffer_in_GPU_memory) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    int word           = 0;
    auto const failure = symm::Impl::failure_of(
        [&] { symm::SharedDeviceBuffer<int>(&word, 1); });
    ASSERT_TRUE(failure) << "on every PE";
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                AllOf(HasSubstr("construction of a shared buffer(bytes of an "
                                "element = 4, memory = GPU)"),
                      HasSubstr("initialized without a GPU")));
    expect_sharing_works();
    Runtime::finalize();
  });
}

TEST(SharedBufferOfPes, a_put_to_a_process_that_is_gone_is_an_error) {
  auto const results = run_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap);
    auto& exchange     = Runtime::instance("test").exchange();
    std::uint32_t word = 0;
    SharedHostBuffer<std::uint32_t> const buffer(&word, 1);
    EXPECT_EQ(exchange.process_of(symm::my_pe()), ::getpid());
    if (symm::my_pe() == 1) ::_exit(0);
    while (!exchange.is_gone(1)) ::usleep(1000);
    auto const failure =
        symm::Impl::failure_of([&] { buffer.put(0, &word, 1, 1); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::system);
    EXPECT_THAT(failure->message,
                AllOf(HasSubstr("put"),
                      HasSubstr("1 elements starting at element 0 of PE 1: its "
                                "process is gone")));
    ::_exit(testing::Test::HasFailure() ? 1 : 0);  // nobody to finalize with
  });
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded()) << result.output;
  }
}

}  // namespace
}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Memory pools on streams of a GPU, with the fake driver: which memory is used
// again when, and what the driver is asked for.

#include <array>
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <runtime/symm_pools.hpp>
#include "CudaRuntime.hpp"
#include "GpuNames.hpp"

namespace symm_test::cuda_pools {
namespace {

using symm::MemPool;
using symm::MemPoolKind;
using symm::MemPoolProperties;
using symm::Status;
using symm::Impl::Runtime;

constexpr std::size_t bytes = 64'000;

MemPool make_pool(MemPoolKind kind) {
  MemPool pool;
  EXPECT_EQ(symm::mem_pool_create(&pool, {.kind = kind}), Status::success)
      << symm::last_error();
  return pool;
}

char* allocate(MemPool pool, CUstream stream, std::size_t size = bytes) {
  void* result = nullptr;
  EXPECT_EQ(symm::malloc_from_pool_async(&result, size, pool, stream),
            Status::success)
      << symm::last_error();
  return static_cast<char*>(result);
}

void release(void* block, CUstream stream) {
  EXPECT_EQ(symm::free_async(block, stream), Status::success)
      << symm::last_error();
}

void set(MemPool pool, symm::MemPoolAttribute attribute, int value) {
  EXPECT_EQ(symm::mem_pool_set_attribute(pool, attribute, &value),
            Status::success)
      << symm::last_error();
}

/// One PE with two streams and a kernel in the first that ends late.
void on_one_pe(std::function<void(CUstream, CUstream)> const& body) {
  expect_on_pes(1, [&](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    CUstream const first  = fake().make_stream();
    CUstream const second = fake().make_stream();
    body(first, second);
    if (Runtime::is_initialized()) Runtime::finalize();
    EXPECT_EQ(fake().n_current_contexts(), 0);
    EXPECT_EQ(fake().counts().events, 0U);
  });
}

class CudaPools : public CudaRuntime,
                  public testing::WithParamInterface<MemPoolKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, CudaPools,
                         testing::Values(MemPoolKind::symmetric,
                                         MemPoolKind::local),
                         [](auto const& test) {
                           return std::string(test.param == MemPoolKind::local
                                                  ? "local"
                                                  : "symmetric");
                         });

TEST_P(CudaPools, H02_the_same_stream_uses_a_block_again_at_once) {
  on_one_pe([](CUstream first, CUstream) {
    auto const pool = make_pool(GetParam());
    std::atomic<bool> has_ended{false};
    auto* const block = allocate(pool, first);
    fake().launch(
        0, 50, [&] { has_ended = true; }, first);
    release(block, first);
    EXPECT_EQ(allocate(pool, first), block);
    EXPECT_FALSE(has_ended) << "nobody has waited";
    release(block, first);
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
    EXPECT_TRUE(has_ended);
  });
}

TEST_P(CudaPools, H52_another_stream_only_behind_an_event) {
  on_one_pe([](CUstream first, CUstream second) {
    auto const pool = make_pool(GetParam());
    set(pool, symm::MemPoolAttribute::reuse_allow_opportunistic, 0);
    set(pool, symm::MemPoolAttribute::reuse_allow_internal_dependencies, 0);
    auto* const block = allocate(pool, first);
    std::atomic<bool> has_ended{false};
    fake().launch(
        0, 50, [&] { has_ended = true; }, first);
    release(block, first);
    auto* const other = allocate(pool, second);
    EXPECT_NE(other, block);
    EXPECT_EQ(symm::order_after(second, first), Status::success);
    auto* const again = allocate(pool, second);
    EXPECT_EQ(again, block);
    std::atomic<bool> is_behind{false};
    EXPECT_FALSE(has_ended) << "the host has not waited";
    fake().launch(
        0, 0, [&] { is_behind = has_ended.load(); }, second);
    release(other, second);
    release(again, second);
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
    EXPECT_TRUE(is_behind);
  });
}

TEST_F(CudaPools, H54_a_local_pool_asks_whether_a_stream_is_idle) {
  on_one_pe([](CUstream first, CUstream second) {
    MemPool pool;
    // No room for a second block.
    EXPECT_EQ(symm::mem_pool_create(
                  &pool, {.kind = MemPoolKind::local, .max_bytes = 2 * mib}),
              Status::success);
    set(pool, symm::MemPoolAttribute::reuse_allow_internal_dependencies, 0);
    auto* const block = allocate(pool, first, 2 * mib);
    release(block, first);
    EXPECT_EQ(allocate(pool, second, 2 * mib), block);
    release(block, second);
    EXPECT_EQ(fake().n_calls("cuStreamWaitEvent"), 0U);
    EXPECT_EQ(fake().n_calls("cuStreamSynchronize"), 0U);
    // An error of the driver is one of the call, and the pool goes on.
    fake().fail("cuStreamQuery", CUDA_ERROR_UNKNOWN);
    void* none = nullptr;
    EXPECT_EQ(symm::malloc_from_pool_async(&none, 2 * mib, pool, first),
              Status::internal);
    EXPECT_THAT(symm::last_error(), HasSubstr("cuStreamQuery"));
    EXPECT_EQ(none, nullptr);
    fake().heal();
    EXPECT_EQ(allocate(pool, first, 2 * mib), block);
    release(block, first);
  });
}

TEST_F(CudaPools, H55_a_pool_without_room_makes_a_stream_wait) {
  on_one_pe([](CUstream first, CUstream second) {
    MemPool pool;
    EXPECT_EQ(symm::mem_pool_create(
                  &pool, {.kind = MemPoolKind::local, .max_bytes = 2 * mib}),
              Status::success);
    set(pool, symm::MemPoolAttribute::reuse_allow_opportunistic, 0);
    auto* const block = allocate(pool, first, 2 * mib);
    std::atomic<bool> has_ended{false};
    fake().launch(
        0, 50, [&] { has_ended = true; }, first);
    release(block, first);
    EXPECT_EQ(allocate(pool, second, 2 * mib), block);
    EXPECT_FALSE(has_ended) << "the host has not waited";
    std::atomic<bool> is_behind{false};
    fake().launch(
        0, 0, [&] { is_behind = has_ended.load(); }, second);
    release(block, second);
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
    EXPECT_TRUE(is_behind);
  });
}

TEST_P(CudaPools, H16_H23_a_captured_stream_is_refused_and_stays_valid) {
  on_one_pe([](CUstream first, CUstream second) {
    auto const pool   = make_pool(GetParam());
    auto* const block = allocate(pool, first);
    fake().begin_capture(first);
    for (CUstream const stream : {first, CUstream{nullptr}}) {
      void* none = block;
      EXPECT_EQ(symm::malloc_from_pool_async(&none, bytes, pool, stream),
                Status::not_supported);
      EXPECT_EQ(none, nullptr);
      EXPECT_THAT(symm::last_error(), HasSubstr("captured"));
      EXPECT_EQ(symm::free_async(block, stream), Status::not_supported);
      EXPECT_EQ(symm::order_after(second, stream), Status::not_supported);
      EXPECT_EQ(symm::order_after(stream, second), Status::not_supported);
    }
    EXPECT_TRUE(fake().end_capture(first));
    release(block, first);
    EXPECT_EQ(allocate(pool, first), block);
    release(block, first);
  });
}

TEST_P(CudaPools, P01_calls_with_room_ask_the_driver_for_nothing_that_waits) {
  on_one_pe([](CUstream first, CUstream second) {
    auto const pool = make_pool(GetParam());
    std::atomic<bool> has_ended{false};
    release(allocate(pool, first), first);
    release(allocate(pool, second), second);
    constexpr std::array functions{
        "cuCtxSynchronize", "cuStreamSynchronize", "cuStreamQuery",
        "cuEventRecord", "cuStreamWaitEvent",
        // the stand-in for HIP calls it always
        is_hip ? "cuMemMap" : "cuCtxPushCurrent", "cuMemCreate", "cuMemsetD8"};
    std::vector<std::size_t> before;
    for (auto const* const function : functions) {
      before.push_back(fake().n_calls(function));
    }
    auto const n_questions = fake().n_calls("cuStreamIsCapturing");
    fake().launch(
        0, 200, [&] { has_ended = true; }, first);
    for (int i = 0; i < 1000; ++i) {
      CUstream const stream = i % 2 == 0 ? first : second;
      release(allocate(pool, stream), stream);
    }
    EXPECT_FALSE(has_ended);
    for (std::size_t i = 0; i < functions.size(); ++i) {
      EXPECT_EQ(fake().n_calls(functions[i]), before[i]) << functions[i];
    }
    EXPECT_EQ(fake().n_calls("cuStreamIsCapturing") - n_questions, 2000U);
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::success);
    EXPECT_TRUE(has_ended);
  });
}

TEST_P(CudaPools, a_lost_context_is_an_error_of_every_call) {
  auto const results = run_pes(1, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    CUstream const stream = fake().make_stream();
    auto const pool       = make_pool(GetParam());
    auto* const block     = allocate(pool, stream);
    fake().lose_context(0);
    void* none = nullptr;
    EXPECT_EQ(symm::malloc_from_pool_async(&none, bytes, pool, stream),
              Status::internal);
    EXPECT_EQ(none, nullptr);
    EXPECT_THAT(symm::last_error(), HasSubstr("CUDA_ERROR_ILLEGAL_ADDRESS"));
    EXPECT_EQ(symm::free_async(block, stream), Status::internal);
    EXPECT_EQ(symm::order_after(stream, nullptr), Status::internal);
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::internal);
    std::_Exit(testing::Test::HasFailure() ? expectation_failed_status : 0);
  });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
}

}  // namespace
}  // namespace symm_test::cuda_pools

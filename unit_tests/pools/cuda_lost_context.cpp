// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A kernel that faults: every call of a pool that needs the GPU is an error, on
// all PEs that call together, and none waits for ever.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <support/ForkedPes.hpp>

#include <runtime/job/Runtime.hpp>

namespace symm_test {
namespace {

using symm::Status;

__global__ void trap() { __trap(); }

/// What a PE does whose pool has a block.
using Body = std::function<void(symm::MemPool, void* block, void* stream)>;

/// The kernel of PE 0 faults. (Nothing can be ended in order then.)
void with_a_lost_context(int n_pes, Body const& body) {
  expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
    // Not by MPS, where a fault of one process ends the CUDA of all.
    setenv("CUDA_MPS_PIPE_DIRECTORY", "/dev/null", 1);
    // Below Kokkos, which would end the program.
    symm::Impl::Runtime::initialize(
        std::make_unique<ForkedBootstrap>(bootstrap), 0);
    cudaStream_t stream = nullptr;
    EXPECT_EQ(cudaSetDevice(0), cudaSuccess);
    EXPECT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    symm::MemPool pool;
    void* block = nullptr;
    EXPECT_EQ(symm::mem_pool_create(&pool, {}), Status::success);
    EXPECT_EQ(symm::malloc_from_pool_async(&block, 1000, pool, stream),
              Status::success)
        << symm::last_error();
    if (bootstrap.my_pe() == 0) {
      trap<<<1, 1, 0, stream>>>();
      EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
    }
    body(pool, block, stream);
    std::fflush(nullptr);
    std::_Exit(testing::Test::HasFailure() ? expectation_failed_status : 0);
  });
}

TEST(LostContext, calls_without_it_are_local_and_return) {
  with_a_lost_context(1, [](symm::MemPool pool, void* block, void* stream) {
    void* more = nullptr;
    // The driver may find out, or not: nothing is asked of the GPU.
    auto const allocated =
        symm::malloc_from_pool_async(&more, 1000, pool, stream);
    EXPECT_EQ(more != nullptr, allocated == Status::success);
    static_cast<void>(symm::free_async(block, stream));
  });
}

TEST(LostContext, order_after_trim_and_growth_are_errors) {
  with_a_lost_context(2, [](symm::MemPool pool, void*, void* stream) {
    bool const is_lost = symm::my_pe() == 0;
    if (is_lost) {
      EXPECT_EQ(symm::order_after(stream, nullptr), Status::internal);
    }
    // The other PE's calls are right, and its GPU works.
    EXPECT_EQ(symm::mem_pool_trim_to(pool, 0), Status::internal);
    EXPECT_NE(std::string(symm::last_error()), "");
    if (is_lost) {
      void* more = nullptr;
      EXPECT_EQ(symm::malloc_from_pool_async(&more, std::size_t{64} << 20U,
                                             pool, stream),
                Status::internal);
      EXPECT_EQ(more, nullptr);
    }
  });
}

}  // namespace
}  // namespace symm_test

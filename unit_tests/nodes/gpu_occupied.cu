// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Kernels that occupy a GPU while they wait for PEs of other nodes, which need
// a kernel of the library there.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdlib>
#include <numeric>

#include <runtime/symm.hpp>

#include "gpu_kernels.hpp"

namespace symm_test {
namespace {

constexpr std::size_t n_words   = 1000;
constexpr int threads_per_block = 1024;

/// Each thread adds to words of the next PE.
struct Add {
  HeapMap heap;
  Word* words;
  Pe to;
  int n_each;
  __device__ void operator()() const {
    auto const i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n_each; ++k)
      symm::atomic_add(heap, words + (i + k) % n_words, Word{1}, to);
  }
};

/// A thread of each block tells the next PE, and waits for all of the one
/// before, in one way after the other; the others wait for that thread.
struct TellAndWait {
  HeapMap heap;
  Word* told;
  Word* fetched;
  Pe to;
  __device__ void operator()() const {
    if (threadIdx.x == 0) {
      symm::atomic_inc(heap, told, to);
      symm::wait_until(told, symm::Compare::ge, Word{gridDim.x});
      static_cast<void>(symm::atomic_fetch_inc(heap, fetched, to));
    }
    __syncthreads();
  }
};

/// As many blocks as run at the same time.
template <class Body>
int blocks_that_fill_the_gpu() {
  int device = 0;
  int n_sms  = 0;
  int n      = 0;
  EXPECT_EQ(cudaGetDevice(&device), cudaSuccess);
  EXPECT_EQ(
      cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, device),
      cudaSuccess);
  EXPECT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel<Body>,
                                                          threads_per_block, 0),
            cudaSuccess);
  return n * n_sms;
}

class OccupiedGpu : public testing::Test {
 protected:
  void SetUp() override {
    int n_gpus = 0;
    ASSERT_EQ(cudaGetDeviceCount(&n_gpus), cudaSuccess);
    bool const has_mps = std::getenv("CUDA_MPS_PIPE_DIRECTORY") != nullptr ||
                         ::access("/tmp/nvidia-mps/control", F_OK) == 0;
    if (n_pes() > n_gpus && has_mps &&
        std::getenv("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE") == nullptr) {
      GTEST_SKIP() << "PEs that share a GPU by MPS need room of their own "
                      "there: CUDA_MPS_ACTIVE_THREAD_PERCENTAGE";
    }
  }
};

TEST_F(OccupiedGpu, more_threads_update_than_it_holds) {
  auto* const words = make<Word>(n_words);
  int const blocks  = 4 * blocks_that_fill_the_gpu<Add>();
  constexpr int n   = 3;
  run(blocks, threads_per_block, Add{map(), words, next(), n});
  symm::barrier_all();
  auto const got = copy_of(words, n_words);
  EXPECT_EQ(std::accumulate(got.begin(), got.end(), Word{0}),
            static_cast<Word>(blocks) * threads_per_block * n);
  symm::barrier_all();
}

TEST_F(OccupiedGpu, blocks_wait_for_atomic_operations_of_others) {
  auto* const told    = make<Word>(1);
  auto* const fetched = make<Word>(1);
  int const blocks    = blocks_that_fill_the_gpu<TellAndWait>();
  run(blocks, threads_per_block, TellAndWait{map(), told, fetched, next()});
  symm::barrier_all();
  EXPECT_EQ(copy_of(told, 1)[0], static_cast<Word>(blocks));
  EXPECT_EQ(copy_of(fetched, 1)[0], static_cast<Word>(blocks));
  symm::barrier_all();
}

}  // namespace
}  // namespace symm_test

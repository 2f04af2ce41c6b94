// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_GPU_KERNELS_HPP
#define SYMM_TEST_GPU_KERNELS_HPP

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <runtime/symm.hpp>

/// What the sources of test_nodes_gpu have in common.
namespace symm_test {

using symm::HeapMap;
using symm::Pe;
using Word = unsigned long long;

inline int n_pes() { return symm::n_pes(); }
inline Pe me() { return symm::my_pe(); }
/// The one that comes next, on another node where each has one PE.
inline Pe next() { return (me() + 1) % n_pes(); }
inline Pe previous() { return (me() + n_pes() - 1) % n_pes(); }

/// Of a launch that was refused, cudaDeviceSynchronize() says nothing.
inline void wait() {
  auto result = cudaGetLastError();
  if (result == cudaSuccess) result = cudaDeviceSynchronize();
  if (result == cudaSuccess) return;
  std::fprintf(stderr, "PE %d: %s\n", me(), cudaGetErrorString(result));
  std::abort();
}

template <class Body>
__global__ void kernel(Body const body) {
  body();
}
template <class Body>
void run(int blocks, int threads, Body const& body) {
  kernel<<<blocks, threads>>>(body);
  wait();
}

/// Symmetric, of zeros.
template <class T>
T* make(std::size_t count) {
  auto* const block = static_cast<T*>(symm::calloc(count, sizeof(T)));
  EXPECT_NE(block, nullptr) << symm::last_error();
  return block;
}
template <class T>
std::vector<T> copy_of(T const* block, std::size_t count) {
  std::vector<T> values(count);
  EXPECT_EQ(
      cudaMemcpy(values.data(), block, count * sizeof(T), cudaMemcpyDefault),
      cudaSuccess);
  return values;
}
template <class T>
void set(T* block, std::vector<T> const& values) {
  EXPECT_EQ(cudaMemcpy(block, values.data(), values.size() * sizeof(T),
                       cudaMemcpyDefault),
            cudaSuccess);
}

__host__ __device__ inline Word value_of(Pe from, std::size_t i) {
  return static_cast<Word>(from + 1) * 100'000'000 + i;
}

inline HeapMap map() { return symm::heap_map(symm::MemoryKind::device); }

/// As many requests as fill the ring several times.
struct Many {
  HeapMap heap;
  Word* words;
  Pe to;
  int n_each;
  __device__ void operator()() const {
    auto const i = blockIdx.x * blockDim.x + threadIdx.x;
    auto const n = gridDim.x * blockDim.x;
    for (int k = 0; k < n_each; ++k) {
      symm::p(heap, words + i + k * n, value_of(heap.my_pe, i + k * n), to);
    }
  }
};

/// Latencies and rates between PE 0 and the last.
void print_times();

}  // namespace symm_test

#endif

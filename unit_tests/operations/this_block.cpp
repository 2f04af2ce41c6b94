// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A thread block as a group, in kernels that are not of Kokkos.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/gpu.hpp>

#include "../../src/runtime/symm.hpp"

namespace {

using namespace symm_test;
using symm::Pe;

/// All that a block does for its PE: a put to the next PE, a barrier, a sum.
struct BlockWork {
  symm::HeapMap heap;
  symm::PeTeam team;
  int* dest;
  int* source;
  int* sum;
  std::size_t count;

  KOKKOS_FUNCTION void operator()() const {
    auto const block = symm::this_block();
    for (std::size_t i = block.rank(); i < count; i += block.size())
      source[i] = static_cast<int>(i) * 8 + heap.my_pe;
    block.barrier();
    symm::put(block, heap, dest, source, count, (heap.my_pe + 1) % heap.n_pes);
    symm::barrier(block, team);
    symm::reduce(block, heap, team, sum, source, count, symm::Sum());
  }
};

#ifdef SYMM_TEST_GPU
__global__ void block_kernel(BlockWork const work) { work(); }

void run_blocks(dim3 threads, BlockWork const& work) {
  block_kernel<<<1, threads>>>(work);
  ASSERT_EQ(gpuGetLastError(), gpuSuccess);
  ASSERT_EQ(gpuDeviceSynchronize(), gpuSuccess);
}
#endif

template <class Run>
void expect_all_done(Run const& run) {
  constexpr std::size_t count = 1003;
  using Ints                  = Kokkos::View<int*, Space>;
  Ints const dest("dest", count);
  Ints const source("source", count);
  Ints const sum("sum", count);
  auto const all = symm::team_world();
  run(BlockWork{symm::heap_map(dest), all, dest.data(), source.data(),
                sum.data(), count});
  symm::barrier_all();
  auto const got =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dest);
  auto const sums =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), sum);
  int const n   = all.n_pes();
  Pe const left = (all.my_pe() + n - 1) % n;
  int n_wrong   = 0;
  for (std::size_t i = 0; i < count; ++i) {
    int const first = static_cast<int>(i) * 8;
    n_wrong += got(i) != first + left || sums(i) != n * first + n * (n - 1) / 2;
  }
  EXPECT_EQ(n_wrong, 0);
}

#ifdef SYMM_TEST_GPU
TEST(ThisBlock, a_block_of_any_dimensions_is_a_group) {
  for (auto const threads : {dim3(1), dim3(96), dim3(512), dim3(8, 4),
                             dim3(5, 3, 7), dim3(1, 1, 64)}) {
    expect_all_done([&](auto const& work) { run_blocks(threads, work); });
  }
}
#else
TEST(ThisBlock, on_the_host_it_is_the_calling_thread) {
  expect_all_done([](auto const& work) { work(); });
}
#endif

}  // namespace

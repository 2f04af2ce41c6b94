// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective operations in kernels and of the host, and other host calls, on
// memory of GPUs with PEs of other nodes.

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include <runtime/symm.hpp>

#include "gpu_kernels.hpp"

namespace symm_test {
namespace {

struct Collectives {
  HeapMap heap;
  symm::PeTeam team;
  int* dest;
  int* source;
  int* all;
  int* n_wrong;
  std::size_t count;
  __device__ void expect(bool is_right) const {
    if (!is_right) atomicAdd(n_wrong, 1);
  }
  __device__ void operator()() const {
    auto const block = symm::this_block();
    int const n      = team.n_pes();
    int const mine   = team.my_pe();
    for (std::size_t i = block.rank(); i < count * n; i += block.size()) {
      source[i] = static_cast<int>(i) * 8 + mine;
    }
    block.barrier();
    for (int round = 0; round < 5; ++round) symm::barrier(block, team);
    symm::reduce(block, heap, team, dest, source, count, symm::Sum());
    for (std::size_t i = block.rank(); i < count; i += block.size()) {
      expect(dest[i] == n * static_cast<int>(i) * 8 + n * (n - 1) / 2);
    }
    block.barrier();
    symm::broadcast(block, heap, team, dest, source, count, n - 1);
    for (std::size_t i = block.rank(); i < count; i += block.size()) {
      expect(dest[i] == static_cast<int>(i) * 8 + n - 1);
    }
    block.barrier();
    symm::inscan(block, heap, team, dest, source, count, symm::Sum());
    for (std::size_t i = block.rank(); i < count; i += block.size()) {
      expect(dest[i] ==
             (mine + 1) * static_cast<int>(i) * 8 + mine * (mine + 1) / 2);
    }
    block.barrier();
    symm::exscan(block, heap, team, dest, source, count, symm::Sum());
    for (std::size_t i = block.rank(); i < count; i += block.size()) {
      expect(dest[i] == mine * static_cast<int>(i) * 8 + mine * (mine - 1) / 2);
    }
    symm::fcollect(block, heap, team, all, source, count);
    for (std::size_t i = block.rank(); i < count * n; i += block.size()) {
      expect(all[i] ==
             static_cast<int>(i % count) * 8 + static_cast<int>(i / count));
    }
    symm::alltoall(block, heap, team, all, source, count);
    for (std::size_t i = block.rank(); i < count * n; i += block.size()) {
      auto const from = i / count;
      expect(all[i] == static_cast<int>(mine * count + i % count) * 8 +
                           static_cast<int>(from));
    }
    std::size_t const my_count = mine == 0 ? 1 : count;
    symm::collect(block, heap, team, all, source, my_count);
    if (block.rank() == 0) {
      expect(all[0] == 0 && all[1] == 1 && all[count] == (count - 1) * 8 + 1);
    }
    block.barrier();
    symm::alltoalls(block, heap, team, all, source, 1, 1, count);
    for (std::size_t i = block.rank(); i < count * n; i += block.size()) {
      expect(all[i] == static_cast<int>(mine * count + i % count) * 8 +
                           static_cast<int>(i / count));
    }
  }
};

TEST(FarKernels, barriers_and_collectives_of_a_team) {
  constexpr std::size_t n = 300;
  auto const pes          = static_cast<std::size_t>(n_pes());
  auto* const dest        = make<int>(n);
  auto* const source      = make<int>(n * pes);
  auto* const all         = make<int>(n * pes);
  auto* const wrong       = make<int>(1);
  run(1, 96,
      Collectives{map(), symm::team_world(), dest, source, all, wrong, n});
  EXPECT_EQ(copy_of(wrong, 1)[0], 0);
  symm::barrier_all();
}

TEST(FarGpuMemory, collectives_of_the_host) {
  constexpr std::size_t n = 20'000;
  auto const pes          = static_cast<std::size_t>(n_pes());
  auto* const dest        = make<double>(n);
  auto* const source      = make<double>(n);
  auto* const all         = make<double>(n * pes);
  set(source, std::vector<double>(n, 1.0 + me()));
  auto const team = symm::team_world();
  symm::reduce(team, dest, source, std::size_t{100}, symm::Sum());
  EXPECT_EQ(copy_of(dest, 100)[99], n_pes() * (n_pes() + 1) / 2);
  symm::broadcast(team, dest, source, n, n_pes() - 1);
  EXPECT_EQ(copy_of(dest, n)[n - 1], n_pes());
  symm::fcollect(team, all, source, n);
  auto const got = copy_of(all, n * pes);
  for (std::size_t pe = 0; pe < pes; ++pe) {
    EXPECT_EQ(got[n * pe], 1.0 + static_cast<double>(pe));
    EXPECT_EQ(got[n * pe + n - 1], 1.0 + static_cast<double>(pe));
  }
  symm::barrier_all();
}

TEST(FarGpuMemory, host_calls_of_all_kinds) {
  constexpr std::size_t n = 500'000;
  auto* const block       = make<Word>(n);
  auto* const counter     = make<long>(2);
  Word* source            = nullptr;
  ASSERT_EQ(cudaMalloc(&source, n * sizeof(Word)), cudaSuccess);
  std::vector<Word> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value_of(me(), i);
  set(source, values);
  for (std::size_t const count : {std::size_t{1}, std::size_t{3000}, n}) {
    for (bool const is_on_gpu : {false, true}) {
      EXPECT_EQ(cudaMemset(block, 0, n * sizeof(Word)), cudaSuccess);
      wait();
      symm::barrier_all();
      symm::put(block, is_on_gpu ? source : values.data(), count, next());
      symm::barrier_all();
      auto const got      = copy_of(block, count);
      std::size_t n_wrong = 0;
      for (std::size_t i = 0; i < count; ++i) {
        n_wrong += got[i] != value_of(previous(), i);
      }
      std::vector<Word> back(count);
      if (is_on_gpu) {
        symm::get(source, block, count, next());
        back = copy_of(source, count);
      } else {
        symm::get(back.data(), block, count, next());
      }
      for (std::size_t i = 0; i < count; ++i) {
        n_wrong += back[i] != value_of(me(), i);
      }
      EXPECT_EQ(n_wrong, 0U) << count;
      symm::barrier_all();
    }
  }
  if (!symm::is_near(next())) {
    for (int i = 0; i < 1000; ++i) symm::atomic_add(counter, 3, next());
    EXPECT_EQ(symm::atomic_swap(counter + 1, 5, next()), 0);
    EXPECT_EQ(symm::atomic_compare_swap(counter + 1, 5, 6, next()), 5);
    symm::quiet();
    EXPECT_EQ(symm::atomic_fetch(counter, next()), 3000);
    symm::p(block, Word{7}, next());
    symm::quiet();
    EXPECT_EQ(symm::g(block, next()), 7U);
    symm::iput(block, values.data(), 5, 3, 1000, next());
    symm::quiet();
    symm::iget(source, block, 2, 5, 1000, next());
    EXPECT_EQ(copy_of(source, 2000)[2 * 999], value_of(me(), 3 * 999));
  }
  symm::barrier_all();
  cudaFree(source);
}

}  // namespace
}  // namespace symm_test

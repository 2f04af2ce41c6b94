// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Kernels of GPUs, and host calls on their memory, with PEs of other nodes;
// without Kokkos. PEs take the GPUs in turn. Run as
//
//   test_nodes_gpu            the tests
//   test_nodes_gpu --times    latencies and rates between PE 0 and the last

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include <runtime/memory/UpdateLog.hpp>
#include <runtime/symm.hpp>

#include "gpu_kernels.hpp"

namespace symm_test {
namespace {

using symm::Signal;
using symm::SignalOp;
using symm::Impl::UpdateWords;

struct Big {
  double a;
  float b[5];
};

struct Elements {
  HeapMap heap;
  Word* words;
  short* shorts;
  Big* bigs;
  Pe to;
  __device__ void operator()() const {
    auto const i = blockIdx.x * blockDim.x + threadIdx.x;
    symm::p(heap, words + i, value_of(heap.my_pe, i), to);
    symm::p(heap, shorts + i, static_cast<short>(i + heap.my_pe), to);
    symm::p(heap, bigs + i, Big{0.5 * i, {1, 2, 3, 4, 1.0F * i}}, to);
  }
};
struct GetElements {
  HeapMap heap;
  Word* words;
  short* shorts;
  Big* bigs;
  int* n_wrong;
  Pe to;
  __device__ void operator()() const {
    auto const i   = blockIdx.x * blockDim.x + threadIdx.x;
    auto const big = symm::g(heap, bigs + i, to);
    bool const is_right =
        symm::g(heap, words + i, to) == value_of(heap.my_pe, i) &&
        symm::g(heap, shorts + i, to) == static_cast<short>(i + heap.my_pe) &&
        big.a == 0.5 * i && big.b[4] == 1.0F * i;
    if (!is_right) atomicAdd(n_wrong, 1);
  }
};

TEST(FarKernels, elements_of_all_sizes) {
  constexpr int n    = 300;
  auto* const words  = make<Word>(n);
  auto* const shorts = make<short>(n);
  auto* const bigs   = make<Big>(n);
  auto* const wrong  = make<int>(1);
  run(3, 100, Elements{map(), words, shorts, bigs, next()});
  symm::barrier_all();  // completes what kernels have put
  auto const got    = copy_of(words, n);
  auto const halves = copy_of(shorts, n);
  int n_wrong       = 0;
  for (int i = 0; i < n; ++i) {
    auto const k = static_cast<std::size_t>(i);
    n_wrong += got[k] != value_of(previous(), k);
    n_wrong += halves[k] != static_cast<short>(i + previous());
  }
  EXPECT_EQ(n_wrong, 0);
  run(3, 100, GetElements{map(), words, shorts, bigs, wrong, next()});
  EXPECT_EQ(copy_of(wrong, 1)[0], 0);
  symm::barrier_all();
}

TEST(FarKernels, a_full_ring_is_waited_for) {
  constexpr std::size_t n = std::size_t{40} * 512 * 10;
  static_assert(n > 3 * UpdateWords::size);
  auto* const words = make<Word>(n);
  run(40, 512, Many{map(), words, next(), 10});
  symm::barrier_all();
  auto const got      = copy_of(words, n);
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    n_wrong += got[i] != value_of(previous(), i);
  }
  EXPECT_EQ(n_wrong, 0U);
  symm::barrier_all();
}

/// Threads of a warp update words of different PEs, near and far ones.
struct Scattered {
  static constexpr Word n_words = 1024;
  static constexpr int n_each   = 200;

  HeapMap heap;
  Word* words;
  int n_pes;

  __host__ __device__ static Word random(Pe from, Word thread, int k) {
    auto mixed = (value_of(from, thread) * n_each + static_cast<Word>(k)) *
                 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ mixed >> 29U) * 0xbf58476d1ce4e5b9ULL;
    return mixed ^ mixed >> 32U;
  }
  __host__ __device__ static Pe pe_of(Word random, int n_pes) {
    return static_cast<Pe>(random % static_cast<Word>(n_pes));
  }
  __host__ __device__ static Word word_of(Word random) {
    return random >> 32U & (n_words - 1);
  }
  __device__ void operator()() const {
    auto const i = blockIdx.x * blockDim.x + threadIdx.x;
    for (int k = 0; k < n_each; ++k) {
      auto const r = random(heap.my_pe, i, k);
      symm::atomic_add(heap, words + word_of(r), Word{1}, pe_of(r, n_pes));
    }
  }
};

TEST(FarKernels, threads_of_a_warp_go_their_own_ways_while_the_ring_is_full) {
  constexpr Word n_threads = 4096;
  static_assert(n_threads * Scattered::n_each / 4 > 3 * UpdateWords::size);
  auto* const words = make<Word>(Scattered::n_words);
  symm::barrier_all();
  run(n_threads / 128, 128, Scattered{map(), words, n_pes()});
  symm::barrier_all();
  std::vector<Word> expected(Scattered::n_words);
  for (Pe from = 0; from < n_pes(); ++from) {
    for (Word i = 0; i < n_threads; ++i) {
      for (int k = 0; k < Scattered::n_each; ++k) {
        auto const r = Scattered::random(from, i, k);
        if (Scattered::pe_of(r, n_pes()) == me())
          ++expected[Scattered::word_of(r)];
      }
    }
  }
  EXPECT_EQ(copy_of(words, Scattered::n_words), expected);
  symm::barrier_all();
}

/// Blocks of a thread block: from and to global and shared memory.
struct Blocks {
  HeapMap heap;
  Word* dest;
  Word* source;
  Word* back;
  int* n_wrong;
  Pe to;
  std::size_t count;
  bool is_nbi;
  __device__ void operator()() const {
    __shared__ Word shared[64];
    auto const block = symm::this_block();
    for (std::size_t i = block.rank(); i < count; i += block.size()) {
      source[i] = value_of(heap.my_pe, i);
    }
    for (std::size_t i = block.rank(); i < 64; i += block.size()) {
      shared[i] = value_of(heap.my_pe, i + count);
    }
    block.barrier();
    if (is_nbi) {
      symm::put_nbi(block, heap, dest, source, count, to);
      symm::put_nbi(block, heap, dest + count, shared, 64, to);
    } else {
      symm::put(block, heap, dest, source, count, to);
      symm::put(block, heap, dest + count, shared, 64, to);
    }
    symm::quiet();
    block.barrier();
    for (std::size_t i = block.rank(); i < 64; i += block.size()) shared[i] = 0;
    block.barrier();
    if (is_nbi) {
      symm::get_nbi(block, heap, back, dest, count, to);
      symm::get_nbi(block, heap, shared, dest + count, 64, to);
      symm::quiet();
      block.barrier();
    } else {
      symm::get(block, heap, back, dest, count, to);
      symm::get(block, heap, shared, dest + count, 64, to);
    }
    for (std::size_t i = block.rank(); i < count + 64; i += block.size()) {
      auto const got = i < count ? back[i] : shared[i - count];
      if (got != value_of(heap.my_pe, i)) atomicAdd(n_wrong, 1);
    }
  }
};

TEST(FarKernels, blocks_of_all_sizes_from_all_memory) {
  constexpr std::size_t most = 100'001;
  auto* const dest           = make<Word>(most + 64);
  auto* const source         = make<Word>(most);
  auto* const back           = make<Word>(most);
  auto* const wrong          = make<int>(1);
  for (bool const is_nbi : {false, true}) {
    for (std::size_t const count : {1, 2, 31, 1000, 8192, 8193, 100'001}) {
      run(1, 128,
          Blocks{map(), dest, source, back, wrong, next(), count, is_nbi});
      symm::barrier_all();
      auto const got      = copy_of(dest, count + 64);
      std::size_t n_wrong = 0;
      for (std::size_t i = 0; i < count + 64; ++i) {
        n_wrong += got[i] != value_of(previous(), i);
      }
      EXPECT_EQ(n_wrong, 0U) << count;
      EXPECT_EQ(copy_of(wrong, 1)[0], 0) << count;
      symm::barrier_all();
    }
  }
}

struct Strided {
  HeapMap heap;
  int* dest;
  int* source;
  int* back;
  Pe to;
  std::size_t count;
  __device__ void operator()() const {
    auto const block = symm::this_block();
    symm::iput(block, heap, dest, source, 3, 2, count, to);
    int mine[4] = {0, 1, 2, 3};
    if (block.rank() == 0) {
      symm::iput(heap, dest + 3 * count, mine, 2, 1, 4, to);
    }
    symm::quiet();
    block.barrier();
    symm::iget(block, heap, back, dest, 1, 3, count, to);
  }
};

TEST(FarKernels, strides) {
  constexpr std::size_t n = 3000;
  auto* const dest        = make<int>(3 * n + 10);
  auto* const source      = make<int>(2 * n);
  auto* const back        = make<int>(n);
  std::vector<int> values(2 * n);
  std::iota(values.begin(), values.end(), 1000 * me());
  set(source, values);
  run(1, 64, Strided{map(), dest, source, back, next(), n});
  symm::barrier_all();
  auto const got   = copy_of(dest, 3 * n + 10);
  auto const again = copy_of(back, n);
  int n_wrong      = 0;
  for (std::size_t i = 0; i < n; ++i) {
    int const k = static_cast<int>(2 * i);
    n_wrong += got[3 * i] != 1000 * previous() + k || got[3 * i + 1] != 0 ||
               again[i] != 1000 * me() + k;
  }
  EXPECT_EQ(n_wrong, 0);
  EXPECT_EQ(got[3 * n + 6], 3);
  symm::barrier_all();
}

struct Atomics {
  HeapMap heap;
  Word* counter;
  double* sum;
  float* least;
  unsigned* bits;
  unsigned char* seen;
  Word* spare;
  __device__ void operator()() const {
    for (Pe pe = 0; pe < heap.n_pes; ++pe) {
      symm::atomic_add(heap, counter, Word{2}, pe);
      symm::atomic_add(heap, sum, 0.25, pe);
      symm::atomic_min(heap, least, -1.5F * heap.my_pe, pe);
      symm::atomic_or(heap, bits, 1U << heap.my_pe, pe);
    }
    // PE 0's numbers, each once.
    auto const was = symm::atomic_fetch_inc(heap, spare, 0);
    if (was < 100'000) seen[was] = 1;
  }
};
struct Exchange {
  HeapMap heap;
  int* owner;
  int* results;
  Pe to;
  __device__ void operator()() const {
    results[0] = symm::atomic_swap(heap, owner, heap.my_pe + 1, to);
    results[1] = symm::atomic_compare_swap(heap, owner, 99, 7, to);
    results[2] = symm::atomic_compare_swap(heap, owner, heap.my_pe + 1, 8, to);
    results[3] = symm::atomic_fetch(heap, owner, to);
  }
};

TEST(FarKernels, atomics_of_many_threads_with_those_of_the_targets_kernel) {
  auto* const counter = make<Word>(2);
  auto* const sum     = make<double>(1);
  auto* const least   = make<float>(1);
  auto* const bits    = make<unsigned>(1);
  auto* const owner   = make<int>(1);
  auto* const results = make<int>(4);
  auto* const seen    = make<unsigned char>(100'000);
  run(4, 64, Atomics{map(), counter, sum, least, bits, seen, counter + 1});
  symm::barrier_all();
  Word const n = 256 * static_cast<Word>(n_pes());
  EXPECT_EQ(copy_of(counter, 1)[0], 2 * n);
  EXPECT_EQ(copy_of(sum, 1)[0], 0.25 * static_cast<double>(n));
  EXPECT_EQ(copy_of(least, 1)[0], -1.5F * static_cast<float>(n_pes() - 1));
  EXPECT_EQ(copy_of(bits, 1)[0], (1U << n_pes()) - 1);
  auto const mine = copy_of(seen, 100'000);
  EXPECT_EQ(std::count(mine.begin(), mine.end(), 1), 256);
  if (me() == 0) {
    EXPECT_EQ(copy_of(counter, 2)[1], n);
  }
  run(1, 1, Exchange{map(), owner, results, next()});
  EXPECT_EQ(copy_of(results, 4), (std::vector<int>{0, me() + 1, me() + 1, 8}));
  symm::barrier_all();
}

/// Data and a signal, there and back, in kernels that wait.
struct PingPong {
  HeapMap heap;
  Word* data;
  Word* source;
  Signal* signal;
  int* n_wrong;
  Pe other;
  bool is_first;
  int n_rounds;
  __device__ void operator()() const {
    auto const block = symm::this_block();
    for (int round = 1; round <= n_rounds; ++round) {
      bool const sends_now = is_first;
      for (int half = 0; half < 2; ++half) {
        if (sends_now == (half == 0)) {
          for (std::size_t i = block.rank(); i < 500; i += block.size()) {
            source[i] = value_of(heap.my_pe, i + round);
          }
          block.barrier();
          symm::put_signal(block, heap, data, source, 500, signal, Signal{1},
                           SignalOp::add, other);
        } else {
          symm::signal_wait_until(signal, symm::Compare::ge,
                                  static_cast<Signal>(round));
          block.barrier();
          for (std::size_t i = block.rank(); i < 500; i += block.size()) {
            auto const got = static_cast<Word volatile*>(data)[i];
            if (got != value_of(other, i + round)) atomicAdd(n_wrong, 1);
          }
          block.barrier();
        }
      }
    }
  }
};

TEST(FarKernels, signals_come_behind_their_data) {
  auto* const data   = make<Word>(500);
  auto* const source = make<Word>(500);
  auto* const signal = make<Signal>(1);
  auto* const wrong  = make<int>(1);
  // Pairs of PE 0 and the last.
  bool const takes_part = me() == 0 || me() == n_pes() - 1;
  Pe const other        = n_pes() - 1 - me();
  symm::barrier_all();
  if (takes_part && n_pes() > 1) {
    run(1, 64,
        PingPong{map(), data, source, signal, wrong, other, me() == 0, 20});
  }
  EXPECT_EQ(copy_of(wrong, 1)[0], 0);
  symm::barrier_all();
}

struct FencedFlag {
  HeapMap heap;
  Word* data;
  Word* flag;
  int* n_wrong;
  Pe other;
  bool sends;
  __device__ void operator()() const {
    for (Word round = 1; round <= 50; ++round) {
      if (sends) {
        for (int i = 0; i < 20; ++i) {
          symm::p(heap, data + i, 100 * round + i, other);
        }
        symm::fence();
        symm::p(heap, flag, round, other);
        symm::wait_until(flag + 1, symm::Compare::ge, round);
      } else {
        symm::wait_until(flag, symm::Compare::ge, round);
        for (int i = 0; i < 20; ++i) {
          if (symm::load_relaxed(data + i) != 100 * round + i) ++*n_wrong;
        }
        symm::p(heap, flag + 1, round, other);
      }
    }
  }
};

TEST(FarKernels, a_fence_keeps_the_order) {
  auto* const data  = make<Word>(20);
  auto* const flag  = make<Word>(2);
  auto* const wrong = make<int>(1);
  Pe const other    = n_pes() - 1 - me();
  if ((me() == 0 || me() == n_pes() - 1) && n_pes() > 1) {
    run(1, 1, FencedFlag{map(), data, flag, wrong, other, me() == 0});
  }
  EXPECT_EQ(copy_of(wrong, 1)[0], 0);
  symm::barrier_all();
}

}  // namespace
}  // namespace symm_test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  int n_gpus = 0;
  if (cudaGetDeviceCount(&n_gpus) != cudaSuccess || n_gpus == 0) {
    std::puts("no GPU");
    return 77;
  }
  char const* const rank = std::getenv("OMPI_COMM_WORLD_LOCAL_RANK");
  int const gpu          = rank == nullptr ? 0 : std::atoi(rank) % n_gpus;
  if (cudaSetDevice(gpu) != cudaSuccess) return 1;
  symm::RuntimeGuard const guard({}, gpu);
  if (argc > 1 && std::string(argv[1]) == "--times") {
    symm_test::print_times();
    return 0;
  }
  int const result = RUN_ALL_TESTS();
  if (result != 0) std::fprintf(stderr, "PE %d has failed\n", symm::my_pe());
  return result;
}

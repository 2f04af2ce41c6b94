// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What operations with PEs of other nodes take, in kernels and on the host.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <runtime/symm.hpp>

#include "gpu_kernels.hpp"

namespace symm_test {
namespace {

struct Latency {
  HeapMap heap;
  Word* word;
  long long* cycles;
  Pe to;
  int what;
  int n;
  __device__ void operator()() const {
    Word sum = 0;
    long long t0, t1;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t0));
    for (int i = 0; i < n; ++i) {
      if (what == 0) {
        symm::p(heap, word, Word(i), to);
        symm::quiet();
      } else if (what == 1) {
        sum += symm::g(heap, word, to);
      } else if (what == 2) {
        sum += symm::atomic_fetch_add(heap, word, Word{1}, to);
      } else {
        symm::p(heap, word, Word(i), to);
      }
    }
    if (what == 3) symm::quiet();
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t1));
    *cycles = t1 - t0;
    if (sum == 12345) *cycles = 0;
  }
};

double seconds() {
  using namespace std::chrono;
  return duration<double>(steady_clock::now().time_since_epoch()).count();
}

struct BlockTime {
  HeapMap heap;
  char* dest;
  char* source;
  Pe to;
  bool is_put;
  std::size_t bytes;
  int n;
  __device__ void operator()() const {
    auto const block = symm::this_block();
    for (int i = 0; i < n; ++i) {
      if (is_put) {
        symm::putmem(block, heap, dest, source, bytes, to);
      } else {
        symm::getmem(block, heap, source, dest, bytes, to);
      }
    }
    symm::quiet();
  }
};

}  // namespace

void print_times() {
  auto* const word   = make<Word>(2);
  auto* const words  = make<Word>(1 << 20);
  auto* const cycles = make<long long>(1);
  auto* const dest   = make<char>(16 << 20);
  auto* const source = make<char>(16 << 20);
  Pe const to        = n_pes() - 1;
  if (me() == 0) {
    char const* names[] = {"p + quiet", "g", "atomic_fetch_add", "p, one thread"};
    for (int what = 0; what < 4; ++what) {
      std::vector<double> all;
      int const n = what == 3 ? 5000 : 200;
      for (int k = 0; k < 9; ++k) {
        run(1, 1, Latency{map(), word, cycles, to, what, n});
        all.push_back(static_cast<double>(copy_of(cycles, 1)[0]) / n / 1000);
      }
      std::sort(all.begin(), all.end());
      std::printf("kernel %s: %.2f us (%.2f to %.2f)\n", names[what], all[4],
                  all[0], all[8]);
    }
    for (int n_each : {1, 8}) {
      std::vector<double> all;
      for (int k = 0; k < 7; ++k) {
        double const t = seconds();
        run(64, 256, Many{map(), words, to, n_each});
        symm::quiet();
        all.push_back(64 * 256 * n_each / (seconds() - t) / 1e6);
      }
      std::sort(all.begin(), all.end());
      std::printf("kernel p of 16384 threads, %d each: %.3f M/s (%.3f to %.3f)\n",
                  n_each, all[3], all[0], all[6]);
    }
    for (bool const is_put : {true, false}) {
      for (std::size_t const bytes :
           {std::size_t{1024}, std::size_t{65536}, std::size_t{1} << 20U}) {
        std::vector<double> all;
        for (int k = 0; k < 7; ++k) {
          double const t = seconds();
          run(1, 128, BlockTime{map(), dest, source, to, is_put, bytes, 20});
          all.push_back((seconds() - t) / 20);
        }
        std::sort(all.begin(), all.end());
        std::printf("kernel %s of %zu bytes by a block: %.1f us, %.3f GB/s\n",
                    is_put ? "put" : "get", bytes, all[3] * 1e6,
                    static_cast<double>(bytes) / all[3] / 1e9);
      }
    }
    for (bool const is_put : {true, false}) {
      for (std::size_t const bytes :
           {std::size_t{8}, std::size_t{65536}, std::size_t{1} << 20U,
            std::size_t{16} << 20U}) {
        int const n = bytes > 1000000 ? 10 : 100;
        std::vector<double> all;
        for (int k = 0; k < 9; ++k) {
          double const t = seconds();
          for (int i = 0; i < n; ++i) {
            if (is_put) {
              symm::putmem(dest, source, bytes, to);
              symm::quiet();
            } else {
              symm::getmem(source, dest, bytes, to);
            }
          }
          all.push_back((seconds() - t) / n);
        }
        std::sort(all.begin(), all.end());
        std::printf("host %s of %zu bytes of GPU memory: %.1f us, %.3f GB/s\n",
                    is_put ? "put + quiet" : "get", bytes, all[4] * 1e6,
                    static_cast<double>(bytes) / all[4] / 1e9);
      }
    }
    std::fflush(stdout);
  }
  symm::barrier_all();
}

}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// GPU memory of PEs of other nodes, which SYMM_PES_PER_NODE simulates: what the
// host's operations do there, on a stand-in of the driver.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <runtime/access/ProxyClient.hpp>
#include <runtime/memory/Device.hpp>
#include <runtime/network/Network.hpp>
#include <runtime/symm_atomics.hpp>
#include <runtime/symm_rma.hpp>
#include <runtime/symm_shared_buffers.hpp>
#include <runtime/symm_signals.hpp>
#include <runtime/symm_teams.hpp>
#include <runtime/transport/Transport.hpp>

#include "CudaOfNodes.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Runtime;
using testing::AllOf;

/// Sizes around what one message and one half of the staging memory hold.
constexpr std::array<std::size_t, 9> word_counts{
    1, 2, 63, 1000, 8191, 8192, 8193, 32769, 200'001};

/// The private side of a copy: on the host, or in memory of the GPU.
class Side {
 public:
  Side(bool is_on_gpu, std::size_t count)
      : m_on_host(count),
        m_words(is_on_gpu ? reinterpret_cast<Word*>(fake().allocate(
                                fake_cuda_malloc, count * sizeof(Word)))
                          : m_on_host.data()) {}
  [[nodiscard]] Word* data() const { return m_words; }

 private:
  std::vector<Word> m_on_host;
  Word* m_words;
};

TEST_F(CudaOfNodes, blocks_of_all_sizes_go_there_and_back) {
  run(3, [](Pe me, Pe next) {
    auto* const block = calloc_of<Word>(word_counts.back() + 2);
    Pe const before   = (me + 2) % 3;
    for (bool const is_on_gpu : {false, true}) {
      for (std::size_t const n : word_counts) {
        Side const source(is_on_gpu, n);
        Side const back(is_on_gpu, n);
        for (std::size_t i = 0; i < n; ++i) {
          source.data()[i] = value_of(me, next, i);
        }
        Word const guard = 77;
        symm::put(block, &guard, 1, next);
        symm::put(block + n + 1, &guard, 1, next);
        symm::put(block + 1, source.data(), n, next);
        symm::barrier_all();
        std::size_t n_wrong =
            block[0] == guard && block[n + 1] == guard ? 0 : 1;
        for (std::size_t i = 0; i < n; ++i) {
          n_wrong += block[i + 1] == value_of(before, me, i) ? 0U : 1U;
        }
        EXPECT_EQ(n_wrong, 0U) << n << " words" << (is_on_gpu ? ", GPU" : "");
        symm::get(back.data(), block + 1, n, next);
        n_wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          n_wrong += back.data()[i] == value_of(me, next, i) ? 0U : 1U;
        }
        EXPECT_EQ(n_wrong, 0U) << n << " words" << (is_on_gpu ? ", GPU" : "");
        symm::barrier_all();
      }
    }
  });
}

TEST_F(CudaOfNodes, nbi_forms_and_bytes_are_there_after_quiet) {
  run(2, [](Pe me, Pe other) {
    auto* const block = calloc_of<char>(1000);
    std::vector<char> source(600);
    std::iota(source.begin(), source.end(), static_cast<char>(me));
    for (std::size_t i = 0; i < 600; ++i) {
      symm::put_nbi(block + i + 1, &source[i], 1, other);
    }
    symm::putmem_nbi(block + 700, source.data(), 7, other);
    symm::quiet();
    symm::barrier_all();
    std::vector<char> got(600);
    symm::get_nbi(got.data(), block + 1, 600, other);
    symm::quiet();
    EXPECT_EQ(got, source);
    for (std::size_t i = 0; i < 600; ++i) {
      ASSERT_EQ(block[i + 1], static_cast<char>(other + static_cast<int>(i)));
    }
    EXPECT_EQ(block[706], static_cast<char>(other + 6));
    EXPECT_EQ(block[707], 0);
  });
}

TEST_F(CudaOfNodes, one_element_of_any_size) {
  struct Three {
    char c[3];
  };
  run(2, [](Pe me, Pe other) {
    auto* const words  = calloc_of<Word>(4);
    auto* const shorts = calloc_of<short>(4);
    auto* const threes = calloc_of<Three>(4);
    symm::p(words + 1, value_of(me, other, 1), other);
    symm::p(shorts + 1, static_cast<short>(-3 - me), other);
    symm::p(threes + 1, Three{{1, 2, static_cast<char>(me)}}, other);
    symm::barrier_all();
    EXPECT_EQ(words[1], value_of(other, me, 1));
    EXPECT_EQ(shorts[1], -3 - other);
    EXPECT_EQ(threes[1].c[2], other);
    EXPECT_EQ(symm::g(words + 1, other), value_of(me, other, 1));
    EXPECT_EQ(symm::g(shorts + 1, other), -3 - me);
    EXPECT_EQ(symm::g(threes + 1, other).c[1], 2);
  });
}

TEST_F(CudaOfNodes, strides_on_both_sides) {
  run(2, [](Pe me, Pe other) {
    constexpr std::size_t n = 5000;
    auto* const block       = calloc_of<Word>(3 * n);
    for (bool const is_on_gpu : {false, true}) {
      Side const source(is_on_gpu, 2 * n);
      Side const back(is_on_gpu, 4 * n);
      for (std::size_t i = 0; i < 2 * n; ++i) {
        source.data()[i] = value_of(me, other, i);
      }
      symm::iput(block, source.data(), 3, 2, n, other);
      symm::barrier_all();
      std::size_t n_wrong = 0;
      for (std::size_t i = 0; i < n; ++i) {
        n_wrong += block[3 * i] == value_of(other, me, 2 * i) ? 0U : 1U;
        n_wrong += block[3 * i + 1] == 0 ? 0U : 1U;
      }
      EXPECT_EQ(n_wrong, 0U);
      symm::iget(back.data(), block, 4, 3, n, other);
      for (std::size_t i = 0; i < n; ++i) {
        n_wrong += back.data()[4 * i] == value_of(me, other, 2 * i) ? 0U : 1U;
      }
      EXPECT_EQ(n_wrong, 0U);
      symm::barrier_all();
    }
  });
}

TEST_F(CudaOfNodes, atomics_of_all_kinds) {
  run(3, [](Pe me, Pe) {
    auto* const counter = calloc_of<long>(1);
    auto* const bits    = calloc_of<std::uint32_t>(1);
    auto* const sum     = calloc_of<double>(1);
    auto* const least   = calloc_of<float>(1);
    auto* const owner   = calloc_of<int>(2);
    for (Pe pe = 0; pe < 3; ++pe) {
      if (pe == me) continue;  // the host does not reach its own
      for (int i = 0; i < 100; ++i) symm::atomic_add(counter, 3, pe);
      for (int i = 0; i < 50; ++i) {
        static_cast<void>(symm::atomic_fetch_inc(counter, pe));
        symm::atomic_add(sum, 0.5, pe);
      }
      symm::atomic_or(bits, 1U << me, pe);
      symm::atomic_min(least, -1.5F * static_cast<float>(me), pe);
      symm::atomic_set(owner + 1, me + 10, pe);
    }
    symm::barrier_all();
    EXPECT_EQ(*counter, 2 * 350);
    EXPECT_EQ(*bits, 7U & ~(1U << me));
    EXPECT_EQ(*sum, 50.0);
    EXPECT_EQ(*least, me == 2 ? -1.5F : -3.0F);
    EXPECT_TRUE(owner[1] >= 10 && owner[1] != me + 10);
    Pe const next = (me + 1) % 3;
    EXPECT_EQ(symm::atomic_fetch(counter, next), 700);
    EXPECT_EQ(symm::atomic_swap(owner, me + 1, next), 0);
    EXPECT_EQ(symm::atomic_compare_swap(owner, 7, 8, next), me + 1);
    EXPECT_EQ(symm::atomic_compare_swap(owner, me + 1, 8, next), me + 1);
    symm::barrier_all();
    EXPECT_EQ(*owner, 8);
    EXPECT_EQ(symm::atomic_fetch_xor(bits, 1U, next), 7U & ~(1U << next));
  });
}

TEST_F(CudaOfNodes, a_signal_comes_behind_its_data) {
  run(2, [](Pe me, Pe other) {
    auto* const signal     = calloc_of<symm::Signal>(1);
    auto* const block      = calloc_of<Word>(word_counts.back());
    symm::Signal n_signals = 0;
    for (bool const is_on_gpu : {false, true}) {
      for (std::size_t const n : word_counts) {
        Side const source(is_on_gpu, n);
        for (std::size_t i = 0; i < n; ++i) {
          source.data()[i] = value_of(me, other, i);
        }
        symm::put_signal(block, source.data(), n, signal, 1,
                         symm::SignalOp::add, other);
        ++n_signals;
        // The stand-in's GPU memory is reached by the host.
        while (*static_cast<symm::Signal volatile*>(signal) < n_signals) {
          symm::Impl::poll_far();
        }
        std::size_t n_wrong = 0;
        for (std::size_t i = 0; i < n; ++i) {
          n_wrong += block[i] == value_of(other, me, i) ? 0U : 1U;
        }
        EXPECT_EQ(n_wrong, 0U) << n << " words";
        symm::barrier_all();
      }
    }
  });
}

/// Threads of the host are those of a kernel: the stand-in's GPU memory is
/// reached by the host.
TEST_F(CudaOfNodes, what_kernels_ask_for_is_done_and_a_full_ring_waited_for) {
  run(2, [](Pe me, Pe other) {
    using symm::Impl::AtomicOp;
    using symm::Impl::ProxyClient;
    using symm::Impl::WordType;
    constexpr std::size_t n_threads = 4;
    constexpr std::size_t n         = 5000;  // each; more than the ring has
    auto* const ring    = Runtime::instance("test").network()->ring();
    auto* const words   = calloc_of<Word>(n_threads * n);
    auto* const blocks  = calloc_of<Word>(n_threads * 10'000);
    auto* const counter = calloc_of<Word>(2);
    auto* const signals = calloc_of<symm::Signal>(n_threads);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < n_threads; ++t) {
      threads.emplace_back([=] {
        ProxyClient const client(ring);
        auto* const mine = words + t * n;
        for (std::size_t i = 0; i < n; ++i) {
          client.store({mine + i, other}, value_of(me, other, t * n + i), 8);
        }
        for (std::size_t i = 0; i < 200; ++i) {
          client.post_atomic({counter, other}, AtomicOp::add, WordType::u64, 2);
          static_cast<void>(client.atomic({counter + 1, other}, AtomicOp::add,
                                          WordType::u64, 1, 0));
        }
        std::vector<Word> source(10'000);
        std::vector<Word> back(10'000);
        for (std::size_t i = 0; i < source.size(); ++i) {
          source[i] = value_of(me, other, i);
        }
        auto* const block = blocks + t * 10'000;
        client.put({block, other}, source.data(), 80'000, true);
        client.fence();
        client.put_signal({block, other}, nullptr, 0, signals + t, 5,
                          AtomicOp::set, false);
        client.quiet();
        EXPECT_EQ(client.load({mine + 7, other}, 8),
                  value_of(me, other, t * n + 7));
        client.get(back.data(), {block, other}, 80'000, true);
        EXPECT_EQ(back, source);
        std::fill(back.begin(), back.end(), 0);
        client.get(back.data(), {block, other}, 8000, false);
        client.quiet();
        EXPECT_EQ(back[999], source[999]);
      });
    }
    for (auto& thread : threads) thread.join();
    symm::barrier_all();
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < n_threads * n; ++i) {
      n_wrong += words[i] == value_of(other, me, i) ? 0U : 1U;
    }
    EXPECT_EQ(n_wrong, 0U);
    EXPECT_EQ(counter[0], n_threads * 400);
    EXPECT_EQ(counter[1], n_threads * 200);
    for (std::size_t t = 0; t < n_threads; ++t) {
      EXPECT_EQ(signals[t], 5U);
      EXPECT_EQ(blocks[t * 10'000 + 9999], value_of(other, me, 9999));
    }
  });
}

/// While a kernel waits, the driver may wait for it and hold back whoever
/// calls.
TEST_F(CudaOfNodes,
       what_kernels_send_between_hosts_needs_nothing_of_the_driver) {
  run(2, [](Pe me, Pe other) {
    auto& heap = Runtime::instance("test").heap(symm::MemoryKind::host, "test");
    constexpr std::size_t most = 20'000;
    auto* const words          = static_cast<Word*>(
        heap.allocate_view("words", (2 * most + 2) * sizeof(Word), 64, 0));
    auto* const signal = words + 2 * most;
    auto* const last   = signal + 1;
    std::fill_n(words, 2 * most + 2, Word{});
    heap.finish_view("words", {});
    symm::Impl::ProxyClient const client(
        Runtime::instance("test").network()->ring());
    std::vector<char const*> const functions{
        "cuCtxPushCurrent",    "cuPointerGetAttribute", "cuMemcpyAsync",
        "cuStreamSynchronize", "cuStreamBatchMemOp",    "cuStreamQuery"};
    auto const n_calls = [&] {
      std::size_t n = 0;
      for (char const* function : functions) n += fake().n_calls(function);
      return n;
    };
    auto const before = n_calls();
    Word round        = 0;
    for (std::size_t const n : {1U, 2U, 1000U, 20'000U}) {
      ++round;
      for (std::size_t i = 0; i < n; ++i)
        words[most + i] = value_of(me, other, i + round);
      client.fence();
      client.put_signal({words, other}, words + most, n * sizeof(Word), signal,
                        round, symm::Impl::AtomicOp::set, true);
      symm::wait_until(signal, symm::Compare::ge, round);
      std::size_t n_wrong = 0;
      for (std::size_t i = 0; i < n; ++i)
        n_wrong += words[i] == value_of(other, me, i + round) ? 0U : 1U;
      EXPECT_EQ(n_wrong, 0U) << n << " words";
      client.put({last, other}, &words[most - 1 + n], sizeof(Word), true);
      client.quiet();
      symm::wait_until(last, symm::Compare::eq,
                       value_of(other, me, n - 1 + round));
    }
    EXPECT_EQ(n_calls(), before);
    symm::barrier_all();
    heap.free_view(words);
  });
}

TEST_F(CudaOfNodes, a_call_that_waits_for_a_kernel_is_behind_what_it_asks_for) {
  run(2, [](Pe me, Pe other) {
    symm::Impl::ProxyClient const client(
        Runtime::instance("test").network()->ring());
    auto* const word = calloc_of<Word>(1);
    fake().launch(0, 100, [=] {
      client.store({word, other}, 7, sizeof *word);
    });
    auto* const block = symm::malloc(8);
    EXPECT_EQ(*word, 7U) << "on PE " << me;
    symm::free(block);
    // Another call that waits for kernels.
    fake().launch(0, 100, [=] {
      client.store({word, other}, 8, sizeof *word);
    });
    symm::SharedDeviceBuffer<Word> shared(nullptr, 0);
    EXPECT_EQ(*word, 8U) << "on PE " << me;
    shared.close();
  });
}

TEST_F(CudaOfNodes, what_a_kernel_asks_for_that_is_not_there_ends_the_job) {
  auto const results = run_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    if (bootstrap.my_pe() == 1) {
      auto* const ring = Runtime::instance("test").network()->ring();
      int outside      = 0;
      symm::Impl::ProxyClient(ring).store({&outside, 0}, 1, 4);
    }
    symm::barrier_all();
    symm::barrier_all();
  });
  EXPECT_TRUE(results[1].has_exited_with(aborted_status)) << results[1].output;
  EXPECT_THAT(results[1].output,
              AllOf(HasSubstr("a kernel's operation"), HasSubstr("4 bytes"),
                    HasSubstr("on PE 0")));
}

TEST_F(CudaOfNodes, failures_are_the_callers) {
  run(2, [](Pe me, Pe other) {
    auto* const block = calloc_of<Word>(10'000);
    std::vector<Word> host(10'000);
    auto const all = [&](std::size_t first) {
      symm::put(block + first, host.data(), 10'000, other);
    };
    EXPECT_THAT(failure_text([&] { all(std::size_t{1} << 30U); }).message,
                HasSubstr("symm::put"));
    // Words of this PE's GPU are for its kernels.
    EXPECT_THAT(failure_text([&] { symm::atomic_add(block, 1, me); }).message,
                HasSubstr("GPU memory"));
    Side const source(true, 10'000);
    fake().fail("cuMemcpyAsync", CUDA_ERROR_ILLEGAL_ADDRESS, 0, 1);
    EXPECT_THAT(failure_text([&] {
                  symm::put(block, source.data(), 10'000, other);
                }).message,
                AllOf(HasSubstr("cuMemcpyAsync"), HasSubstr("GPU 0")));
    symm::barrier_all();  // what the other puts here now does not fail
    symm::put(block, source.data(), 10'000, other);
    symm::get(source.data(), block, 10'000, other);
  });
}

TEST_F(CudaOfNodes, GPUs_have_queues_for_kernels_and_for_messages) {
  if (is_hip) GTEST_SKIP() << "HIP has another variable, and another default";
  EXPECT_STREQ(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "8");
  ASSERT_EQ(::setenv("CUDA_DEVICE_MAX_CONNECTIONS", "4", 1), 0);
  symm::Impl::prepare_devices_for_nodes();
  EXPECT_STREQ(std::getenv("CUDA_DEVICE_MAX_CONNECTIONS"), "4");
}

TEST_F(CudaOfNodes, kernels_that_are_loaded_late_are_told_of) {
  char const* const variable =
      is_hip ? "HIP_ENABLE_DEFERRED_LOADING" : "CUDA_MODULE_LOADING";
  std::string const late  = is_hip ? "1" : "LAZY",
                    early = is_hip ? "0" : "EAGER";
  for (auto const& loading : {late, early, std::string()}) {
    FakeCuda::set(variable, loading);
    if (loading.empty()) ::unsetenv(variable);
    symm::Impl::prepare_devices_for_nodes();  // without effect: somebody has
                                              // chosen, or it is HIP
    bool const is_late = loading == late || (loading.empty() && is_hip);
    expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
      bool const is_told = bootstrap.my_pe() == 0 && is_late;
      testing::internal::CaptureStderr();
      initialize(bootstrap, 0);
      auto const told = testing::internal::GetCapturedStderr();
      EXPECT_EQ(
          told.find(std::string("set ") + variable + "=" + early) != told.npos,
          is_told)
          << told;
      Runtime::finalize();
    });
  }
}

TEST_F(CudaOfNodes, a_start_that_fails_and_an_end_leave_nothing) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    auto const before = held();
    for (char const* function :
         {"cuStreamCreateWithPriority", "cuModuleLoadData",
          "cuModuleGetFunction", "cuLaunchKernel"}) {
      if (bootstrap.my_pe() == 1) {
        fake().fail(function, CUDA_ERROR_OUT_OF_MEMORY, 0, 1);
      }
      auto const failure = failure_text([&] { initialize(bootstrap, 0); });
      EXPECT_THAT(failure.message,
                  AllOf(HasSubstr("PE 1"), HasSubstr(function)));
      EXPECT_FALSE(Runtime::is_initialized());
    }
    initialize(bootstrap, 0);
    Runtime::finalize();
    auto const after = held();
    EXPECT_EQ(after.counts, before.counts);
  });
}

}  // namespace
}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What threads may do while another one is in collective calls. Little is
// expected here: ThreadSanitizer looks on (preset host-tsan).

#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include <runtime/job/Runtime.hpp>
#include <runtime/memory/HostCopy.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Runtime;

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr int n_threads   = 2;
constexpr int n_rounds    = 60;

symm::Impl::SymmetricHeap& heap() { return Runtime::instance("test").heap(); }

symm::Impl::PrivateMemory& private_memory() {
  return Runtime::instance("test").private_memory(symm::MemoryKind::host,
                                                  "test");
}

/// Runs `beside` again and again on threads of their own while `collective`
/// makes its calls.
void run_beside(std::function<void()> const& collective,
                std::function<void(int thread)> const& beside) {
  std::atomic<bool> is_over{false};
  std::vector<std::thread> threads;
  for (int thread = 0; thread < n_threads; ++thread) {
    threads.emplace_back([&, thread] {
      while (!is_over) {
        beside(thread);
        std::this_thread::yield();
      }
    });
  }
  collective();
  is_over = true;
  for (auto& thread : threads) thread.join();
}

/// Collective: growth, reuse and trim.
void change_heap() {
  for (int round = 0; round < n_rounds; ++round) {
    std::array<void*, 4> blocks{};
    for (auto& block : blocks) block = symm::malloc(2 * mib);
    for (auto* const block : blocks) symm::free(block);
    if (round % 4 == 3) symm::heap_trim();
  }
}

void expect_on_started_pes(std::function<void(Pe me)> const& body) {
  expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    body(bootstrap.my_pe());
    symm::heap_trim();
    EXPECT_EQ(symm::heap_stats().live_blocks, 0U);
    EXPECT_EQ(symm::heap_stats().registered_buffers, 0U);
    Runtime::finalize();
  });
}

/// Memory of Views, from the thread that makes them to those that end them.
class Views {
 public:
  void push(std::function<void()> end) {
    std::lock_guard const lock(m_mutex);
    m_ends.push_back(std::move(end));
  }
  /// Ends the oldest, if there is one.
  bool end_one() {
    std::function<void()> end;
    {
      std::lock_guard const lock(m_mutex);
      if (m_ends.empty()) return false;
      end = std::move(m_ends.front());
      m_ends.pop_front();
    }
    end();
    return true;
  }

 private:
  std::mutex m_mutex;
  std::deque<std::function<void()>> m_ends;
};

TEST(RuntimeThreads, views_end_on_threads_beside_collective_calls) {
  expect_on_started_pes([](Pe) {
    Views views;
    run_beside(
        [&] {
          for (int round = 0; round < n_rounds; ++round) {
            for (std::size_t i = 0; i < 20; ++i) {
              auto* const view = static_cast<char*>(heap().allocate_view(
                  "view", std::size_t{64} << (i % 12), 16, 0));
              views.push([view] {
                view[0] = 'x';
                heap().retire(view);
              });
            }
            auto* const memory = private_memory().allocate("memory", 2 * mib);
            auto* const view   = static_cast<char*>(
                heap().register_view("registered", memory, 2 * mib));
            views.push([view, memory] {
              view[0] = 'x';
              heap().retire(view);
              private_memory().free(memory);
            });
            symm::free(symm::malloc(1000));
            if (round % 8 == 7) symm::heap_trim();
          }
        },
        [&](int) { static_cast<void>(views.end_one()); });
    while (views.end_one()) {
    }
  });
}

TEST(RuntimeThreads, the_heaps_figures_are_read_beside_collective_calls) {
  expect_on_started_pes([](Pe) {
    std::atomic<std::uint64_t> n_calls{0};
    std::atomic<int> n_wrong{0};
    run_beside(change_heap, [&](int) {
      auto const stats = symm::heap_stats();
      // Of one moment: a mixture of two has other sums.
      bool const is_whole =
          stats.live_bytes == stats.live_blocks * 2 * mib &&
          stats.live_bytes + stats.free_bytes == stats.mapped_bytes &&
          stats.largest_free_bytes <= stats.free_bytes;
      if (!is_whole) ++n_wrong;
      n_calls = stats.n_collective_calls;
    });
    EXPECT_EQ(n_wrong, 0);
    EXPECT_GT(n_calls, 0U);
  });
}

TEST(RuntimeThreads, copies_to_peers_go_on_beside_growth_and_trim) {
  expect_on_started_pes([](Pe me) {
    auto* const words =
        static_cast<std::uint64_t*>(symm::calloc(16, sizeof(std::uint64_t)));
    run_beside(change_heap, [&](int thread) {
      Pe const peer    = 1 - me;
      auto* const mine = words + 4 * me + thread;  // of the peer's copy
      // What put and get do: look, translate, copy.
      ASSERT_TRUE(heap().is_mapped(mine, sizeof *mine));
      ASSERT_TRUE(Runtime::instance("test").heap_of(mine).contains(mine));
      auto* const theirs = symm::ptr(mine, peer);
      ASSERT_NE(theirs, nullptr);
      std::uint64_t value = 0;
      symm::Impl::copy_host_memory(&value, theirs, sizeof value);
      ++value;
      symm::Impl::copy_host_memory(theirs, &value, sizeof value);
      symm::Impl::copy_host_memory(&value, words + 8, sizeof value);
    });
    symm::barrier_all();
    for (int thread = 0; thread < n_threads; ++thread) {
      EXPECT_GT(words[4 * (1 - me) + thread], 0U) << "of the peer's";
    }
    symm::free(words);
  });
}

TEST(RuntimeThreads, a_thread_waits_for_a_word_that_another_one_puts) {
  expect_on_started_pes([](Pe me) {
    auto* const word = static_cast<std::uint64_t*>(symm::calloc(1, 8));
    std::thread waiting([&] {
      for (std::uint64_t n = 1; n <= 1000; ++n) {
        auto const* const here = reinterpret_cast<char const*>(word);
        while (symm::Impl::load_host_word<8>(here) < n)
          std::this_thread::yield();
      }
    });
    for (std::uint64_t n = 1; n <= 1000; ++n) {
      symm::Impl::copy_host_memory(symm::ptr(word, me), &n, sizeof n);
      if (n % 100 == 0) symm::free(symm::malloc(1000));
    }
    waiting.join();
    symm::free(word);
  });
}

TEST(RuntimeThreads, buffers_are_registered_beside_collective_calls) {
  expect_on_started_pes([](Pe) {
    run_beside(change_heap, [](int) {
      std::array<char, 4096> buffer{};
      ASSERT_EQ(symm::buffer_register(buffer.data(), buffer.size()),
                symm::Status::success);
      ASSERT_EQ(symm::buffer_unregister(buffer.data()), symm::Status::success);
      auto* const memory = private_memory().allocate("memory", 2 * mib);
      memory[0]          = 'x';
      private_memory().free(memory);
    });
  });
}

}  // namespace
}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Updates of kernels on memory of PEs of other nodes. Threads of the host are
// those of a kernel: the stand-in's GPU memory is reached by the host.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <runtime/access/ProxyClient.hpp>
#include <runtime/memory/GpuAccessQueue.hpp>
#include <runtime/memory/UpdateLog.hpp>
#include <runtime/network/Network.hpp>
#include <runtime/symm_memory.hpp>
#include <runtime/symm_signals.hpp>

#include "CudaOfNodes.hpp"

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::AtomicOp;
using symm::Impl::ProxyClient;
using symm::Impl::Runtime;
using symm::Impl::Update;
using symm::Impl::UpdateWords;
using symm::Impl::WordType;

ProxyClient client_of_kernels() {
  return ProxyClient(Runtime::instance("test").network()->ring());
}

/// body(t) on threads t of [0, n).
template <class Body>
void run_threads(std::size_t n, Body const& body) {
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < n; ++t) threads.emplace_back(body, t);
  for (auto& thread : threads) thread.join();
}

/// The next value of a word of this PE, which others change.
Word now(Word const* word) {
  symm::Impl::poll_far();
  return symm::Impl::load_acquire(word);
}

TEST(UpdateWords, say_what_was_written_and_in_which_lap) {
  std::mt19937_64 random(1);
  std::vector<Word> memory(UpdateWords::bytes / sizeof(Word));
  for (int i = 0; i < 10'000; ++i) {
    auto const ticket = random() % (600 * UpdateWords::size);
    UpdateWords const place(memory.data(), ticket);
    Update const its{random() >> 16U, random(),
                     static_cast<Pe>(random() & 0x7fff'ffffU),
                     static_cast<std::uint8_t>(random())};
    std::array<Word, 3> words{};
    for (std::size_t k = 0; k < 3; ++k) {
      words[k] = place.bits(its, k);
      EXPECT_TRUE(place.is_of_lap(words[k]));
      EXPECT_FALSE(place.is_of_lap(0));
      UpdateWords const before(memory.data(), ticket + UpdateWords::size);
      EXPECT_FALSE(before.is_of_lap(words[k]));
      EXPECT_EQ(before.word(k), place.word(k));
      EXPECT_GE(place.word(k), memory.data());
      EXPECT_LE(place.word(k), &memory.back());
    }
    auto const got = UpdateWords::update_of(words[0], words[1], words[2]);
    EXPECT_EQ(got.address, its.address);
    EXPECT_EQ(got.value, its.value);
    EXPECT_EQ(got.pe, its.pe);
    EXPECT_EQ(got.kind, its.kind);
  }
}

TEST(UpdateWords, have_places_of_their_own) {
  std::vector<Word> memory(UpdateWords::bytes / sizeof(Word));
  for (Word ticket = 0; ticket < UpdateWords::size; ++ticket) {
    for (std::size_t k = 0; k < 3; ++k)
      ++*UpdateWords(memory.data(), ticket).word(k);
  }
  for (auto const n : memory) EXPECT_EQ(n, 1U);
}

/// Several times as many as the ring has, of three PEs, each checked.
/// \param before called right before the threads of this PE begin.
/// \param after called when they have no more to do.
template <class Before, class After>
void update_by_many_threads(Pe me, Before const& before, After const& after) {
  constexpr std::size_t n_threads = 4;
  constexpr std::size_t n         = 50'000;  // of a thread
  constexpr std::size_t n_words   = 500;
  auto* const sums                = calloc_of<Word>(n_words);
  auto* const bits                = calloc_of<std::uint32_t>(n_words);
  auto* const floats              = calloc_of<double>(n_words);
  auto* const stored              = calloc_of<Word>(3 * n_threads * n_words);
  auto const visit = [&](Pe pe, std::size_t t, auto const& call) {
    std::mt19937_64 random(static_cast<unsigned>(pe) * 10 + t);
    for (std::size_t i = 0; i < n; ++i) {
      auto const to = (pe + 1 + static_cast<int>(random() % 2)) % 3;
      call(to, random() % n_words, random() % 4, random() % 3 + 1);
    }
  };
  before();
  run_threads(n_threads, [&](std::size_t t) {
    auto const client = client_of_kernels();
    auto const mine = (static_cast<std::size_t>(me) * n_threads + t) * n_words;
    visit(me, t, [&](Pe to, std::size_t i, Word what, Word value) {
      switch (what) {
        case 0:
          client.post_atomic({sums + i, to}, AtomicOp::add, WordType::u64,
                             value);
          break;
        case 1:
          client.post_atomic({bits + i, to}, AtomicOp::bit_xor, WordType::u32,
                             value);
          break;
        case 2:
          client.post_atomic(
              {floats + i, to}, AtomicOp::add, WordType::f64,
              std::bit_cast<Word>(static_cast<double>(value) / 2));
          break;
        default: client.store({stored + mine + i, to}, i * 10 + 7, 8);
      }
    });
    client.quiet();
  });
  after();
  symm::barrier_all();
  std::vector<Word> all_sums(n_words), all_stored(3 * n_threads * n_words);
  std::vector<std::uint32_t> all_bits(n_words);
  std::vector<double> all_floats(n_words);
  for (Pe pe = 0; pe < 3; ++pe) {
    if (pe == me) continue;
    for (std::size_t t = 0; t < n_threads; ++t) {
      auto const its = (static_cast<std::size_t>(pe) * n_threads + t) * n_words;
      visit(pe, t, [&](Pe to, std::size_t i, Word what, Word value) {
        if (to != me) return;
        if (what == 0) all_sums[i] += value;
        if (what == 1) all_bits[i] ^= static_cast<std::uint32_t>(value);
        if (what == 2) all_floats[i] += static_cast<double>(value) / 2;
        if (what == 3) all_stored[its + i] = i * 10 + 7;
      });
    }
  }
  EXPECT_TRUE(std::equal(all_sums.begin(), all_sums.end(), sums));
  EXPECT_TRUE(std::equal(all_bits.begin(), all_bits.end(), bits));
  EXPECT_TRUE(std::equal(all_floats.begin(), all_floats.end(), floats));
  EXPECT_TRUE(std::equal(all_stored.begin(), all_stored.end(), stored));
}

TEST_F(CudaOfNodes, updates_of_many_threads_are_carried_out_once) {
  run(3, [](Pe me, Pe) {
    update_by_many_threads(
        me, [] {}, [] {});
  });
}

/// The kernel that carries out what others send finds no room on any GPU as
/// long as threads there wait for others. (A GPU is not occupied before it has
/// such threads: in a collective call, this PE would wait for ever.)
TEST_F(CudaOfNodes, threads_that_wait_carry_out_what_others_wait_for) {
  run(3, [](Pe me, Pe) {
    update_by_many_threads(
        me, [] { fake().occupy(); }, [] { fake().leave(); });
    auto* const word = calloc_of<Word>(1);
    symm::barrier_all();
    fake().occupy();
    auto const client = client_of_kernels();
    // Each waits for what it gets, and is needed for what it gives.
    for (Word i = 0; i < 100; ++i) {
      EXPECT_EQ(client.atomic({word, (me + 1) % 3}, AtomicOp::add,
                              WordType::u64, 1, 0),
                i);
    }
    fake().leave();
    symm::barrier_all();
    EXPECT_EQ(*word, 100U);
  });
}

/// Each round: updates or a block, a fence, a flag of either kind. The other PE
/// looks at the data as soon as it has the flag.
TEST_F(CudaOfNodes, a_fence_orders_updates_and_requests) {
  run(2, [](Pe, Pe other) {
    constexpr std::size_t n_threads  = 3;
    constexpr std::size_t n_words    = 40;
    constexpr Word n_rounds          = 200;
    auto* const words                = calloc_of<Word>(n_threads * n_words);
    auto* const flags                = calloc_of<Word>(n_threads);
    auto* const seen                 = calloc_of<Word>(n_threads);
    std::atomic<std::size_t> n_wrong = 0;
    run_threads(n_threads, [&](std::size_t t) {
      auto const client = client_of_kernels();
      auto* const mine  = words + t * n_words;
      std::vector<Word> block(n_words);
      for (Word round = 1; round <= n_rounds; ++round) {
        if (round % 2 == 0) {
          for (std::size_t i = 0; i < n_words; ++i)
            client.store({mine + i, other}, round, 8);
        } else {
          block.assign(n_words, round);
          client.put({mine, other}, block.data(), n_words * sizeof(Word), true);
        }
        client.fence();
        if (round % 3 == 0) {
          client.put_signal({flags + t, other}, nullptr, 0, flags + t, round,
                            AtomicOp::set, false);
        } else if (round % 3 == 1) {
          client.store({flags + t, other}, round, 8);
        } else {
          client.post_atomic({flags + t, other}, AtomicOp::add, WordType::u64,
                             1);
        }
        // The other PE's threads do the same here.
        while (now(flags + t) < round) std::this_thread::yield();
        for (std::size_t i = 0; i < n_words; ++i)
          n_wrong += now(mine + i) == round ? 0U : 1U;
        // The other PE may go on when it has this.
        client.post_atomic({seen + t, other}, AtomicOp::add, WordType::u64, 1);
        while (now(seen + t) < round) std::this_thread::yield();
      }
    });
    EXPECT_EQ(n_wrong, 0U);
  });
}

TEST_F(CudaOfNodes, a_thread_reads_what_it_has_stored) {
  run(2, [](Pe, Pe other) {
    constexpr std::size_t n_threads  = 3;
    auto* const words                = calloc_of<Word>(n_threads);
    std::atomic<std::size_t> n_wrong = 0;
    run_threads(n_threads, [&](std::size_t t) {
      auto const client = client_of_kernels();
      for (Word i = 1; i <= 300; ++i) {
        client.store({words + t, other}, i, 8);
        n_wrong += client.load({words + t, other}, 8) == i ? 0U : 1U;
        client.post_atomic({words + t, other}, AtomicOp::add, WordType::u64, 5);
        n_wrong += client.atomic({words + t, other}, AtomicOp::add,
                                 WordType::u64, 1, 0) == i + 5
                       ? 0U
                       : 1U;
      }
    });
    EXPECT_EQ(n_wrong, 0U);
  });
}

TEST_F(CudaOfNodes, kernels_update_their_own_words_and_those_of_others) {
  run(2, [](Pe me, Pe) {
    constexpr std::size_t n_threads = 4;
    constexpr std::size_t n         = 60'000;  // of a thread in each kernel
    constexpr std::size_t n_words   = 4096;
    constexpr Word n_kernels        = 5;
    auto* const words               = calloc_of<Word>(n_words);
    auto const visit                = [&](Pe pe, Word kernel, std::size_t t,
                           auto const& update) {
      std::mt19937_64 random(kernel * 100 + static_cast<unsigned>(pe) * 10 + t);
      for (std::size_t i = 0; i < n; ++i) {
        auto const value = random();
        update(static_cast<Pe>(value % 2), value / 2 % n_words, value);
      }
    };
    std::vector<Word> expected(n_words);
    for (int round = 0; round < 2; ++round) {
      symm::barrier_all();
      for (Word kernel = 0; kernel < n_kernels; ++kernel) {
        for (Pe pe = 0; pe < 2; ++pe) {
          for (std::size_t t = 0; t < n_threads; ++t) {
            visit(pe, kernel, t, [&](Pe to, std::size_t i, Word value) {
              if (to == me) expected[i] ^= value;
            });
          }
        }
        run_threads(n_threads, [&](std::size_t t) {
          auto const client = client_of_kernels();
          visit(me, kernel, t, [&](Pe to, std::size_t i, Word value) {
            if (to == me) {
              symm::Impl::fetch_xor_word(words + i, value);
            } else {
              client.post_atomic({words + i, to}, AtomicOp::bit_xor,
                                 WordType::u64, value);
            }
          });
        });
      }
      symm::barrier_all();
      // In the second round all is as it was.
      EXPECT_TRUE(std::equal(expected.begin(), expected.end(), words))
          << "round " << round;
    }
  });
}

/// A driver has room for so many launches whose end the host has not seen.
TEST_F(CudaOfNodes, many_changes_need_few_launches_at_a_time) {
  run(2, [](Pe, Pe) {
    auto* const word = calloc_of<Word>(1);
    fake().run_at_launch();
    auto* const gpu =
        Runtime::instance("test").provider(symm::MemoryKind::device);
    symm::Impl::GpuAccessQueue queue(*gpu,
                                     symm::Impl::GpuAccessQueue::Changes::some);
    for (Word i = 0; i < 2000; ++i) {
      EXPECT_EQ(
          queue.fetch_and_change(word, AtomicOp::add, WordType::u64, 1, 0), i);
    }
  });
}

TEST_F(CudaOfNodes, updates_of_a_kernel_that_has_ended_are_complete_at_quiet) {
  run(2, [](Pe, Pe other) {
    auto* const word  = calloc_of<Word>(1);
    auto const client = client_of_kernels();
    for (Word round = 1; round <= 5; ++round) {
      constexpr Word n = 100'000;
      for (Word i = 0; i < n; ++i)
        client.post_atomic({word, other}, AtomicOp::add, WordType::u64, 1);
      symm::barrier_all();
      EXPECT_EQ(now(word), round * n);
      symm::barrier_all();
    }
  });
}

}  // namespace
}  // namespace symm_test

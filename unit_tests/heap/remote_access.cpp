// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Blocks of every allocating call are read, written and counted in by all PEs.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <thread>
#include <vector>

#include <heap/heap_test.hpp>

namespace {

using namespace symm_test;
using Word = std::uint64_t;

struct Source {
  char const* name;
  std::function<void*(std::size_t bytes)> allocate;
};

class RemoteAccess : public testing::TestWithParam<Source> {
 protected:
  ~RemoteAccess() override { symm::free(m_block); }

  /// Zeroed on all PEs.
  Word* allocate(std::size_t count) {
    m_block = GetParam().allocate(count * sizeof(Word));
    EXPECT_NE(m_block, nullptr) << symm::last_error();
    auto* const words = static_cast<Word*>(m_block);
    std::fill_n(words, count, 0);
    symm::barrier_all();
    return words;
  }

  symm::Pe const m_me = symm::my_pe();
  int const m_n_pes   = symm::n_pes();
  void* m_block       = nullptr;
};

/// Loads or stores of a flag that another PE waits for.
auto atomic(Word& word) { return std::atomic_ref<Word>(word); }

TEST_P(RemoteAccess, M18_M19_put_to_every_pe) {
  constexpr std::size_t count = 123;
  auto const all              = static_cast<std::size_t>(m_n_pes);
  auto* const words = allocate((count + 2) * all);  // a guard on both sides
  for (symm::Pe to = 0; to < m_n_pes; ++to) {
    auto const start = (count + 2) * static_cast<std::size_t>(m_me) + 1;
    for (std::size_t i = 0; i < count; ++i) {
      symm::ptr(words, to)[start + i] = pattern({m_me, to}, i);
    }
  }
  symm::barrier_all();
  for (symm::Pe from = 0; from < m_n_pes; ++from) {
    auto const* part = words + (count + 2) * static_cast<std::size_t>(from);
    EXPECT_EQ(part[0], 0U);
    EXPECT_EQ(difference(part + 1, count * sizeof(Word), {from, m_me}),
              no_difference);
    EXPECT_EQ(part[count + 1], 0U);
  }
}

TEST_P(RemoteAccess, M18_M19_get_from_every_pe) {
  constexpr std::size_t count = 123;
  auto* const words           = allocate(count);
  fill(words, count * sizeof(Word), {m_me, m_me});
  symm::barrier_all();
  for (symm::Pe from = 0; from < m_n_pes; ++from) {
    EXPECT_EQ(
        difference(symm::ptr(words, from), count * sizeof(Word), {from, from}),
        no_difference);
  }
  symm::barrier_all();
}

TEST_P(RemoteAccess, M18_M19_atomic_additions_of_all_pes_onto_each) {
  constexpr int n   = 5000;
  auto* const words = allocate(2);
  for (int i = 0; i < n; ++i) {
    for (symm::Pe to = 0; to < m_n_pes; ++to) {
      atomic(symm::ptr(words, to)[1]).fetch_add(static_cast<Word>(m_me + 1));
    }
  }
  symm::barrier_all();
  auto const pes = static_cast<Word>(m_n_pes);
  EXPECT_EQ(words[0], 0U);
  EXPECT_EQ(words[1], n * pes * (pes + 1) / 2);
}

TEST_P(RemoteAccess, M18_M19_compare_and_swap_admits_one_pe_at_a_time) {
  constexpr int n    = 300;
  auto* const words  = allocate(2);
  auto* const lock   = symm::ptr(words, 0);
  auto* const amount = lock + 1;  // plain, under the lock
  for (int i = 0; i < n; ++i) {
    for (Word expected = 0; !atomic(*lock).compare_exchange_weak(
             expected, 1, std::memory_order_acquire);
         expected = 0) {
      std::this_thread::yield();
    }
    ++*amount;
    atomic(*lock).store(0, std::memory_order_release);
  }
  symm::barrier_all();
  EXPECT_EQ(*amount, static_cast<Word>(n * m_n_pes));
  symm::barrier_all();
}

TEST_P(RemoteAccess, M19_put_and_signal_around_a_ring) {
  constexpr std::size_t count = 50;
  auto* const words           = allocate(count + 1);
  auto& signal                = words[count];
  auto const to               = (m_me + 1) % m_n_pes;
  auto const from             = (m_me + m_n_pes - 1) % m_n_pes;
  for (unsigned round = 1; round <= 50; ++round) {
    fill(symm::ptr(words, to), count * sizeof(Word), {m_me, to, round});
    atomic(*symm::ptr(&signal, to)).store(round, std::memory_order_release);
    while (atomic(signal).load(std::memory_order_acquire) < round) {
      std::this_thread::yield();
    }
    EXPECT_EQ(difference(words, count * sizeof(Word), {from, m_me, round}),
              no_difference);
    symm::barrier_all();
  }
}

TEST_P(RemoteAccess, M19_every_pe_in_turn_tells_all) {
  auto* const words = allocate(8);
  for (symm::Pe root = 0; root < m_n_pes; ++root) {
    if (m_me == root) fill(words, 8 * sizeof(Word), {root, root});
    symm::barrier_all();
    EXPECT_EQ(
        difference(symm::ptr(words, root), 8 * sizeof(Word), {root, root}),
        no_difference);
    symm::barrier_all();
  }
}

INSTANTIATE_TEST_SUITE_P(
    Calls, RemoteAccess,
    testing::Values(
        Source{"malloc", [](std::size_t n) { return symm::malloc(n); }},
        Source{"align", [](std::size_t n) { return symm::align(4096, n); }},
        Source{"calloc", [](std::size_t n) { return symm::calloc(n, 1); }},
        Source{
            "realloc",
            [](std::size_t n) { return symm::realloc(symm::malloc(8), n); }}),
    [](auto const& source) { return std::string(source.param.name); });

}  // namespace

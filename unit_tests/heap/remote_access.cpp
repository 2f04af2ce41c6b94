// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Blocks of every allocating call are read, written and counted in by all PEs:
// by kernels, which run on the host or on the GPU, wherever the heap is.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include <heap/heap_test.hpp>
#include <runtime/memory/HeapMap.hpp>
#include <support/kernels.hpp>

namespace {

using namespace symm_test;
using symm::HeapMap;
using symm::Pe;
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
    set_bytes(m_block, 0, count * sizeof(Word));
    symm::barrier_all();
    return static_cast<Word*>(m_block);
  }

  symm::HeapMap const m_map = heap().map();
  Pe const m_me             = symm::my_pe();
  int const m_n_pes         = symm::n_pes();
  void* m_block             = nullptr;
};

// Kernels cannot be in the body of a test, which nvcc takes for a private
// function.

/// Plain stores of one PE's data to all PEs.
void put_to_all(HeapMap const& map, Word* words, std::size_t count) {
  run(KOKKOS_LAMBDA() {
    for (Pe to = 0; to < map.n_pes; ++to) {
      for (std::size_t i = 0; i < count; ++i) {
        store_at(map, to, words + i, pattern({map.my_pe, to}, i));
      }
    }
  });
}

/// Plain loads from PE `from`: words that are not its data for itself.
std::size_t count_wrong_at(HeapMap const& map, Word* words, std::size_t count,
                           Pe from) {
  std::size_t wrong = 0;
  Kokkos::parallel_reduce(
      "get", Kokkos::RangePolicy<HeapExec>(0, count),
      KOKKOS_LAMBDA(std::size_t i, std::size_t & sum) {
        if (load_at(map, from, words + i) != pattern({from, from}, i)) ++sum;
      },
      wrong);
  return wrong;
}

void add_to_all(HeapMap const& map, Word* word, int n) {
  run(KOKKOS_LAMBDA() {
    for (int i = 0; i < n; ++i) {
      for (Pe to = 0; to < map.n_pes; ++to) {
        auto const what = static_cast<Word>(map.my_pe + 1);
        if (map.is_near(to)) {
          add(map.peer_ptr(word, to), what);
        } else {
          symm::atomic_add(map, word, what, to);
        }
      }
    }
  });
}

/// Both are PE 0's. PEs of its node and others take turns.
void count_under_lock(HeapMap const& map, Word* lock, Word* amount, int n) {
  run(KOKKOS_LAMBDA() {
    for (int i = 0; i < n; ++i) {
      if (map.is_near(0)) {
        Word* const its_lock = map.peer_ptr(lock, 0);
        while (!try_lock(its_lock)) pause_in_loop();
        // Plain, under the lock. (volatile: in memory, not in a register.)
        auto volatile& counter = *map.peer_ptr(amount, 0);
        counter                = counter + 1;
        store_release(its_lock, Word{0});
        continue;
      }
      while (symm::atomic_compare_swap(map, lock, Word{0}, Word{1}, 0) != 0) {
        pause_in_loop();
      }
      symm::p(map, amount, symm::g(map, amount, 0) + 1, 0);
      symm::fence();
      symm::atomic_set(map, lock, Word{0}, 0);
    }
  });
}

/// Puts `count` words and a signal behind them to PE `to`, waits for the signal
/// of PE `from`, and counts what is wrong of its data.
struct PutAndSignal {
  HeapMap map;
  Word* words;
  std::size_t count;
  Pe to;
  Pe from;
  unsigned round;
  Word* wrong;  // symmetric memory, since host and GPU reach it

  KOKKOS_FUNCTION void operator()() const {
    for (std::size_t i = 0; i < count; ++i) {
      store_at(map, to, words + i, pattern({map.my_pe, to, round}, i));
    }
    if (map.is_near(to)) {
      store_release(map.peer_ptr(words + count, to), Word{round});
    } else {
      symm::fence();
      symm::p(map, words + count, Word{round}, to);
    }
    while (load_acquire(words + count) < round) pause_in_loop();
    for (std::size_t i = 0; i < count; ++i) {
      if (words[i] != pattern({from, map.my_pe, round}, i)) ++*wrong;
    }
  }
};

TEST_P(RemoteAccess, M18_M19_put_to_every_pe) {
  constexpr std::size_t count = 123;
  auto const all              = static_cast<std::size_t>(m_n_pes);
  auto* const words = allocate((count + 2) * all);  // a guard on both sides
  put_to_all(m_map, words + (count + 2) * static_cast<std::size_t>(m_me) + 1,
             count);
  symm::barrier_all();
  for (Pe from = 0; from < m_n_pes; ++from) {
    auto const* part = words + (count + 2) * static_cast<std::size_t>(from);
    EXPECT_EQ(get_value(part), 0U);
    EXPECT_EQ(difference(part + 1, count * sizeof(Word), {from, m_me}),
              no_difference);
    EXPECT_EQ(get_value(part + count + 1), 0U);
  }
}

TEST_P(RemoteAccess, M18_M19_get_from_every_pe) {
  constexpr std::size_t count = 123;
  auto* const words           = allocate(count);
  fill(words, count * sizeof(Word), {m_me, m_me});
  symm::barrier_all();
  for (Pe from = 0; from < m_n_pes; ++from) {
    EXPECT_EQ(count_wrong_at(m_map, words, count, from), 0U);
    EXPECT_EQ(difference_at(from, words, count * sizeof(Word), {from, from}),
              no_difference);
  }
  symm::barrier_all();
}

TEST_P(RemoteAccess, M18_M19_atomic_additions_of_all_pes_onto_each) {
  constexpr int n   = 5000;
  auto* const words = allocate(2);
  add_to_all(m_map, words + 1, n);
  symm::barrier_all();
  auto const pes = static_cast<Word>(m_n_pes);
  EXPECT_EQ(get_value(words), 0U);
  EXPECT_EQ(get_value(words + 1), n * pes * (pes + 1) / 2);
}

TEST_P(RemoteAccess, M18_M19_compare_and_swap_admits_one_pe_at_a_time) {
  constexpr int n    = 300;
  auto* const words  = allocate(2);
  auto* const amount = words + 1;
  count_under_lock(m_map, words, amount, n);
  symm::barrier_all();
  EXPECT_EQ(get_value_at(0, amount), static_cast<Word>(n * m_n_pes));
  symm::barrier_all();
}

TEST_P(RemoteAccess, M19_put_and_signal_around_a_ring) {
  constexpr std::size_t count = 50;
  // PEs that share a GPU take turns while they wait, of some milliseconds.
  constexpr unsigned rounds = host_reaches_heap ? 50 : 12;
  auto* const words         = allocate(count + 2);
  auto const to             = (m_me + 1) % m_n_pes;
  auto const from           = (m_me + m_n_pes - 1) % m_n_pes;
  auto* const wrong         = words + count + 1;
  for (unsigned round = 1; round <= rounds; ++round) {
    run(PutAndSignal{m_map, words, count, to, from, round, wrong});
    EXPECT_EQ(difference(words, count * sizeof(Word), {from, m_me, round}),
              no_difference);
    symm::barrier_all();
  }
  EXPECT_EQ(get_value(wrong), 0U) << "a signal came before its data";
}

TEST_P(RemoteAccess, M19_every_pe_in_turn_tells_all) {
  auto* const words = allocate(8);
  for (Pe root = 0; root < m_n_pes; ++root) {
    if (m_me == root) fill(words, 8 * sizeof(Word), {root, root});
    symm::barrier_all();
    EXPECT_EQ(count_wrong_at(m_map, words, 8, root), 0U);
    EXPECT_EQ(difference_at(root, words, 8 * sizeof(Word), {root, root}),
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

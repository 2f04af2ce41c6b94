// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// put_signal and signal_op by one thread, many times: rings, pipelines, and
// many PEs that signal one (OpenSHMEM 1.5, signaling operations).

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Compare;
using symm::HeapMap;
using symm::Pe;
using symm::Signal;
using symm::SignalOp;

using Signals = Array<Signal>;

template <class Exec>
class SignalLoops : public testing::Test {};
TYPED_TEST_SUITE(SignalLoops, Execs);

/// A number goes around; every PE adds to it.
struct Ring {
  HeapMap heap;
  Array<std::uint64_t> number;  // 0: has come, 1: goes
  Signals signals;
  Pe to;
  std::uint64_t n_rounds;
  Errors errors;

  KOKKOS_FUNCTION void operator()() const {
    auto const me    = static_cast<std::uint64_t>(heap.my_pe);
    auto const n_pes = static_cast<std::uint64_t>(heap.n_pes);
    auto const step  = n_pes * (n_pes + 1) / 2;
    for (std::uint64_t round = 1; round <= n_rounds; ++round) {
      // PE 0 begins a round, with what the one before has brought.
      if (me == 0) pass(round);
      symm::signal_wait_until(signals.data(), Compare::eq, round);
      auto const others = me == 0 ? step : me * (me + 1) / 2;
      if (number(0) != (round - 1) * step + others) ++errors();
      if (me != 0) pass(round);
    }
  }
  KOKKOS_FUNCTION void pass(std::uint64_t round) const {
    number(1) = number(0) + static_cast<std::uint64_t>(heap.my_pe) + 1;
    symm::put_signal(heap, number.data(), number.data() + 1, 1, signals.data(),
                     round, SignalOp::set, to);
  }
};

TYPED_TEST(SignalLoops, a_number_that_goes_around_is_increased_by_all) {
  Array<std::uint64_t> const number("number", 2);
  Signals const signals("signals", 1);
  Errors const errors("errors");
  symm::barrier_all(TypeParam());
  int const n_rounds = is_host_exec<TypeParam> ? turns<TypeParam>(4000) : 5;
  EXPECT_EQ(count_errors<TypeParam>(
                Ring{symm::heap_map(Space::memory_kind), number, signals,
                     right(), static_cast<std::uint64_t>(n_rounds), errors}),
            0);
  symm::barrier_all();
}

/// Chunks to the right, a signal for each; and each is checked when its signal
/// is there, while the next are on their way.
struct Pipeline {
  static constexpr std::size_t n_elements = 37;
  HeapMap heap;
  Array<int> source;  // all chunks, since each may be read until it is there
  Array<int> dest;
  Signals signals;
  Pe from;
  Pe to;
  int n_chunks;
  Errors errors;

  KOKKOS_FUNCTION void operator()() const {
    for (int chunk = 0; chunk < n_chunks; ++chunk) {
      send(chunk);
      if (chunk % 3 == 2) check(chunk - 2);
    }
    for (int chunk = 0; chunk < n_chunks; ++chunk) check(chunk);
  }
  KOKKOS_FUNCTION void send(int chunk) const {
    for (std::size_t i = 0; i < n_elements; ++i) {
      source(first(chunk) + i) = value(heap.my_pe, to, first(chunk) + i);
    }
    symm::put_signal_nbi(heap, &dest(first(chunk)), &source(first(chunk)),
                         n_elements, signals.data(), 1, SignalOp::add, to);
  }
  KOKKOS_FUNCTION void check(int chunk) const {
    symm::signal_wait_until(signals.data(), Compare::gt,
                            static_cast<Signal>(chunk));
    for (std::size_t i = 0; i < n_elements; ++i) {
      if (dest(first(chunk) + i) != value(from, heap.my_pe, first(chunk) + i)) {
        ++errors();
      }
    }
  }
  KOKKOS_FUNCTION static std::size_t first(int chunk) {
    return static_cast<std::size_t>(chunk) * n_elements;
  }
};

TYPED_TEST(SignalLoops, a_pipeline_of_chunks_finds_each_when_it_is_announced) {
  int const n_chunks = is_host_exec<TypeParam> ? 3000 : 50;
  Array<int> const source("source", Pipeline::first(n_chunks));
  Array<int> const dest("dest", Pipeline::first(n_chunks));
  Signals const signals("signals", 1);
  Errors const errors("errors");
  symm::barrier_all(TypeParam());
  EXPECT_EQ(count_errors<TypeParam>(Pipeline{symm::heap_map(Space::memory_kind),
                                             source, dest, signals, left(),
                                             right(), n_chunks, errors}),
            0);
  symm::barrier_all();
}

/// Every PE adds to one signal of every PE, and sets one of its own there.
struct SignalAll {
  HeapMap heap;
  Signals signals;  // 0: all add, 1 + pe: PE pe sets
  int n_rounds;

  KOKKOS_FUNCTION void operator()() const {
    for (int round = 1; round <= n_rounds; ++round) {
      for (int pe = 0; pe < heap.n_pes; ++pe) {
        symm::signal_op(heap, signals.data(),
                        static_cast<Signal>(heap.my_pe + 1), SignalOp::add, pe);
        symm::signal_op(heap, &signals(1 + heap.my_pe), big(heap.my_pe, round),
                        SignalOp::set, pe);
      }
    }
  }
  /// By the host, later rounds.
  void by_host(int n_more) const {
    for (int round = 1; round <= n_more; ++round) {
      for (int pe = 0; pe < heap.n_pes; ++pe) {
        symm::signal_op(signals.data(), static_cast<Signal>(heap.my_pe + 1),
                        SignalOp::add, pe);
        symm::signal_op(signals.data() + 1 + heap.my_pe,
                        big(heap.my_pe, n_rounds + round), SignalOp::set, pe);
      }
    }
  }
  KOKKOS_FUNCTION static Signal big(Pe pe, int round) {
    return (static_cast<Signal>(pe + 1) << 48U) + static_cast<Signal>(round);
  }
};

TYPED_TEST(SignalLoops, no_signal_of_several_PEs_is_lost) {
  if (!are_adds_atomic<TypeParam>()) GTEST_SKIP() << "the link has no atomics";
  auto const n_pes = symm::n_pes();
  int const n_rounds =
      is_host_exec<TypeParam> ? turns<TypeParam>(100'000) : 300;
  Signals const signals("signals", 1 + static_cast<std::size_t>(n_pes));
  SignalAll const signal_all{symm::heap_map(Space::memory_kind), signals,
                             n_rounds};
  symm::barrier_all(TypeParam());
  run<TypeParam>(signal_all);
  symm::quiet();  // of what kernels have sent to other nodes
  // Meanwhile others' kernels may still run. On GPUs each is a kernel.
  int const n_more = is_on_host<Space> ? n_rounds / 4 : 8;
  signal_all.by_host(n_more);
  symm::barrier_all(TypeParam());
  EXPECT_EQ(get(signals, 0),
            static_cast<Signal>((n_rounds + n_more) * n_pes * (n_pes + 1) / 2));
  for (int pe = 0; pe < n_pes; ++pe) {
    EXPECT_EQ(get(signals, 1 + pe), SignalAll::big(pe, n_rounds + n_more));
  }
  symm::barrier_all();
}

}  // namespace

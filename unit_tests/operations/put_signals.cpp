// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// PutSignals: several puts with signals that go together.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::ALL;
using Kokkos::subview;
using symm::Compare;
using symm::Pe;
using symm::Signal;
using symm::SignalOp;
using testing::HasSubstr;

using Signals = Array<Signal>;
using Rows    = Kokkos::View<int**, Kokkos::LayoutRight, Space>;

template <class Exec>
class PutSignals : public testing::Test {};
TYPED_TEST_SUITE(PutSignals, Execs);

/// What each PE sends to each one: parts of an array, of these elements. (A
/// kernel copies the shorter ones, by words of 16, 8 or 4 bytes.)
struct Part {
  int first;
  int count;
};
constexpr std::array<Part, 6> parts{Part{0, 1},         Part{1, 61},
                                    Part{64, 4096},     Part{4161, 0},
                                    Part{4161, 20'000}, Part{24'162, 7}};
constexpr int n_parts   = static_cast<int>(parts.size());
constexpr int array_end = 24'180;

KOKKOS_FUNCTION int element_of(Signal round, Pe from, Pe to, int i) {
  return value(from, to, static_cast<std::size_t>(i) + 31 * std::size_t{round});
}

/// Row `to` of `source` is what goes to that PE.
struct SetAll {
  Rows source;
  Signal round;
  Pe me;
  KOKKOS_FUNCTION void operator()() const {
    for (int to = 0; to < source.extent_int(0); ++to)
      for (int i = 0; i < array_end; ++i)
        source(to, i) = element_of(round, me, to, i);
  }
};

/// Row `from` of `dest` has all parts, and nothing else.
struct CheckAll {
  Rows dest;
  Kokkos::Array<Part, parts.size()> its;
  Signal round;
  Pe me;
  Errors errors;
  KOKKOS_FUNCTION void operator()() const {
    for (int from = 0; from < dest.extent_int(0); ++from)
      for (int i = 0; i < array_end; ++i) {
        bool is_sent = false;
        for (int p = 0; p < n_parts; ++p)
          is_sent =
              is_sent || (its[p].first <= i && i < its[p].first + its[p].count);
        if (dest(from, i) != (is_sent ? element_of(round, from, me, i) : -7))
          ++errors();
        dest(from, i) = -7;
      }
  }
};

/// An address in memory that the host may not reach.
int* at(Rows const& rows, int row, int i) {
  return rows.data() + rows.extent_int(1) * row + i;
}

TYPED_TEST(PutSignals, all_data_are_there_when_their_signals_are) {
  TypeParam const exec;
  auto const me     = symm::my_pe();
  auto const n      = symm::n_pes();
  auto const n_rows = static_cast<std::size_t>(n);
  Rows const source("source", n_rows, array_end);
  Rows const dest("dest", n_rows, array_end);
  // Of each PE: one for a part; and that it has read all.
  Signals const come("come", n_rows * parts.size());
  Signals const read("read", n_rows);
  Errors const errors("errors");
  Kokkos::deep_copy(dest, -7);
  Kokkos::Array<Part, parts.size()> its;
  for (std::size_t p = 0; p < parts.size(); ++p) its[p] = parts[p];
  symm::barrier_all();
  symm::PutSignals puts;
  symm::PutSignals answers;
  auto const n_rounds = static_cast<Signal>(turns<TypeParam>(20));
  for (Signal round = 1; round <= n_rounds; ++round) {
    launch<TypeParam>(SetAll{source, round, me});
    for (int p = 0; p < n_parts; ++p) {
      auto const [first, count] = parts[static_cast<std::size_t>(p)];
      std::pair const range(first, first + count);
      for (int k = 0; k < n; ++k) {
        Pe const to       = (me + k) % n;
        auto const signal = subview(come, me * n_parts + p);
        if (p % 2 == 0) {
          puts.add(subview(dest, me, range), subview(source, to, range), signal,
                   round, SignalOp::set, to);
        } else {
          puts.add(at(dest, me, first), at(source, to, first),
                   static_cast<std::size_t>(count), signal.data(), 1,
                   SignalOp::add, to);
        }
      }
    }
    EXPECT_EQ(puts.size(), n_rows * parts.size());
    puts.enqueue(exec);
    EXPECT_EQ(puts.size(), 0U);
    symm::wait_until_all(exec, come, Compare::eq, round);
    launch<TypeParam>(CheckAll{dest, its, round, me, errors});
    for (Pe to = 0; to < n; ++to)
      answers.add(static_cast<char*>(nullptr), nullptr, 0, read.data() + me,
                  round, SignalOp::set, to);
    answers.enqueue(exec);
    symm::wait_until_all(exec, read, Compare::eq, round);
  }
  exec.fence();
  EXPECT_EQ(get(errors), 0);
  symm::barrier_all();
}

/// Memory that kernels of a GPU may not reach.
TYPED_TEST(PutSignals, go_from_memory_of_the_host) {
  TypeParam const exec;
  constexpr std::size_t count = 100;
  Kokkos::View<int*, Kokkos::HostSpace> const source("source", count);
  for (std::size_t i = 0; i < count; ++i)
    source(i) = element_of(1, symm::my_pe(), right(), static_cast<int>(i));
  Rows const dest("dest", 2, count);
  Signals const signals("signals", 2);
  symm::barrier_all();
  symm::PutSignals puts;
  for (int k = 0; k < 2; ++k) {
    puts.add(at(dest, k, 0), source.data(), count, signals.data() + k, 1,
             SignalOp::set, right());
  }
  puts.enqueue(exec);
  symm::wait_until_all(exec, signals, Compare::eq, 1);
  exec.fence();
  auto const come =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dest);
  for (int k = 0; k < 2; ++k)
    for (std::size_t i = 0; i < count; ++i)
      EXPECT_EQ(come(k, i),
                element_of(1, left(), symm::my_pe(), static_cast<int>(i)));
  symm::barrier_all();
}

TEST(PutSignalsErrors, send_nothing_and_lose_nothing) {
  SpaceExec const exec;
  Rows const rows("rows", 4, 5);
  Kokkos::deep_copy(subview(rows, 2, ALL), 1 + symm::my_pe());
  Signals const signals("signals", 2);
  symm::barrier_all();
  symm::PutSignals puts;
  puts.enqueue(exec);
  EXPECT_THAT(message_of<symm::UsageError>([&] {
                puts.add(subview(rows, ALL, 1), subview(rows, ALL, 2),
                         subview(signals, 0), 1, SignalOp::set, right());
              }),
              HasSubstr("symm::put_signal: Views \"rows\" (4) and \"rows\" (4) "
                        "must be contiguous"));
  EXPECT_EQ(puts.size(), 0U);
  auto const add_good = [&] {
    puts.add(subview(rows, 1, ALL), subview(rows, 2, ALL), subview(signals, 0),
             1, SignalOp::add, right());
  };
  add_good();
  puts.add(subview(rows, 1, ALL), subview(rows, 2, ALL), subview(signals, 1), 1,
           SignalOp::add, symm::n_pes());
  EXPECT_THAT(message_of<symm::UsageError>([&] { puts.enqueue(exec); }),
              HasSubstr("invalid PE " + std::to_string(symm::n_pes())));
  EXPECT_EQ(puts.size(), 2U);
  puts.clear();
  Signal mine = 0;
  add_good();
  puts.add(static_cast<char*>(nullptr), nullptr, 0, &mine, 1, SignalOp::set,
           right());
  EXPECT_THAT(message_of<symm::UsageError>([&] { puts.enqueue(exec); }),
              testing::ContainsRegex("symm::PutSignals::enqueue: 8 bytes at "
                                     ".*not in this PE's part"));
  exec.fence();
  symm::barrier_all();
  EXPECT_EQ(count_equal(signals, 0), 2U);
  symm::barrier_all();
  puts.clear();
  add_good();
  puts.enqueue(exec);
  symm::wait_until(exec, subview(signals, 0), Compare::eq, 1);
  exec.fence();
  EXPECT_EQ(count_equal(subview(rows, 1, ALL), 1 + left()), 5U);
  EXPECT_EQ(get(signals, 1), 0U);
  symm::barrier_all();
}

}  // namespace

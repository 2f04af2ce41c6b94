// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Signals and waits enqueued on an execution space instance, and those on
// Views.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::ALL;
using Kokkos::subview;
using symm::Compare;
using symm::HeapMap;
using symm::Pe;
using symm::Signal;
using symm::SignalOp;
using testing::HasSubstr;

using Signals = Array<Signal>;
using Rows    = Kokkos::View<int**, Kokkos::LayoutRight, Space>;

template <class Exec>
class EnqueuedSignals : public testing::Test {};
TYPED_TEST_SUITE(EnqueuedSignals, Execs);

constexpr int row_size = 61;

KOKKOS_FUNCTION constexpr int sent(Signal round, Pe from, Pe to, int i) {
  return value(from, to,
               static_cast<std::size_t>(i) + row_size * std::size_t{round});
}

/// A kernel that puts a message, without a signal and any order.
struct PutMessage {
  HeapMap heap;
  Array<int> source;
  Array<int> dest;
  Signal round;
  Pe to;
  KOKKOS_FUNCTION void operator()() const {
    for (int i = 0; i < source.extent_int(0); ++i) {
      source(i) = sent(round, heap.my_pe, to, i);
    }
    symm::put_nbi(heap, dest.data(), source.data(), source.extent(0), to);
  }
};

struct SetMessage {
  Array<int> source;
  Signal round;
  Pe from;
  Pe to;
  KOKKOS_FUNCTION void operator()() const {
    for (int i = 0; i < row_size; ++i) source(i) = sent(round, from, to, i);
  }
};

/// A kernel that checks what has come, and clears it.
struct CheckMessage {
  Array<int> dest;
  Signal round;
  Pe from;
  Pe to;
  Errors errors;
  KOKKOS_FUNCTION void operator()() const {
    for (int i = 0; i < dest.extent_int(0); ++i) {
      if (dest(i) != sent(round, from, to, i)) ++errors();
      dest(i) = -7;
    }
  }
};

/// All is enqueued, and the host waits for it once.
TYPED_TEST(EnqueuedSignals, signal_op_comes_behind_what_kernels_have_put) {
  TypeParam const exec;
  auto const me = symm::my_pe();
  // Between nodes so many that a signal without an order would overtake them.
  std::size_t const count = are_all_near() ? row_size : 100'000;
  Array<int> const source("source", count);
  Array<int> const dest("dest", count);
  Signals const signals("signals", 2);  // 0: sent, 1: read
  Errors const errors("errors");
  symm::barrier_all(exec);
  auto const n_rounds = static_cast<Signal>(turns<TypeParam>(1000));
  for (Signal round = 1; round <= n_rounds; ++round) {
    launch<TypeParam>(PutMessage{symm::heap_map(Space::memory_kind), source,
                                 dest, round, right()});
    symm::signal_op(exec, signals.data(), 1, SignalOp::add, right());
    symm::wait_until(exec, signals.data(), Compare::eq, round);
    launch<TypeParam>(CheckMessage{dest, round, left(), me, errors});
    symm::signal_op(exec, subview(signals, 1), round, SignalOp::set, left());
    symm::wait_until(exec, subview(signals, 1), Compare::ge, round);
    symm::quiet(exec);  // the source is free
  }
  exec.fence();
  EXPECT_EQ(get(errors), 0);
  symm::barrier_all();
}

/// Rows of a View are put with a signal each; kernels behind the wait find all
/// of them.
TYPED_TEST(EnqueuedSignals, a_wait_for_several_ends_when_all_rows_have_come) {
  constexpr int n_rows = 3;
  TypeParam const exec;
  auto const me = symm::my_pe();
  Rows const rows("rows", n_rows + 1, row_size);
  Array<int> const source("source", row_size);
  Signals const signals("signals", n_rows + 3);
  Errors const errors("errors");
  symm::barrier_all(exec);
  auto const n_rounds = static_cast<Signal>(turns<TypeParam>(200));
  auto const read     = subview(signals, n_rows + 1);
  auto const sent_all = subview(signals, std::pair(1, n_rows + 1));
  for (Signal round = 1; round <= n_rounds; ++round) {
    for (int n = 1; n <= n_rows; ++n) {
      // None of them is always the last.
      int const row     = round % 2 == 0 ? n : n_rows + 1 - n;
      auto const number = round * n_rows + static_cast<Signal>(row);
      // Who waits for one of them only does not wait for this one.
      if (me == 0 && round <= 2 && n == n_rows) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      }
      launch<TypeParam>(SetMessage{source, number, me, right()});
      symm::put_signal(exec, subview(rows, row, ALL), source,
                       subview(signals, row), round, SignalOp::set, right());
    }
    symm::wait_until_all(exec, sent_all, Compare::ge, round);
    for (int row = n_rows; row > 0; --row) {
      auto const number = round * n_rows + static_cast<Signal>(row);
      launch<TypeParam>(
          CheckMessage{subview(rows, row, ALL), number, left(), me, errors});
    }
    symm::signal_op(exec, read, round, SignalOp::set, left());
    symm::wait_until(exec, read, Compare::ge, round);
  }
  exec.fence();
  EXPECT_EQ(get(errors), 0);
  EXPECT_EQ(count_equal(subview(rows, 0, ALL), 0), std::size_t{row_size});
  symm::barrier_all();
}

TYPED_TEST(EnqueuedSignals, a_variable_that_does_not_count_is_not_waited_for) {
  TypeParam const exec;
  Signals const signals("signals", 3);
  Array<int> const status("status", 3);
  set(status, 1, 1);
  symm::barrier_all(exec);
  for (std::size_t i = 0; i < 3; i += 2) {
    symm::signal_op(exec, signals.data() + i, 5, SignalOp::set, right());
  }
  symm::wait_until_all(exec, signals.data(), 3, status.data(), Compare::eq, 5);
  // None: not even looked at.
  symm::wait_until_all(exec, subview(signals, std::pair(1, 1)), Compare::eq, 5);
  symm::wait_until_all(exec, static_cast<Signal*>(nullptr), 0, nullptr,
                       Compare::eq, 5);
  exec.fence();
  EXPECT_EQ(get(signals, 1), 0U);
  symm::barrier_all();
}

// The host's forms on Views.

TEST(ViewSignals, of_the_host_put_rows_and_wait_for_them) {
  if (!is_on_host<Space>) GTEST_SKIP() << "the host cannot wait there";
  auto const me = symm::my_pe();
  Rows const rows("rows", 4, row_size);
  Array<int> const source("source", row_size);
  Signals const signals("signals", 3);
  Errors const errors("errors");
  run(SetMessage{source, 1, me, right()});
  symm::barrier_all();
  symm::put_signal(subview(rows, 1, ALL), source, subview(signals, 0), 1,
                   SignalOp::set, right());
  EXPECT_EQ(symm::wait_until(subview(signals, 0), Compare::ne, 0), 1U);
  run(CheckMessage{subview(rows, 1, ALL), 1, left(), me, errors});
  EXPECT_EQ(get(errors), 0);
  symm::put_signal(subview(rows, 2, ALL), source, subview(signals, 1), 1,
                   SignalOp::add, right());
  symm::wait_until_all(subview(signals, std::pair(0, 2)), Compare::eq, 1);
  run(CheckMessage{subview(rows, 2, ALL), 1, left(), me, errors});
  EXPECT_EQ(get(errors), 0);
  symm::put_nbi(&rows(3, 0), source.data(), row_size, right());
  symm::fence();
  symm::signal_op(subview(signals, 2), 1, SignalOp::set, right());
  symm::wait_until(subview(signals, 2), Compare::eq, 1);
  run(CheckMessage{subview(rows, 3, ALL), 1, left(), me, errors});
  EXPECT_EQ(get(errors), 0);
  EXPECT_EQ(count_equal(subview(rows, 0, ALL), 0), std::size_t{row_size});
  symm::barrier_all();
}

// Errors.

TEST(ViewSignals, that_are_not_equal_blocks_are_refused_without_a_signal) {
  Rows const rows("rows", 4, 5);
  Rows const others("others", 4, 4);
  Signals const signals("signals", 4);
  symm::barrier_all();
  auto const put = [&](auto const& dst, auto const& src) {
    return message_of<symm::UsageError>([&] {
      symm::put_signal(dst, src, subview(signals, 0), 1, SignalOp::set,
                       right());
    });
  };
  auto const enqueue = [&](auto const& dst, auto const& src) {
    return message_of<symm::UsageError>([&] {
      symm::put_signal(SpaceExec(), dst, src, subview(signals, 0), 1,
                       SignalOp::set, right());
    });
  };
  constexpr auto remedy = "copy other Views with symm::copy or a kernel";
  EXPECT_THAT(
      put(rows, others),
      testing::AllOf(
          HasSubstr("symm::put_signal: Views \"rows\" (4, 5) and \"others\" "
                    "(4, 4) must be contiguous and have equal extents"),
          HasSubstr(remedy)));
  auto const column = subview(rows, ALL, 1);
  EXPECT_THAT(put(column, subview(others, ALL, 1)), HasSubstr(remedy));
  EXPECT_THAT(enqueue(column, subview(others, ALL, 1)), HasSubstr(remedy));
  EXPECT_THAT(enqueue(rows, others), HasSubstr("\"others\" (4, 4)"));
  SpaceExec().fence();
  symm::barrier_all();
  EXPECT_EQ(count_equal(signals, 0), 4U);
}

TEST(EnqueuedSignalErrors, what_is_not_in_the_heap_is_refused) {
  Rows const rows("rows", 3, 2);
  Kokkos::View<Signal**, Kokkos::LayoutRight, Space> const grid("grid", 3, 2);
  Signals const signals("signals", 2);
  symm::barrier_all();
  SpaceExec const exec;
  Signal mine = 1;
  EXPECT_THAT(message_of<symm::UsageError>(
                  [&] { symm::wait_until(exec, &mine, Compare::eq, 1); }),
              testing::ContainsRegex(
                  "symm::wait_until: 8 bytes at .*not in this PE's part"));
  EXPECT_THAT(message_of<symm::UsageError>([&] {
                symm::wait_until_all(exec, &mine, 1, nullptr, Compare::eq, 1);
              }),
              testing::ContainsRegex(
                  "symm::wait_until_all: 8 bytes at .*not in this PE's part"));
  EXPECT_THAT(
      message_of<symm::UsageError>([&] {
        symm::wait_until_all(exec, subview(grid, ALL, 1), Compare::eq, 0);
      }),
      HasSubstr("symm::wait_until_all: View \"grid\" (3) is not contiguous"));
  EXPECT_THAT(message_of<symm::UsageError>([&] {
                symm::signal_op(exec, &mine, 1, SignalOp::set, right());
              }),
              HasSubstr("not in this PE's part"));
  if (!is_on_host<Space>) {
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  symm::wait_until(Kokkos::DefaultHostExecutionSpace(),
                                   signals.data(), Compare::eq, 0);
                }),
                HasSubstr("GPU memory, where the host cannot wait"));
  }
  exec.fence();
  symm::barrier_all();
  EXPECT_EQ(count_equal(signals, 0), 2U);
}

}  // namespace

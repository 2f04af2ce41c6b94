// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// put_signal in all its forms, signal_op, signal_fetch and signal_wait_until
// (OpenSHMEM 1.5, signaling operations).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Compare;
using symm::HeapMap;
using symm::Pe;
using symm::Signal;
using symm::SignalOp;
using testing::HasSubstr;

using Signals = Array<Signal>;

template <class Exec>
class SignalTest : public testing::Test {};
TYPED_TEST_SUITE(SignalTest, Execs);

// One message in each of the forms of put_signal, or by puts, fence() and the
// signal alone.

constexpr std::size_t n_max   = 1025;
constexpr std::size_t n_guard = 3;

KOKKOS_FUNCTION constexpr int signaled(int round, Pe from, Pe to,
                                       std::size_t i) {
  return value(from, to, i + n_max * static_cast<std::size_t>(round));
}

/// Between nodes the last are so many that a signal without an order would
/// overtake them.
std::array<std::size_t, 6> counts() {
  return {0, 1, 2, 61, 64, are_all_near() ? n_max : 100'000};
}

enum class Form { host, thread, team, lanes, enqueued, host_op, thread_op };
constexpr Form forms[] = {Form::host,     Form::thread,   Form::team,
                          Form::lanes,    Form::enqueued, Form::host_op,
                          Form::thread_op};

struct Message {
  HeapMap heap;
  int* dest;
  int const* source;
  std::size_t count;
  Signal* signal_address;
  Signal signal;
  SignalOp op;
  Pe to;

  KOKKOS_FUNCTION void operator()() const {
    symm::put_signal(heap, dest, source, count, signal_address, signal, op, to);
  }
  template <class Member>
  requires Kokkos::is_team_handle_v<Member> KOKKOS_FUNCTION void operator()(
      Member const& member) const {
    symm::put_signal(member, heap, dest, source, count, signal_address, signal,
                     op, to);
  }
};

struct PutByLanes {
  Message message;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    if (member.team_rank() != 0) return;
    auto const& [heap, dest, source, count, address, signal, op, to] = message;
    symm::put_signal_nbi(symm::lanes(member), heap, dest, source, count,
                         address, signal, op, to);
  }
};

struct PutFenceSignal {
  Message message;
  KOKKOS_FUNCTION void operator()() const {
    auto const& [heap, dest, source, count, address, signal, op, to] = message;
    symm::put_nbi(heap, dest, source, count, to);
    symm::fence();
    symm::signal_op(heap, address, signal, op, to);
  }
};

/// Returns when it has been sent.
template <class Exec>
void send(Form form, Message const& message) {
  Exec const exec;
  auto const& [heap, dest, source, count, address, signal, op, to] = message;
  using Policy = Kokkos::TeamPolicy<Exec>;
  switch (form) {
    case Form::host:
      symm::put_signal(dest, source, count, address, signal, op, to);
      break;
    case Form::thread: launch<Exec>(message); break;
    case Form::team:
      Kokkos::parallel_for("team", Policy(exec, 1, Kokkos::AUTO), message);
      break;
    case Form::lanes:
      Kokkos::parallel_for("lanes", Policy(exec, 1, 1, 8), PutByLanes{message});
      break;
    case Form::enqueued:
      symm::put_signal(exec, dest, source, count, address, signal, op, to);
      break;
    case Form::host_op:
      symm::put_nbi(dest, source, count, to);
      symm::fence();
      symm::signal_op(address, signal, op, to);
      break;
    case Form::thread_op: launch<Exec>(PutFenceSignal{message}); break;
  }
  exec.fence("send");
}

struct FillSource {
  Array<int> source;
  Pe from;
  Pe to;
  int round;
  std::size_t count;
  KOKKOS_FUNCTION void operator()() const {
    for (std::size_t i = 0; i < count; ++i) {
      source(i) = signaled(round, from, to, i);
    }
  }
};

/// Waits for a signal, then checks the data and what is around them.
struct Receive {
  Signals signals;
  Array<int> dest;
  Pe from;
  Pe to;
  int round;
  std::size_t count;
  Errors errors;
  KOKKOS_FUNCTION void operator()() const {
    auto const wanted = static_cast<Signal>(round);
    if (symm::signal_wait_until(signals.data(), Compare::eq, wanted) !=
        wanted) {
      ++errors();
    }
    if (symm::signal_fetch(signals.data()) != wanted) ++errors();
    for (std::size_t i = 0; i < count + 2 * n_guard; ++i) {
      bool const is_data = i >= n_guard && i < n_guard + count;
      int const is_to_be =
          is_data ? signaled(round, from, to, i - n_guard) : -7;
      if (dest(i) != is_to_be) ++errors();
      dest(i) = -7;
    }
  }
};

struct WaitForSignal {
  Signal const* address;
  Signal value;
  KOKKOS_FUNCTION void operator()() const {
    symm::signal_wait_until(address, Compare::ge, value);
  }
};

TYPED_TEST(SignalTest, the_data_of_put_signal_are_there_when_the_signal_is) {
  auto const heap = symm::heap_map(Space::memory_kind);
  auto const me   = symm::my_pe();
  Array<int> const source("source", counts().back());
  Array<int> const dest("dest", counts().back() + 2 * n_guard);
  Signals const signals("signals", 2);  // 0: sent, 1: read
  Errors const errors("errors");
  Kokkos::deep_copy(dest, -7);
  symm::barrier_all(TypeParam());
  int round = 0;
  for (int repeat = 0; repeat < turns<TypeParam>(100); repeat += 4) {
    for (Form const form : forms) {
      for (std::size_t const count : counts()) {
        ++round;
        auto const signal = static_cast<Signal>(round);
        run<TypeParam>(WaitForSignal{signals.data() + 1, signal - 1});
        symm::quiet();  // the source of an nbi form is free then
        launch<TypeParam>(FillSource{source, me, right(), round, count});
        // The host's forms do not wait for kernels that fill host memory.
        if (form == Form::host || form == Form::host_op) {
          TypeParam().fence("the source is there");
        }
        // Odd rounds add 1 to what the even one before has set.
        bool const is_set = round % 2 == 0;
        send<TypeParam>(form,
                        {heap, dest.data() + n_guard, source.data(), count,
                         signals.data(), is_set ? signal : 1,
                         is_set ? SignalOp::set : SignalOp::add, right()});
        run<TypeParam>(
            Receive{signals, dest, left(), me, round, count, errors});
        EXPECT_EQ(get(errors), 0)
            << "form " << static_cast<int>(form) << ", " << count;
        symm::fence();  // the next data come after what Receive has stored
        symm::signal_op(signals.data() + 1, signal, SignalOp::set, left());
      }
    }
  }
  symm::barrier_all();
}

/// Teams send a part each and add 1 to one signal.
struct PutByTeams {
  Message message;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const n     = static_cast<std::size_t>(member.league_size());
    auto const team  = static_cast<std::size_t>(member.league_rank());
    auto const first = n_max * team / n;
    auto const end   = n_max * (team + 1) / n;
    symm::put_signal(member, message.heap, message.dest + first,
                     message.source + first, end - first,
                     message.signal_address, 1, SignalOp::add, message.to);
  }
};

TYPED_TEST(SignalTest,
           the_data_of_several_teams_are_there_when_all_have_added) {
  constexpr int n_teams = 6;
  auto const me         = symm::my_pe();
  Array<int> const source("source", n_max);
  Array<int> const dest("dest", n_max + 2 * n_guard);
  Signals const signals("signals", 2);
  Errors const errors("errors");
  Kokkos::deep_copy(dest, -7);
  run<TypeParam>(FillSource{source, me, right(), n_teams, n_max});
  symm::barrier_all(TypeParam());
  Kokkos::parallel_for("teams",
                       Kokkos::TeamPolicy<TypeParam>(n_teams, Kokkos::AUTO),
                       PutByTeams{{symm::heap_map(Space::memory_kind),
                                   dest.data() + n_guard, source.data(), n_max,
                                   signals.data(), 1, SignalOp::add, right()}});
  // Six signals of 1 are the 6 that this waits for.
  run<TypeParam>(Receive{signals, dest, left(), me, n_teams, n_max, errors});
  EXPECT_EQ(get(errors), 0);
  symm::barrier_all();
}

// Errors.

TEST(SignalErrors, a_signal_that_cannot_be_is_refused_before_anything_is_put) {
  Array<int> const dest("dest", 4);
  Array<int> const source("source", 4);
  Signals const signals("signals", 1);
  Kokkos::deep_copy(source, 5);
  symm::barrier_all();
  Signal mine    = 0;
  auto const put = [&](Signal* address, Pe pe) {
    return message_of<symm::UsageError>([&] {
      symm::put_signal(dest.data(), source.data(), 4, address, 1, SignalOp::set,
                       pe);
    });
  };
  auto const enqueue = [&](Signal* address, Pe pe) {
    return message_of<symm::UsageError>([&] {
      symm::put_signal(SpaceExec(), dest.data(), source.data(), 4, address, 1,
                       SignalOp::set, pe);
    });
  };
  constexpr auto elsewhere =
      "symm::put_signal: 8 bytes at .*not in this PE's part";
  EXPECT_THAT(put(&mine, right()), testing::ContainsRegex(elsewhere));
  EXPECT_THAT(put(nullptr, right()), testing::ContainsRegex(elsewhere));
  EXPECT_THAT(put(signals.data(), symm::n_pes()),
              HasSubstr("symm::put_signal: invalid PE " +
                        std::to_string(symm::n_pes())));
  EXPECT_THAT(put(signals.data(), -1), HasSubstr("invalid PE -1"));
  EXPECT_THAT(enqueue(&mine, right()), testing::ContainsRegex(elsewhere));
  EXPECT_THAT(enqueue(signals.data(), -1), HasSubstr("invalid PE -1"));
  SpaceExec().fence();
  symm::barrier_all();
  EXPECT_EQ(count_equal(dest, 0), 4U);
  EXPECT_EQ(count_equal(signals, 0), 1U);
}

TEST(SignalErrors, a_signal_alone_that_cannot_be_is_refused_by_its_name) {
  Signals const signals("signals", 1);
  symm::barrier_all();
  Signal mine     = 0;
  auto const tell = [&](Signal* address, Pe pe) {
    return message_of<symm::UsageError>(
        [&] { symm::signal_op(address, 1, SignalOp::set, pe); });
  };
  auto const enqueue = [&](Signal* address, Pe pe) {
    return message_of<symm::UsageError>(
        [&] { symm::signal_op(SpaceExec(), address, 1, SignalOp::add, pe); });
  };
  constexpr auto elsewhere =
      "symm::signal_op: 8 bytes at .*not in this PE's part";
  auto const no_pe =
      HasSubstr("symm::signal_op: invalid PE " + std::to_string(symm::n_pes()));
  EXPECT_THAT(tell(&mine, right()), testing::ContainsRegex(elsewhere));
  EXPECT_THAT(tell(nullptr, right()), testing::ContainsRegex(elsewhere));
  EXPECT_THAT(tell(signals.data(), symm::n_pes()), no_pe);
  EXPECT_THAT(tell(signals.data(), -1), HasSubstr("invalid PE -1"));
  EXPECT_THAT(enqueue(&mine, right()), testing::ContainsRegex(elsewhere));
  EXPECT_THAT(enqueue(signals.data(), symm::n_pes()), no_pe);
  SpaceExec().fence();
  symm::barrier_all();
  EXPECT_EQ(mine, 0U);
  EXPECT_EQ(count_equal(signals, 0), 1U);
}

TEST(SignalErrors, data_that_cannot_be_put_are_refused_without_a_signal) {
  Array<int> const source("source", 4);
  Signals const signals("signals", 1);
  symm::barrier_all();
  int mine[4] = {};
  EXPECT_THAT(message_of<symm::UsageError>([&] {
                symm::put_signal_nbi(mine, source.data(), 4, signals.data(), 1,
                                     SignalOp::add, right());
              }),
              testing::ContainsRegex(
                  "symm::put_signal_nbi: 16 bytes at .*not in this PE's part"));
  symm::barrier_all();
  EXPECT_EQ(count_equal(signals, 0), 1U);
}

TEST(SignalErrors, on_the_host_null_is_refused_and_no_wait_is_for_GPU_memory) {
  Signals const signals("signals", 1);
  EXPECT_THAT(message_of<symm::UsageError>(
                  [&] { static_cast<void>(symm::signal_fetch(nullptr)); }),
              HasSubstr("symm::signal_fetch: the address of the variable is "
                        "null"));
  EXPECT_THAT(message_of<symm::UsageError>(
                  [&] { symm::signal_wait_until(nullptr, Compare::eq, 1); }),
              HasSubstr("symm::signal_wait_until: the address of the variable "
                        "is null"));
  if (is_on_host<Space>) {
    EXPECT_EQ(symm::signal_fetch(signals.data()), 0U);
  } else {
    EXPECT_THAT(message_of<symm::UsageError>([&] {
                  static_cast<void>(symm::signal_fetch(signals.data()));
                }),
                HasSubstr("GPU memory, where the host cannot wait"));
    // A put_signal of the host runs a kernel there.
    symm::put_signal(Kokkos::DefaultHostExecutionSpace(), signals.data(),
                     signals.data(), 0, signals.data(), 1, SignalOp::set,
                     symm::my_pe());
    EXPECT_EQ(count_equal(signals, 1), 1U);
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Words that are put may be polled: each comes whole and once. Who sees one and
// clears it does not see it again.

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/groups/KernelCopy.hpp>
#include <support/Sanitizers.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Compare;
using symm::HeapMap;
using symm::Pe;

using Sizes    = std::initializer_list<std::size_t>;
using HostExec = Kokkos::DefaultHostExecutionSpace;

/// Words for PE `pe`.
template <class T>
struct Message {
  T* dest;
  T const* source;
  std::size_t count;
  Pe pe;
  symm::Signal* signal;
  HeapMap heap;
};

/// A way to send it.
template <class T>
struct Form {
  char const* name;
  void (*send)(Message<T> const&);
};

template <class T>
std::vector<Form<T>> host_forms() {
  using M = Message<T> const&;
  return {
      {"put", [](M m) { symm::put(m.dest, m.source, m.count, m.pe); }},
      {"putmem",
       [](M m) { symm::putmem(m.dest, m.source, m.count * sizeof(T), m.pe); }},
      {"put_nbi", [](M m) { symm::put_nbi(m.dest, m.source, m.count, m.pe); }},
      {"iput", [](M m) { symm::iput(m.dest, m.source, 1, 1, m.count, m.pe); }},
      {"p",
       [](M m) {
         for (std::size_t i = 0; i < m.count; ++i) {
           symm::p(m.dest + i, m.source[i], m.pe);
         }
       }},
      {"put_signal",
       [](M m) {
         symm::put_signal(m.dest, m.source, m.count, m.signal, 1,
                          symm::SignalOp::set, m.pe);
       }},
      {"get of the host", [](M m) {
         symm::get(symm::ptr(m.dest, m.pe), m.source, m.count, symm::my_pe());
       }}};
}

/// By an instance that runs on the host, and by its kernels.
template <class T>
std::vector<Form<T>> forms_of_instances() {
  using M = Message<T> const&;
  return {
      {"put of an instance",
       [](M m) { symm::put(HostExec(), m.dest, m.source, m.count, m.pe); }},
      {"iput of an instance",
       [](M m) {
         symm::iput(HostExec(), m.dest, m.source, 1, 1, m.count, m.pe);
       }},
      {"put of a thread",
       [](M m) { symm::put(m.heap, m.dest, m.source, m.count, m.pe); }},
      {"putmem of a thread",
       [](M m) {
         symm::putmem(m.heap, m.dest, m.source, m.count * sizeof(T), m.pe);
       }},
      {"iput of a thread",
       [](M m) { symm::iput(m.heap, m.dest, m.source, 1, 1, m.count, m.pe); }},
      {"p of a thread",
       [](M m) {
         for (std::size_t i = 0; i < m.count; ++i) {
           symm::p(m.heap, m.dest + i, m.source[i], m.pe);
         }
       }},
      {"put and put_nbi of a team, in two halves", [](M m) {
         using Policy = Kokkos::TeamPolicy<HostExec>;
         Kokkos::parallel_for(
             "put", Policy(1, 1), [=](Policy::member_type const& member) {
               auto const n = m.count / 2;
               symm::put(member, m.heap, m.dest, m.source, n, m.pe);
               symm::put_nbi(symm::lanes(member), m.heap, m.dest + n,
                             m.source + n, m.count - n, m.pe);
             });
       }}};
}

/// The loops of a GPU, which know of no alignment.
template <class T>
Form<T> by_words_of_a_gpu() {
  return {"by the words of a GPU", [](Message<T> const& m) {
            symm::Impl::copy_by_widest_words<16, 1>(
                symm::Impl::OneThread(),
                reinterpret_cast<char*>(symm::ptr(m.dest, m.pe)),
                reinterpret_cast<char const*>(m.source), m.count * sizeof(T));
          }};
}

/// Runs send() in a process of its own, one instruction after the other, and
/// calls look() after each. send() does not throw.
/// \returns whether this process may do that.
///
/// _Fork() calls no handlers: after fork() the process would be no PE.
template <class Send, class Look>
bool look_between_instructions(Send const& send, Look const& look) {
  auto const child = ::_Fork();
  if (child == 0) {
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) ::_exit(1);
    ::raise(SIGSTOP);
    send();
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  if (child < 0) return false;
  int status = 0;
  bool stops = ::waitpid(child, &status, 0) == child && WIFSTOPPED(status);
  bool const may_trace = stops;
  while (stops) {
    stops = ::ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr) == 0 &&
            ::waitpid(child, &status, 0) == child && WIFSTOPPED(status) &&
            WSTOPSIG(status) == SIGTRAP;
    look();
  }
  EXPECT_TRUE(!may_trace || (WIFSTOPPED(status) && WSTOPSIG(status) == SIGSTOP))
      << "status " << status;
  ::kill(child, SIGKILL);
  ::waitpid(child, &status, 0);
  return may_trace;
}

template <class T>
T word(std::size_t i) {
  T result;
  std::memset(&result, static_cast<int>(0x11 + i), sizeof(T));
  return result;
}

/// The next PE of this node: a process that is traced has only loads and stores
/// to reach it.
[[maybe_unused]] Pe next_near() {
  auto const& node = symm::team_node();
  return node.world_pe((node.my_pe() + 1) % node.n_pes());
}

/// Whether all words that `form` puts on PE next_near() are seen there whole,
/// once, by who looks after every instruction and clears what it sees.
/// \param misplaced bytes between the source and its alignment.
template <class T>
bool expect_each_once(Form<T> const& form, std::size_t count,
                      std::size_t misplaced) {
  Kokkos::View<T*, Space> const dest("dest", count + 1);
  Kokkos::View<char*, Space> const source("source", 256);
  Kokkos::View<symm::Signal, Space> const signal("signal");
  symm::barrier_all();
  for (std::size_t i = 0; i < count; ++i) {
    auto const bits = word<T>(i);
    std::memcpy(&source(misplaced + i * sizeof(T)), &bits, sizeof(T));
  }
  // Not at the beginning of a cache line.
  void const* const from = &source(misplaced);
  Message<T> const message{dest.data() + 1, static_cast<T const*>(from),
                           count,           next_near(),
                           signal.data(),   symm::heap_map(Space::memory_kind)};
  form.send(message);  // the loader has found all functions then
  T* const theirs = symm::ptr(message.dest, message.pe);
  std::fill_n(theirs, count, T{});
  std::vector<int> n_seen(count);
  int n_torn = 0;
  bool const may_trace =
      look_between_instructions([&] { form.send(message); },
                                [&] {
                                  for (std::size_t i = 0; i < count; ++i) {
                                    if (theirs[i] == 0) continue;
                                    ++n_seen[i];
                                    if (theirs[i] != word<T>(i)) ++n_torn;
                                    theirs[i] = 0;
                                  }
                                });
  if (may_trace) {
    EXPECT_EQ(n_seen, std::vector<int>(count, 1))
        << form.name << " of " << count << " words of " << sizeof(T)
        << " bytes, the source off by " << misplaced;
    EXPECT_EQ(n_torn, 0) << form.name << " of " << count << " words of "
                         << sizeof(T) << " bytes, the source off by "
                         << misplaced;
  }
  symm::barrier_all();
  return may_trace;
}

TEST(PolledWords, are_seen_whole_and_once_between_any_two_instructions) {
  if constexpr (!is_on_host<Space>) {
    GTEST_SKIP() << "the host does not reach them";
  } else if constexpr (is_sanitized) {
    GTEST_SKIP() << "a minute, for the instructions of AddressSanitizer";
  } else {
    if (symm::n_pes() != 2) GTEST_SKIP() << "two PEs show all";
    bool may_trace = true;
    for (auto const& form : host_forms<std::uint8_t>()) {
      may_trace &= expect_each_once(form, 3, 0);
    }
    for (auto const& form : host_forms<std::uint16_t>()) {
      may_trace &= expect_each_once(form, 5, 0);
    }
    for (auto const& form : host_forms<std::int32_t>()) {
      for (std::size_t const count : Sizes{1, 2, 4, 16}) {
        may_trace &= expect_each_once(form, count, 0);
      }
    }
    for (auto const& form : host_forms<std::int64_t>()) {
      for (std::size_t const count : Sizes{1, 2, 4, 7, 8}) {
        may_trace &= expect_each_once(form, count, 0);
      }
    }
    for (std::size_t const count : Sizes{1, 2, 3, 7}) {
      may_trace &=
          expect_each_once(by_words_of_a_gpu<std::int16_t>(), count, 2);
      may_trace &=
          expect_each_once(by_words_of_a_gpu<std::int32_t>(), count, 4);
      may_trace &=
          expect_each_once(by_words_of_a_gpu<std::int64_t>(), count, 8);
      may_trace &=
          expect_each_once(by_words_of_a_gpu<std::int64_t>(), count, 0);
    }
    // Of several threads a forked process has one.
    bool const is_one_thread = HostExec().concurrency() == 1;
    for (auto const& form : forms_of_instances<std::int32_t>()) {
      if (is_one_thread) may_trace &= expect_each_once(form, 4, 0);
    }
    for (auto const& form : forms_of_instances<std::int64_t>()) {
      for (std::size_t const count : Sizes{1, 4}) {
        if (is_one_thread) may_trace &= expect_each_once(form, count, 0);
      }
    }
    for (std::size_t const misplaced : Sizes{1, 2, 3, 4, 6}) {
      may_trace &= expect_each_once<std::int64_t>(
          {"putmem",
           [](auto const& m) {
             symm::putmem(m.dest, m.source, m.count * 8, m.pe);
           }},
          3, misplaced);
    }
    if (!may_trace) GTEST_SKIP() << "no process may trace another here";
  }
}

// Two PEs, each of which answers what it has seen and cleared.

enum class By { put, putmem, iput, p };

struct PingPong {
  HeapMap heap;
  Array<std::int64_t> words;   // of the other
  Array<std::int64_t> answer;  // of this PE
  std::size_t count;
  Pe other;
  int n_rounds;
  By by;
  Errors errors;

  KOKKOS_FUNCTION void send(int round) const {
    for (std::size_t i = 0; i < count; ++i) answer(i) = round;
    auto* const to         = words.data();
    auto const* const from = answer.data();
    symm::fence();  // after the clearing
    switch (by) {
      case By::put: return symm::put(heap, to, from, count, other);
      case By::putmem:
        return symm::putmem(heap, to, from, count * sizeof(*to), other);
      case By::iput: return symm::iput(heap, to, from, 1, 1, count, other);
      case By::p:
        for (std::size_t i = 0; i < count; ++i) {
          symm::p(heap, to + i, from[i], other);
        }
    }
  }
  KOKKOS_FUNCTION void operator()() const {
    for (int round = 1; round <= n_rounds; ++round) {
      if (heap.my_pe < other) send(round);
      for (std::size_t i = 0; i < count; ++i) {
        // A word that comes again is counted, not waited for for ever.
        for (std::int64_t now = 0; now != round;) {
          now = symm::wait_until(&words(i), Compare::ne, 0);
          if (now != round) ++errors();
          symm::store_relaxed(&words(i), 0);
        }
      }
      if (heap.my_pe > other) send(round);
    }
  }
};

template <class Exec>
class PolledWordsOf : public testing::Test {};
TYPED_TEST_SUITE(PolledWordsOf, Execs);

TYPED_TEST(PolledWordsOf,
           two_PEs_come_once_when_they_are_cleared_and_answered) {
  auto const me    = symm::my_pe();
  auto const other = me ^ 1;
  for (By const by : {By::put, By::putmem, By::iput, By::p}) {
    for (std::size_t const count : Sizes{1, 2, 4}) {
      Array<std::int64_t> const words("words", count);
      Array<std::int64_t> const answer("answer", count);
      Errors const errors("errors");
      symm::barrier_all(TypeParam());
      if (other < symm::n_pes()) {
        EXPECT_EQ(count_errors<TypeParam>(PingPong{
                      symm::heap_map(Space::memory_kind), words, answer, count,
                      other, turns<TypeParam>(20'000), by, errors}),
                  0)
            << "form " << static_cast<int>(by) << ", " << count << " words";
      }
      symm::barrier_all();
    }
  }
}

}  // namespace

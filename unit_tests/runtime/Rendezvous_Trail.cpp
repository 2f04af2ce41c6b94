// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// P04: what PEs did between collective calls is compared at the next one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>

#include <chrono>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "RendezvousJobs.hpp"

#include <runtime/base/Failure.hpp>
#include <runtime/heap/SymmetricHeap.hpp>
#include <runtime/pes/CallTrail.hpp>
#include <runtime/pes/Rendezvous.hpp>

namespace symm_test {
namespace {

using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::CallTrail;
using symm::Impl::ErrorKind;
using symm::Impl::Failure;
using symm::Impl::Rendezvous;
using symm::Impl::RuntimeCall;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr auto kept_calls = CallTrail::capacity;

/// The same on every PE.
void note_equal_calls(CallTrail& trail, std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    trail.note(RuntimeCall::malloc_async, {1, 64 * i, i % 4}, "equal");
  }
}

/// What is to be found, in which collective call.
struct Expected {
  testing::Matcher<std::string const&> message;
  std::function<void(Rendezvous&, Pe)> call = [](Rendezvous& rendezvous, Pe) {
    rendezvous.meet({.operation = RuntimeCall::barrier_all});
  };
};

/// What the PEs note, and what the collective call after it must say.
struct Trail {
  std::function<void(CallTrail&, Pe)> note;
  Expected expected;
};

/// In one job, for each trail: the PEs note it, and the collective call must
/// fail on all of them with the message. Calls after it work.
void expect_found(NodeShape const& shape, std::vector<Trail> const& trails) {
  expect_on_nodes(shape, [&](Bootstrap& bootstrap, PeStack& stack) {
    for (auto const& [note, expected] : trails) {
      fails_on_all(
          bootstrap, stack,
          [&](PeStack&, Pe pe) {
            auto& trail           = stack.rendezvous.trail();
            auto const generation = trail.generation();
            trail.start_anew();  // so that each round has the same numbers
            note(trail, pe);
            auto const failure = symm::Impl::failure_of(
                [&] { expected.call(stack.rendezvous, pe); });
            EXPECT_EQ(trail.generation(), generation + 2);
            EXPECT_EQ(trail.count(), 0U) << "it starts anew";
            note_equal_calls(trail, 1);
            if (failure) symm::Impl::throw_failure(*failure);
          },
          ErrorKind::usage, expected.message);
    }
  });
}

void expect_found(NodeShape const& shape,
                  std::function<void(CallTrail&, Pe)> const& note,
                  Expected const& expected) {
  expect_found(shape, {{note, expected}});
}

std::string number_text(std::uint64_t number) { return std::to_string(number); }

class RendezvousTrail : public testing::TestWithParam<NodeShape> {};

TEST_P(RendezvousTrail, P04_equal_calls_pass) {
  expect_on_nodes(GetParam(), [](Bootstrap& bootstrap, PeStack& stack) {
    auto& trail         = stack.rendezvous.trail();
    auto const label    = "of PE " + std::to_string(bootstrap.my_pe());
    std::uint64_t total = 0;
    for (std::uint64_t const count : {1U, 2U, 0U, 3000U}) {
      note_equal_calls(trail, count);
      trail.note(RuntimeCall::free_async, {1, 64, 2}, label.c_str());
      total += count + 1;
      EXPECT_NO_THROW(
          stack.rendezvous.meet({.operation = RuntimeCall::barrier_all}));
    }
    EXPECT_EQ(trail.count(), total);
    EXPECT_EQ(trail.generation(), 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(Pes, RendezvousTrail,
                         testing::Values(one_node(1), one_node(2), one_node(4),
                                         NodeShape{{1, 1}}, NodeShape{{2, 2}},
                                         NodeShape{{2, 1, 3}}));

class RendezvousTrailFound : public testing::TestWithParam<NodeShape> {
 protected:
  /// "PE 0" or "PEs 0, 2, 3": all but PE 1.
  static std::string others() {
    if (GetParam().n_pes() == 2) return "PE 0";
    return GetParam().n_pes() == 3 ? "PEs 0, 2" : "PEs 0, 2, 3";
  }
};

TEST_P(RendezvousTrailFound, P04_another_value_is_named_with_its_pes) {
  expect_found(
      GetParam(),
      [](CallTrail& trail, Pe pe) {
        note_equal_calls(trail, 2);
        trail.note(RuntimeCall::malloc_async, {1, pe == 1 ? 2048U : 1024U, 5},
                   "pressure");
        // What differs later does not matter.
        note_equal_calls(trail, 2);
        trail.note(RuntimeCall::free_async, {1, 0, pe == 1 ? 7U : 8U});
      },
      {AllOf(HasSubstr("mismatched stream-ordered call #3: "),
             HasSubstr(others() +
                       " called symm::malloc_async \"pressure\"(pool = 1, "
                       "bytes = 1024, stream = 5); PE 1 called "
                       "symm::malloc_async \"pressure\"(pool = 1, bytes = "
                       "2048, stream = 5)."),
             HasSubstr("Found in symm::barrier_all(), which changed nothing"),
             Not(HasSubstr("free_async")))});
}

TEST_P(RendezvousTrailFound, P04_another_stream_is_named_with_its_pes) {
  expect_found(
      GetParam(),
      [](CallTrail& trail, Pe pe) {
        trail.note(RuntimeCall::free_async, {1, 64, pe == 1 ? 2U : 3U});
      },
      {AllOf(HasSubstr("call #1: " + others() +
                       " called symm::free_async(pool = 1, offset = 64, "
                       "stream = 3); PE 1 called symm::free_async(pool = 1, "
                       "offset = 64, stream = 2)."))});
}

TEST_P(RendezvousTrailFound, P04_a_call_more_is_named) {
  expect_found(GetParam(),
               [](CallTrail& trail, Pe pe) {
                 note_equal_calls(trail, 6);
                 if (pe == 1) trail.note(RuntimeCall::pool_destroy, {3});
               },
               {HasSubstr("call #7: " + others() +
                          " made no further call; PE 1 called destruction of a "
                          "pool(pool = 3).")});
}

TEST_P(RendezvousTrailFound, P04_a_call_less_is_named) {
  expect_found(
      GetParam(),
      [](CallTrail& trail, Pe pe) {
        if (pe != 1) note_equal_calls(trail, 1);
      },
      {HasSubstr("call #1: " + others() +
                 " called symm::malloc_async \"equal\"(pool = 1, bytes = 0, "
                 "stream = 0); PE 1 made no further call.")});
}

/// PE 1's call number `differing` is another one, of `count`, the last of
/// which PE 0 leaves out, if so.
std::function<void(CallTrail&, Pe)> one_of(std::uint64_t count,
                                           std::uint64_t differing,
                                           bool is_last_left_out = false) {
  return [=](CallTrail& trail, Pe pe) {
    auto const mine = pe == 0 && is_last_left_out ? count - 1 : count;
    for (std::uint64_t call = 1; call <= mine; ++call) {
      trail.note(RuntimeCall::pool_destroy,
                 {pe == 1 && call == differing ? 0 : call});
    }
  };
}

TEST_P(RendezvousTrailFound, P04_any_call_that_is_kept_is_named) {
  std::vector<Trail> trails;
  for (std::uint64_t const count :
       {std::uint64_t{2}, std::uint64_t{3}, kept_calls - 1, kept_calls + 0,
        kept_calls + 1, 5 * kept_calls + 17}) {
    auto const first = count < kept_calls ? 1 : count - kept_calls + 1;
    for (auto const differing :
         {first, first + 1, (first + count) / 2, count - 1, count}) {
      auto const text = number_text(differing);
      trails.push_back(
          {one_of(count, differing),
           {AllOf(HasSubstr("call #" + text + ": "),
                  HasSubstr(others() + " called destruction of a pool(pool = " +
                            text + ");"),
                  HasSubstr("PE 1 called destruction of a pool(pool = "
                            "0)."))}});
    }
  }
  expect_found(GetParam(), trails);
}

TEST_P(RendezvousTrailFound, P04_a_call_that_is_not_kept_any_more_is_said_so) {
  auto const text = "mismatched stream-ordered call, before the latest " +
                    number_text(kept_calls) +
                    " calls, the only ones that are kept: ";
  auto const count = 3 * kept_calls;
  expect_found(GetParam(), one_of(count, 2 * kept_calls),
               {HasSubstr(text +
                          (GetParam().n_pes() == 2   ? "PEs 0, 1"
                           : GetParam().n_pes() == 3 ? "PEs 0, 1, 2"
                                                     : "PEs 0, 1, 2, 3") +
                          " made " + number_text(count) + " calls.")});
  auto const two = GetParam().n_nodes() == 1 ? one_node(2) : NodeShape{{1, 1}};
  // The oldest that PE 0 keeps, and not PE 1.
  expect_found(
      two, one_of(count, 2 * kept_calls, true),
      {HasSubstr(text + "PE 0 made " + number_text(count - 1) +
                 " calls; PE 1 made " + number_text(count) + " calls.")});
  // PE 1 keeps none of those that PE 0 has made.
  expect_found(two,
               [](CallTrail& trail, Pe pe) {
                 note_equal_calls(trail, pe == 0 ? 5 : 6 + kept_calls);
               },
               {HasSubstr(text + "PE 0 made 5 calls; PE 1 made " +
                          number_text(6 + kept_calls) + " calls.")});
}

TEST_P(RendezvousTrailFound, P04_what_one_pe_alone_has_noted_is_found) {
  expect_found(
      GetParam(),
      [](CallTrail& trail, Pe pe) {
        if (pe == 1) note_equal_calls(trail, kept_calls);
      },
      {HasSubstr("call #1: " + others() + " made no further call; PE 1 ")});
}

INSTANTIATE_TEST_SUITE_P(Pes, RendezvousTrailFound,
                         testing::Values(one_node(2), one_node(3), one_node(4),
                                         NodeShape{{1, 1}}, NodeShape{{2, 2}},
                                         NodeShape{{1, 1, 1}}));

void note_own_call(CallTrail& trail, Pe pe) {
  trail.note(RuntimeCall::malloc_async, {1, 100 + static_cast<unsigned>(pe), 2},
             pe == 0 ? "zero" : "");
}

auto const own_calls = HasSubstr(
    "PE 0 called symm::malloc_async \"zero\"(pool = 1, bytes = 100, "
    "stream = 2); PE 1 called symm::malloc_async(pool = 1, bytes = "
    "101, stream = 2); PE 2 called symm::malloc_async(pool = 1, "
    "bytes = 102, stream = 2).");

class RendezvousTrailMismatch : public testing::TestWithParam<NodeShape> {};

INSTANTIATE_TEST_SUITE_P(Nodes, RendezvousTrailMismatch,
                         testing::Values(one_node(3), NodeShape{{2, 1}},
                                         NodeShape{{1, 2}},
                                         NodeShape{{1, 1, 1}}));

TEST_P(RendezvousTrailMismatch, the_collective_call_may_differ_as_well) {
  expect_found(GetParam(), note_own_call,
               {AllOf(own_calls, HasSubstr("also failed: mismatched"),
                      HasSubstr("PE 0 called symm::barrier_all(); PEs 1, 2 "
                                "called symm::malloc(bytes = 64)")),
                [](Rendezvous& rendezvous, Pe pe) {
                  if (pe == 0) {
                    rendezvous.meet({.operation = RuntimeCall::barrier_all});
                  } else {
                    rendezvous.meet(
                        {.operation = RuntimeCall::malloc, .arguments = {64}});
                  }
                }});
}

TEST_P(RendezvousTrailMismatch, one_pe_may_be_in_another_step) {
  expect_found(GetParam(), note_own_call,
               {AllOf(own_calls, HasSubstr("PE 0 called symm::malloc(bytes = "
                                           "64); PEs 1, 2 called end of")),
                [](Rendezvous& rendezvous, Pe pe) {
                  if (pe == 0) {
                    rendezvous.meet(
                        {.operation = RuntimeCall::malloc, .arguments = {64}});
                  } else {
                    // The failure of PE 1 must not send PE 2 away.
                    static_cast<void>(rendezvous.agree(
                        pe == 1 ? std::optional(Failure{ErrorKind::system, "x"})
                                : std::nullopt));
                  }
                }});
}

TEST_P(RendezvousTrailMismatch, one_pe_may_have_failed) {
  expect_found(GetParam(), note_own_call,
               {AllOf(own_calls, HasSubstr("failed: on PE 1: a reason;")),
                [](Rendezvous& rendezvous, Pe pe) {
                  auto call = Rendezvous::make_call(RuntimeCall::free, {64});
                  if (pe == 1) {
                    call.failure = Failure{ErrorKind::system, "a reason"};
                  }
                  rendezvous.meet(call);
                }});
}

TEST_P(RendezvousTrailMismatch, a_call_of_the_heap_is_not_carried_out) {
  expect_on_nodes(GetParam(), [](Bootstrap& bootstrap, PeStack& stack) {
    symm::Impl::SymmetricHeap heap(stack.vmm, stack.exchange, bootstrap,
                                   stack.rendezvous,
                                   {false, 1U << 20U, 1U << 20U});
    auto* const before = heap.malloc(64);
    note_own_call(stack.rendezvous.trail(), bootstrap.my_pe());
    auto const failure =
        symm::Impl::failure_of([&] { static_cast<void>(heap.malloc(128)); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->kind, ErrorKind::usage);
    EXPECT_THAT(failure->message,
                AllOf(own_calls, HasSubstr("Found in symm::malloc(bytes = "
                                           "128), which changed nothing")));
    EXPECT_EQ(heap.stats().live_blocks, 1U);
    note_own_call(stack.rendezvous.trail(), bootstrap.my_pe());
    EXPECT_TRUE(symm::Impl::failure_of([&] { heap.free(before); }));
    EXPECT_EQ(heap.stats().live_blocks, 1U);
    heap.free(before);
    EXPECT_EQ(heap.malloc(64), before);
    heap.free(before);
  });
}

TEST_P(RendezvousTrailMismatch, others_stop_when_a_pe_is_lost_meanwhile) {
  auto const results =
      run_on_nodes(GetParam(), {}, [](Bootstrap& bootstrap, PeStack& stack) {
        auto const my_pe = bootstrap.my_pe();
        if (my_pe == 1) {
          std::thread([] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            std::raise(SIGKILL);
          }).detach();
        }
        // Most of the time they compare.
        while (true) {
          note_equal_calls(stack.rendezvous.trail(), kept_calls - 1);
          note_own_call(stack.rendezvous.trail(), my_pe);
          EXPECT_TRUE(symm::Impl::failure_of([&] {
            stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
          }));
        }
      });
  EXPECT_TRUE(results[1].was_killed_by(SIGKILL));
  for (auto const& result : {results[0], results[2]}) {
    EXPECT_TRUE(result.has_exited_with(aborted_status)) << result.wait_status;
    EXPECT_THAT(result.output, HasSubstr(" is gone"));
  }
}

}  // namespace
}  // namespace symm_test

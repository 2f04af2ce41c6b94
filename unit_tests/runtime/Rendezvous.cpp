// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The rendezvous as a barrier and as an agreement.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/PeStack.hpp>
#include <support/ProcessResources.hpp>
#include <support/Shared.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "RendezvousJobs.hpp"

#include <runtime/base/Failure.hpp>
#include <runtime/heap/SymmetricHeap.hpp>
#include <runtime/pes/Rendezvous.hpp>

namespace symm_test {
namespace {

using namespace std::chrono_literals;
using symm::Pe;
using symm::Impl::Bootstrap;
using symm::Impl::ErrorKind;
using symm::Impl::Failure;
using symm::Impl::Rendezvous;
using symm::Impl::RuntimeCall;
using testing::AllOf;
using testing::HasSubstr;

constexpr int n_rounds = 500;

class RendezvousSizes : public testing::TestWithParam<NodeShape> {};

TEST_P(RendezvousSizes, M01_nobody_leaves_before_the_last_has_arrived) {
  int const n_pes = GetParam().n_pes();
  Shared<std::array<std::atomic<int>, n_rounds>> const n_arrived;
  expect_on_nodes(GetParam(), [&](Bootstrap& bootstrap, PeStack& stack) {
    for (int round = 0; round < n_rounds; ++round) {
      // Another PE is late in every hundredth round.
      if (round % 100 == bootstrap.my_pe()) std::this_thread::sleep_for(3ms);
      auto& arrived = (*n_arrived)[static_cast<std::size_t>(round)];
      ++arrived;
      stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
      ASSERT_EQ(arrived, n_pes) << "in round " << round;
    }
    EXPECT_EQ(stack.rendezvous.n_calls(), static_cast<unsigned>(n_rounds));
  });
}

TEST_P(RendezvousSizes, M21_what_a_pe_wrote_before_is_visible_afterwards) {
  int const n_pes               = GetParam().n_pes();
  constexpr std::size_t n_words = 512;
  Shared<std::array<std::array<std::uint64_t, n_words>, 6>> const written;
  expect_on_nodes(GetParam(), [&](Bootstrap& bootstrap, PeStack& stack) {
    auto const value = [](Pe pe, int round, std::size_t i) {
      return static_cast<std::uint64_t>(pe * 1'000'000 + round) * n_words + i;
    };
    for (int round = 0; round < n_rounds; ++round) {
      auto const me = static_cast<std::size_t>(bootstrap.my_pe());
      for (std::size_t i = 0; i < n_words; ++i) {
        (*written)[me][i] = value(bootstrap.my_pe(), round, i);
      }
      stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
      for (Pe pe = 0; pe < n_pes; ++pe) {
        for (std::size_t i = 0; i < n_words; ++i) {
          ASSERT_EQ((*written)[static_cast<std::size_t>(pe)][i],
                    value(pe, round, i));
        }
      }
      stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
    }
  });
}

TEST_P(RendezvousSizes, agreement_names_the_lowest_pe_that_failed) {
  int const n_pes = GetParam().n_pes();
  expect_on_nodes(GetParam(), [&](Bootstrap& bootstrap, PeStack& stack) {
    for (Pe first = 0; first < n_pes; ++first) {
      std::optional<Failure> mine;
      if (bootstrap.my_pe() >= first) {
        mine = Failure{ErrorKind::out_of_memory,
                       "reason of PE " + std::to_string(bootstrap.my_pe())};
      }
      auto const agreed = stack.rendezvous.agree(mine);
      ASSERT_TRUE(agreed);
      EXPECT_EQ(agreed->pe, first);
      EXPECT_EQ(agreed->failure.kind, ErrorKind::out_of_memory);
      EXPECT_EQ(agreed->failure.message,
                "reason of PE " + std::to_string(first));
    }
    EXPECT_FALSE(stack.rendezvous.agree(std::nullopt));
  });
}

/// What PE `pe` tells the others: its own numbers and, if any, one of all PEs.
std::vector<std::uint32_t> notices_of(Pe pe, std::size_t count) {
  std::vector<std::uint32_t> result(count, 7);
  for (std::size_t i = 1; i < count; ++i) {
    result[i] =
        static_cast<std::uint32_t>(static_cast<std::size_t>(pe + 1) * 1000 + i);
  }
  return result;
}

/// How many PEs have told each number.
using Told = std::map<std::uint32_t, int>;

Told told_in(Rendezvous const& rendezvous) {
  Told told;
  rendezvous.for_each_notice(
      [&](std::uint32_t number, int n_pes) { told[number] += n_pes; });
  return told;
}

TEST_P(RendezvousSizes, every_pe_reads_every_pes_notices) {
  int const n_pes = GetParam().n_pes();
  expect_on_nodes(GetParam(), [&](Bootstrap& bootstrap, PeStack& stack) {
    for (std::size_t const most :
         {std::size_t{0}, std::size_t{1}, std::size_t{5},
          Rendezvous::max_notices - 1, Rendezvous::max_notices}) {
      // PE p has p fewer than the most.
      auto const count = [&](Pe pe) {
        return most - std::min(most, static_cast<std::size_t>(pe));
      };
      auto const mine = notices_of(bootstrap.my_pe(), count(bootstrap.my_pe()));
      stack.rendezvous.meet(
          {.operation = RuntimeCall::barrier_all, .notices = mine});
      Told all;
      for (Pe pe = 0; pe < n_pes; ++pe) {
        for (auto const number : notices_of(pe, count(pe))) ++all[number];
      }
      // What has not been told is so on all PEs, and told by a later call.
      auto const last = stack.rendezvous.last_told();
      EXPECT_EQ(stack.rendezvous.has_more_notices(),
                all.rbegin() != all.rend() && all.rbegin()->first > last);
      all.erase(all.upper_bound(last), all.end());
      EXPECT_EQ(told_in(stack.rendezvous), all);
      EXPECT_GE(all.size(), std::min(most, Rendezvous::max_notices));
    }
    for (Pe with_more = 0; with_more < n_pes; ++with_more) {
      auto const mine = notices_of(bootstrap.my_pe(), Rendezvous::max_notices);
      stack.rendezvous.meet(
          {.operation        = RuntimeCall::barrier_all,
           .notices          = mine,
           .has_more_notices = bootstrap.my_pe() == with_more});
      EXPECT_TRUE(stack.rendezvous.has_more_notices());
      EXPECT_EQ(told_in(stack.rendezvous).at(7), n_pes);
      EXPECT_FALSE(stack.rendezvous.agree(std::nullopt));
      EXPECT_TRUE(stack.rendezvous.has_more_notices())
          << "an agreement is no meet()";
    }
    stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
    EXPECT_FALSE(stack.rendezvous.has_more_notices());
  });
}

TEST_P(RendezvousSizes, bits_of_all_are_those_that_every_pe_gave) {
  expect_on_nodes(GetParam(), [](Bootstrap& bootstrap, PeStack& stack) {
    auto& rendezvous = stack.rendezvous;
    auto const mine  = std::uint64_t{1} << bootstrap.my_pe();
    auto const meet  = [&](std::uint64_t bits) {
      rendezvous.meet({.operation = RuntimeCall::barrier_all, .bits = bits});
      return rendezvous.bits_of_all();
    };
    constexpr auto high = std::uint64_t{0b101} << 61U;
    for (int round = 0; round < 3; ++round) {
      EXPECT_EQ(meet(high | (~mine & 0xff)),
                high | (0xffU << bootstrap.n_pes() & 0xff));
      EXPECT_EQ(meet(mine), bootstrap.n_pes() == 1 ? mine : 0);
      EXPECT_EQ(meet(bootstrap.my_pe() == 0 ? 0 : high), 0U) << "PE 0's are 0";
      EXPECT_EQ(meet(high), high);
      EXPECT_FALSE(rendezvous.agree(std::nullopt));
      EXPECT_EQ(rendezvous.bits_of_all(), 0U) << "an agreement has none";
    }
    EXPECT_EQ(meet(0), 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(
    Pes, RendezvousSizes,
    testing::Values(one_node(1), one_node(2), one_node(3), one_node(4),
                    NodeShape{{1, 1}}, NodeShape{{2, 2}}, NodeShape{{1, 1, 1}},
                    NodeShape{{2, 1, 3}}, NodeShape{{1, 2, 1, 1, 1}}));

TEST(Rendezvous, M25_a_late_pe_is_reported_with_its_last_call) {
  auto const results = run_pes(3, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap, 0.25s);
    stack.rendezvous.meet(
        {.operation = RuntimeCall::malloc, .arguments = {4096}});
    if (bootstrap.my_pe() == 1) std::this_thread::sleep_for(900ms);
    stack.rendezvous.meet({.operation = RuntimeCall::allocate_view,
                           .arguments = {64, 16, 0},
                           .label     = "pressure"});
  });
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded()) << "it went on waiting, and succeeded";
  }
  for (Pe const pe : {0, 2}) {
    auto const& text = results[static_cast<std::size_t>(pe)].output;
    EXPECT_THAT(text, HasSubstr("PE " + std::to_string(pe) + " has waited"));
    EXPECT_THAT(text, HasSubstr("allocation of a View \"pressure\""));
    EXPECT_THAT(text, HasSubstr("PE 1, whose last collective call was #1 "
                                "symm::malloc(bytes = 4096)"));
    EXPECT_THAT(text, HasSubstr("SYMM_TIMEOUT"));
    EXPECT_EQ(text.find("PE 2, whose"), std::string::npos) << "that one came";
    EXPECT_EQ(text.find("PE 0, whose"), std::string::npos);
    EXPECT_NE(text.find("has waited"), text.rfind("has waited"))
        << "and again after the same time";
  }
  EXPECT_EQ(results[1].output, "") << "the late one has not waited";
}

TEST(Rendezvous, a_pe_that_an_exception_has_brought_here_says_so) {
  auto const results = run_pes(2, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap, 0.25s);
    struct Guard {
      Rendezvous& rendezvous;
      ~Guard() { rendezvous.meet({.operation = RuntimeCall::finalize}); }
    };
    if (bootstrap.my_pe() == 1) std::this_thread::sleep_for(600ms);
    try {
      Guard const guard{stack.rendezvous};
      if (bootstrap.my_pe() == 0) throw std::runtime_error("only PE 0");
    } catch (std::runtime_error const&) {
    }
  });
  EXPECT_THAT(
      results[0].output,
      AllOf(HasSubstr("has waited 0 s in collective call #1 symm::finalize"),
            HasSubstr("PE 0 is in this call because of an exception")));
  EXPECT_EQ(results[1].output, "");
}

/// What the PEs print while `late` is 700 ms late for the second call.
std::vector<std::string> reports_of_late(NodeShape const& shape, Pe late) {
  auto const results =
      run_on_nodes(shape, 0.25s, [&](Bootstrap& bootstrap, PeStack& stack) {
        stack.rendezvous.meet(
            {.operation = RuntimeCall::malloc, .arguments = {4096}});
        if (bootstrap.my_pe() == late) std::this_thread::sleep_for(700ms);
        stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
      });
  std::vector<std::string> texts;
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded()) << result.output;
    texts.push_back(result.output);
  }
  return texts;
}

TEST(Rendezvous, a_late_node_is_reported_by_the_others) {
  auto const texts = reports_of_late({{2, 1, 1}}, 2);
  for (std::size_t const pe : {0U, 1U}) {
    EXPECT_THAT(texts[pe],
                AllOf(HasSubstr("PE " + std::to_string(pe) + " has waited"),
                      HasSubstr("in collective call #2 symm::barrier_all() for"
                                "\n  the node of PE 2 (host host1), which has "
                                "not arrived")));
  }
  EXPECT_EQ(texts[2], "");
  EXPECT_THAT(texts[3], HasSubstr("the node of PE 0 (host host0) or a later "
                                  "one, up to the node of PE 2 (host host1), "
                                  "which has not arrived"));
}

TEST(Rendezvous, a_late_pe_is_reported_on_its_node_and_its_node_by_others) {
  auto const texts = reports_of_late({{2, 1}}, 1);
  EXPECT_THAT(texts[0], HasSubstr("PE 1, whose last collective call was #1 "
                                  "symm::malloc(bytes = 4096)"));
  EXPECT_EQ(texts[1], "");
  EXPECT_THAT(texts[2], HasSubstr("the node of PE 0 (host host0), which has "
                                  "not arrived"));
}

TEST(Rendezvous, a_mismatch_says_where_pes_of_other_nodes_are) {
  expect_failure_on_all(
      {{2, 1}},
      [](PeStack& stack, Pe pe) {
        stack.rendezvous.meet({.operation = RuntimeCall::malloc,
                               .arguments = {pe == 2 ? 2U : 1U}});
      },
      ErrorKind::usage,
      HasSubstr("(PE 0 is on host host0, PE 2 is on host host1)"));
}

TEST(Rendezvous, of_pes_of_other_nodes_nothing_is_known_outside_of_calls) {
  expect_on_nodes({{1, 1}}, [](Bootstrap& bootstrap, PeStack& stack) {
    Pe const other = 1 - bootstrap.my_pe();
    EXPECT_EQ(stack.rendezvous.describe(other),
              "PE " + std::to_string(other) + " of another node (host host" +
                  std::to_string(other) + ")");
    EXPECT_FALSE(stack.rendezvous.is_in_finalize(other));
  });
}

TEST(Rendezvous, leaders_send_few_messages_and_others_none) {
  SimulatedNodes const job({{2, 1, 1, 2}});
  constexpr int n = 10;
  expect_on_pes(6, [&](ForkedBootstrap& bootstrap) {
    PeStack stack(bootstrap, {}, &job);
    for (int i = 0; i < n; ++i) {
      stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
    }
  });
  for (Pe const leader : {0, 2, 3, 4}) {
    EXPECT_EQ(job.messages->n_sent_by(leader), 2U * n);
  }
  for (Pe const pe : {1, 5}) EXPECT_EQ(job.messages->n_sent_by(pe), 0U);
}

class ViewsOfNodes : public testing::TestWithParam<NodeShape> {};

TEST_P(ViewsOfNodes, M24_end_when_all_pes_have_retired_them_in_any_order) {
  expect_on_nodes(GetParam(), [](Bootstrap& bootstrap, PeStack& stack) {
    symm::Impl::SymmetricHeap heap(stack.vmm, stack.exchange, bootstrap,
                                   stack.rendezvous,
                                   {false, 1U << 20U, 64U << 20U});
    auto const me = static_cast<std::size_t>(bootstrap.my_pe());
    // More than one call carries, of a PE or of all.
    for (std::size_t const count : {1U, 5U, 400U, 2000U}) {
      std::vector<void*> views;
      for (std::size_t i = 0; i < count; ++i) {
        views.push_back(heap.allocate_view("u", 64, 16, 16));
      }
      auto const retire = [&](std::size_t first, std::size_t end) {
        for (auto i = first; i < end; ++i) {
          heap.retire(views[(i + me * count / 7) % count]);
        }
      };
      // Some PEs keep a part.
      retire(0, count / (me + 1));
      heap.free(heap.malloc(64));
      static_cast<void>(heap.trim());
      auto const live = heap.stats().live_blocks;
      EXPECT_THAT(symm::Impl::allgather(bootstrap, live), testing::Each(live));
      EXPECT_GE(live, count / 2) << "what the last PE keeps";
      retire(count / (me + 1), count);
      static_cast<void>(heap.trim());
      EXPECT_EQ(heap.stats().live_blocks, 0U);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(Nodes, ViewsOfNodes,
                         testing::Values(one_node(3), NodeShape{{2, 2}},
                                         NodeShape{{1, 1, 1}},
                                         NodeShape{{2, 1, 3}}));

TEST(Rendezvous, a_PE_waits_in_finalize_until_this_one_arrives) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap);
    auto& rendezvous = stack.rendezvous;
    rendezvous.meet({.operation = RuntimeCall::barrier_all});
    EXPECT_EQ(rendezvous.describe(bootstrap.my_pe()),
              "PE " + std::to_string(bootstrap.my_pe()) +
                  ", whose last collective call was #1 symm::barrier_all()");
    bool const is_leaving = bootstrap.my_pe() == 1;
    if (!is_leaving) {
      while (!rendezvous.is_in_finalize(1)) std::this_thread::yield();
      EXPECT_EQ(rendezvous.describe(1),
                "PE 1, which waits in collective call #2 symm::finalize()");
    }
    EXPECT_FALSE(rendezvous.is_in_finalize(0));
    // Refused on both, which go on.
    EXPECT_TRUE(symm::Impl::failure_of([&] {
      rendezvous.meet({.operation = is_leaving ? RuntimeCall::finalize
                                               : RuntimeCall::barrier_all});
    }));
    EXPECT_FALSE(rendezvous.is_in_finalize(0));
    EXPECT_FALSE(rendezvous.is_in_finalize(1));
    rendezvous.meet({.operation = RuntimeCall::barrier_all});
  });
}

TEST(Rendezvous, a_timeout_of_0_never_reports) {
  auto const results = run_pes(2, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap, 0s);
    if (bootstrap.my_pe() == 1) std::this_thread::sleep_for(300ms);
    stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
  });
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded());
    EXPECT_EQ(result.output, "");
  }
}

// A report is due when the wait has taken 0.1 s. It crashed, if the last PE
// came then.
TEST(Rendezvous, a_PE_may_come_while_another_one_reports) {
  auto const results = run_pes(2, [](Bootstrap& bootstrap) {
    PeStack stack(bootstrap, 1us);
    for (int k = 0; k < 40; ++k) {
      stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
      if (bootstrap.my_pe() == 1) std::this_thread::sleep_for(97ms + k * 200us);
      stack.rendezvous.meet({.operation = RuntimeCall::barrier_all});
    }
  });
  for (auto const& result : results) EXPECT_TRUE(result.has_succeeded());
}

/// Makes one step of the start fail on PE 1; the message begins with `why`.
void expect_start_fails(VmmStep step, std::string const& why) {
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    auto const descriptors = n_open_descriptors();
    {
      symm::Impl::Vmm_HostMemfd memory;
      FaultyVmm vmm(memory);
      symm::Impl::FdExchange exchange(bootstrap);
      if (bootstrap.my_pe() == 1) vmm.fail(step);
      auto const failure = symm::Impl::failure_of(
          [&] { Rendezvous(bootstrap, exchange, vmm, 0s); });
      ASSERT_TRUE(failure) << "on every PE";
      EXPECT_EQ(failure->kind, ErrorKind::out_of_memory);
      EXPECT_THAT(failure->message, HasSubstr("PE 1 failed: " + why));
      vmm.heal();
      Rendezvous works_again(bootstrap, exchange, vmm, 0s);
      works_again.meet({.operation = RuntimeCall::barrier_all});
    }
    EXPECT_EQ(n_open_descriptors(), descriptors);
  });
}

TEST(Rendezvous, a_start_without_addresses_on_one_pe_fails_on_all) {
  expect_start_fails(VmmStep::reserve, "an injected failure");
}

TEST(Rendezvous, a_start_without_memory_on_one_pe_fails_on_all) {
  expect_start_fails(VmmStep::create, "an injected failure");
}

TEST(Rendezvous, a_start_without_the_peers_memory_on_one_pe_fails_on_all) {
  expect_start_fails(VmmStep::import_handle,
                     "PE 1 (host memory) cannot map the memory of PE 0 (host "
                     "memory): an injected failure");
}

}  // namespace
}  // namespace symm_test

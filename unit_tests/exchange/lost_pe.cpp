// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A PE is killed inside an exchange or a sort, while it sends messages or
// updates, or with tasks of a work queue: all others end within
// SYMM_PEER_TIMEOUT, and name it and the call, on one node and on several that
// are simulated.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <support/ForkedPes.hpp>
#include <support/MissingEngine.hpp>
#include <thread>

#include <runtime/job/Runtime.hpp>

namespace symm_test {
#ifdef SYMM_HAS_ASAN
/// A forked process has UCX's memory, and not the threads that know of it.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" char const* __lsan_default_suppressions() { return "leak:ucs_"; }
#endif

namespace {

using namespace std::chrono_literals;
using Exec   = symm::SymmetricSpace::execution_space;
using Memory = Exec::memory_space;
using Ints   = Kokkos::View<int*, Memory>;

constexpr int n_pes       = 4;
constexpr symm::Pe lost   = 2;
constexpr auto time_limit = 2s;  // SYMM_PEER_TIMEOUT

void die_if(bool here) {
  if (here && symm::my_pe() == lost) static_cast<void>(std::raise(SIGKILL));
}

/// A PE has a neighbor on each side.
symm::ExchangePlan ring() {
  Ints const indices("indices", 2), pes("pes", 2);
  pes(0) = (symm::my_pe() + 1) % n_pes;
  pes(1) = (symm::my_pe() + n_pes - 1) % n_pes;
  return symm::ExchangePlan::from_imports(1, indices, pes);
}

/// Exchanges without end.
using Body = std::function<void()>;

void gather_without_end(bool dies_between_halves) {
  auto plan = ring();
  Ints const x("x", 3);
  for (int step = 0;; ++step) {
    die_if(!dies_between_halves && step == 20);
    plan.begin_gather(Exec(), x);
    die_if(dies_between_halves && step == 20);
    plan.end_gather(Exec(), x);
  }
}

void scatter_without_end() {
  auto plan = ring();
  Ints const x("x", 3);
  for (int step = 0;; ++step) {
    plan.begin_scatter(Exec(), x);
    die_if(step == 20);
    plan.end_scatter(Exec(), symm::Sum{}, x);
  }
}

void migrate_without_end() {
  symm::Migration migration;
  Ints x("x", 8), pes("pes", 8);
  pes(0) = (symm::my_pe() + 1) % n_pes;
  for (std::size_t k = 1; k < 8; ++k) pes(k) = symm::my_pe();
  for (int step = 0;; ++step) {
    die_if(step == 20);
    static_cast<void>(migration.migrate(Exec(), pes, x));
  }
}

void migrate_and_follow_without_end() {
  symm::TrackedMigration migration;
  Ints x("x", 8), pes("pes", 8);
  pes(0) = (symm::my_pe() + 1) % n_pes;
  for (std::size_t k = 1; k < 8; ++k) pes(k) = symm::my_pe();
  for (int step = 0;; ++step) {
    static_cast<void>(migration.migrate(Exec(), pes, x));
    die_if(step == 20);
    migration.follow(Exec());
  }
}

/// Each PE exports its element to the next one, in a new plan.
void tell_ghosts_without_end() {
  Ints const ids("ids", 1), pes("pes", 1), values("values", 1);
  pes(0) = (symm::my_pe() + 1) % n_pes;
  for (int step = 0;; ++step) {
    auto plan = symm::ExchangePlan::from_exports(1, ids, pes);
    die_if(step == 20);
    static_cast<void>(plan.tell_ghosts(Exec(), pes, values));
  }
}

void make_plans_without_end(bool dies_before_joined) {
  symm::GridBoxes boxes;
  boxes.grid     = {4 * n_pes};
  boxes.periodic = {true};
  boxes.boxes.resize(1);
  boxes.boxes[0].first[0]   = 4 * symm::my_pe();
  boxes.boxes[0].extents[0] = 4;
  for (int step = 0;; ++step) {
    die_if(!dies_before_joined && step == 20);
    auto const plan = symm::ExchangePlan::from_boxes(boxes);
    die_if(dies_before_joined && step == 20);
    auto all = symm::ExchangePlan::joined({plan, plan});
    Kokkos::View<int**, Memory> const x("x", 1, 6);
    all.gather(Exec(), symm::of_plan(0, x), symm::of_plan(1, x));
  }
}

void send_without_end(bool dies_in_a_handler) {
  int n_handled = 0;
  symm::Mailbox<int> mailbox("messages", [&](int const&) {
    die_if(dies_in_a_handler && ++n_handled == 20'000);
  });
  for (int step = 0;; ++step) {
    die_if(!dies_in_a_handler && step == 20);
    for (int k = 0; k < 3000; ++k) mailbox.send(k % n_pes, k);
    if (step % 2 == 0) static_cast<void>(mailbox.finish());
  }
}

/// The first PE has no part, and waits for all.
void send_in_a_team_without_end() {
  auto const team =
      symm::team_split(symm::team_world(), symm::my_pe() == 0 ? -1 : 0, 0);
  symm::Mailbox<int> mailbox(
      "messages", [](int const&) {}, {}, team);
  for (int step = 0; team.is_valid(); ++step) {
    die_if(step == 20);
    for (int k = 0; k < 3000; ++k) mailbox.send(k % team.n_pes(), k);
    static_cast<void>(mailbox.finish());
  }
  symm::barrier_all();
}

void insert_and_find_without_end() {
  symm::DistributedHashMap<int, int> map("map");
  std::optional<int> value;
  for (int step = 0;; ++step) {
    for (int k = 0; k < 3000; ++k) {
      die_if(step == 20 && k == 1500);
      map.insert(k, k);
    }
    map.find(step, value);
    map.finish();
  }
}

void sort_without_end() {
  Ints keys("keys", 500);
  for (int step = 0;; ++step) {
    for (std::size_t k = 0; k < keys.extent(0); ++k)
      keys(k) = static_cast<int>(k * 7919 % 1009) + symm::my_pe();
    die_if(step == 20);
    static_cast<void>(symm::sort(Exec(), keys));
  }
}

/// Tasks that take a while, so that every PE has stolen some.
void work_until_it_is_lost() {
  int n_done = 0;
  symm::WorkQueue<int> tasks("tasks", [&](int const&) {
    std::this_thread::sleep_for(1ms);
    die_if(++n_done == 5);
  });
  if (symm::my_pe() == 0) {
    for (int k = 0; k < 400; ++k) tasks.push(k);
  }
  tasks.finish();
}

/// By the PEs of the target's node, where there are several nodes.
void update_without_end() {
  symm::Context const context(
      {.aggregate = true, .routing = symm::UpdateRouting::by_nodes});
  Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace> const sums("sums", 64);
  for (int step = 0;; ++step) {
    for (int k = 0; k < 1000; ++k) {
      die_if(step == 20 && k == 500);
      symm::atomic_add(context, &sums(k % 64), std::uint64_t{1}, k % n_pes);
    }
    context.quiet();
    symm::barrier_all();
  }
}

class LostPe : public testing::TestWithParam<char const*> {
 protected:
  void SetUp() override {
    set("SYMM_PEER_TIMEOUT", "2");
    if (*GetParam() == '\0') return;
    set("SYMM_PES_PER_NODE", GetParam());
    if (!missing_engine().empty()) GTEST_SKIP() << missing_engine();
  }
  void TearDown() override {
    ASSERT_EQ(::unsetenv("SYMM_PES_PER_NODE"), 0);
    ASSERT_EQ(::unsetenv("SYMM_PEER_TIMEOUT"), 0);
  }
  /// \param call a regular expression: what PEs of its node say they were in.
  static void expect_end(Body const& body, std::string const& call) {
    auto const results = try_pes(n_pes, {}, [&](ForkedBootstrap& bootstrap) {
      symm::Impl::Runtime::initialize(
          std::make_unique<ForkedBootstrap>(bootstrap));
      Kokkos::initialize();
      body();
    });
    EXPECT_TRUE(results[lost].was_killed_by(SIGKILL)) << results[lost].output;
    std::string all;
    for (std::size_t pe = 0; pe < n_pes; ++pe) {
      if (pe == lost) continue;
      SCOPED_TRACE("PE " + std::to_string(pe));
      EXPECT_TRUE(results[pe].has_exited_with(aborted_status));
      EXPECT_FALSE(results[pe].is_timed_out);
      EXPECT_LT(results[pe].ended_at - results[lost].ended_at,
                time_limit + 2s);  // CPUs may be busy
      // On one node a PE may name another one that has ended because of this.
      EXPECT_THAT(results[pe].output,
                  testing::ContainsRegex(*GetParam() == '\0'
                                             ? "PE [0-3] is gone"
                                             : "PE 2.* is (gone|lost)"));
      all += results[pe].output;
    }
    EXPECT_THAT(all, testing::ContainsRegex("PE 2.* is (gone|lost)"));
    // (Threads of the network find a PE of another node lost, too.)
    if (*GetParam() == '\0') {
      EXPECT_THAT(all, testing::ContainsRegex(call));
    }
  }

 private:
  static void set(char const* variable, char const* value) {
    ASSERT_EQ(::setenv(variable, value, 1), 0);
  }
};

TEST_P(LostPe, is_named_if_it_is_lost_before_a_gather) {
  expect_end([] { gather_without_end(false); }, "symm::ExchangePlan::gather");
}
TEST_P(LostPe, is_named_if_it_is_lost_between_the_halves_of_a_gather) {
  expect_end([] { gather_without_end(true); }, "symm::ExchangePlan::gather");
}
TEST_P(LostPe, is_named_if_it_is_lost_between_the_halves_of_a_scatter) {
  expect_end(scatter_without_end, "symm::ExchangePlan::scatter");
}
TEST_P(LostPe, is_named_if_it_is_lost_in_a_migration) {
  expect_end(migrate_without_end, "symm::fcollect|symm::Migration");
}
TEST_P(LostPe, is_named_if_it_is_lost_before_it_follows_its_elements) {
  expect_end(
      migrate_and_follow_without_end,
      "symm::[a-z]+ of the PE team|symm::fcollect|symm::TrackedMigration");
}
TEST_P(LostPe, is_named_if_it_is_lost_before_it_tells_its_ghosts) {
  expect_end(tell_ghosts_without_end,
             "symm::ExchangePlan::(gather|tell_ghosts|from_exports)");
}
TEST_P(LostPe, is_named_if_it_is_lost_before_a_plan_of_boxes_is_made) {
  expect_end([] { make_plans_without_end(false); },
             "symm::ExchangePlan::(gather|from_boxes)");
}
TEST_P(LostPe, is_named_if_it_is_lost_before_plans_are_joined) {
  expect_end([] { make_plans_without_end(true); },
             "symm::ExchangePlan::(gather|joined)");
}
TEST_P(LostPe, is_named_if_it_is_lost_while_it_sends_messages) {
  expect_end([] { send_without_end(false); }, "symm::Mailbox \"messages\"");
}
TEST_P(LostPe, is_named_if_it_is_lost_while_it_handles_messages) {
  expect_end([] { send_without_end(true); }, "symm::Mailbox \"messages\"");
}
TEST_P(LostPe, is_named_if_it_is_lost_with_tasks_of_a_work_queue) {
  expect_end(work_until_it_is_lost, "symm::WorkQueue \"tasks\"");
}
TEST_P(LostPe, is_named_if_it_is_lost_while_it_sends_in_a_team) {
  expect_end(send_in_a_team_without_end, "symm::Mailbox \"messages\"");
}
TEST_P(LostPe, is_named_if_it_is_lost_while_it_inserts_in_a_map) {
  expect_end(insert_and_find_without_end,
             "symm::DistributedHashMap \"map\"|"
             "symm::Mailbox \"map");
}
TEST_P(LostPe, is_named_if_it_is_lost_in_a_sort) {
  expect_end(sort_without_end, "symm::sort|symm::[a-z]+ of the PE team");
}
TEST_P(LostPe, is_named_if_it_is_lost_while_it_sends_updates) {
  expect_end(update_without_end, "symm::barrier_all|symm::Context");
}

INSTANTIATE_TEST_SUITE_P(OfOneNode, LostPe, testing::Values(""));
INSTANTIATE_TEST_SUITE_P(OfNodes, LostPe, testing::Values("1", "2"));

}  // namespace
}  // namespace symm_test

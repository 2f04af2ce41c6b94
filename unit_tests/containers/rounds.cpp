// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A model check of the containers: plans, migrations, sorts, mailboxes, maps
// and queues are made, used and ended at random, several of each at a time, on
// overlapping PE teams; PEs are late, begin things in another order, lack
// memory, or make other calls. What comes of it is compared with what each PE
// computes alone.
//
//     mpiexec -n 3 test_containers --gtest_random_seed=7 --gtest_repeat=100
//
// runs 100 times as many rounds, with seeds from 7 on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>

#include <support/LackOfMemory.hpp>
#include <support/Sanitizers.hpp>

#include "ModelOfExchanges.hpp"
#include "ModelOfMail.hpp"
#include "World.hpp"

namespace symm_test {

namespace {

class Containers {
 public:
  explicit Containers(unsigned seed) : m_world(seed) {
    // Each PE is in one of two halves, and in one of those of odd and even PEs.
    for (int const color : {m_world.me * 2 / m_world.n_pes, m_world.me % 2}) {
      m_teams.push_back(symm::team_split(symm::team_world(), color, 0));
      m_world.has_met();
    }
    // The first PE is in none.
    m_teams.push_back(
        symm::team_split(symm::team_world(), m_world.me == 0 ? -1 : 0, 0));
    m_world.has_met();
    m_words = decltype(m_words)("words", 2);
    m_world.has_met();
  }
  /// Collective.
  void end() {
    for (auto& team : m_teams)
      if (team.is_valid()) symm::team_destroy(team);
  }

  void round(std::uint64_t number) {
    m_world.begin_round(number);
    m_world.pause();
    struct Action {
      char const* name;
      unsigned weight;
      void (Containers::*run)();
    };
    static constexpr Action actions[] = {
        {"make_or_end", 2, &Containers::make_or_end},
        {"gather", 2, &Containers::gather},
        {"scatter", 1, &Containers::scatter},
        {"grow", 1, &Containers::grow},
        {"migrate", 1, &Containers::migrate},
        {"sort", 1, &Containers::sort},
        {"send", 3, &Containers::send},
        {"finish_mail", 1, &Containers::finish_mail},
        {"use_map", 1, &Containers::use_map},
        {"use_queue", 1, &Containers::use_queue},
        {"meet", 1, &Containers::meet},
        {"signal", 1, &Containers::signal},
        {"differ", 1, &Containers::differ}};
    unsigned sum = 0;
    for (auto const& its : actions) sum += its.weight;
    auto number_drawn = m_world.draw(sum);
    auto const* its   = std::begin(actions);
    while (number_drawn >= its->weight) number_drawn -= its++->weight;
    m_world.begin(its->name);
    (this->*its->run)();
  }
  /// Collective: whether all PEs have found all right.
  bool are_all_right() {
    auto const n =
        symm::reduce(symm::team_world(), m_world.n_wrong(), symm::Sum{});
    m_world.has_met();
    return n == 0;
  }
  [[nodiscard]] World const& world() const { return m_world; }

 private:
  /// A PE lacks memory in some calls. \returns null: none does. (What lacks
  /// for messages of the network is nothing that containers could undo.)
  std::unique_ptr<LackOfMemory> lack() {
    if (m_world.draw(4) != 0 || !are_all_near()) return {};
    auto const poor =
        static_cast<int>(m_world.draw(static_cast<unsigned>(m_world.n_pes)));
    auto const which = static_cast<int>(m_world.draw(12)) + 1;
    return std::make_unique<LackOfMemory>(poor == m_world.me ? which : 0);
  }

  symm::MailboxOptions mail_options() {
    constexpr std::size_t block_bytes[] = {128, 256, 1024, 0};
    return {.block_bytes = block_bytes[m_world.draw(4)],
            .routing     = m_world.draw(2) == 0 ? symm::MailRouting::direct
                                                : symm::MailRouting::by_nodes};
  }

  /// Where kernels wait for PEs: no PE may need a handler of one that waits in
  /// Kokkos' fence().
  void expect_kernels_to_wait() {
    if (is_on_host<Memory>) return;
    finish_all(m_mails);
    finish_all(m_maps);
  }

  /// Makes an object where there is none, or ends it.
  template <class Object, class Make>
  void make_or_end(Slots<Object>& slots, Make const& make) {
    auto const slot = m_world.draw(static_cast<unsigned>(slots.n()));
    if (slots.at(slot)) {
      m_world.pause();
      slots.at(slot).reset();
      return;
    }
    auto const lacks = lack();
    auto const begin = [&] { slots.at(slot) = make(lacks.get()); };
    if (lacks) {
      m_world.throws_on_all<symm::Error>(begin, "construction without memory");
    } else {
      begin();
      m_world.has_met();
    }
  }
  void make_or_end() {
    auto const kind    = m_world.draw(8);
    auto const group   = draw_group();
    auto const options = mail_options();
    auto const number  = m_world.draw(1'000'000);
    switch (kind) {
      case 0:
        m_migrations.at(number % m_migrations.n()) =
            std::make_unique<ModelOfMigration>(m_world, group);
        return;
      case 1:
        finish_all(m_mails);
        return make_or_end(m_mails, [&](LackOfMemory const* lacks) {
          return std::make_unique<ModelOfMail>(m_world, group, options, lacks);
        });
      case 2:
        finish_all(m_maps);
        return make_or_end(m_maps, [&](LackOfMemory const* lacks) {
          return std::make_unique<ModelOfMap>(m_world, group, number % 2 * 300,
                                              options, lacks);
        });
      case 3:
        return make_or_end(m_queues, [&](LackOfMemory const* lacks) {
          return std::make_unique<ModelOfQueue>(m_world, group, number % 3 * 4,
                                                lacks);
        });
      default:
        return make_or_end(m_plans, [&](LackOfMemory const* lacks) {
          return std::make_unique<ModelOfPlan>(m_world, group, number, lacks);
        });
    }
  }
  Group draw_group() {
    auto const which    = m_world.draw(6);
    bool const is_world = which >= m_teams.size();
    return {is_world ? symm::team_world() : m_teams[which], is_world};
  }
  /// (An object that ends has nothing on its way.)
  template <class Object>
  static void finish_all(Slots<Object> const& slots) {
    for (auto* const its : slots.find_all())
      if (its->has_part()) its->finish();
  }

  /// Several plans at once, begun and ended in another order on each PE.
  void exchange(bool gathers) {
    expect_kernels_to_wait();
    auto plans = m_plans.find_all();
    std::erase_if(plans, [this](auto*) { return m_world.draw(3) == 0; });
    m_world.shuffle_mine(plans);
    for (auto* const plan : plans) {
      gathers ? plan->begin_gather(m_exec) : plan->begin_scatter(m_exec);
      m_world.pause();
    }
    m_world.shuffle_mine(plans);
    for (auto* const plan : plans) {
      gathers ? plan->end_gather(m_exec) : plan->end_scatter(m_exec);
      if (m_world.draw_mine(5) == 0) plan->move();
    }
  }

  void grow() {
    expect_kernels_to_wait();
    auto* const plan = m_plans.choose(m_world);
    if (plan == nullptr) return;
    int const n = static_cast<int>(m_world.draw(5)) + 1;
    if (m_world.draw(2) == 0 || !plan->is_of_world())
      plan->reserve(static_cast<std::size_t>(n) * sizeof(int));
    plan->gather_components(m_exec, n);
  }

  void gather() { exchange(true); }
  void scatter() { exchange(false); }
  void sort() {
    auto const group = draw_group();
    sort_and_look(m_world, group, m_exec, lack().get());
  }
  void migrate() {
    expect_kernels_to_wait();
    auto const scale = m_world.draw(10) == 0 ? 800U : 40U;
    auto const lacks = lack();
    auto* const its  = m_migrations.choose(m_world);
    if (its != nullptr && its->has_part())
      its->migrate(m_exec, scale, lacks.get());
  }

  void send() {
    constexpr unsigned most[] = {3, 20, 20, 200};
    auto const its_most       = most[m_world.draw(4)];
    bool const by_thread      = m_world.draw(4) == 0;
    auto* const mail          = m_mails.choose(m_world);
    if (mail == nullptr || !mail->has_part()) return;
    mail->send_to_all(its_most, by_thread);
    if (m_world.draw_mine(4) == 0) mail->progress();
  }
  void finish_mail() {
    bool const goes_on = m_world.draw(2) == 0;
    auto* const mail   = m_mails.choose(m_world);
    if (mail == nullptr || !mail->has_part()) return;
    mail->finish();
    // Messages of the next phase meet PEs that are still in this one.
    if (goes_on) mail->send_to_all(20, false);
  }

  void use_map() {
    auto const most     = m_world.draw(4) == 0 ? 300U : 20U;
    bool const finishes = m_world.draw(2) == 0;
    auto* const map     = m_maps.choose(m_world);
    if (map == nullptr || !map->has_part()) return;
    map->ask(most);
    if (finishes) map->finish();
  }

  void use_queue() {
    auto* const queue = m_queues.choose(m_world);
    auto* const mail  = m_mails.choose(m_world);
    if (queue == nullptr || !queue->has_part()) return;
    queue->push_all(12);
    // (A PE of the queue need not be one of the mailbox.)
    bool const sends =
        queue->is_of_world() && mail != nullptr && mail->is_of_world();
    queue->finish(sends ? mail : nullptr);
  }

  /// Collective calls of the core, in which mailboxes go on.
  void meet() {
    switch (m_world.draw(4)) {
      case 0: symm::barrier_all(); break;
      case 1: {
        auto const sum =
            symm::reduce(symm::team_world(), m_world.me + 1, symm::Sum{});
        m_world.expect(sum == m_world.n_pes * (m_world.n_pes + 1) / 2,
                       "a reduction");
        break;
      }
      case 2: {
        Kokkos::View<int*, symm::SymmetricHostSpace> const view("view", 10);
        break;
      }
      default:
        // Not of the world: messages may pass it.
        if (m_teams[0].is_valid()) symm::barrier(m_teams[0]);
        return;
    }
    m_world.has_met();
  }

  /// A PE sends, then signals the next one, and waits for the one before.
  void signal() {
    send();
    auto* const word = m_words.data();
    auto const next  = (m_world.me + 1) % m_world.n_pes;
    ++m_n_signals;
    symm::signal_op(word, m_n_signals, symm::SignalOp::set, next);
    symm::signal_wait_until(word, symm::Compare::ge, m_n_signals);
    // Nobody sends the next one before this one was seen.
    symm::sync_all();
    m_world.has_met();
  }

  /// PEs make calls that differ: all throw, and nothing has been done.
  void differ() {
    if (m_world.n_pes == 1) return;
    auto mails = m_mails.find_all();
    std::erase_if(mails, [](auto* its) { return !its->is_of_world(); });
    auto const plans = m_plans.find_all();
    auto const who =
        static_cast<int>(m_world.draw(static_cast<unsigned>(m_world.n_pes)));
    auto const mine = static_cast<std::size_t>(m_world.me == who ? 1 : 0);
    bool has_thrown = true;
    if (m_world.draw(2) == 0 && mails.size() > 1) {
      has_thrown = m_world.throws_on_all<symm::UsageError>(
          [&] { mails[mine]->mailbox().finish(); },
          "finish() of two mailboxes");
    } else if (plans.size() > 1) {
      has_thrown = m_world.throws_on_all<symm::UsageError>(
          [&] { plans[mine]->reserve(100'000); }, "reserve() of two plans");
    }
    m_world.expect(has_thrown, "calls that differ");
  }

  World m_world;
  Exec m_exec;
  std::vector<symm::PeTeam> m_teams;
  Kokkos::View<symm::Signal*, symm::SymmetricHostSpace> m_words;
  symm::Signal m_n_signals = 0;
  Slots<ModelOfPlan> m_plans{5};
  Slots<ModelOfMigration> m_migrations{2};
  Slots<ModelOfMail> m_mails{3};
  Slots<ModelOfMap> m_maps{2};
  Slots<ModelOfQueue> m_queues{2};
};

TEST(Containers, any_calls_in_any_order_do_what_the_model_says) {
  static unsigned s_n_repeated = 0;
  auto const seed =
      static_cast<unsigned>(GTEST_FLAG_GET(random_seed)) + s_n_repeated++;
  Containers containers(seed);
  int const n_rounds = fewer_if_sanitized(!is_on_host<Memory> ? 10'000
                                          : are_all_near()    ? 30'000
                                                              : 10'000);
  for (int round = 0; round < n_rounds; ++round) {
    try {
      containers.round(static_cast<std::uint64_t>(round));
    } catch (std::exception const& error) {
      // Others would wait for this PE.
      std::fprintf(stderr, "%s: %s\n", containers.world().describe().c_str(),
                   error.what());
      std::_Exit(EXIT_FAILURE);
    }
    if (round % 64 == 0 && !containers.are_all_right()) break;
  }
  EXPECT_TRUE(containers.are_all_right()) << containers.world().first_wrong();
  containers.end();
}

}  // namespace

}  // namespace symm_test

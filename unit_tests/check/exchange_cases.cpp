// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What plans, migrations, sorts, mailboxes and hash maps read and write of the
// program's Views.

#include <cstddef>
#include <utility>

#include <Kokkos_SymmetricContainers.hpp>
#include <support/gpu.hpp>

#include "cases.hpp"

#ifndef SYMM_TEST_GPU  // with which plans are for Views of GPUs

namespace symm_test {
namespace {

using enum Expected;

using PeNumbers = Kokkos::View<int*, Kokkos::HostSpace>;

constexpr int n_owned = 4;

symm::Pe next_pe() { return (symm::my_pe() + 1) % symm::n_pes(); }

PeNumbers numbers(std::size_t n, int number) {
  PeNumbers const its("numbers", n);
  Kokkos::deep_copy(its, number);
  return its;
}

/// Element n_owned is a copy of the next PE's element 0.
symm::ExchangePlan ring_plan() {
  return symm::ExchangePlan::from_imports(n_owned, numbers(1, 0),
                                          numbers(1, next_pe()));
}

auto first_words(Bed const& b) {
  return Kokkos::subview(b.words,
                         std::pair<std::size_t, std::size_t>(0, n_owned));
}

/// Each PE gives all its elements to the next one.
void migrate(Words& words) {
  symm::Migration migration;
  migration.migrate(Exec(), numbers(n_owned, next_pe()), words);
}

void put_to_1(Bed const& b, Word* to) {
  if (b.me == 0) symm::put(to, b.m(), n_owned, 1);
}
void get_from_1(Bed const& b, Word const* from) {
  if (b.me == 0) symm::get(b.m(), from, n_owned, 1);
}

/// Sends words of all PEs to the next one, from a symmetric View.
void send(Bed const& b) {
  Word sum = 0;
  symm::Mailbox<Word> box("box", [&](Word const& its) { sum += its; });
  box.send(Exec(), numbers(n_owned, next_pe()), first_words(b));
  box.finish();
}

Case const cases[] = {
    // Plans.
    {"put_gather_reads", race,
     [](Bed const& b) {
       auto plan = ring_plan();
       put_to_1(b, b.w());
       plan.gather(Exec(), b.words);
     }},
    {"put_barrier_gather_reads", none,
     [](Bed const& b) {
       auto plan = ring_plan();
       put_to_1(b, b.w());
       symm::barrier_all();
       plan.gather(Exec(), b.words);
     }},
    {"gather_writes_get", race,
     [](Bed const& b) {
       auto plan = ring_plan();
       plan.gather(Exec(), b.words);
       get_from_1(b, b.w() + n_owned);
     }},
    {"gather_writes_barrier_get", none,
     [](Bed const& b) {
       auto plan = ring_plan();
       plan.gather(Exec(), b.words);
       symm::barrier_all();
       get_from_1(b, b.w() + n_owned);
     }},
    {"scatter_writes_get", race,
     [](Bed const& b) {
       auto plan = ring_plan();
       plan.scatter(Exec(), symm::Sum{}, b.words);
       get_from_1(b, b.w());
     }},
    {"scatter_of_ghosts_in_turn", none,
     [](Bed const& b) {
       auto plan = ring_plan();
       for (int step = 0; step < 4; ++step) {
         b.words(n_owned) = 1;
         plan.scatter(Exec(), symm::Sum{}, b.words);
         plan.gather(Exec(), b.words);
       }
       b.expect(b.words(0), 4);
     }},

    // Migrations.
    {"put_migrate_reads_where_to", race,
     [](Bed const& b) {
       Words words("put_migrate_reads_where_to its", 64);
       put_to_1(b, b.w());
       symm::Migration().migrate(Exec(), first_words(b), words);
       symm::barrier_all();
     }},
    {"put_barrier_migrate_reads_where_to", none,
     [](Bed const& b) {
       Words words("put_barrier_migrate_reads_where_to its", 64);
       put_to_1(b, b.w());
       symm::barrier_all();
       symm::Migration().migrate(Exec(), first_words(b), words);
       symm::barrier_all();
     }},
    {"migrate_writes_get", race,
     [](Bed const& b) {
       Words words("migrate_writes_get its", 64);
       migrate(words);
       get_from_1(b, words.data());
       symm::barrier_all();
     }},
    {"migrate_writes_barrier_get", none,
     [](Bed const& b) {
       Words words("migrate_writes_barrier_get its", 64);
       migrate(words);
       symm::barrier_all();
       get_from_1(b, words.data());
       symm::barrier_all();
     }},

    // Sorts.
    {"put_sort_reads", race,
     [](Bed const& b) {
       Words words("put_sort_reads its", 64);
       put_to_1(b, words.data());
       symm::sort(Exec(), n_owned, words);
       symm::barrier_all();
     }},
    {"put_barrier_sort_reads", none,
     [](Bed const& b) {
       Words words("put_barrier_sort_reads its", 64);
       put_to_1(b, words.data());
       symm::barrier_all();
       symm::sort(Exec(), n_owned, words);
       symm::barrier_all();
     }},
    {"sort_writes_get", race,
     [](Bed const& b) {
       Words words("sort_writes_get its", 64);
       for (int i = 0; i < n_owned; ++i) words(i) = i * 10 - b.me;
       symm::sort(Exec(), n_owned, words);
       get_from_1(b, words.data());
       symm::barrier_all();
     }},
    {"sort_writes_barrier_get", none,
     [](Bed const& b) {
       Words words("sort_writes_barrier_get its", 64);
       for (int i = 0; i < n_owned; ++i) words(i) = i * 10 - b.me;
       symm::sort(Exec(), n_owned, words);
       symm::barrier_all();
       get_from_1(b, words.data());
       symm::barrier_all();
     }},

    // Mailboxes, and a hash map, which is made of them.
    {"put_send_of_a_View_reads", race,
     [](Bed const& b) {
       put_to_1(b, b.w());
       send(b);
     }},
    {"put_barrier_send_of_a_View_reads", none,
     [](Bed const& b) {
       put_to_1(b, b.w());
       symm::barrier_all();
       send(b);
     }},
    {"put_insert_of_a_View_reads", race,
     [](Bed const& b) {
       symm::DistributedHashMap<Word, Word, symm::Sum> map("map");
       put_to_1(b, b.w());
       map.insert_all_of(b.words, b.words);
     }},
    {"find_into_a_View_get", race,
     [](Bed const& b) {
       symm::DistributedHashMap<Word, Word, symm::Sum> map("map");
       map.insert_all_of(b.words, b.words);
       map.find_all_of(b.words, b.more, PeNumbers("found", b.words.size()));
       if (b.me == 0) see(symm::g(b.m(), 1));
     }},
    {"find_into_a_View_barrier_get", none,
     [](Bed const& b) {
       symm::DistributedHashMap<Word, Word, symm::Sum> map("map");
       map.insert_all_of(b.words, b.words);
       map.find_all_of(b.words, b.more, PeNumbers("found", b.words.size()));
       symm::barrier_all();
       if (b.me == 0) b.expect(symm::g(b.m(), 1), 0);
     }},
    {"handlers_store_finish_get", none,
     [](Bed const& b) {
       symm::Mailbox<int> box(
           "box", [&](int k) { b.words(static_cast<std::size_t>(k)) += 1; });
       for (int k = 0; k < n_owned; ++k) box.send(1, k);
       box.finish();
       if (b.me == 0) b.expect(symm::g(b.w(), 1), symm::n_pes());
       symm::barrier_all();
     }},
    {"handlers_store_get", race,
     [](Bed const& b) {
       int n_handled = 0;
       symm::Mailbox<int> box("box",
                              [&](int) {
                                ++n_handled;
                                b.words(0) += 1;
                              },
                              {.block_bytes = 64});
       // More than a block, which leaves before finish().
       if (b.me == 0)
         for (int k = 0; k < 30; ++k) box.send(1, k);
       if (b.me == 0) see(symm::g(b.w(), 1));
       while (b.me == 1 && n_handled == 0) box.progress();
       box.finish();
       symm::barrier_all();
     }},
    {"handlers_put_finish_load", none,
     [](Bed const& b) {
       symm::Mailbox<int> box("box", [&](int k) {
         symm::p(b.w() + k, Word{1}, symm::n_pes() - 1);
       });
       if (b.me == 0) box.send(1, 0);
       box.finish();
       if (b.me == symm::n_pes() - 1) see(b.words(0));
       symm::barrier_all();
     }},
    {"store_finish_get", none,
     [](Bed const& b) {
       symm::WorkQueue<int> queue("queue", [](int) {});
       if (b.me == 1) b.words(0) = 1;
       queue.finish();
       if (b.me == 0) see(symm::g(b.w(), 1));
       symm::barrier_all();
     }},
    {"tasks_store_finish_get", none,
     [](Bed const& b) {
       symm::WorkQueue<int> queue("queue", [&](int) { b.words(0) += 1; });
       queue.push(1);
       queue.finish();
       for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) see(symm::g(b.w(), pe));
       symm::barrier_all();
     }},
};

}  // namespace

std::span<Case const> exchange_cases() { return cases; }

}  // namespace symm_test

#else

std::span<symm_test::Case const> symm_test::exchange_cases() { return {}; }

#endif

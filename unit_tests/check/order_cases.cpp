// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The order that barriers, sync, quiet and fence give, or not: the rows of the
// table "Call by call" in docs/memory_model.md.

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

void put_some(Bed const& b) {
  b.more(0) = 7;
  symm::put(b.w(), b.m(), 4, 1);
}

/// The PE team of every other PE: PE 1 is in it only if `first` is 1.
symm::PeTeam every_other(symm::Pe first) {
  return symm::team_split_strided(symm::team_world(), first, 2,
                                  (symm::n_pes() - first + 1) / 2);
}

Case const cases[] = {
    // Barriers.
    {"put_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), 7);
     }},
    {"put_barrier_of_team_world_load", none,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::barrier(symm::team_world());
       if (b.me == 1) b.expect(b.words(0), 7);
     }},
    {"put_nbi_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) symm::put_nbi(b.w(), b.m(), 4, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), 0);
     }},
    {"put_load_barrier", race,  // the barrier comes too late
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       if (b.me == 1) see(b.words(0));
       symm::barrier_all();
     }},
    {"barrier_put_load", race,  // and here too early
     [](Bed const& b) {
       symm::barrier_all();
       if (b.me == 0) put_some(b);
       if (b.me == 1) see(b.words(0));
     }},
    {"load_barrier_put", none,
     [](Bed const& b) {
       if (b.me == 1) b.expect(b.words(0), 0);
       symm::barrier_all();
       if (b.me == 0) put_some(b);
     }},
    {"store_barrier_get", none,
     [](Bed const& b) {
       if (b.me == 1) b.words(0) = 7;
       symm::barrier_all();
       if (b.me == 0) {
         symm::get(b.m(), b.w(), 4, 1);
         b.expect(b.more(0), 7);
       }
     }},
    {"get_barrier_store", none,
     [](Bed const& b) {
       if (b.me == 0) symm::get(b.m(), b.w(), 4, 1);
       symm::barrier_all();
       if (b.me == 1) b.words(0) = 7;
     }},
    {"put_barrier_put", none,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::barrier_all();
       if (b.me == 2) symm::put(b.w(), b.m(), 4, 1);
     },
     3},
    {"put_and_atomic_add_with_a_barrier_between", none,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::barrier_all();
       symm::atomic_add(b.w(), 1, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), 7 + symm::n_pes());
     }},
    {"put_barrier_of_a_team_with_both_load", none,
     [](Bed const& b) {
       auto team = symm::team_split_strided(symm::team_world(), 0, 1, 2);
       if (b.me == 0) put_some(b);
       if (b.me < 2) symm::barrier(team);
       if (b.me == 1) b.expect(b.words(0), 7);
       if (b.me < 2) symm::team_destroy(team);
     }},
    {"put_barrier_of_a_team_without_the_reader_load", race,
     [](Bed const& b) {
       auto team = every_other(0);
       if (b.me == 0) put_some(b);
       if (b.me % 2 == 0) symm::barrier(team);
       if (b.me == 1) see(b.words(0));
       if (b.me % 2 == 0) symm::team_destroy(team);
     },
     3},
    {"put_barriers_of_two_teams_that_share_a_PE_load", none,
     [](Bed const& b) {
       auto early = symm::team_split_strided(symm::team_world(), 0, 2, 2);
       auto late  = symm::team_split_strided(symm::team_world(), 1, 1, 2);
       if (b.me == 0) put_some(b);
       if (b.me == 0 || b.me == 2) symm::barrier(early);
       if (b.me == 1 || b.me == 2) symm::barrier(late);
       if (b.me == 1) b.expect(b.words(0), 7);
       if (b.me == 0 || b.me == 2) symm::team_destroy(early);
       if (b.me == 1 || b.me == 2) symm::team_destroy(late);
     },
     3},
    {"put_of_a_step_barrier_load_of_the_step", race,  // one barrier, not two
     [](Bed const& b) {
       for (Word step = 0; step < 3; ++step) {
         if (b.me == 0) symm::p(b.w(), step, 1);
         symm::barrier_all();
         if (b.me == 1) see(b.words(0));
       }
     }},
    {"put_of_a_step_two_barriers", none,
     [](Bed const& b) {
       for (Word step = 0; step < 3; ++step) {
         if (b.me == 0) symm::p(b.w(), step, 1);
         symm::barrier_all();
         if (b.me == 1) b.expect(b.words(0), step);
         symm::barrier_all();
       }
     }},

    // sync: all have called, and nothing else.
    {"put_sync_load", race,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::sync_all();
       if (b.me == 1) see(b.words(0));
     }},
    {"put_nbi_sync_load", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put_nbi(b.w(), b.m(), 4, 1);
       symm::sync_all();
       if (b.me == 1) see(b.words(0));
       symm::quiet();
     }},
    {"put_quiet_sync_load", none,  // which is what a barrier is
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::quiet();
       }
       symm::sync_all();
       if (b.me == 1) b.expect(b.words(0), 7);
     }},
    {"put_nbi_quiet_sync_of_a_team_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put_nbi(b.w(), b.m(), 4, 1);
         symm::quiet();
       }
       symm::sync(symm::team_world());
       if (b.me == 1) b.expect(b.words(0), 0);
     }},
    {"put_quiet_sync_of_a_team_without_the_reader_load", race,
     [](Bed const& b) {
       auto team = every_other(0);
       if (b.me == 0) {
         put_some(b);
         symm::quiet();
       }
       if (b.me % 2 == 0) symm::sync(team);
       if (b.me == 1) see(b.words(0));
       if (b.me % 2 == 0) symm::team_destroy(team);
     },
     3},
    {"put_sync_quiet_load", race,  // the quiet comes too late
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::sync_all();
       if (b.me == 0) symm::quiet();
       if (b.me == 1) see(b.words(0));
     }},
    {"put_fence_sync_load", race,  // fence() completes nothing
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::fence();
       }
       symm::sync_all();
       if (b.me == 1) see(b.words(0));
     }},
    {"get_sync_store", none,  // the data of a get are here when it returns
     [](Bed const& b) {
       if (b.me == 0) symm::get(b.m(), b.w(), 4, 1);
       symm::sync_all();
       if (b.me == 1) b.words(0) = 7;
     }},
    {"get_nbi_sync_store", race,  // it may still read
     [](Bed const& b) {
       if (b.me == 0) symm::get_nbi(b.m(), b.w(), 4, 1);
       symm::sync_all();
       if (b.me == 1) b.words(0) = 7;
       symm::quiet();
     }},
    {"get_nbi_quiet_sync_store", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::get_nbi(b.m(), b.w(), 4, 1);
         symm::quiet();
       }
       symm::sync_all();
       if (b.me == 1) b.words(0) = 7;
     }},

    // quiet and fence tell nobody.
    {"put_quiet_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::quiet();
       }
       if (b.me == 1) {
         a_moment();
         see(b.words(0));
       }
     }},
    {"put_fence_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::fence();
       }
       if (b.me == 1) {
         a_moment();
         see(b.words(0));
       }
     }},
    {"quiet_of_another_PE", race,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       if (b.me == 1) {
         a_moment();
         symm::quiet();
         see(b.words(0));
       }
     }},

    // Two operations of one PE on one place.
    {"put_put_to_one_place", race,  // "put then put to the same place, too,
                                    // needs fence()"
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put(b.w(), b.m(), 4, 1);
       symm::put(b.w() + 2, b.m(), 4, 1);
     }},
    {"put_fence_put_to_one_place", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put(b.w(), b.m(), 4, 1);
       symm::fence();
       symm::put(b.w() + 2, b.m(), 4, 1);
     }},
    {"put_nbi_put_nbi_to_one_place", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put_nbi(b.w(), b.m(), 4, 1);
       symm::put_nbi(b.w() + 2, b.m(), 4, 1);
       symm::quiet();
     }},
    {"put_nbi_quiet_put_nbi_to_one_place", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put_nbi(b.w(), b.m(), 4, 1);
       symm::quiet();
       symm::put_nbi(b.w() + 2, b.m(), 4, 1);
       symm::quiet();
     }},
    {"get_nbi_fence_put_to_one_place", race,  // fence() orders no gets
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::get_nbi(b.m(), b.w(), 4, 1);
       symm::fence();
       symm::put(b.w(), b.m() + 8, 4, 1);
       symm::quiet();
     }},
    {"get_nbi_quiet_put_to_one_place", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::get_nbi(b.m(), b.w(), 4, 1);
       symm::quiet();
       symm::put(b.w(), b.m() + 8, 4, 1);
     }},
    {"get_put_to_one_place", none,  // a get is done when it returns
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::get(b.m(), b.w(), 4, 1);
       symm::put(b.w(), b.m() + 8, 4, 1);
     }},
    {"put_barrier_of_one_of_two_teams_load", none,
     [](Bed const& b) {
       auto half = symm::team_split(symm::team_world(), b.me % 2, b.me);
       for (int round = 0; round < 3; ++round) {
         if (b.me == 0) symm::p(b.w(), round, 2);
         if (b.me == 1) symm::barrier(half);  // it is alone
         symm::barrier(half);
         if (b.me == 2) b.expect(b.w()[0], round);
         symm::barrier(half);
       }
       symm::team_destroy(half);
     },
     3},
};

}  // namespace

std::span<Case const> order_cases() { return cases; }

}  // namespace symm_test

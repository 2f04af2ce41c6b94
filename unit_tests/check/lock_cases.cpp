// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Locks, and collective operations. Of these, symm_collectives.hpp says: "a
// source that other PEs have put needs a barrier before the call. When a call
// has ended on a PE, its dest is complete and its source may be changed."

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

void add_one(Bed const& b) {
  Word const was = symm::g(b.w(), 1);
  symm::p(b.w(), was + 1, 1);
}

// A lock of the program's own: a signal that is 1 if a PE has it.

void take_without_order(symm::Signal* lock, symm::Pe pe) {
  while (symm::atomic_compare_swap(lock, 0, 1, pe) != 0) {
    std::this_thread::yield();
  }
}

// [compare_swap
void take(symm::Signal* lock, symm::Pe pe) {
  while (symm::atomic_compare_swap(lock, 0, 1, pe) != 0) {
    std::this_thread::yield();
  }
  // What follows comes after it.
  static_cast<void>(symm::load_acquire(symm::ptr(lock, pe)));
}

void give_back(symm::Signal* lock, symm::Pe pe) {
  symm::quiet();  // all that this PE has begun is done
  symm::atomic_set(lock, 0, pe);
}
// compare_swap]

Case const cases[] = {
    // Locks.
    {"get_and_put_with_the_lock", none,
     [](Bed const& b) {
       symm::set_lock(b.locks.data());
       add_one(b);
       symm::clear_lock(b.locks.data());
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), symm::n_pes());
     }},
    {"get_and_put_without_a_lock", race, [](Bed const& b) { add_one(b); }},
    {"get_and_put_one_PE_without_the_lock", race,
     [](Bed const& b) {
       if (b.me != 0) symm::set_lock(b.locks.data());
       add_one(b);
       if (b.me != 0) symm::clear_lock(b.locks.data());
     }},
    {"get_and_put_with_two_locks", race,
     [](Bed const& b) {
       auto* const lock = b.locks.data() + b.me % 2;
       symm::set_lock(lock);
       add_one(b);
       symm::clear_lock(lock);
     }},
    {"put_behind_clear_lock", race,
     [](Bed const& b) {
       symm::set_lock(b.locks.data());
       Word const was = symm::g(b.w(), 1);
       symm::clear_lock(b.locks.data());
       symm::p(b.w(), was + 1, 1);
     }},
    {"get_and_put_with_test_lock", none,
     [](Bed const& b) {
       while (symm::test_lock(b.locks.data()) != 0) std::this_thread::yield();
       add_one(b);
       symm::clear_lock(b.locks.data());
     }},
    // docs/races.md says how.
    {"get_and_put_with_compare_swap_and_load_acquire", none,
     [](Bed const& b) {
       take(b.f(), 1);
       add_one(b);
       give_back(b.f(), 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), symm::n_pes());
     },
     2, true},
    {"get_and_put_with_compare_swap_alone", race,
     [](Bed const& b) {
       take_without_order(b.f(), 1);
       add_one(b);
       give_back(b.f(), 1);
     }},
    {"get_and_put_with_compare_swap_without_quiet", race,
     [](Bed const& b) {
       take(b.f(), 1);
       add_one(b);
       symm::atomic_set(b.f(), 0, 1);
     },
     2, true},
    {"put_nbi_with_the_lock", none,  // clear_lock() completes it
     [](Bed const& b) {
       symm::set_lock(b.locks.data());
       symm::put_nbi(b.w(), b.m(), 4, 1);
       symm::clear_lock(b.locks.data());
     }},
    {"store_with_the_lock_get_with_the_lock", none,
     [](Bed const& b) {
       symm::set_lock(b.locks.data());
       if (b.me == 1) b.words(0) = 7;
       if (b.me == 0) see(symm::g(b.w(), 1));
       symm::clear_lock(b.locks.data());
     }},
    {"store_with_the_lock_get_without", race,
     [](Bed const& b) {
       if (b.me == 0) {
         a_moment();
         see(symm::g(b.w(), 1));
         return;
       }
       symm::set_lock(b.locks.data());
       if (b.me == 1) b.words(0) = 7;
       symm::clear_lock(b.locks.data());
     }},

    // Collective operations.
    {"store_broadcast_load", none,
     [](Bed const& b) {
       if (b.me == 0) b.more(0) = 7;
       symm::broadcast(symm::team_world(), b.w(), b.m(), 4, 0);
       b.expect(b.words(0), 7);
     }},
    {"store_reduce_store_to_the_source", none,
     [](Bed const& b) {
       b.more(0) = 1;
       symm::reduce(symm::team_world(), b.w(), b.m(), 4, symm::Sum{});
       b.more(0) = 2;
       b.expect(b.words(0), symm::n_pes());
     }},
    {"large_reduce_store_to_the_source", none,
     [](Bed const& b) {
       b.more(9) = 1;
       symm::reduce(symm::team_world(), b.w(), b.m(), Bed::n_words,
                    symm::Sum{});
       b.more(9) = 2;
       b.expect(b.words(9), symm::n_pes());
     }},
    {"store_fcollect_load", none,
     [](Bed const& b) {
       b.more(0) = 7;
       symm::fcollect(symm::team_world(), b.w(), b.m(), 4);
       b.expect(b.words(4), 7);
     }},
    {"store_alltoall_load", none,
     [](Bed const& b) {
       b.more(0) = b.me;
       symm::alltoall(symm::team_world(), b.w(), b.m(), 1);
       if (b.me == 0) b.expect(b.words(1), 1);
     }},
    {"scans_in_place_one_after_the_other", none,
     [](Bed const& b) {
       b.words(0) = 1;
       symm::inscan(symm::team_world(), b.w(), b.w(), 1, symm::Sum{});
       symm::inscan(symm::team_world(), b.w(), b.w(), 1, symm::Sum{});
       if (b.me == 1) b.expect(b.words(0), 3);
     }},
    {"put_to_the_source_reduce", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.m(), b.w() + 8, 4, 1);
       symm::reduce(symm::team_world(), b.w(), b.m(), 4, symm::Sum{});
     }},
    {"put_to_the_source_barrier_reduce", none,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.m(), b.w() + 8, 4, 1);
       symm::barrier_all();
       symm::reduce(symm::team_world(), b.w(), b.m(), 4, symm::Sum{});
       b.expect(b.words(0), 0);
     }},
    // PE 1's call may not have ended when PE 0's has.
    {"broadcast_put_to_the_dest_of_another_PE", race,
     [](Bed const& b) {
       symm::broadcast(symm::team_world(), b.w(), b.m(), 4, 0);
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (b.me == 1) see(b.words(0));
     }},
    {"broadcast_barrier_put_to_the_dest_of_another_PE", none,
     [](Bed const& b) {
       symm::broadcast(symm::team_world(), b.w(), b.m(), 4, 0);
       b.expect(b.words(0), 0);
       symm::barrier_all();
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
     }},
    // reduce() of a value waits for all PEs, as sync() does.
    {"put_reduce_of_a_value_load", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       see(symm::reduce(symm::team_world(), Word{1}, symm::Sum{}));
       if (b.me == 1) see(b.words(0));
     }},
    {"put_quiet_reduce_of_a_value_load", none,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       symm::quiet();
       see(symm::reduce(symm::team_world(), Word{1}, symm::Sum{}));
       if (b.me == 1) b.expect(b.words(0), 0);
     }},
};

}  // namespace

std::span<Case const> lock_cases() { return cases; }

}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Pairs of operations of two PEs on the same words of PE 1, without an order.
// PE 0 begins; PE 1 itself, or PE 2, comes somewhat later.

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

/// The second operation, by PE `pe`, which gets to it somewhat later.
bool is_later(Bed const& b, symm::Pe pe) {
  if (b.me != pe) return false;
  a_moment();
  return true;
}

Case const cases[] = {
    // Reads of two PEs.
    {"get_and_load", none,
     [](Bed const& b) {
       if (b.me == 0) symm::get(b.m(), b.w(), 4, 1);
       if (is_later(b, 1)) b.expect(b.words(0), 0);
     }},
    {"get_and_get", none,
     [](Bed const& b) {
       if (b.me == 0) symm::get(b.m(), b.w(), 4, 1);
       if (is_later(b, 2)) symm::get(b.m(), b.w(), 4, 1);
     },
     3},
    {"g_and_iget", none,
     [](Bed const& b) {
       if (b.me == 0) see(symm::g(b.w(), 1));
       if (is_later(b, 2)) symm::iget(b.m(), b.w(), 1, 2, 4, 1);
     },
     3},
    {"atomic_fetch_and_load", none,
     [](Bed const& b) {
       if (b.me == 0) see(symm::atomic_fetch(b.w(), 1));
       if (is_later(b, 1)) b.expect(b.words(0), 0);
     }},
    {"atomic_fetch_and_get", none,
     [](Bed const& b) {
       if (b.me == 0) see(symm::atomic_fetch(b.w(), 1));
       if (is_later(b, 2)) symm::get(b.m(), b.w(), 4, 1);
     },
     3},
    {"atomic_fetch_nbi_and_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::atomic_fetch_nbi(b.m(), b.w(), 1);
         symm::quiet();
       }
       if (is_later(b, 1)) b.expect(b.words(0), 0);
     }},

    // A read and a write.
    {"get_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) symm::get(b.m(), b.w(), 4, 1);
       if (is_later(b, 1)) b.words(0) = 1;
     }},
    {"store_and_get", race,
     [](Bed const& b) {
       if (b.me == 1) b.words(0) = 1;
       if (is_later(b, 0)) symm::get(b.m(), b.w(), 4, 1);
     }},
    {"get_and_put", race,
     [](Bed const& b) {
       if (b.me == 0) symm::get(b.m(), b.w(), 4, 1);
       if (is_later(b, 2)) symm::put(b.w(), b.m(), 4, 1);
     },
     3},
    {"get_nbi_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::get_nbi(b.m(), b.w(), 4, 1);
         symm::quiet();
       }
       if (is_later(b, 1)) b.words(0) = 1;
     }},
    {"g_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) see(symm::g(b.w(), 1));
       if (is_later(b, 1)) b.words(0) = 1;
     }},
    {"g_and_put", race,
     [](Bed const& b) {
       if (b.me == 0) see(symm::g(b.w(), 1));
       if (is_later(b, 2)) symm::put(b.w(), b.m(), 4, 1);
     },
     3},
    {"iget_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) symm::iget(b.m(), b.w(), 1, 3, 4, 1);
       if (is_later(b, 1)) b.words(6) = 1;
     }},
    {"iget_and_put", race,
     [](Bed const& b) {
       if (b.me == 0) symm::iget(b.m(), b.w(), 1, 3, 4, 1);
       if (is_later(b, 2)) symm::put(b.w(), b.m(), 10, 1);
     },
     3},
    {"put_and_load", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (is_later(b, 1)) see(b.words(0));
     }},
    {"load_and_put", race,
     [](Bed const& b) {
       if (b.me == 1) see(b.words(0));
       if (is_later(b, 0)) symm::put(b.w(), b.m(), 4, 1);
     }},
    {"put_nbi_and_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put_nbi(b.w(), b.m(), 4, 1);
         symm::quiet();
       }
       if (is_later(b, 1)) see(b.words(0));
     }},
    {"p_and_load", race,
     [](Bed const& b) {
       if (b.me == 0) symm::p(b.w(), 1, 1);
       if (is_later(b, 1)) see(b.words(0));
     }},
    {"p_and_atomic_load", none,  // what is polled comes whole
     [](Bed const& b) {
       if (b.me == 0) symm::p(b.w(), 1, 1);
       if (b.me == 1) see(symm::load_relaxed(b.w()));
     }},
    {"p_and_atomic_store", race,
     [](Bed const& b) {
       if (b.me == 0) symm::p(b.w(), 1, 1);
       if (b.me == 1) symm::store_relaxed(b.w(), 2);
     }},
    {"p_and_get", race,
     [](Bed const& b) {
       if (b.me == 0) symm::p(b.w(), 1, 1);
       if (is_later(b, 2)) symm::get(b.m(), b.w(), 4, 1);
     },
     3},
    {"putmem_and_load", race,
     [](Bed const& b) {
       if (b.me == 0) symm::putmem(b.w(), b.m(), 32, 1);
       if (is_later(b, 1)) see(b.words(3));
     }},
    {"large_put_and_load", race,  // more than a few words go by another copy
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), Bed::n_words, 1);
       if (is_later(b, 1)) see(b.words(Bed::n_words - 1));
     }},

    // Two writes.
    {"put_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (is_later(b, 1)) b.words(0) = 1;
     }},
    {"store_and_put", race,
     [](Bed const& b) {
       if (b.me == 1) b.words(0) = 1;
       if (is_later(b, 0)) symm::put(b.w(), b.m(), 4, 1);
     }},
    {"put_and_put", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (is_later(b, 2)) symm::put(b.w(), b.m(), 4, 1);
     },
     3},
    {"put_and_put_side_by_side", none,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (is_later(b, 2)) symm::put(b.w() + 4, b.m(), 4, 1);
     },
     3},
    {"iput_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) symm::iput(b.w(), b.m(), 3, 1, 4, 1);
       if (is_later(b, 1)) b.words(6) = 1;
     }},
    {"iput_and_store_between", none,
     [](Bed const& b) {
       if (b.me == 0) symm::iput(b.w(), b.m(), 3, 1, 4, 1);
       if (is_later(b, 1)) b.words(5) = 1;
     }},
    {"iput_and_put", race,
     [](Bed const& b) {
       if (b.me == 0) symm::iput(b.w(), b.m(), 3, 1, 4, 1);
       if (is_later(b, 2)) symm::put(b.w() + 2, b.m(), 4, 1);
     },
     3},
    {"put_signal_and_store", race,
     [](Bed const& b) {
       if (b.me == 0)
         symm::put_signal(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::set, 1);
       if (is_later(b, 1)) b.words(0) = 1;
     }},
    {"put_signal_and_put_signal", race,  // of the data; the signals may
     [](Bed const& b) {
       if (b.me == 0)
         symm::put_signal(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::add, 1);
       if (is_later(b, 2))
         symm::put_signal(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::add, 1);
     },
     3},
    {"put_signal_and_put_signal_side_by_side", none,
     [](Bed const& b) {
       if (b.me == 0)
         symm::put_signal(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::add, 1);
       if (is_later(b, 2))
         symm::put_signal(b.w() + 4, b.m(), 4, b.f(), 1, symm::SignalOp::add,
                          1);
     },
     3},

    // Atomic operations are whole for each other, and have no order with
    // anything else.
    {"atomic_set_and_atomic_set", none,
     [](Bed const& b) {
       if (b.me == 0) symm::atomic_set(b.w(), 1, 1);
       if (is_later(b, 2)) symm::atomic_set(b.w(), 2, 1);
     },
     3},
    {"atomic_inc_of_two_halves_of_a_word", none,
     [](Bed const& b) {
       auto* const halves = reinterpret_cast<int*>(b.w());
       symm::atomic_inc(halves, 1);
       symm::atomic_inc(halves + 1, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(halves[0] + halves[1], 2 * symm::n_pes());
     }},
    {"Kokkos_atomic_add_of_floating_point_by_all", none,
     // Kokkos loads the first guess of what is there.
     [](Bed const& b) {
       if (!symm::is_near(1)) return;
       auto* const its = symm::ptr(reinterpret_cast<double*>(b.w()), 1);
       for (int i = 0; i < 100; ++i) Kokkos::atomic_add(its, 1.0);
     }},
    {"Kokkos_atomic_add_of_floating_point_and_load", race,
     [](Bed const& b) {
       auto* const mine = reinterpret_cast<double*>(b.w());
       if (b.me == 0 && symm::is_near(1))
         Kokkos::atomic_add(symm::ptr(mine, 1), 1.0);
       if (b.me == 1) see(static_cast<Word>(*mine));
     },
     2, true},
    {"atomic_set_and_atomic_fetch", none,
     [](Bed const& b) {
       if (b.me == 0) symm::atomic_set(b.w(), 1, 1);
       if (is_later(b, 1)) see(symm::atomic_fetch(b.w(), 1));
     }},
    {"atomic_fetch_and_atomic_fetch", none,
     [](Bed const& b) {
       if (b.me == 0) see(symm::atomic_fetch(b.w(), 1));
       if (is_later(b, 2)) see(symm::atomic_fetch(b.w(), 1));
     },
     3},
    {"atomic_fetch_inc_and_atomic_fetch_inc", none,
     [](Bed const& b) {
       see(symm::atomic_fetch_inc(b.w(), 1));
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), symm::n_pes());
     }},
    {"atomic_compare_swap_and_atomic_add", none,
     [](Bed const& b) {
       if (b.me == 0) see(symm::atomic_compare_swap(b.w(), 0, 5, 1));
       if (is_later(b, 2)) symm::atomic_add(b.w(), 2, 1);
     },
     3},
    {"atomic_compare_swap_nbi_and_atomic_fetch_nbi", none,
     [](Bed const& b) {
       if (b.me == 0) symm::atomic_compare_swap_nbi(b.m(), b.w(), 0, 5, 1);
       if (is_later(b, 2)) symm::atomic_fetch_nbi(b.m(), b.w(), 1);
       symm::quiet();
     },
     3},
    {"atomic_add_of_many_to_a_few_words", none,
     [](Bed const& b) {
       for (int i = 0; i < 100; ++i) symm::atomic_add(b.w() + i % 3, 1, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(1), 33 * symm::n_pes());
     }},
    {"atomic_set_and_load", race,
     [](Bed const& b) {
       if (b.me == 0) symm::atomic_set(b.w(), 1, 1);
       if (is_later(b, 1)) see(b.words(0));
     }},
    {"atomic_set_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) symm::atomic_set(b.w(), 1, 1);
       if (is_later(b, 1)) b.words(0) = 2;
     }},
    {"atomic_fetch_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) see(symm::atomic_fetch(b.w(), 1));
       if (is_later(b, 1)) b.words(0) = 2;
     }},
    {"atomic_fetch_add_and_load", race,
     [](Bed const& b) {
       if (b.me == 0) see(symm::atomic_fetch_add(b.w(), 1, 1));
       if (is_later(b, 1)) see(b.words(0));
     }},
    {"atomic_compare_swap_nbi_and_store", race,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::atomic_compare_swap_nbi(b.m(), b.w(), 0, 5, 1);
         symm::quiet();
       }
       if (is_later(b, 1)) b.words(0) = 2;
     }},
    {"get_and_atomic_set", race,
     [](Bed const& b) {
       if (b.me == 0) symm::get(b.m(), b.w(), 4, 1);
       if (is_later(b, 2)) symm::atomic_set(b.w(), 1, 1);
     },
     3},
    {"put_and_atomic_fetch", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (is_later(b, 2)) see(symm::atomic_fetch(b.w(), 1));
     },
     3},
    {"put_and_atomic_set", race,
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       if (is_later(b, 2)) symm::atomic_set(b.w(), 1, 1);
     },
     3},
    {"put_nbi_and_atomic_add", race,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put_nbi(b.w(), b.m(), 4, 1);
         symm::quiet();
       }
       if (is_later(b, 2)) symm::atomic_add(b.w(), 1, 1);
     },
     3},
    {"atomics_of_two_sizes", race,  // whole for equal objects only
     [](Bed const& b) {
       auto* const halves = reinterpret_cast<std::int32_t*>(b.w());
       if (b.me == 0) symm::atomic_add(b.w(), 1, 1);
       if (is_later(b, 2)) symm::atomic_add(halves + 1, 1, 1);
     },
     3},
    {"atomics_of_two_halves", none,
     [](Bed const& b) {
       auto* const halves = reinterpret_cast<std::int32_t*>(b.w());
       if (b.me == 0) symm::atomic_add(halves, 1, 1);
       if (is_later(b, 2)) symm::atomic_add(halves + 1, 1, 1);
     },
     3},
    {"relaxed_load_and_relaxed_store", none,
     [](Bed const& b) {
       if (b.me == 0) symm::store_relaxed(symm::ptr(b.w(), 1), Word{1});
       if (is_later(b, 1)) see(symm::load_relaxed(b.w()));
     },
     2, true},
    {"put_signal_that_is_refused_load_of_its_signal", none,
     [](Bed const& b) {
       Word here = 0;
       if (b.me == 0) {
         try {
           symm::put_signal(&here, b.m(), 1, b.f(), 1, symm::SignalOp::set, 1);
           b.expect(here, 1);  // not here
         } catch (symm::UsageError const&) {
         }
       }
       if (b.me == 1) b.expect(static_cast<Word>(b.flags(0)), 0);
     }},
};

}  // namespace

std::span<Case const> conflict_cases() { return cases; }

}  // namespace symm_test

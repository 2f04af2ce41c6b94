// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Lives of Views, and loops over steps with one View or two.

#include <optional>
#include <utility>

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

/// One step of a stencil over a ring of PEs, of one cell each: the mean of the
/// two neighbors.
void mean_of_neighbors(Words const& from, Words const& to) {
  symm::Pe const me = symm::my_pe();
  symm::Pe const n  = symm::n_pes();
  Word const left   = symm::g(from.data(), (me + n - 1) % n);
  Word const right  = symm::g(from.data(), (me + 1) % n);
  to(0)             = (left + right) / 2;
}

Case const cases[] = {
    {"constructor_put", none,  // all PEs have filled theirs
     [](Bed const& b) {
       Words const fresh("constructor_put fresh", 8);
       if (b.me == 0) symm::p(fresh.data(), 7, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(fresh(0), 7);
     }},
    {"constructor_fill_put", race,
     [](Bed const& b) {
       Words const fresh("constructor_fill_put fresh", 8);
       Kokkos::deep_copy(fresh, Word{1});
       if (b.me == 0) symm::p(fresh.data(), 7, 1);
       symm::barrier_all();
     }},
    {"constructor_fill_barrier_put", none,
     [](Bed const& b) {
       Words const fresh("constructor_fill_barrier_put fresh", 8);
       Kokkos::deep_copy(fresh, Word{1});
       symm::barrier_all();
       if (b.me == 0) symm::p(fresh.data(), 7, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(fresh(0), 7);
     }},
    {"constructor_without_initializing_fill_get", race,
     [](Bed const& b) {
       Words const fresh(Kokkos::view_alloc("without_initializing fresh",
                                            Kokkos::WithoutInitializing),
                         8);
       if (b.me == 1) fresh(0) = 7;
       if (b.me == 0) see(symm::g(fresh.data(), 1));
       symm::barrier_all();
     }},
    {"put_constructor_of_another_View_load", none,
     // A constructor ends when all PEs have filled theirs: a barrier, of which
     // the model says that "a put may follow".
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 4, 1);
       symm::barrier_all();
       Words const fresh("another View", 8);
       if (b.me == 1) b.expect(b.words(0) + fresh(0), 0);
       symm::barrier_all();
     }},
    {"put_to_a_View_that_has_ended", race,
     [](Bed const& b) {
       std::optional<Words> fresh(std::in_place, "put_to_an_ended fresh", 8);
       Word* const address = fresh->data();
       if (b.me != 0) fresh.reset();
       if (b.me == 0) {
         a_moment();
         symm::p(address, 7, 1);
         fresh.reset();
       }
     }},
    {"put_barrier_end_of_the_View", none,
     [](Bed const& b) {
       Words const fresh("put_barrier_end fresh", 8);
       if (b.me == 0) symm::p(fresh.data(), 7, 1);
       symm::barrier_all();
     }},
    {"two_Views_one_after_the_other", none,  // maybe of the same memory
     [](Bed const& b) {
       for (Word round = 0; round < 4; ++round) {
         Words const fresh("two_Views fresh", 8);
         if (b.me == 0) symm::p(fresh.data(), round, 1);
         symm::barrier_all();
         if (b.me == 1) b.expect(fresh(0), round);
       }
     }},
    {"two_Views_end_without_a_barrier", none,
     // The block is not used again before all PEs have ended the View, and the
     // constructor of the next one waits for all.
     [](Bed const& b) {
       for (Word round = 0; round < 4; ++round) {
         Words const fresh("two_Views_end fresh", 8);
         if (b.me == 1) fresh(0) = round;
       }
     }},
    {"stencil_in_one_View", race,
     [](Bed const& b) {
       b.words(0) = 8 * b.me;
       for (int step = 0; step < 3; ++step) {
         symm::barrier_all();
         mean_of_neighbors(b.words, b.words);
       }
     }},
    {"stencil_in_two_Views_with_a_barrier", none,
     [](Bed const& b) {
       b.words(0) = 8;
       Words from = b.words, to = b.more;
       for (int step = 0; step < 3; ++step) {
         symm::barrier_all();
         mean_of_neighbors(from, to);
         std::swap(from, to);
       }
       b.expect(from(0), 8);
     }},
    {"stencil_in_two_Views_without_the_last_barrier", race,
     // Step 1 reads what step 0 has written.
     [](Bed const& b) {
       b.words(0) = 8;
       symm::barrier_all();
       mean_of_neighbors(b.words, b.more);
       mean_of_neighbors(b.more, b.words);
     }},
    {"stencil_in_two_Views_reads_too_late", race,
     // The neighbor writes what this PE still reads: two steps on one barrier.
     [](Bed const& b) {
       b.words(0) = 8;
       symm::barrier_all();
       see(symm::g(b.w(), (b.me + 1) % symm::n_pes()));
       b.words(0) = 9;
     }},
    {"ring_of_puts_and_barriers", none,
     [](Bed const& b) {
       symm::Pe const next = (b.me + 1) % symm::n_pes();
       for (Word step = 0; step < 4; ++step) {
         symm::p(b.w() + step % 2, step, next);
         symm::barrier_all();
         b.expect(b.words(step % 2), step);
       }
     }},
    {"exchange_of_blocks_all_to_all", none,
     [](Bed const& b) {
       for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
         b.more(pe) = b.me;
         symm::p(b.w() + b.me, b.more(pe), pe);
       }
       symm::barrier_all();
       for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe)
         b.expect(b.words(pe), pe);
     }},
    {"exchange_of_blocks_all_to_all_to_one_place", race,
     [](Bed const& b) {
       for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) symm::p(b.w(), b.me, pe);
     }},
};

}  // namespace

std::span<Case const> view_cases() { return cases; }

}  // namespace symm_test

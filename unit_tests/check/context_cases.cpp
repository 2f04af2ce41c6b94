// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Operations in a context, or with a request: fence() and quiet() of the
// context are about those alone.

#include <optional>
#include <utility>

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

void signal_in(symm::Context const& context, Bed const& b, symm::Signal value) {
  symm::put_signal(context, b.w(), b.m(), 4, b.f(), value, symm::SignalOp::set,
                   1);
}

Case const cases[] = {
    {"put_nbi_quiet_of_its_context_store", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Context const mine;
       symm::put_nbi(mine, b.w(), b.m(), 4, 1);
       mine.quiet();
       b.more(0) = 1;
     }},
    {"put_nbi_quiet_of_another_context_store", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Context const mine, other;
       symm::put_nbi(mine, b.w(), b.m(), 4, 1);
       other.quiet();
       b.more(0) = 1;
       mine.quiet();
     }},
    {"put_of_a_context_barrier_load", none,  // a barrier completes all contexts
     [](Bed const& b) {
       symm::Context const mine;
       if (b.me == 0) symm::put_nbi(mine, b.w(), b.m(), 4, 1);
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), 0);
     }},
    {"add_that_waits_in_a_context_barrier_load", race,
     [](Bed const& b) {
       symm::Context const mine({.aggregate = true});
       if (b.me == 0) symm::atomic_add(mine, b.w(), 1, 1);
       symm::barrier_all();
       if (b.me == 1) see(b.words(0));
       mine.quiet();
       symm::barrier_all();
     }},
    {"add_that_waits_in_a_context_its_quiet_barrier_load", none,
     [](Bed const& b) {
       symm::Context const mine({.aggregate = true});
       symm::atomic_add(mine, b.w(), 1, 1);
       mine.quiet();
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), symm::n_pes());
     }},
    {"add_that_waits_in_a_context_its_end_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::Context first({.aggregate = true});
         symm::Context const mine(std::move(first));
         symm::atomic_add(mine, b.w(), 1, 1);
       }
       symm::barrier_all();
       if (b.me == 1) b.expect(b.words(0), 1);
     }},
    {"add_that_waits_in_a_context_its_end_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::Context const mine({.aggregate = true});
         symm::atomic_add(mine, b.w(), 1, 1);
       }
       if (b.me == 1) see(b.words(0));
     }},
    {"put_of_a_context_its_quiet_sync_load", none,
     [](Bed const& b) {
       symm::Context const mine;
       if (b.me == 0) symm::put_nbi(mine, b.w(), b.m(), 4, 1);
       mine.quiet();
       symm::sync_all();
       if (b.me == 1) b.expect(b.words(0), 0);
     }},
    {"put_of_a_context_quiet_of_another_sync_load", race,
     [](Bed const& b) {
       symm::Context const mine, other;
       if (b.me == 0) symm::put_nbi(mine, b.w(), b.m(), 4, 1);
       other.quiet();
       symm::sync_all();
       if (b.me == 1) see(b.words(0));
     }},

    // Objects that end or move.
    {"put_nbi_of_an_ended_context_quiet_of_one_in_its_place_store", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       std::optional<symm::Context> context(std::in_place);
       symm::put_nbi(*context, b.w(), b.m(), 4, 1);
       context.emplace();
       context->quiet();
       b.more(0) = 1;
     }},
    {"put_nbi_of_a_context_that_moves_its_quiet_store", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Context first;
       symm::put_nbi(first, b.w(), b.m(), 4, 1);
       symm::Context const mine(std::move(first));
       mine.quiet();
       b.more(0) = 1;
     }},
    {"put_nbi_of_a_request_that_moves_its_wait_store", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Request first;
       symm::put_nbi(b.w(), b.m(), 4, 1, &first);
       symm::Request mine(std::move(first));
       mine.wait();
       b.more(0) = 1;
     }},
    {"put_nbi_of_a_request_that_is_let_go_wait_for_the_next_store", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Request request;
       symm::put_nbi(b.w(), b.m(), 4, 1, &request);
       symm::put_nbi(b.w() + 8, b.m() + 8, 4, 1, &request);
       request.wait();
       b.more(0) = 1;
       symm::quiet();
     }},

    // put_signal() in a context.
    {"put_signal_of_a_context_its_fence_put_signal", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Context const mine;
       signal_in(mine, b, 1);
       mine.fence();
       signal_in(mine, b, 2);
     }},
    {"put_signal_of_a_context_put_signal", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Context const mine;
       signal_in(mine, b, 1);
       signal_in(mine, b, 2);
     }},
    {"put_signal_of_a_context_fence_of_another_put_signal", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Context const mine, other;
       signal_in(mine, b, 1);
       other.fence();
       signal_in(mine, b, 2);
     }},
    {"put_signal_of_a_context_its_quiet_sync_load", none,
     [](Bed const& b) {
       symm::Context const mine;
       if (b.me == 0) signal_in(mine, b, 1);
       mine.quiet();
       symm::sync_all();
       if (b.me == 1) b.expect(b.words(0), 0);
     }},
    {"put_signal_of_a_context_sync_load", race,
     [](Bed const& b) {
       symm::Context const mine;
       if (b.me == 0) signal_in(mine, b, 1);
       symm::sync_all();
       if (b.me == 1) see(b.words(0));
     }},
    {"set_signal_of_a_context_its_quiet_added_signal_of_another_PE", race,
     [](Bed const& b) {
       symm::Context const mine;
       if (b.me == 0) signal_in(mine, b, 1);
       mine.quiet();
       if (b.me == 1) symm::signal_op(b.f(), 1, symm::SignalOp::add, 1);
     }},
    {"put_signal_nbi_request_wait_put_signal", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Request request;
       symm::put_signal_nbi(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::set, 1,
                            &request);
       request.wait();
       b.more(0) = 1;
       symm::put_signal(b.w(), b.m(), 4, b.f(), 2, symm::SignalOp::set, 1);
     }},
    {"put_signal_nbi_request_wait_source_put_signal", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Request request;
       symm::put_signal_nbi(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::set, 1,
                            &request);
       request.wait_source();
       symm::put_signal(b.w(), b.m(), 4, b.f(), 2, symm::SignalOp::set, 1);
       request.wait();
     }},
    {"put_signal_of_a_context_its_fence_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::Context const mine;
         b.more(0) = 7;
         signal_in(mine, b, 1);
         mine.fence();
         symm::signal_op(b.f(1), 1, symm::SignalOp::set, 1);
       }
       if (b.me == 1) {
         symm::signal_wait_until(b.f(), symm::Compare::eq, 1);
         b.expect(b.words(0), 7);
       }
     }},
};

}  // namespace

std::span<Case const> context_cases() { return cases; }

}  // namespace symm_test

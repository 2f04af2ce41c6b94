// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Signals, flags and waits: the three rules of docs/memory_model.md.

#include <array>

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;
using symm::Compare;
using symm::SignalOp;

void put_some(Bed const& b, Word value = 7) {
  b.more(0) = value;
  symm::put(b.w(), b.m(), 4, 1);
}
void put_with_signal(Bed const& b, Word value = 7) {
  b.more(0) = value;
  symm::put_signal(b.w(), b.m(), 4, b.f(), static_cast<symm::Signal>(value),
                   SignalOp::set, 1);
}

Case const cases[] = {
    // Rule 1: data, fence, flag; wait, data.
    {"put_p_wait_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::p(b.f(), 1, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       see(b.words(0));
     }},
    {"put_fence_p_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::fence();
         symm::p(b.f(), 1, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       b.expect(b.words(0), 7);
     }},
    {"put_quiet_p_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::quiet();
         symm::p(b.f(), 1, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       b.expect(b.words(0), 7);
     }},
    {"put_nbi_fence_p_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put_nbi(b.w(), b.m(), 4, 1);
         symm::fence();
         symm::p(b.f(), 1, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       b.expect(b.words(0), 0);
     }},
    {"put_atomic_set_wait_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::atomic_set(b.f(), 1, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       see(b.words(0));
     }},
    {"put_fence_atomic_set_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::fence();
         symm::atomic_set(b.f(), 1, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       b.expect(b.words(0), 7);
     }},
    {"put_fence_atomic_add_of_all_wait_load", none,
     [](Bed const& b) {
       symm::p(b.w() + b.me, b.me, 1);
       symm::fence();
       symm::atomic_add(b.f(), 1, 1);
       if (b.me != 1) return;
       auto const all = static_cast<symm::Signal>(symm::n_pes());
       symm::wait_until(b.f(), Compare::eq, all);
       b.expect(b.words(0), 0);
     }},
    {"put_atomic_add_of_all_wait_load", race,
     [](Bed const& b) {
       symm::p(b.w() + b.me, b.me, 1);
       symm::atomic_add(b.f(), 1, 1);
       if (b.me != 1) return;
       auto const all = static_cast<symm::Signal>(symm::n_pes());
       symm::wait_until(b.f(), Compare::eq, all);
       see(b.words(0));
     }},
    {"store_by_address_fence_store_release_load_acquire_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         *symm::ptr(b.w(), 1) = 7;
         symm::store_release(symm::ptr(b.f(), 1), symm::Signal{1});
       }
       if (b.me != 1) return;
       while (symm::load_acquire(b.f()) != 1) std::this_thread::yield();
       b.expect(b.words(0), 7);
     },
     2, true},
    {"store_by_address_fence_store_relaxed_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         *symm::ptr(b.w(), 1) = 7;
         symm::fence();
         symm::store_relaxed(symm::ptr(b.f(), 1), symm::Signal{1});
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       b.expect(b.words(0), 7);
     },
     2, true},
    {"store_by_address_store_relaxed_wait_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         *symm::ptr(b.w(), 1) = 7;
         symm::store_relaxed(symm::ptr(b.f(), 1), symm::Signal{1});
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 1);
       see(b.words(0));
     },
     2, true},
    {"put_signal_load_relaxed_load", race,  // a relaxed load is no test
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       while (symm::load_relaxed(b.f()) != 7) std::this_thread::yield();
       see(b.words(0));
     }},

    // put_signal orders its own data.
    {"put_signal_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       symm::signal_wait_until(b.f(), Compare::ge, 7);
       b.expect(b.words(0), 7);
     }},
    {"put_signal_nbi_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put_signal_nbi(b.w(), b.m(), 4, b.f(), 1, SignalOp::add, 1);
         symm::quiet();
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(b.words(0), 0);
     }},
    {"put_signal_test_load", none,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       while (!symm::test(b.f(), Compare::ge, 7)) std::this_thread::yield();
       b.expect(b.words(0), 7);
     }},
    {"put_signal_signal_fetch_load", none,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       while (symm::signal_fetch(b.f()) != 7) std::this_thread::yield();
       b.expect(b.words(0), 7);
     }},
    {"put_signal_load", race,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       a_moment();
       see(b.words(0));
     }},
    {"put_signal_load_wait", race,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       see(b.words(0));
       symm::wait_until(b.f(), Compare::ge, 7);
     }},
    {"put_signal_failed_test_load", race,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       a_moment();
       if (!symm::test(b.f(), Compare::gt, 100)) see(b.words(0));
     }},
    {"put_signal_wait_for_what_is_there_load", race,
     [](Bed const& b) {
       if (b.me == 1) {
         symm::wait_until(b.f(), Compare::ge, 0);
         see(b.words(0));
       }
       if (b.me == 0) {
         a_moment(long_time);
         put_with_signal(b);
       }
     }},
    {"put_put_signal_of_others_wait_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::put_signal(b.w() + 8, b.m(), 4, b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       see(b.words(0));
     }},
    {"put_fence_put_signal_of_others_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::fence();
         symm::put_signal(b.w() + 8, b.m(), 4, b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(b.words(0), 7);
     }},
    {"put_signal_op_wait_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       see(b.words(0));
     }},
    {"put_fence_signal_op_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::fence();
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(b.words(0), 7);
     }},
    {"store_signal_op_wait_get", race,  // of the sender's own word
     [](Bed const& b) {
       if (b.me == 0) {
         b.words(0) = 7;
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       see(symm::g(b.w(), 0));
     }},
    {"store_fence_signal_op_wait_get", none,
     [](Bed const& b) {
       if (b.me == 0) {
         b.words(0) = 7;
         symm::fence();
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(symm::g(b.w(), 0), 7);
     }},

    // Several variables, several PEs.
    {"put_signal_to_two_wait_until_all_load", none,
     [](Bed const& b) {
       if (b.me != 1) {
         auto const i = static_cast<std::size_t>(b.me);
         symm::put_signal(b.w() + i, b.m(), 1, b.f(i), 1, SignalOp::set, 1);
         return;
       }
       std::array<int, 3> const skips{0, 1, 0};
       symm::wait_until_all(b.f(), 3, skips.data(), Compare::eq, 1);
       b.expect(b.words(0), 0);
       b.expect(b.words(2), 0);
     },
     3},
    {"put_signal_to_two_wait_until_any_load_of_the_other", race,
     [](Bed const& b) {
       if (b.me != 1) {
         auto const i = static_cast<std::size_t>(b.me);
         symm::put_signal(b.w() + i, b.m(), 1, b.f(i), 1, SignalOp::set, 1);
         return;
       }
       std::array<int, 3> const skips{0, 1, 0};
       auto const i =
           symm::wait_until_any(b.f(), 3, skips.data(), Compare::eq, 1);
       see(b.words(2 - i));
     },
     3},
    {"put_signal_to_two_wait_until_any_load", none,
     [](Bed const& b) {
       if (b.me != 1) {
         auto const i = static_cast<std::size_t>(b.me);
         symm::put_signal(b.w() + i, b.m(), 1, b.f(i), 1, SignalOp::set, 1);
         return;
       }
       std::array<int, 3> const skips{0, 1, 0};
       auto const i =
           symm::wait_until_any(b.f(), 3, skips.data(), Compare::eq, 1);
       b.expect(b.words(i), 0);
     },
     3},
    {"put_signal_wait_until_some_load", none,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       std::array<std::size_t, 4> found{};
       symm::wait_until_some(b.f(), 4, found.data(), nullptr, Compare::eq, 7);
       b.expect(b.words(0), 7);
     }},
    {"put_wait_for_the_signal_of_another_PE_load", race,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       if (b.me == 2) symm::signal_op(b.f(), 1, SignalOp::set, 1);
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       see(b.words(0));
     },
     3},
    {"put_quiet_signal_passed_on_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         put_some(b);
         symm::quiet();
         symm::signal_op(b.f(), 1, SignalOp::set, 2);
       }
       if (b.me == 2) {
         symm::wait_until(b.f(), Compare::ge, 1);
         symm::fence();
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(b.words(0), 7);
     },
     3},

    // Rule 3: the reader says when a place is free.
    {"put_signal_wait_load_put_signal", race,
     [](Bed const& b) {
       if (b.me == 0) {
         put_with_signal(b, 7);
         a_moment(long_time);  // PE 1 reads what it has waited for
         symm::fence();
         put_with_signal(b, 8);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 7);
       see(b.words(0));
     }},
    {"put_signal_wait_load_answer_put_signal", none,
     [](Bed const& b) {
       if (b.me == 0) {
         put_with_signal(b, 7);
         symm::wait_until(b.f(1), Compare::ge, 1);
         put_with_signal(b, 8);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 7);
       b.expect(b.words(0), 7);
       symm::fence();
       symm::signal_op(b.f(1), 1, SignalOp::set, 0);
       symm::wait_until(b.f(), Compare::ge, 8);
       b.expect(b.words(0), 8);
     }},
    {"two_places_in_turn", none,
     [](Bed const& b) {
       if (b.me > 1) return;
       symm::Pe const partner = 1 - b.me;
       for (symm::Signal step = 1; step <= 6; ++step) {
         auto const turn = step % 2;
         b.more(turn)    = static_cast<Word>(step);
         symm::put_signal(b.w() + 8 * turn, b.m() + turn, 1, b.f(turn), step,
                          SignalOp::set, partner);
         symm::wait_until(b.f(turn), Compare::ge, step);
         b.expect(b.words(8 * turn), static_cast<Word>(step));
       }
     }},
    {"one_place_for_all_steps", race,
     [](Bed const& b) {
       if (b.me > 1) return;
       symm::Pe const partner = 1 - b.me;
       for (symm::Signal step = 1; step <= 6; ++step) {
         b.more(0) = static_cast<Word>(step);
         symm::put_signal(b.w(), b.m(), 1, b.f(), step, SignalOp::set, partner);
         symm::wait_until(b.f(), Compare::ge, step);
         see(b.words(0));
       }
     }},

    // The flag itself.
    {"put_signal_wait_clear", none,  // who has seen it may clear it
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::eq, 7);
       b.flags(0) = 0;
       b.expect(b.words(0), 7);
     }},
    {"put_signal_clear", race,
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me == 1) {
         a_moment();
         b.flags(0) = 0;
       }
     }},
    {"put_signal_load_of_the_signal", race,  // a load of the flag is no test
     [](Bed const& b) {
       if (b.me == 0) put_with_signal(b);
       if (b.me == 1) {
         a_moment();
         see(static_cast<Word>(b.flags(0)));
       }
     }},
    {"signals_of_two_PEs_one_adds_one_sets", race,  // atomic if all do the same
     [](Bed const& b) {
       if (b.me == 0) symm::signal_op(b.f(), 1, SignalOp::add, 1);
       if (b.me == 2) symm::signal_op(b.f(), 5, SignalOp::set, 1);
     },
     3},
    {"signals_of_two_PEs_both_add", none,
     [](Bed const& b) {
       symm::signal_op(b.f(), 1, SignalOp::add, 1);
       if (b.me == 1)
         symm::wait_until(b.f(), Compare::eq,
                          static_cast<symm::Signal>(symm::n_pes()));
     }},
    {"a_signal_and_an_atomic_add", none,
     [](Bed const& b) {
       if (b.me == 0) symm::signal_op(b.f(), 1, SignalOp::add, 1);
       if (b.me == 2) symm::atomic_add(b.f(), 1, 1);
       if (b.me == 1) symm::wait_until(b.f(), Compare::eq, 2);
     },
     3},
};

}  // namespace

std::span<Case const> signal_cases() { return cases; }

}  // namespace symm_test

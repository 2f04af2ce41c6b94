// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Loads and stores of kernels, and the order of streams (rule 2 of
// docs/memory_model.md). All on execution spaces of the host.

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;
using symm::Compare;
using symm::SignalOp;
using Global = symm::GlobalView<Words>;
using Remote = symm::RemoteView<Words>;
using Range  = Kokkos::RangePolicy<Exec>;
using Teams  = Kokkos::TeamPolicy<Exec>;

constexpr int n = 8;

/// A race is counted once for each pair of places in the program: kernels of
/// different cases are told apart by their labels.
std::string label(char const* kernel) { return kernel + (" of " + s_case); }

/// Stores to PE `pe`'s words.
template <class AllPes>
struct Store {
  AllPes words;
  symm::Pe pe;
  KOKKOS_FUNCTION void operator()(int i) const { words(pe, i) = Word{7}; }
};
template <class AllPes>
void store(AllPes const& words, symm::Pe pe, int first = 0, int end = n) {
  Kokkos::parallel_for(label("store"), Range(Exec(), first, end),
                       Store<AllPes>{words, pe});
}

/// Adds up PE `pe`'s words.
template <class AllPes>
struct Load {
  AllPes words;
  symm::Pe pe;
  KOKKOS_FUNCTION void operator()(int i, Word& sum) const {
    Word const word = words(pe, i);
    sum += word;
  }
};
template <class AllPes>
Word load(AllPes const& words, symm::Pe pe, int first = 0, int end = n) {
  Word sum = 0;
  Kokkos::parallel_reduce(label("load"), Range(Exec(), first, end),
                          Load<AllPes>{words, pe}, sum);
  return sum;
}

struct Add {
  Global words;
  symm::Pe pe;
  KOKKOS_FUNCTION void operator()(int i) const {
    Kokkos::atomic_add(&words(pe, i), Word{1});
  }
};

struct PutByTeam {
  symm::HeapMap heap;
  Word* dest;
  Word const* source;
  symm::Pe pe;
  KOKKOS_FUNCTION void operator()(Teams::member_type const& member) const {
    symm::put(member, heap, dest, source, n, pe);
  }
};

Global global(Bed const& b) { return symm::global_view(b.words); }
Remote remote(Bed const& b) { return symm::remote_view(b.words); }

void put_by_team(Bed const& b) {
  Kokkos::parallel_for(label("put"), Teams(Exec(), 1, 1),
                       PutByTeam{symm::heap_map(b.words), b.w(), b.m(), 1});
}

/// PE 1's words as a View with Kokkos' trait Atomic.
using AtomicWords = Kokkos::View<Word*, Kokkos::LayoutRight, Space,
                                 Kokkos::MemoryTraits<Kokkos::Atomic>>;
struct Increment {
  AtomicWords words;
  KOKKOS_FUNCTION void operator()(int i) const { words(i) += Word{1}; }
};

Case const cases[] = {
    // Stores through Views of other PEs.
    {"global_view_store_load", race,
     [](Bed const& b) {
       if (b.me == 0) store(global(b), 1);
       if (b.me == 1) see(load(global(b), 1));
     },
     2, true},
    {"global_view_load_store", race,
     [](Bed const& b) {
       if (b.me == 0) see(load(global(b), 1));
       if (b.me == 1) store(global(b), 1);
     },
     2, true},
    {"global_view_store_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) store(global(b), 1);
       symm::barrier_all(Exec());
       if (b.me == 1) b.expect(load(global(b), 1), 7 * n);
     },
     2, true},
    {"global_view_store_fence_of_the_stream_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         store(global(b), 1);
         Exec().fence();
       }
       if (b.me == 1) {
         a_moment();
         see(load(global(b), 1));
       }
     },
     2, true},
    {"global_view_store_quiet_sync_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         store(global(b), 1);
         Exec().fence();
         symm::quiet();
       }
       symm::sync_all();
       if (b.me == 1) b.expect(load(global(b), 1), 7 * n);
     },
     2, true},
    {"global_view_stores_of_two_PEs", race,
     [](Bed const& b) {
       if (b.me == 0 || b.me == 2) store(global(b), 1);
     },
     3, true},
    {"global_view_stores_of_two_PEs_side_by_side", none,
     [](Bed const& b) {
       if (b.me == 0) store(global(b), 1, 0, 4);
       if (b.me == 2) store(global(b), 1, 4, 8);
     },
     3, true},
    {"remote_view_store_load", race,
     [](Bed const& b) {
       if (b.me == 0) store(remote(b), 1);
       if (b.me == 1) see(load(remote(b), 1));
     }},
    {"remote_view_load_store", race,
     [](Bed const& b) {
       if (b.me == 0) see(load(remote(b), 1));
       if (b.me == 1) store(remote(b), 1);
     }},
    {"remote_view_store_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) store(remote(b), 1);
       symm::barrier_all(Exec());
       if (b.me == 1) b.expect(load(remote(b), 1), 7 * n);
     }},
    {"store_of_the_owner_barrier_remote_view_load", none,
     [](Bed const& b) {
       if (b.me == 1) store(remote(b), 1);
       symm::barrier_all(Exec());
       if (b.me == 0) b.expect(load(remote(b), 1), 7 * n);
     }},

    // Copies of Views.
    {"deep_copy_to_a_peer_load", race,
     [](Bed const& b) {
       if (b.me == 0) Kokkos::deep_copy(Exec(), remote(b).peer(1), b.more);
       if (b.me == 1) see(load(remote(b), 1));
     }},
    {"deep_copy_to_a_peer_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) Kokkos::deep_copy(Exec(), remote(b).peer(1), b.more);
       symm::barrier_all(Exec());
       if (b.me == 1) b.expect(load(remote(b), 1), 0);
     }},
    {"deep_copy_of_a_peer_store", race,
     [](Bed const& b) {
       if (b.me == 0) Kokkos::deep_copy(Exec(), b.more, remote(b).peer(1));
       if (b.me == 1) store(remote(b), 1);
     }},
    {"fill_of_a_peer_view_load", race,
     [](Bed const& b) {
       if (b.me == 0) Kokkos::deep_copy(Exec(), symm::peer_view(b.words, 1), 7);
       if (b.me == 1) see(load(global(b), 1));
     },
     2, true},
    {"copy_to_a_peer_load", race,
     [](Bed const& b) {
       if (b.me == 0) symm::copy(remote(b).peer(1), b.more);
       if (b.me == 1) see(load(remote(b), 1));
     }},
    {"copy_to_a_peer_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) symm::copy(remote(b).peer(1), b.more);
       symm::barrier_all();
       if (b.me == 1) b.expect(load(remote(b), 1), 0);
     }},
    {"put_of_a_team_of_threads_load", race,
     [](Bed const& b) {
       if (b.me == 0) put_by_team(b);
       if (b.me == 1) see(load(remote(b), 1));
     }},
    {"put_of_a_team_of_threads_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) put_by_team(b);
       symm::barrier_all(Exec());
       if (b.me == 1) b.expect(load(remote(b), 1), 0);
     }},

    // Atomic updates of kernels.
    {"kokkos_atomic_add_of_all", none,
     [](Bed const& b) {
       Kokkos::parallel_for(label("add"), Range(Exec(), 0, n),
                            Add{global(b), 1});
       symm::barrier_all(Exec());
       if (b.me == 1) b.expect(b.words(3), symm::n_pes());
     },
     2, true},
    {"kokkos_atomic_add_load", race,
     [](Bed const& b) {
       if (b.me == 0)
         Kokkos::parallel_for(label("add"), Range(Exec(), 0, n),
                              Add{global(b), 1});
       if (b.me == 1) see(load(global(b), 1));
     },
     2, true},
    {"kokkos_atomic_add_and_atomic_add", none,
     [](Bed const& b) {
       if (b.me == 0)
         Kokkos::parallel_for(label("add"), Range(Exec(), 0, n),
                              Add{global(b), 1});
       if (b.me == 1) symm::atomic_add(b.w(), 1, 1);
     },
     2, true},
    {"atomic_view_of_all", none,
     [](Bed const& b) {
       AtomicWords const words = symm::peer_view(b.words, 1);
       Kokkos::parallel_for(label("increment"), Range(Exec(), 0, n),
                            Increment{words});
       symm::barrier_all(Exec());
       if (b.me == 1) b.expect(b.words(3), symm::n_pes());
     },
     2, true},

    // Streams.
    {"store_enqueued_signal_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         store(remote(b), 1);
         symm::signal_op(Exec(), b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(load(remote(b), 1), 7 * n);
     }},
    {"p_enqueued_twice_to_one_place", none,
     [](Bed const& b) {
       Exec const exec;
       for (Word i = 1; i < 4 && b.me == 0; ++i) symm::p(exec, b.w(), i, 1);
       symm::quiet(exec);
       symm::barrier_all(exec);
       exec.fence();
       if (b.me == 1) b.expect(b.w()[0], 3);
     }},
    {"put_enqueued_twice_to_one_place", none,
     [](Bed const& b) {
       Exec const exec;
       for (Word i = 1; i < 4 && b.me == 0; ++i)
         symm::put(exec, b.w(), b.m(), 4, 1);
       symm::barrier_all(exec);
     }},
    {"put_enqueued_put_signal_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put(Exec(), b.w(), b.m(), 4, 1);
         symm::put_signal(Exec(), b.w() + 8, b.m(), 4, b.f(), 1, SignalOp::set,
                          1);
         Exec().fence();
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(b.words(0), 0);
     }},
    {"store_signal_of_the_host_wait_load", race,  // it is in no stream
     [](Bed const& b) {
       if (b.me == 0) {
         store(remote(b), 1);
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       see(load(remote(b), 1));
     }},
    {"store_fence_of_the_stream_signal_of_the_host_wait_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         store(remote(b), 1);
         Exec().fence();
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       see(load(remote(b), 1));
     }},
    {"store_both_fences_signal_of_the_host_wait_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         store(remote(b), 1);
         Exec().fence();
         symm::fence();
         symm::signal_op(b.f(), 1, SignalOp::set, 1);
       }
       if (b.me != 1) return;
       symm::wait_until(b.f(), Compare::ge, 1);
       b.expect(load(remote(b), 1), 7 * n);
     }},
    {"put_signal_enqueued_wait_load_of_a_kernel", none,
     [](Bed const& b) {
       if (b.me == 0)
         symm::put_signal(b.w(), b.m(), n, b.f(), 1, SignalOp::set, 1);
       if (b.me != 1) return;
       symm::wait_until(Exec(), b.f(), Compare::ge, 1);
       b.expect(load(remote(b), 1), 0);
     }},
    {"put_signal_enqueued_wait_load_of_the_host", race,
     [](Bed const& b) {
       if (b.me == 0)
         symm::put_signal(b.w(), b.m(), n, b.f(), 1, SignalOp::set, 1);
       if (b.me != 1) return;
       symm::wait_until(Exec(), b.f(), Compare::ge, 1);
       see(b.words(0));
       Exec().fence();
     }},
    {"put_signal_enqueued_wait_fence_load_of_the_host", none,
     [](Bed const& b) {
       if (b.me == 0)
         symm::put_signal(b.w(), b.m(), n, b.f(), 1, SignalOp::set, 1);
       if (b.me != 1) return;
       symm::wait_until(Exec(), b.f(), Compare::ge, 1);
       Exec().fence();
       b.expect(b.words(0), 0);
     }},
    {"store_enqueued_barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) store(remote(b), 1);
       symm::barrier(Exec(), symm::team_world());
       if (b.me == 1) b.expect(load(remote(b), 1), 7 * n);
     }},
    {"store_barrier_without_the_stream_load", race,  // kernels that still run
                                                     // are not "before"
     [](Bed const& b) {
       if (b.me == 0) store(remote(b), 1);
       symm::barrier_all();
       if (b.me == 1) see(load(remote(b), 1));
     }},
    {"enqueued_put_quiet_sync_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put(Exec(), b.w(), b.m(), n, 1);
         symm::quiet(Exec());
         Exec().fence();
       }
       symm::sync_all();
       if (b.me == 1) b.expect(load(remote(b), 1), 0);
     }},
};

}  // namespace

std::span<Case const> kernel_cases() { return cases; }

}  // namespace symm_test

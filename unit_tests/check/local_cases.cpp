// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Buffers of operations that have begun and are not complete. On the PEs of one
// node the _nbi forms are the blocking ones, so nothing goes wrong there.

#include <algorithm>
#include <vector>

#include "cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

void put_some(Bed const& b) { symm::put_nbi(b.w(), b.m(), 4, 1); }
void get_some(Bed const& b) { symm::get_nbi(b.m(), b.w(), 4, 1); }

Case const cases[] = {
    // The source of a put.
    {"put_then_store_to_its_source", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put(b.w(), b.m(), 4, 1);
       b.more(0) = 1;
     }},
    {"put_nbi_then_load_of_its_source", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       put_some(b);
       b.expect(b.more(0), 0);
       symm::quiet();
     }},
    {"put_nbi_then_store_to_its_source", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       put_some(b);
       b.more(0) = 1;
       symm::quiet();
     }},
    {"put_nbi_then_store_beside_its_source", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       put_some(b);
       b.more(4) = 1;
       symm::quiet();
     }},
    {"put_nbi_quiet_store_to_its_source", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       put_some(b);
       symm::quiet();
       b.more(0) = 1;
     }},
    {"put_nbi_fence_store_to_its_source", race,  // fence() completes nothing
     [](Bed const& b) {
       if (b.me != 0) return;
       put_some(b);
       symm::fence();
       b.more(0) = 1;
       symm::quiet();
     }},
    {"put_nbi_barrier_store_to_its_source", none,
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::barrier_all();
       if (b.me == 0) b.more(0) = 1;
     }},
    {"put_nbi_sync_store_to_its_source", race,  // sync_all() completes nothing
     [](Bed const& b) {
       if (b.me == 0) put_some(b);
       symm::sync_all();
       if (b.me == 0) b.more(0) = 1;
     }},
    {"two_put_nbi_of_one_source", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       put_some(b);
       symm::put_nbi(b.w() + 8, b.m(), 4, 1);
       symm::quiet();
     }},
    {"put_nbi_of_private_memory_then_store", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       std::vector<Word> mine(4, 5);
       symm::put_nbi(b.w(), mine.data(), mine.size(), 1);
       mine[1] = 6;
       symm::quiet();
       see(mine[1]);
     }},
    {"put_nbi_of_private_memory_quiet_store", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       std::vector<Word> mine(4, 5);
       symm::put_nbi(b.w(), mine.data(), mine.size(), 1);
       symm::quiet();
       mine[1] = 6;
       see(mine[1]);
     }},
    {"put_signal_nbi_then_load_of_its_source", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put_signal_nbi(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::set, 1);
       b.expect(b.more(0), 0);
       symm::quiet();
     }},
    {"put_signal_nbi_then_store_to_its_source", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put_signal_nbi(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::set, 1);
       b.more(0) = 1;
       symm::quiet();
     }},
    {"put_signal_nbi_quiet_store_to_its_source", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put_signal_nbi(b.w(), b.m(), 4, b.f(), 1, symm::SignalOp::set, 1);
       symm::quiet();
       b.more(0) = 1;
     }},

    // The destination of a get.
    {"get_then_load_of_its_data", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::get(b.m(), b.w(), 4, 1);
       b.expect(b.more(0), 0);
     }},
    {"get_nbi_then_load_of_its_data", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       get_some(b);
       see(b.more(0));
       symm::quiet();
     }},
    {"get_nbi_then_comparison_of_its_data", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       std::vector<Word> const expected(
           static_cast<std::size_t>(symm::n_pes()));
       get_some(b);
       see(std::equal(expected.begin(), expected.end(), b.m()) ? 1 : 0);
       symm::quiet();
     }},
    {"get_nbi_then_store_to_its_data", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       get_some(b);
       b.more(0) = 1;
       symm::quiet();
     }},
    {"get_nbi_quiet_load_of_its_data", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       get_some(b);
       symm::quiet();
       b.expect(b.more(0), 0);
     }},
    {"get_nbi_fence_load_of_its_data", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       get_some(b);
       symm::fence();
       see(b.more(0));
       symm::quiet();
     }},
    {"get_nbi_barrier_load_of_its_data", none,
     [](Bed const& b) {
       if (b.me == 0) get_some(b);
       symm::barrier_all();
       if (b.me == 0) b.expect(b.more(0), 0);
     }},
    {"get_nbi_then_put_nbi_of_its_data", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       get_some(b);
       symm::put_nbi(b.w() + 8, b.m(), 4, 1);
       symm::quiet();
     }},
    {"two_get_nbi_to_one_place", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       get_some(b);
       symm::get_nbi(b.m() + 2, b.w() + 8, 4, 1);
       symm::quiet();
     }},
    {"two_get_nbi_side_by_side", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       get_some(b);
       symm::get_nbi(b.m() + 4, b.w(), 4, 1);
       symm::quiet();
       b.expect(b.more(5), 0);
     }},
    {"get_nbi_to_private_memory_then_load", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       std::vector<Word> mine(4);
       symm::get_nbi(mine.data(), b.w(), mine.size(), 1);
       see(mine[1]);
       symm::quiet();
     }},
    {"get_nbi_to_private_memory_quiet_load", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       std::vector<Word> mine(4, 5);
       symm::get_nbi(mine.data(), b.w(), mine.size(), 1);
       symm::quiet();
       b.expect(mine[1], 0);
     }},

    // The result of a fetching atomic operation.
    {"atomic_fetch_nbi_then_load", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::atomic_fetch_nbi(b.m(), b.w(), 1);
       see(b.more(0));
       symm::quiet();
     }},
    {"atomic_fetch_nbi_then_store", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::atomic_fetch_nbi(b.m(), b.w(), 1);
       b.more(0) = 1;
       symm::quiet();
     }},
    {"atomic_fetch_add_nbi_then_load", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::atomic_fetch_add_nbi(b.m(), b.w(), 1, 1);
       see(b.more(0));
       symm::quiet();
     }},
    {"atomic_fetch_add_nbi_quiet_load", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::atomic_fetch_add_nbi(b.m(), b.w(), 1, 1);
       symm::quiet();
       b.expect(b.more(0), 0);
     }},
    {"atomic_compare_swap_nbi_then_load", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::atomic_compare_swap_nbi(b.m(), b.w(), 0, 1, 1);
       see(b.more(0));
       symm::quiet();
     }},
    {"atomic_compare_swap_nbi_then_store", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::atomic_compare_swap_nbi(b.m(), b.w(), 0, 1, 1);
       b.more(0) = 1;
       symm::quiet();
     }},

    // Requests.
    {"put_nbi_wait_source_store", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Request request;
       symm::put_nbi(b.w(), b.m(), 4, 1, &request);
       request.wait_source();
       b.more(0) = 1;
       request.wait();
     }},
    {"get_nbi_request_wait_load", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Request request;
       symm::get_nbi(b.m(), b.w(), 4, 1, &request);
       request.wait();
       b.expect(b.more(0), 0);
     }},
    {"get_nbi_wait_for_another_request_load", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::Request first, second;
       symm::get_nbi(b.m(), b.w(), 4, 1, &first);
       symm::get_nbi(b.m() + 8, b.w(), 4, 1, &second);
       second.wait();
       see(b.more(0));
       first.wait();
     }},

    // Enqueued: the host is in no stream (rule 2).
    {"enqueued_put_then_store_to_its_source", race,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put(Exec(), b.w(), b.m(), 4, 1);
       b.more(0) = 1;
       Exec().fence();
     }},
    {"enqueued_put_fence_of_the_stream_store", none,
     [](Bed const& b) {
       if (b.me != 0) return;
       symm::put(Exec(), b.w(), b.m(), 4, 1);
       Exec().fence();
       b.more(0) = 1;
     }},
};

}  // namespace

std::span<Case const> local_cases() { return cases; }

}  // namespace symm_test

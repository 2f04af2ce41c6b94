// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Messages of MPI.

#include "mpi_cases.hpp"

namespace symm_test {
namespace {

using enum Expected;

Case const cases[] = {
    // Messages.
    {"store_MPI_message_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         b.words(0) = 7;
         send(1);
       }
       if (b.me == 1) {
         receive(0);
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_MPI_message_of_the_reader_load", race,  // the other direction
     [](Bed const& b) {
       if (b.me == 1) {
         send(0);
         symm::get(b.m(), b.w(), 1, 0);
       }
       if (b.me == 0) {
         b.words(0) = 7;
         receive(1);
       }
     }},
    {"MPI_synchronous_message_tells_its_sender_nothing", race,
     [](Bed const& b) {
       int const value = 7;
       if (b.me == 0) {
         b.words(0) = 7;
         receive(1);
       }
       if (b.me == 1) {
         MPI_Ssend(&value, 1, type, 0, 0, world());
         symm::get(b.m(), b.w(), 1, 0);
       }
     }},
    {"put_MPI_message_load", race,  // a message completes no put
     [](Bed const& b) {
       if (b.me == 0) {
         symm::put(b.w(), b.m(), 1, 1);
         send(1);
       }
       if (b.me == 1) {
         receive(0);
         see(b.words(0));
       }
     }},
    {"put_quiet_MPI_message_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         b.more(0) = 7;
         symm::put(b.w(), b.m(), 1, 1);
         symm::quiet();
         send(1);
       }
       if (b.me == 1) {
         receive(0);
         b.expect(b.words(0), 7);
       }
     }},
    {"store_behind_the_MPI_message_load", race,
     [](Bed const& b) {
       if (b.me == 0) {
         send(1);
         b.words(0) = 7;
         send(1);  // the reader waits for the first one
       }
       if (b.me == 1) {
         a_moment();
         receive(0);
         symm::get(b.m(), b.w(), 1, 0);
         receive(0);
       }
     }},
    {"store_before_the_second_MPI_message_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         send(1);
         b.words(0) = 7;
         send(1);
       }
       if (b.me == 1) {
         receive(0);
         receive(0);
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"MPI_messages_of_another_tag", race,
     [](Bed const& b) {
       if (b.me == 0) {
         send(1, 5);
         b.words(0) = 7;
         send(1, 6);
       }
       if (b.me == 1) {
         a_moment();
         receive(0, 5);
         symm::get(b.m(), b.w(), 1, 0);
         receive(0, 6);
       }
     }},
    {"MPI_messages_from_any_source_with_any_tag", none,
     [](Bed const& b) {
       if (b.me == 0) {
         send(1, 3);
         b.words(0) = 7;
         send(1, 4);
       }
       if (b.me == 1) {
         int value = 0;
         for (int i = 0; i < 2; ++i) {
           MPI_Recv(&value, 1, type, MPI_ANY_SOURCE, MPI_ANY_TAG, world(),
                    MPI_STATUS_IGNORE);
         }
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"MPI_messages_by_a_third_PE", none,
     [](Bed const& b) {
       if (b.me == 0) {
         b.words(0) = 7;
         send(1);
       }
       if (b.me == 1) {
         receive(0);
         send(2);
       }
       if (b.me == 2) {
         receive(1);
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     },
     3},
    {"MPI_messages_of_steps_in_turn", none,
     [](Bed const& b) {
       for (Word step = 1; step < 20; ++step) {
         if (b.me == 0) {
           b.words(0) = step;
           send(1);
           receive(1);
         }
         if (b.me == 1) {
           receive(0);
           symm::get(b.m(), b.w(), 1, 0);
           b.expect(b.more(0), step);
           send(0);
         }
       }
     }},
    {"MPI_messages_of_steps_without_an_answer", race,
     [](Bed const& b) {
       for (Word step = 1; step < 20; ++step) {
         if (b.me == 0) {
           b.words(0) = step;
           send(1);
         }
         if (b.me == 1) {
           receive(0);
           symm::get(b.m(), b.w(), 1, 0);
         }
       }
     }},
    {"MPI_Sendrecv_in_a_ring", none,
     [](Bed const& b) {
       int const right = (b.me + 1) % symm::n_pes();
       int const left  = (b.me + symm::n_pes() - 1) % symm::n_pes();
       Buffers x;
       b.words(0) = b.me + 5;
       MPI_Sendrecv(&x.m, 1, type, right, 1, &x.a, 1, type, left, 1, world(),
                    MPI_STATUS_IGNORE);
       symm::get(b.m(), b.w(), 1, left);
       b.expect(b.more(0), left + 5);
       MPI_Sendrecv_replace(&x.m, 1, type, left, 2, right, 2, world(),
                            MPI_STATUS_IGNORE);
       b.words(0) = 0;
     }},
    {"MPI_Probe_finds_the_message", none,
     [](Bed const& b) {
       if (b.me == 0) {
         b.words(0) = 7;
         send(1);
       }
       if (b.me == 1) {
         MPI_Probe(0, MPI_ANY_TAG, world(), MPI_STATUS_IGNORE);
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
         int is_there = 0;
         MPI_Iprobe(0, 0, world(), &is_there, MPI_STATUS_IGNORE);
         receive(0);
       }
     }},
    {"MPI_Mprobe_takes_the_message", none,
     [](Bed const& b) {
       if (b.me == 0) {
         for (Word step = 1; step < 3; ++step) {
           b.words(step) = 7;
           send(1);
         }
       }
       if (b.me == 1) {
         int value = 0;
         MPI_Message message;
         MPI_Mprobe(0, 0, world(), &message, MPI_STATUS_IGNORE);
         symm::get(b.m(), b.w() + 1, 1, 0);
         MPI_Mrecv(&value, 1, type, &message, MPI_STATUS_IGNORE);
         receive(0);
         symm::get(b.m(), b.w() + 2, 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
};

}  // namespace

std::span<Case const> mpi_message_cases() { return cases; }

}  // namespace symm_test

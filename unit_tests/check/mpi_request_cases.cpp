// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Requests and communicators of MPI.

#include "mpi_cases.hpp"

#include <array>

namespace symm_test {
namespace {

using enum Expected;

Case const cases[] = {
    // Requests.
    {"MPI_Irecv_and_Isend_of_all_MPI_Waitall", none,
     [](Bed const& b) {
       std::vector<MPI_Request> requests;
       Buffers x;
       b.words(0) = b.me + 5;
       for (int pe = 0; pe < symm::n_pes(); ++pe) {
         auto const i = static_cast<std::size_t>(pe);
         requests.resize(requests.size() + 2);
         auto* const two = &requests[requests.size() - 2];
         MPI_Irecv(&x.all[i], 1, type, pe, 0, world(), &two[0]);
         MPI_Isend(&x.mine[i], 1, type, pe, 0, world(), &two[1]);
       }
       MPI_Waitall(static_cast<int>(requests.size()), requests.data(),
                   MPI_STATUSES_IGNORE);
       for (int pe = 0; pe < symm::n_pes(); ++pe) {
         symm::get(b.m(), b.w(), 1, pe);
         b.expect(b.more(0), pe + 5);
       }
     }},
    {"MPI_Irecv_load_MPI_Wait", race,  // before the message has come
     [](Bed const& b) {
       if (b.me == 0) {
         b.words(0) = 7;
         send(1);
       }
       if (b.me == 1) {
         int value = 0;
         MPI_Request request;
         MPI_Irecv(&value, 1, type, 0, 0, world(), &request);
         a_moment();
         symm::get(b.m(), b.w(), 1, 0);
         MPI_Wait(&request, MPI_STATUS_IGNORE);
       }
     }},
    {"MPI_Test_until_it_is_there", none,
     [](Bed const& b) {
       if (b.me == 0) {
         a_moment();
         b.words(0) = 7;
         send(1);
       }
       if (b.me == 1) {
         int value   = 0;
         int is_done = 0;
         MPI_Request request;
         MPI_Irecv(&value, 1, type, 0, 0, world(), &request);
         while (is_done == 0) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"MPI_Waitany_and_Testsome", none,
     [](Bed const& b) {
       if (b.me != 1) {
         b.words(0) = 7;
         for (int tag = 0; tag < 2; ++tag) send(1, tag);
       }
       if (b.me == 1) {
         std::vector<MPI_Request> requests;
         std::vector<int> from;
         std::vector<int> values(2 * n());
         for (int pe = 0; pe < symm::n_pes(); ++pe) {
           for (int tag = 0; tag < 2 && pe != 1; ++tag) {
             from.push_back(pe);
             requests.emplace_back();
             MPI_Irecv(&values[requests.size() - 1], 1, type, pe, tag, world(),
                       &requests.back());
           }
         }
         auto const count = static_cast<int>(requests.size());
         auto const look  = [&](int i) {
           symm::get(b.m(), b.w(), 1, from[static_cast<std::size_t>(i)]);
           b.expect(b.more(0), 7);
         };
         int i = 0;
         MPI_Waitany(count, requests.data(), &i, MPI_STATUS_IGNORE);
         look(i);
         std::vector<int> which(requests.size());
         for (int left = count - 1; left > 0;) {
           MPI_Testsome(count, requests.data(), &i, which.data(),
                        MPI_STATUSES_IGNORE);
           for (int k = 0; k < i; ++k) look(which[static_cast<std::size_t>(k)]);
           left -= i;
         }
       }
     }},
    {"MPI_Waitany_of_another_one", race,
     [](Bed const& b) {
       if (b.me == 0) {
         send(1, 0);
         b.words(0) = 7;
         receive(1);
         send(1, 1);
       }
       if (b.me == 1) {
         std::array<int, 2> values{};
         std::array<MPI_Request, 2> requests;
         for (int tag = 0; tag < 2; ++tag) {
           auto const at = static_cast<std::size_t>(tag);
           MPI_Irecv(&values[at], 1, type, 0, tag, world(), &requests[at]);
         }
         int i = 0;
         MPI_Waitany(2, requests.data(), &i, MPI_STATUS_IGNORE);
         symm::get(b.m(), b.w(), 1, 0);
         send(0);
         MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
       }
     }},
    {"MPI_persistent_requests", none,
     [](Bed const& b) {
       int value           = 0;
       MPI_Request request = MPI_REQUEST_NULL;
       if (b.me == 0) MPI_Send_init(&value, 1, type, 1, 0, world(), &request);
       if (b.me == 1) MPI_Recv_init(&value, 1, type, 0, 0, world(), &request);
       for (Word step = 1; step < 4 && b.me < 2; ++step) {
         if (b.me == 0) b.words(0) = step;
         MPI_Start(&request);
         MPI_Wait(&request, MPI_STATUS_IGNORE);
         if (b.me == 0) receive(1, 1);
         if (b.me == 1) {
           symm::get(b.m(), b.w(), 1, 0);
           b.expect(b.more(0), step);
           send(0, 1);
         }
       }
       if (b.me < 2) MPI_Request_free(&request);
     }},

    // Communicators.
    {"MPI_messages_of_a_communicator_with_other_ranks", none,
     [](Bed const& b) {
       MPI_Comm turned = MPI_COMM_NULL;
       MPI_Comm_split(world(), 0, -b.me, &turned);
       int const last = symm::n_pes() - 1;
       if (b.me == 0) {
         b.words(0) = 7;
         send(last - 1, 0, turned);  // PE 1
       }
       if (b.me == 1) {
         receive(last, 0, turned);
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
       MPI_Comm_free(&turned);
     }},
    {"MPI_messages_of_a_duplicate_are_others", race,
     [](Bed const& b) {
       MPI_Comm copy = MPI_COMM_NULL;
       MPI_Comm_dup(world(), &copy);
       if (b.me == 0) {
         send(1);
         b.words(0) = 7;
         send(1, 0, copy);
       }
       if (b.me == 1) {
         a_moment();
         receive(0);
         symm::get(b.m(), b.w(), 1, 0);
         receive(0, 0, copy);
       }
       MPI_Comm_free(&copy);
     }},
    {"MPI_Barrier_of_a_duplicate", none,
     [](Bed const& b) {
       MPI_Comm copy = MPI_COMM_NULL;
       MPI_Comm_dup(world(), &copy);
       if (b.me == 0) b.words(0) = 7;
       MPI_Barrier(copy);
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
       MPI_Comm_free(&copy);
     }},
    {"MPI_Barrier_of_those_with_both", none,
     [](Bed const& b) {
       MPI_Comm two = MPI_COMM_NULL;
       MPI_Comm_split(world(), b.me < 2 ? 0 : MPI_UNDEFINED, 0, &two);
       if (b.me == 0) b.words(0) = 7;
       if (b.me < 2) MPI_Barrier(two);
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
       if (b.me < 2) MPI_Comm_free(&two);
     }},
    {"MPI_Barrier_of_those_without_the_reader", race,
     [](Bed const& b) {
       MPI_Comm half = MPI_COMM_NULL;
       MPI_Comm_split(world(), b.me % 2, 0, &half);
       if (b.me == 0) b.words(0) = 7;
       MPI_Barrier(half);
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
       MPI_Comm_free(&half);
     }},
    {"MPI_Barrier_of_a_group", none,
     [](Bed const& b) {
       MPI_Group all = MPI_GROUP_NULL;
       MPI_Group two = MPI_GROUP_NULL;
       MPI_Comm_group(world(), &all);
       int const members[] = {1, 0};
       MPI_Group_incl(all, 2, members, &two);
       for (int round = 0; round < 2 && b.me < 2; ++round) {
         MPI_Comm both = MPI_COMM_NULL;
         MPI_Comm_create_group(world(), two, 3, &both);
         if (b.me == 0) b.words(0) = 7;
         MPI_Barrier(both);
         if (b.me == 1) {
           symm::get(b.m(), b.w(), 1, 0);
           b.expect(b.more(0), 7);
         }
         MPI_Barrier(both);
         MPI_Comm_free(&both);
       }
       MPI_Group_free(&two);
       MPI_Group_free(&all);
     }},
    {"MPI_messages_to_the_next_in_a_cart", none,
     [](Bed const& b) {
       MPI_Comm ring     = MPI_COMM_NULL;
       int const size    = symm::n_pes();
       int const periods = 1;
       MPI_Cart_create(world(), 1, &size, &periods, 0, &ring);
       int left  = 0;
       int right = 0;
       MPI_Cart_shift(ring, 0, 1, &left, &right);
       Buffers x;
       b.words(0) = b.me + 5;
       MPI_Sendrecv(&x.m, 1, type, right, 1, &x.a, 1, type, left, 1, ring,
                    MPI_STATUS_IGNORE);
       symm::get(b.m(), b.w(), 1, left);
       b.expect(b.more(0), left + 5);
       MPI_Comm_free(&ring);
     }},
};

}  // namespace

std::span<Case const> mpi_request_cases() { return cases; }

}  // namespace symm_test

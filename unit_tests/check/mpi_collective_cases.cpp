// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective calls of MPI.

#include "mpi_cases.hpp"

#include <array>

namespace symm_test {
namespace {

using enum Expected;

Case const cases[] = {
    // Collective calls: all with all.
    {"store_MPI_Barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) b.words(0) = 7;
       MPI_Barrier(world());
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"load_MPI_Barrier_store", none,
     [](Bed const& b) {
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
       MPI_Barrier(world());
       if (b.me == 0) b.words(0) = 7;
     }},
    {"put_MPI_Barrier_load", race,  // it completes no put
     [](Bed const& b) {
       if (b.me == 0) symm::put(b.w(), b.m(), 1, 1);
       MPI_Barrier(world());
       if (b.me == 1) see(b.words(0));
     }},
    {"put_quiet_MPI_Barrier_load", none,
     [](Bed const& b) {
       if (b.me == 0) {
         b.more(0) = 7;
         symm::put(b.w(), b.m(), 1, 1);
         symm::quiet();
       }
       MPI_Barrier(world());
       if (b.me == 1) b.expect(b.words(0), 7);
     }},
    {"store_of_a_step_one_MPI_Barrier", race,
     [](Bed const& b) {
       for (Word step = 0; step < 3; ++step) {
         if (b.me == 0) b.words(0) = step;
         MPI_Barrier(world());
         if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
       }
     }},
    {"store_MPI_Allreduce_load", none,
     [](Bed const& b) {
       Buffers x;
       for (Word step = 0; step < 3; ++step) {
         if (b.me == 0) b.words(0) = step;
         MPI_Allreduce(&x.m, &x.a, 1, type, MPI_SUM, world());
         if (b.me == 1) {
           symm::get(b.m(), b.w(), 1, 0);
           b.expect(b.more(0), step);
         }
         MPI_Allreduce(MPI_IN_PLACE, &x.a, 1, type, MPI_SUM, world());
       }
     }},
    {"store_MPI_Allreduce_of_nothing_load", race,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 0) b.words(0) = 7;
       MPI_Allreduce(&x.m, &x.a, 0, type, MPI_SUM, world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
     }},
    {"store_MPI_Allgather_and_Alltoall_load", none,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 0) b.words(0) = 7;
       MPI_Allgather(&x.m, 1, type, x.all.data(), 1, type, world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
       MPI_Alltoall(x.mine.data(), 1, type, x.all.data(), 1, type, world());
       if (b.me == 0) b.words(0) = 8;
       MPI_Reduce_scatter_block(x.mine.data(), &x.a, 1, type, MPI_SUM, world());
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 8);
       }
     }},

    // From one, to one.
    {"store_of_the_root_MPI_Bcast_load", none,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 0) b.words(0) = 7;
       MPI_Bcast(&x.a, 1, type, 0, world());
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_MPI_Bcast_load_of_the_root", race,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 1) b.words(0) = 7;
       MPI_Bcast(&x.a, 1, type, 0, world());
       if (b.me == 0) symm::get(b.m(), b.w(), 1, 1);
     }},
    {"store_MPI_Bcast_of_another_PE_load", race,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 2) b.words(0) = 7;
       MPI_Bcast(&x.a, 1, type, 0, world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 2);
     },
     3},
    {"store_behind_MPI_Bcast_load", race,
     [](Bed const& b) {
       Buffers x;
       for (int step = 0; step < 4; ++step) {
         if (b.me != 0) a_moment();
         MPI_Bcast(&x.a, 1, type, 0, world());
         if (b.me == 0 && step == 0) b.words(0) = 7;
         if (b.me == 1 && step == 0) symm::get(b.m(), b.w(), 1, 0);
       }
     }},
    {"store_MPI_Reduce_load_of_the_root", none,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 1) b.words(0) = 7;
       MPI_Reduce(&x.m, &x.a, 1, type, MPI_SUM, 0, world());
       if (b.me == 0) {
         symm::get(b.m(), b.w(), 1, 1);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_of_the_root_MPI_Reduce_load", race,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 0) b.words(0) = 7;
       MPI_Reduce(&x.m, &x.a, 1, type, MPI_SUM, 0, world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
     }},
    {"store_MPI_Gather_MPI_Scatter_load", none,  // by the root
     [](Bed const& b) {
       Buffers x;
       if (b.me == 1) b.words(0) = 7;
       MPI_Gather(&x.m, 1, type, x.all.data(), 1, type, 0, world());
       MPI_Scatter(x.mine.data(), 1, type, &x.a, 1, type, 0, world());
       if (b.me == 2) {
         symm::get(b.m(), b.w(), 1, 1);
         b.expect(b.more(0), 7);
       }
     },
     3},
    {"store_MPI_Scatter_MPI_Gather_load", race,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 1) b.words(0) = 7;
       MPI_Scatter(x.mine.data(), 1, type, &x.a, 1, type, 0, world());
       MPI_Gather(&x.m, 1, type, x.all.data(), 1, type, 0, world());
       if (b.me == 2) symm::get(b.m(), b.w(), 1, 1);
     },
     3},

    // Counts that differ: of those who send nothing, nothing is known.
    {"store_MPI_Gatherv_load", none,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 1) b.words(0) = 7;
       MPI_Gatherv(&x.m, 1, type, x.all.data(), x.ones.data(), x.places.data(),
                   type, 0, world());
       if (b.me == 0) {
         symm::get(b.m(), b.w(), 1, 1);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_MPI_Gatherv_of_others_load", race,
     [](Bed const& b) {
       Buffers x;
       x.ones[1] = 0;
       if (b.me == 1) b.words(0) = 7;
       MPI_Gatherv(&x.m, b.me == 1 ? 0 : 1, type, x.all.data(), x.ones.data(),
                   x.places.data(), type, 0, world());
       if (b.me == 0) symm::get(b.m(), b.w(), 1, 1);
     }},
    {"store_MPI_Scatterv_load", none,
     [](Bed const& b) {
       Buffers x;
       x.zeros[1] = 1;
       if (b.me == 0) b.words(0) = 7;
       MPI_Scatterv(x.mine.data(), x.zeros.data(), x.places.data(), type, &x.a,
                    b.me == 1 ? 1 : 0, type, 0, world());
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_MPI_Scatterv_to_others_load", race,
     [](Bed const& b) {
       Buffers x;
       x.ones[1] = 0;
       if (b.me == 0) b.words(0) = 7;
       MPI_Scatterv(x.mine.data(), x.ones.data(), x.places.data(), type, &x.a,
                    b.me == 1 ? 0 : 1, type, 0, world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
     }},
    {"store_MPI_Allgatherv_of_others_load", race,
     [](Bed const& b) {
       Buffers x;
       x.ones[0] = 0;
       if (b.me == 0) b.words(0) = 7;
       MPI_Allgatherv(&x.m, b.me == 0 ? 0 : 1, type, x.all.data(),
                      x.ones.data(), x.places.data(), type, world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
     }},
    {"store_MPI_Alltoallv_to_the_reader_load", none,
     [](Bed const& b) {
       Buffers x;
       Buffers y;
       if (b.me == 0) x.zeros[1] = 1;
       if (b.me == 1) y.zeros[0] = 1;
       if (b.me == 0) b.words(0) = 7;
       MPI_Alltoallv(x.mine.data(), x.zeros.data(), x.places.data(), type,
                     x.all.data(), y.zeros.data(), y.places.data(), type,
                     world());
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_MPI_Alltoallv_of_the_reader_load", race,
     [](Bed const& b) {
       Buffers x;
       Buffers y;
       if (b.me == 1) x.zeros[0] = 1;
       if (b.me == 0) y.zeros[1] = 1;
       if (b.me == 0) b.words(0) = 7;
       MPI_Alltoallv(x.mine.data(), x.zeros.data(), x.places.data(), type,
                     x.all.data(), y.zeros.data(), y.places.data(), type,
                     world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
     }},
    {"store_MPI_Reduce_scatter_load_of_who_gets_nothing", race,
     [](Bed const& b) {
       Buffers x;
       x.ones[1] = 0;
       if (b.me == 0) b.words(0) = 7;
       MPI_Reduce_scatter(x.mine.data(), &x.a, x.ones.data(), type, MPI_SUM,
                          world());
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
     }},

    {"store_MPI_Scan_load_of_a_higher_rank", none,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 0) b.words(0) = 7;
       MPI_Scan(&x.m, &x.a, 1, type, MPI_SUM, world());
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_MPI_Exscan_load_of_a_lower_rank", race,
     [](Bed const& b) {
       Buffers x;
       if (b.me == 1) b.words(0) = 7;
       MPI_Exscan(&x.m, &x.a, 1, type, MPI_SUM, world());
       if (b.me == 0) symm::get(b.m(), b.w(), 1, 1);
     }},

    // Collective calls with a request.
    {"store_MPI_Ibarrier_MPI_Wait_load", none,
     [](Bed const& b) {
       MPI_Request request;
       if (b.me == 0) b.words(0) = 7;
       MPI_Ibarrier(world(), &request);
       MPI_Wait(&request, MPI_STATUS_IGNORE);
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 1, 0);
         b.expect(b.more(0), 7);
       }
     }},
    {"store_MPI_Ibarrier_load_MPI_Wait", race,
     [](Bed const& b) {
       MPI_Request request;
       if (b.me == 0) b.words(0) = 7;
       MPI_Ibarrier(world(), &request);
       if (b.me == 1) {
         a_moment();
         symm::get(b.m(), b.w(), 1, 0);
       }
       MPI_Wait(&request, MPI_STATUS_IGNORE);
     }},
    {"MPI_Ibarrier_store_MPI_Wait_load", race,  // behind its own call
     [](Bed const& b) {
       MPI_Request request;
       MPI_Ibarrier(world(), &request);
       if (b.me == 0) b.words(0) = 7;
       MPI_Wait(&request, MPI_STATUS_IGNORE);
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
     }},
    {"two_MPI_Ibcast_that_end_in_another_order", none,
     [](Bed const& b) {
       Buffers x;
       std::array<MPI_Request, 2> requests;
       if (b.me == 0) b.words(0) = 7;
       MPI_Ibcast(&x.a, 1, type, 0, world(), &requests[0]);
       if (b.me == 0) b.words(1) = 7;
       MPI_Ibcast(&x.m, 1, type, 0, world(), &requests[1]);
       MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
       if (b.me == 1) {
         symm::get(b.m(), b.w(), 2, 0);
         b.expect(b.more(1), 7);
       }
       MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
     }},
    {"store_behind_MPI_Ibcast_load_before_the_second", race,
     [](Bed const& b) {
       Buffers x;
       std::array<MPI_Request, 2> requests;
       MPI_Ibcast(&x.a, 1, type, 0, world(), &requests[0]);
       if (b.me == 0) b.words(0) = 7;
       MPI_Ibcast(&x.m, 1, type, 0, world(), &requests[1]);
       if (b.me == 1) a_moment();
       MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
       if (b.me == 1) symm::get(b.m(), b.w(), 1, 0);
       MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
     }},
};

}  // namespace

std::span<Case const> mpi_collective_cases() { return cases; }

}  // namespace symm_test

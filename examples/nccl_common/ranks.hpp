// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_NCCL_RANKS_HPP
#define SYMM_EXAMPLES_NCCL_RANKS_HPP

namespace examples {

// The processes of MPI_COMM_WORLD, and numbers of the host over all of them.

int my_rank();
int rank_count();
double sum_over_ranks(double mine);
double max_over_ranks(double mine);
double sum_before(double mine);  ///< over the ranks before this one

}  // namespace examples

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_NCCL_RANKS_HPP
#define SYMM_EXAMPLES_NCCL_RANKS_HPP

namespace examples {

// The processes in MPI_COMM_WORLD, and reductions of host numbers over all of
// them.

int my_rank();
int rank_count();
double sum_over_ranks(double mine);
double max_over_ranks(double mine);
double sum_before(double mine);  ///< the sum over the ranks before this one

}  // namespace examples

#endif

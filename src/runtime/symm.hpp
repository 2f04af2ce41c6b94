// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HPP
#define SYMM_HPP

/// The symmetric heap and what is done with it, without Kokkos and without
/// MPI's header: all public headers of the runtime but symm_mpi.hpp.

#include "symm_atomics.hpp"
#include "symm_collectives.hpp"
#include "symm_errors.hpp"
#include "symm_job.hpp"
#include "symm_memory.hpp"
#include "symm_pools.hpp"
#include "symm_rma.hpp"
#include "symm_shared_buffers.hpp"
#include "symm_signals.hpp"
#include "symm_teams.hpp"

#endif

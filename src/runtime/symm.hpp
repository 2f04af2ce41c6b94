// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_HPP
#define SYMM_HPP

/// Includes all public headers of the runtime (the symmetric heap and the
/// operations on it) except symm_mpi.hpp and symm_check.hpp. Requires neither
/// Kokkos nor mpi.h.

#include "symm_atomics.hpp"
#include "symm_collectives.hpp"
#include "symm_contexts.hpp"
#include "symm_errors.hpp"
#include "symm_job.hpp"
#include "symm_locks.hpp"
#include "symm_memory.hpp"
#include "symm_pools.hpp"
#include "symm_rma.hpp"
#include "symm_rma_blocks.hpp"
#include "symm_shared_buffers.hpp"
#include "symm_signals.hpp"
#include "symm_teams.hpp"

#endif

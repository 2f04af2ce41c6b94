// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ALLOCATION_RECORD_HPP
#define SYMM_ALLOCATION_RECORD_HPP

#include <Kokkos_Core.hpp>
#include <symm_gpu/KokkosImpl.hpp>

#include "../space/SymmetricHostSpace.hpp"
#include "MemorySpaceAccess.hpp"
#include "Version.hpp"
#include "ViewFill.hpp"

// The allocation record of a managed View. It must be declared before the first
// View in this memory space.
KOKKOS_IMPL_SHARED_ALLOCATION_SPECIALIZATION(symm::SymmetricHostSpace);

#endif

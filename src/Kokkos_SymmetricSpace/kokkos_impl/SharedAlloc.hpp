// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_SHAREDALLOC_HPP
#define KOKKOS_SYMMETRICSPACE_SHAREDALLOC_HPP

#include <Kokkos_Core.hpp>
#include "../space/MemorySpace.hpp"
#include "DeepCopy.hpp"
#include "MemorySpaceAccess.hpp"
#include "ViewFill.hpp"

// The record of a managed View; must be seen before the first View of the
// space.
KOKKOS_IMPL_SHARED_ALLOCATION_SPECIALIZATION(symm::SymmetricHostSpace);
#ifdef KOKKOS_ENABLE_CUDA
KOKKOS_IMPL_HOST_INACCESSIBLE_SHARED_ALLOCATION_SPECIALIZATION(
    symm::SymmetricCudaSpace);
#endif

#endif

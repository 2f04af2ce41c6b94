// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_SPACE_HPP
#define KOKKOS_SYMMETRICSPACE_SPACE_HPP

/// This header has the memory spaces, initialize() and finalize(). A program
/// needs only this header to declare Views in these spaces.

#include <symm_gpu/Space.hpp>

#include "kokkos_impl/AllocationRecord.hpp"
#include "kokkos_impl/AtomicView.hpp"
#include "kokkos_impl/MemorySpaceAccess.hpp"
#include "kokkos_impl/SeenView.hpp"
#include "kokkos_impl/ViewFill.hpp"
#include "space/Initialize.hpp"
#include "space/SymmetricHostSpace.hpp"

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_SPACE_HPP
#define KOKKOS_SYMMETRICSPACE_SPACE_HPP

/// The memory spaces, initialize() and finalize(). To declare Views in these
/// spaces, a program needs only this header.

#include <symm_gpu/Space.hpp>

#include "kokkos_impl/AllocationRecord.hpp"
#include "kokkos_impl/AtomicView.hpp"
#include "kokkos_impl/MemorySpaceAccess.hpp"
#include "kokkos_impl/SeenView.hpp"
#include "kokkos_impl/ViewFill.hpp"
#include "space/Initialize.hpp"
#include "space/SymmetricHostSpace.hpp"

#endif

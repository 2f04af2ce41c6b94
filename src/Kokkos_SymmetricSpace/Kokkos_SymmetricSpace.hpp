// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_HPP
#define KOKKOS_SYMMETRICSPACE_HPP

/// Kokkos Views in a symmetric heap: include this one.

#include <Kokkos_SymmetricSpace_DeepCopy.hpp>
#include <Kokkos_SymmetricSpace_Fwd.hpp>
#include <Kokkos_SymmetricSpace_GlobalView.hpp>
#include <Kokkos_SymmetricSpace_Initialize.hpp>
#include <Kokkos_SymmetricSpace_MemorySpace.hpp>
#include <Kokkos_SymmetricSpace_MemorySpaceAccess.hpp>
#include <Kokkos_SymmetricSpace_PeerView.hpp>
#include <Kokkos_SymmetricSpace_SharedAlloc.hpp>

#include "../runtime/Error.hpp"
#include "../runtime/SymmetricMemory.hpp"

#endif

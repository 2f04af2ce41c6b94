// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_HPP
#define KOKKOS_SYMMETRICSPACE_HPP

/// Kokkos Views in a symmetric heap, and operations on them. Programs include
/// this header. Containers are in <Kokkos_SymmetricContainers.hpp>.

// This header is included first: if the C++ standard is too old, this header's
// error message is clearer than Kokkos' message.
#include "../runtime/base/Function.hpp"

#include <Kokkos_SymmetricSpace_Operations.hpp>
#include <Kokkos_SymmetricSpace_Pools.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../runtime/symm.hpp"
#include "space/InContainers.hpp"

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_VERSION_HPP
#define SYMM_KOKKOS_VERSION_HPP

#include <Kokkos_Macros.hpp>

// Only this folder and symm_gpu/KokkosImpl.hpp depend on internals of Kokkos.
// They are written for Kokkos 5.0.2; code for another version is chosen by
// KOKKOS_VERSION, here and nowhere else.
static_assert(KOKKOS_VERSION >= 50000 && KOKKOS_VERSION < 60000,
              "Kokkos SymmetricSpace needs Kokkos 5 (tested: 5.0.2)");

#endif

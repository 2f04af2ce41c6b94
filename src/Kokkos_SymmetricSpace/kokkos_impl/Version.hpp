// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_VERSION_HPP
#define SYMM_KOKKOS_VERSION_HPP

#include <Kokkos_Macros.hpp>

// This folder, and symm_gpu/KokkosImpl.hpp, is all that depends on what Kokkos
// does not promise to keep. It is written for Kokkos 5.0.2. Where another
// version needs another text, KOKKOS_VERSION decides, here and nowhere else.
static_assert(KOKKOS_VERSION >= 50000 && KOKKOS_VERSION < 60000,
              "Kokkos SymmetricSpace needs Kokkos 5 (tested: 5.0.2)");

#endif

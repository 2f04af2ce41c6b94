// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_VERSION_HPP
#define SYMM_KOKKOS_VERSION_HPP

#include <Kokkos_Macros.hpp>

// Only this folder and symm_gpu/KokkosImpl.hpp depend on Kokkos internals. The
// code in these places is written for Kokkos 5.0.2. Code for other versions is
// selected by KOKKOS_VERSION, which only this file reads.
static_assert(KOKKOS_VERSION >= 40601 && KOKKOS_VERSION < 60000,
              "Kokkos SymmetricSpace needs Kokkos 4.6.1 to 5 (tested: 5.0.2)");

/// 1: Views are based on mdspan. 0: Kokkos is older than 4.7 or was built with
/// legacy Views, which are customized through other classes. (Kokkos will
/// remove legacy Views after 5.2. The code for 0 can be removed when no
/// supported version has legacy Views.)
#if KOKKOS_VERSION < 40699 || defined(KOKKOS_ENABLE_IMPL_VIEW_LEGACY)
#define SYMM_KOKKOS_MDSPAN_VIEWS 0
#else
#define SYMM_KOKKOS_MDSPAN_VIEWS 1
#endif

#endif

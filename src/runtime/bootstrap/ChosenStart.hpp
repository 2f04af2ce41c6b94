// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHOSEN_START_HPP
#define SYMM_CHOSEN_START_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Returns the JobStart for the kind of start that SYMM_START names. If
/// SYMM_START is unset: TCP if SYMM_ROOT is set; else MPI if the library was
/// built with it; else PMIx if a launcher offers it; else a job of one PE.
/// \throws UsageError on this PE if SYMM_START names no known kind of start, or
///         one that this library was built without.
[[nodiscard]] JobStart& chosen_start();

}  // namespace symm::Impl

#endif

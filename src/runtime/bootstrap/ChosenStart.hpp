// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHOSEN_START_HPP
#define SYMM_CHOSEN_START_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// Returns the JobStart for the start method that SYMM_START names. If
/// SYMM_START is unset, the method is TCP if SYMM_ROOT is set. Otherwise, it is
/// MPI if the library was built with MPI, or PMIx if a launcher offers it. If
/// none of these applies, this process is a single-PE job.
/// \throws UsageError on this PE if SYMM_START names an unknown start method or
///         one that this library was built without.
[[nodiscard]] JobStart& chosen_start();

}  // namespace symm::Impl

#endif

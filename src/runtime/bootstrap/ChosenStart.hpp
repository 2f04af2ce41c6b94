// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CHOSEN_START_HPP
#define SYMM_CHOSEN_START_HPP

#include "JobStart.hpp"

namespace symm::Impl {

/// The start of the job: that of SYMM_START; if it is unset, TCP if SYMM_ROOT
/// is set, else MPI, or without MPI PMIx if a launcher offers it, else nothing:
/// one PE.
/// \throws UsageError on this PE, if SYMM_START names none, or one that this
///         library was built without.
[[nodiscard]] JobStart& chosen_start();

}  // namespace symm::Impl

#endif

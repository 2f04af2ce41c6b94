// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KERNEL_LABELS_HPP
#define SYMM_KERNEL_LABELS_HPP

namespace symm::Impl {

/// Tells the detector of races which kernel of Kokkos runs, beside a tool that
/// Kokkos may have loaded. In the library of KokkosSymmetricSpace::Checked
/// only. Kokkos is initialized.
void tell_check_of_kernels();

}  // namespace symm::Impl

#endif

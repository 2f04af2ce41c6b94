// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KERNEL_LABELS_HPP
#define SYMM_KERNEL_LABELS_HPP

namespace symm::Impl {

/// Makes Kokkos report to the race detector which kernel is running. A tool
/// that Kokkos has loaded still receives all callbacks. This function exists
/// only in the library of KokkosSymmetricSpace::Checked. Precondition: Kokkos
/// is initialized.
void tell_check_of_kernels();

}  // namespace symm::Impl

#endif

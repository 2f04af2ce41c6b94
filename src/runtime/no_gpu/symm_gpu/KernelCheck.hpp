// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_CHECK_HPP
#define SYMM_GPU_KERNEL_CHECK_HPP

// Empty: a build without GPU support has no kernels.

#endif

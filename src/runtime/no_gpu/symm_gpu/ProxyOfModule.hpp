// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_PROXY_OF_MODULE_HPP
#define SYMM_GPU_PROXY_OF_MODULE_HPP

#include "KernelCheck.hpp"

// Empty: a build without GPU support has no kernels.

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_SHADOW_KERNELS_HPP
#define SYMM_GPU_SHADOW_KERNELS_HPP

#include "../../check/Shadow.hpp"

namespace symm::Impl::check {

inline constexpr ShadowKernels shadow_kernels{};

}  // namespace symm::Impl::check

#endif

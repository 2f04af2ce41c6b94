// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_SPACE_HPP
#define SYMM_GPU_SPACE_HPP

#include "../../space/SymmetricHostSpace.hpp"

namespace symm {

/// The symmetric space of this build: host memory.
using SymmetricSpace = SymmetricHostSpace;

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_THREAD_BLOCK_HPP
#define SYMM_GPU_THREAD_BLOCK_HPP

#include "../../groups/Group.hpp"

namespace symm::Impl {

template <int>
using ThreadBlock = OneThread;

}  // namespace symm::Impl

#endif

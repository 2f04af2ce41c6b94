// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_QUEUE_HPP
#define SYMM_GPU_QUEUE_HPP

#include <Kokkos_Core.hpp>

namespace symm::Impl {

/// What the runtime enqueues on, to be in the order of an execution space
/// instance. Of a space that runs on the host there is none.
inline void* queue_of(Kokkos::Cuda const& exec) { return exec.cuda_stream(); }

}  // namespace symm::Impl

#endif

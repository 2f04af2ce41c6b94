// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_LAUNCH_HPP
#define SYMM_GPU_LAUNCH_HPP

#include <cstddef>

#include "../../access/KernelQueue.hpp"

namespace symm::Impl {

template <class Body>
void enqueue_kernel(char const* call, void*, std::size_t, int, Body const&) {
  throw_without_kernel(call);
}

template <class Body>
void run_one_thread_on_gpu(char const* call, Body const&) {
  throw_without_kernel(call);
}

}  // namespace symm::Impl

#endif

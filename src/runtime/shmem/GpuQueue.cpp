// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "GpuQueue.hpp"

#include <atomic>
#include <string>

#include "../memory/CopyQueue.hpp"
#include "../symm_errors.hpp"
#include "Rma.hpp"

namespace symm::Impl {

namespace {

std::atomic<GpuQueue*> s_gpu_queue{nullptr};

}  // namespace

void set_gpu_queue(GpuQueue* queue) { s_gpu_queue = queue; }

void run_in_gpu_queue(char const* call, GpuWork const& work) {
  if (GpuQueue* const queue = s_gpu_queue) {
    queue->run(call, work);
    return;
  }
  work.enqueue(work.what, nullptr);
  gpu_queue(call).synchronize();
}

void throw_without_kernel(char const* call) {
  throw UsageError(std::string(call) +
                   ": the memory is a GPU's, and this call was not compiled by "
                   "a compiler for GPUs");
}

}  // namespace symm::Impl

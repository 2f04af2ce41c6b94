// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "KernelQueue.hpp"

#include <atomic>
#include <string>

#include "../memory/CopyQueue.hpp"
#include "../symm_errors.hpp"
#include "PeOperations.hpp"

namespace symm::Impl {

namespace {

std::atomic<KernelQueue*> s_kernel_queue{nullptr};

}  // namespace

void set_kernel_queue(KernelQueue* queue) { s_kernel_queue = queue; }

void run_in_kernel_queue(char const* call, EnqueuedKernels const& work) {
  if (KernelQueue* const queue = s_kernel_queue) {
    queue->run(call, work);
    return;
  }
  work.enqueue(work.what, nullptr);
  copy_queue(call).synchronize();
}

void put_barrier(void* queue, PeTeam const& team) {
  s_kernel_queue.load()->put_barrier(queue, team);
}

bool has_kernel_queue() { return s_kernel_queue != nullptr; }

void throw_without_kernel(char const* call) {
  throw UsageError(std::string(call) +
                   ": the memory is GPU memory, but this call was not compiled "
                   "for GPUs; compile its source file with the GPU compiler");
}

}  // namespace symm::Impl

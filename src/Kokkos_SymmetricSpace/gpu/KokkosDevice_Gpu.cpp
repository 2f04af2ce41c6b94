// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include <Kokkos_Core.hpp>

#include <symm_gpu/CollectiveKernels.hpp>
#include <symm_gpu/ExecutionSpaceQueue.hpp>
#include <symm_gpu/KernelRuntime.hpp>
#include <symm_gpu/KokkosNames.hpp>

#include "../../runtime/access/KernelQueue.hpp"
#include "../../runtime/base/EnvironmentTable.hpp"
#include "../../runtime/memory/Device.hpp"
#include "../space/KokkosDevice.hpp"

namespace symm::Impl {

namespace {

class DefaultInstance final : public KernelQueue {
 public:
  void run(char const* call, EnqueuedKernels const& work) override {
    gpu::ExecutionSpace const exec;
    enqueue_kernels(call, exec,
                    [&](void* queue) { work.enqueue(work.what, queue); });
    exec.fence(call);
  }
  void put_barrier(void* queue, PeTeam const& team) override {
    use_device("a memory pool", gpu::device_of(gpu::ExecutionSpace()));
    enqueue_barrier(queue, team);
  }
};

}  // namespace

std::optional<int> choose_device(int number_on_node, bool has_user_chosen) {
  // If there is no GPU, both calls throw an error with the reason; Kokkos would
  // abort.
  static_cast<void>(n_devices());
  static_cast<void>(count_devices("symm::initialize"));
  if (has_user_chosen || setting_of(environment::kokkos_device)) {
    return std::nullopt;
  }
  return number_on_node % Kokkos::num_devices();
}

std::optional<int> device_of_kokkos() {
  return gpu::device_of(gpu::ExecutionSpace());
}

void use_queue_of_kokkos() {
  static DefaultInstance s_queue;
  set_kernel_queue(&s_queue);
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHMEM_KERNELQUEUE_HPP
#define SYMM_SHMEM_KERNELQUEUE_HPP

namespace symm {

class PeTeam;

namespace Impl {

/// Kernels to enqueue, by calling enqueue(what, stream) with a stream of the
/// vendor's runtime, on a thread whose device is the stream's.
struct EnqueuedKernels {
  void (*enqueue)(void const* what, void* stream);
  void const* what;
};

/// Where the kernels go that host calls carry out on memory of GPUs.
class KernelQueue {
 public:
  virtual ~KernelQueue() = default;

  /// Enqueues the work and waits for it.
  /// \throws SystemError on this PE.
  virtual void run(char const* call, EnqueuedKernels const& work) = 0;
  /// Puts a barrier of the team into a queue of the PE's GPU.
  /// \throws SystemError on this PE.
  virtual void put_barrier(void* queue, PeTeam const& team) = 0;
};

/// For a library that has queues of its own, such as Kokkos. Without (null), it
/// is the default stream of the calling thread's device, which must be the
/// PE's, and all kernels of the PE are waited for.
/// \param queue must live as long as it is the one.
void set_kernel_queue(KernelQueue* queue);

/// KernelQueue::run() of the one.
void run_in_kernel_queue(char const* call, EnqueuedKernels const& work);

/// KernelQueue::put_barrier() of the one. Precondition: has_kernel_queue().
void put_barrier(void* queue, PeTeam const& team);
[[nodiscard]] bool has_kernel_queue();

/// \throws UsageError on this PE: nobody has compiled a kernel for `call`.
[[noreturn]] void throw_without_kernel(char const* call);

/// run_in_kernel_queue() of enqueue(stream).
template <class Enqueue>
void run_in_kernel_queue(char const* call, Enqueue const& enqueue) {
  run_in_kernel_queue(
      call, EnqueuedKernels{[](void const* what, void* stream) {
                              (*static_cast<Enqueue const*>(what))(stream);
                            },
                            &enqueue});
}

}  // namespace Impl

}  // namespace symm

#endif

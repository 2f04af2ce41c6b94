// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_KERNELQUEUE_HPP
#define SYMM_ACCESS_KERNELQUEUE_HPP

namespace symm {

class PeTeam;

namespace Impl {

/// Kernels to enqueue, by calling enqueue(what, stream) with a stream of the
/// vendor's runtime, on a thread whose device is the stream's.
struct EnqueuedKernels {
  void (*enqueue)(void const* what, void* stream);
  void const* what;
};

/// Takes the kernels by which host calls work on memory of GPUs.
class KernelQueue {
 public:
  virtual ~KernelQueue() = default;

  /// Enqueues the work and waits for it.
  /// \throws SystemError on this PE.
  virtual void run(char const* call, EnqueuedKernels const& work) = 0;
  /// Puts a barrier of the PE team into a queue of the PE's GPU.
  /// \throws SystemError on this PE.
  virtual void put_barrier(void* queue, PeTeam const& team) = 0;
};

/// For a library that has queues of its own, such as Kokkos. Without one
/// (null), kernels go to the default stream of the calling thread's device,
/// which must be the PE's, and all kernels of the PE are waited for.
/// \param queue must live as long as it is set.
void set_kernel_queue(KernelQueue* queue);

/// KernelQueue::run() of the queue that is set.
void run_in_kernel_queue(char const* call, EnqueuedKernels const& work);

/// KernelQueue::put_barrier() of the queue that is set. Precondition:
/// has_kernel_queue().
void put_barrier(void* queue, PeTeam const& team);
[[nodiscard]] bool has_kernel_queue();

/// \throws UsageError on this PE: `call` was compiled without its kernel.
[[noreturn]] void throw_without_kernel(char const* call);

/// Calls enqueue(stream) by run_in_kernel_queue().
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

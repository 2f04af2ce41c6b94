// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ACCESS_KERNELQUEUE_HPP
#define SYMM_ACCESS_KERNELQUEUE_HPP

namespace symm {

class PeTeam;

namespace Impl {

/// Kernels to enqueue. The queue calls enqueue(what, stream) with a GPU runtime
/// stream, on a thread whose current device is that stream's device.
struct EnqueuedKernels {
  void (*enqueue)(void const* what, void* stream);
  void const* what;
};

/// Runs the kernels that host calls use to operate on GPU memory.
class KernelQueue {
 public:
  virtual ~KernelQueue() = default;

  /// Enqueues the work and waits for it.
  /// \throws SystemError on this PE.
  virtual void run(char const* call, EnqueuedKernels const& work) = 0;
  /// Enqueues a PE team barrier on `queue`, one of the queues of this PE's GPU.
  /// \throws SystemError on this PE.
  virtual void put_barrier(void* queue, PeTeam const& team) = 0;
};

/// Sets the queue, on behalf of a library that has its own queues, such as
/// Kokkos. Without a queue (null), kernels run on the default stream of the
/// calling thread's device, which must be the PE's GPU. A call then waits for
/// all of the PE's kernels.
/// \param queue must live until another queue or null is set.
void set_kernel_queue(KernelQueue* queue);

/// Calls KernelQueue::run() on the current queue. If no queue is set, enqueues
/// the work on the default stream and waits for it.
void run_in_kernel_queue(char const* call, EnqueuedKernels const& work);

/// Calls KernelQueue::put_barrier() on the current queue. Precondition:
/// has_kernel_queue().
void put_barrier(void* queue, PeTeam const& team);
[[nodiscard]] bool has_kernel_queue();

/// Reports that `call` has no kernel, because it was not compiled by a GPU
/// compiler.
/// \throws UsageError on this PE.
[[noreturn]] void throw_without_kernel(char const* call);

/// Like the first run_in_kernel_queue(), but takes a function object, which is
/// called as enqueue(stream).
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

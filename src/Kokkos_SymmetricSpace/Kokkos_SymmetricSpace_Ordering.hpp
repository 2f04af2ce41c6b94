// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_ORDERING_HPP
#define KOKKOS_SYMMETRICSPACE_ORDERING_HPP

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace symm {

// In which order other PEs see what this PE does, and the loads and stores that
// such an order is made of.

/// Orders the stores, puts, atomics and signals of this thread: any PE that
/// sees one issued after the call sees all issued before it (OpenSHMEM 1.5,
/// shmem_fence). To all PEs and all memory alike; also orders plain stores
/// through peer_view() and global_view(). Local: neither waits for other PEs
/// nor for kernels (Kokkos::fence() does that).
///
/// Callable from host and kernels. In a kernel it is about the calling thread
/// and what that thread knows to be done, such as the stores of its team before
/// a team_barrier().
KOKKOS_INLINE_FUNCTION void fence() {
  KOKKOS_IF_ON_HOST((std::atomic_thread_fence(std::memory_order_seq_cst);))
  KOKKOS_IF_ON_DEVICE((__threadfence_system();))
}

/// Completes the stores, puts, atomics and signals of this thread: all PEs see
/// them when it returns (OpenSHMEM 1.5, shmem_quiet). What the thread loads
/// afterwards is loaded after that. Otherwise like fence().
KOKKOS_INLINE_FUNCTION void quiet() { fence(); }

/// The part of fence() that a flag needs: what this thread has loaded or stored
/// before is so before what it stores afterwards, for whoever sees that by
/// load_acquire().
KOKKOS_INLINE_FUNCTION void fence_release() {
#ifdef __CUDA_ARCH__
  asm volatile("fence.acq_rel.sys;" ::: "memory");
#else
  std::atomic_thread_fence(std::memory_order_release);
#endif
}

struct QuietKernel {
  KOKKOS_FUNCTION void operator()(int) const { quiet(); }
};

/// The same for what has been enqueued on an execution space instance: all of
/// it is complete and visible to all PEs before anything begins that is
/// enqueued later. Enqueued itself: the host does not wait. Local.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void quiet(ExecutionSpace const& exec) {
  // The launch itself orders: kernels and copies of one instance run one after
  // the other, and what a thread knows to be done its fence makes visible.
  Kokkos::parallel_for("symm::quiet",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, 1),
                       QuietKernel{});
}

/// What the functions below take.
template <class T>
concept MachineWord = std::is_trivially_copyable_v<T> &&
    (sizeof(T) == 4 || sizeof(T) == 8);

/// As many bits as a MachineWord has.
template <MachineWord T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

// Plain loads and stores of one instruction, atomic for all PEs. desul's
// acquire and release are compare-and-swaps on CUDA. Any address that this
// process reaches, aligned to the size of T. Callable from host and kernels,
// where the memory is reached; in kernels not on scratch memory nor on a
// thread's own variables.

#ifdef __CUDA_ARCH__
/// For instructions on global memory: those that first find out which memory an
/// address is in take longer.
inline __device__ std::size_t global_address(void const* p) {
  return __cvta_generic_to_global(p);
}
#endif

/// What is loaded or stored afterwards is so after this load. What a release
/// or fence() on the other side has ordered before the value is there.
template <MachineWord T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T load_acquire(T const* from) {
#ifdef __CUDA_ARCH__
  BitsOf<T> bits{};
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];"
                 : "=r"(bits)
                 : "l"(global_address(from))
                 : "memory");
  } else {
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];"
                 : "=l"(bits)
                 : "l"(global_address(from))
                 : "memory");
  }
  return Kokkos::bit_cast<T>(bits);
#else
  return std::atomic_ref<T>(*const_cast<T*>(from))
      .load(std::memory_order_acquire);
#endif
}

/// No order.
template <MachineWord T>
[[nodiscard]] KOKKOS_INLINE_FUNCTION T load_relaxed(T const* from) {
#ifdef __CUDA_ARCH__
  BitsOf<T> bits{};
  if constexpr (sizeof(T) == 4) {
    asm volatile("ld.relaxed.sys.global.u32 %0, [%1];"
                 : "=r"(bits)
                 : "l"(global_address(from))
                 : "memory");
  } else {
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];"
                 : "=l"(bits)
                 : "l"(global_address(from))
                 : "memory");
  }
  return Kokkos::bit_cast<T>(bits);
#else
  return std::atomic_ref<T>(*const_cast<T*>(from))
      .load(std::memory_order_relaxed);
#endif
}

/// No order.
template <MachineWord T>
KOKKOS_INLINE_FUNCTION void store_relaxed(T* to,
                                          std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
  auto const bits = Kokkos::bit_cast<BitsOf<T>>(value);
  if constexpr (sizeof(T) == 4) {
    asm volatile("st.relaxed.sys.global.u32 [%0], %1;"
                 :
                 : "l"(global_address(to)), "r"(bits)
                 : "memory");
  } else {
    asm volatile("st.relaxed.sys.global.u64 [%0], %1;"
                 :
                 : "l"(global_address(to)), "l"(bits)
                 : "memory");
  }
#else
  std::atomic_ref<T>(*to).store(value, std::memory_order_relaxed);
#endif
}

/// What was loaded or stored before is so before this store. A GPU waits for
/// that, which takes longer than the store itself (1.39 us for both, one way,
/// between two H200).
template <MachineWord T>
KOKKOS_INLINE_FUNCTION void store_release(T* to,
                                          std::type_identity_t<T> value) {
#ifdef __CUDA_ARCH__
  auto const bits = Kokkos::bit_cast<BitsOf<T>>(value);
  if constexpr (sizeof(T) == 4) {
    asm volatile("st.release.sys.global.u32 [%0], %1;"
                 :
                 : "l"(global_address(to)), "r"(bits)
                 : "memory");
  } else {
    asm volatile("st.release.sys.global.u64 [%0], %1;"
                 :
                 : "l"(global_address(to)), "l"(bits)
                 : "memory");
  }
#else
  std::atomic_ref<T>(*to).store(value, std::memory_order_release);
#endif
}

}  // namespace symm

#endif

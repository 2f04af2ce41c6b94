// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_MEMORY_WORDS_HPP
#define SYMM_MEMORY_WORDS_HPP

#include <atomic>
#include <cstdint>
#include <type_traits>

#include <symm_gpu/KernelWords.hpp>
#include "../base/Function.hpp"

namespace symm::Impl {

// The loads, stores and fences that operations use. symm_atomics.hpp documents
// their semantics.

/// Has the semantics of shmem_fence.
SYMM_INLINE_FUNCTION void fence_words() {
  SYMM_IF_ON_HOST((std::atomic_thread_fence(std::memory_order_seq_cst);))
  SYMM_IF_ON_DEVICE((InKernel::fence();))
}

/// The part of shmem_fence that suffices for setting a flag. For readers that
/// use load_acquire(), loads and stores before this call are ordered before
/// this thread's later stores.
SYMM_INLINE_FUNCTION void fence_release() {
  SYMM_IF_ON_HOST((std::atomic_thread_fence(std::memory_order_release);))
  SYMM_IF_ON_DEVICE((InKernel::fence_release();))
}

/// The word types that the functions below accept.
template <class T>
concept MachineWord = std::is_trivially_copyable_v<T> &&
                      // AMD's GPUs have 8 bytes for it, hosts 16.
                      !std::is_same_v<std::remove_cv_t<T>, long double> &&
                      (sizeof(T) == 4 || sizeof(T) == 8);

template <MachineWord T>
[[nodiscard]] SYMM_INLINE_FUNCTION T load_acquire(T const* from) {
  SYMM_IF_ON_HOST((return std::atomic_ref<T>(*const_cast<T*>(from))
                       .load(std::memory_order_acquire);))
  SYMM_IF_ON_DEVICE((return InKernel::load_acquire(from);))
}

template <MachineWord T>
[[nodiscard]] SYMM_INLINE_FUNCTION T load_relaxed(T const* from) {
  SYMM_IF_ON_HOST((return std::atomic_ref<T>(*const_cast<T*>(from))
                       .load(std::memory_order_relaxed);))
  SYMM_IF_ON_DEVICE((return InKernel::load_relaxed(from);))
}

template <MachineWord T>
SYMM_INLINE_FUNCTION void store_relaxed(T* to, std::type_identity_t<T> value) {
  SYMM_IF_ON_HOST(
      (std::atomic_ref<T>(*to).store(value, std::memory_order_relaxed);))
  SYMM_IF_ON_DEVICE((InKernel::store_relaxed(to, value);))
}

template <MachineWord T>
SYMM_INLINE_FUNCTION void store_release(T* to, std::type_identity_t<T> value) {
  SYMM_IF_ON_HOST(
      (std::atomic_ref<T>(*to).store(value, std::memory_order_release);))
  SYMM_IF_ON_DEVICE((InKernel::store_release(to, value);))
}

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_WORDS_HPP
#define SYMM_GPU_KERNEL_WORDS_HPP

namespace symm::Impl::InKernel {

/// Whether a kernel can access two words as one. Packets need it. (We
/// found no promise of AMD that an access of 16 bytes is never split.)
inline constexpr bool has_two_words = false;

}  // namespace symm::Impl::InKernel

#ifdef __HIPCC__

#include <cstddef>
#include <cstdint>

#include <symm_gpu/WordTypes.hpp>

#include "../../base/BitCast.hpp"
#include "../../base/Function.hpp"

/// Accesses by kernels to words of 4 or 8 bytes that other PEs access
/// concurrently. All accesses have the scope "system" (all GPUs and CPUs), and
/// address global memory explicitly: "flat" instructions may take longer,
/// because they must first determine the kind of memory.
namespace symm::Impl::InKernel {

#define SYMM_GLOBAL_MEMORY __attribute__((address_space(1)))

/// The word at an address of global memory, as a `Word`.
template <class Word, class T>
__device__ SYMM_GLOBAL_MEMORY Word* global_word(T const* address) {
  return (SYMM_GLOBAL_MEMORY Word*)(address);  // NOLINT: no other cast does it
}

/// The group of those threads of a wavefront that call the constructor
/// together.
class Together {
 public:
  __device__ Together() : m_threads(__builtin_amdgcn_read_exec()) {
    auto const low  = static_cast<unsigned>(m_threads);
    auto const high = static_cast<unsigned>(m_threads >> 32U);
    m_rank = __builtin_amdgcn_mbcnt_hi(high, __builtin_amdgcn_mbcnt_lo(low, 0));
  }
  /// The rank of the calling thread in the group, counted from 0.
  [[nodiscard]] __device__ unsigned rank() const { return m_rank; }
  [[nodiscard]] __device__ unsigned count() const {
    return static_cast<unsigned>(__builtin_popcountll(m_threads));
  }
  /// Returns the value that the first of these threads passes. All of these
  /// threads must call this function.
  [[nodiscard]] __device__ std::uint64_t of_first(std::uint64_t value) const {
    auto const first = __builtin_ctzll(m_threads);
    auto const part  = [&](std::uint64_t bits) -> std::uint64_t {
      return static_cast<unsigned>(
          __builtin_amdgcn_readlane(static_cast<int>(bits), first));
    };
    return part(value >> 32U) << 32U | part(value);
  }

 private:
  std::uint64_t m_threads;
  unsigned m_rank;
};

/// Whether an address is in global memory, not in a thread's or a block's own.
inline __device__ bool is_global([[maybe_unused]] void const* address) {
  // (Clang's host compilation rejects these built-in functions.)
  SYMM_IF_ON_HOST((return true;))
  SYMM_IF_ON_DEVICE((return !__builtin_amdgcn_is_shared(address) &&
                                !__builtin_amdgcn_is_private(address);))
}

/// Lets a polling thread pause for about 1024 cycles (not measured).
inline __device__ void pause() { __builtin_amdgcn_s_sleep(16); }

// Fences of system scope.

inline __device__ void fence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

inline __device__ void fence_release() {
  __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "");
}

// Loads and stores.

// (The built-in functions return values that are qualified by the kind of
// memory, which `bits` is not.)

#define SYMM_LOAD_WORD(name, order)                                           \
  template <class T>                                                          \
  [[nodiscard]] __device__ T name(T const* from) {                            \
    Bits<T> const bits = __hip_atomic_load(global_word<Bits<T>>(from), order, \
                                           __HIP_MEMORY_SCOPE_SYSTEM);        \
    return bit_cast<T>(bits);                                                 \
  }

#define SYMM_STORE_WORD(name, order)                                       \
  template <class T>                                                       \
  __device__ void name(T* to, T value) {                                   \
    __hip_atomic_store(global_word<Bits<T>>(to), bit_cast<Bits<T>>(value), \
                       order, __HIP_MEMORY_SCOPE_SYSTEM);                  \
  }

SYMM_LOAD_WORD(load_relaxed, __ATOMIC_RELAXED)
SYMM_LOAD_WORD(load_acquire, __ATOMIC_ACQUIRE)
SYMM_STORE_WORD(store_relaxed, __ATOMIC_RELAXED)
SYMM_STORE_WORD(store_release, __ATOMIC_RELEASE)

// Packets, which need these, are not used: `has_two_words`.
__device__ void load_two_relaxed(std::uint64_t const* from, std::uint64_t& low,
                                 std::uint64_t& high);
__device__ void load_two_acquire(std::uint64_t const* from, std::uint64_t& low,
                                 std::uint64_t& high);
__device__ void store_two_relaxed(std::uint64_t* to, std::uint64_t low,
                                  std::uint64_t high);

/// Loads two 8-byte words; each load is relaxed.
inline __device__ void load_pair(std::uint64_t const* from, std::uint64_t& low,
                                 std::uint64_t& high) {
  low  = load_relaxed(from);
  high = load_relaxed(from + 1);
}

// Relaxed atomic operations. Those that return a value return the old value of
// the word.

template <class T>
__device__ T fetch(T const* address) {
  return load_relaxed(address);
}
template <class T>
__device__ void set(T* address, T value) {
  store_relaxed(address, value);
}
template <class T>
__device__ T swap(T* address, T value) {
  Bits<T> const bits = __hip_atomic_exchange(
      global_word<Bits<T>>(address), bit_cast<Bits<T>>(value), __ATOMIC_RELAXED,
      __HIP_MEMORY_SCOPE_SYSTEM);
  return bit_cast<T>(bits);
}
/// Compares the bits of the values.
template <class T>
__device__ T compare_swap(T* address, T compare, T value) {
  Bits<T> old =
      bit_cast<Bits<T>>(compare);  // replaced by the word, if it differs
  static_cast<void>(__hip_atomic_compare_exchange_strong(
      global_word<Bits<T>>(address), &old, bit_cast<Bits<T>>(value),
      __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM));
  return bit_cast<T>(old);
}

/// Both forms of an operation. If the result is unused, the compiler emits the
/// form of the instruction that returns none (not checked).
#define SYMM_CHANGE_WORD(name, Word)                                \
  template <class T>                                                \
  __device__ T fetch_##name(T* address, T value) {                  \
    return static_cast<T>(__hip_atomic_fetch_##name(                \
        global_word<Word<T>>(address), static_cast<Word<T>>(value), \
        __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM));              \
  }                                                                 \
  template <class T>                                                \
  __device__ void change_##name(T* address, T value) {              \
    static_cast<void>(fetch_##name(address, value));                \
  }

SYMM_CHANGE_WORD(add, Summand)
SYMM_CHANGE_WORD(min, Integer)
SYMM_CHANGE_WORD(max, Integer)
SYMM_CHANGE_WORD(and, Bits)
SYMM_CHANGE_WORD(or, Bits)
SYMM_CHANGE_WORD(xor, Bits)

#undef SYMM_GLOBAL_MEMORY
#undef SYMM_LOAD_WORD
#undef SYMM_STORE_WORD
#undef SYMM_CHANGE_WORD

}  // namespace symm::Impl::InKernel

#endif
#endif

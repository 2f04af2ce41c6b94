// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_KERNEL_WORDS_HPP
#define SYMM_GPU_KERNEL_WORDS_HPP

namespace symm::Impl::InKernel {

/// Whether a kernel can access two words as one. Packets need it.
inline constexpr bool has_two_words = true;

}  // namespace symm::Impl::InKernel

#ifdef __CUDACC__

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <symm_gpu/WordTypes.hpp>

#include "../../base/BitCast.hpp"

/// Accesses by kernels to words of 4 or 8 bytes that other PEs access
/// concurrently. GPUs from other vendors need their own version. All accesses
/// have scope "sys" (all GPUs and CPUs). They address global memory explicitly:
/// generic instructions take longer, because they must first determine the kind
/// of memory.
///
/// Loads, stores, and operations without a result are written in PTX.
/// The others use built-in functions of nvcc, which infers the kind of memory
/// from context. cuda::atomic_ref (libcu++ of CUDA 13.0) takes twice as many
/// instructions and does not infer the kind of memory; its header takes 3 s to
/// compile.
namespace symm::Impl::InKernel {

inline __device__ std::size_t global_address(void const* p) {
  return __cvta_generic_to_global(p);
}

/// The group of those threads of a warp that call the constructor together.
class Together {
 public:
  __device__ Together() : m_threads(__activemask()) {
    unsigned before = 0;
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(before));
    m_rank = static_cast<unsigned>(__popc(m_threads & before));
  }
  /// The rank of the calling thread in the group, counted from 0.
  [[nodiscard]] __device__ unsigned rank() const { return m_rank; }
  [[nodiscard]] __device__ unsigned count() const {
    return static_cast<unsigned>(__popc(m_threads));
  }
  /// Returns the value that the first of these threads passes. All of these
  /// threads must call this function.
  [[nodiscard]] __device__ std::uint64_t of_first(std::uint64_t value) const {
    return __shfl_sync(m_threads, static_cast<unsigned long long>(value),
                       __ffs(static_cast<int>(m_threads)) - 1);
  }

 private:
  unsigned m_threads;
  unsigned m_rank;
};

/// Whether an address is in global memory, not in a thread's or a block's own.
inline __device__ bool is_global(void const* address) {
  return __isGlobal(address);
}

/// Lets a polling thread pause for about half a microsecond.
inline __device__ void pause() { __nanosleep(500); }

// Fences.

inline __device__ void fence() { __threadfence_system(); }

inline __device__ void fence_release() {
  asm volatile("fence.acq_rel.sys;" ::: "memory");
}

// Loads and stores.

#define SYMM_LOAD_WORD(name, order)                        \
  template <class T>                                       \
  [[nodiscard]] __device__ T name(T const* from) {         \
    Bits<T> bits{};                                        \
    if constexpr (sizeof(T) == 4) {                        \
      asm volatile("ld." order ".sys.global.u32 %0, [%1];" \
                   : "=r"(bits)                            \
                   : "l"(global_address(from))             \
                   : "memory");                            \
    } else {                                               \
      asm volatile("ld." order ".sys.global.u64 %0, [%1];" \
                   : "=l"(bits)                            \
                   : "l"(global_address(from))             \
                   : "memory");                            \
    }                                                      \
    return bit_cast<T>(bits);                              \
  }

#define SYMM_STORE_WORD(name, instruction)                                 \
  template <class T>                                                       \
  __device__ void name(T* to, T value) {                                   \
    auto const bits = bit_cast<Bits<T>>(value);                            \
    if constexpr (sizeof(T) == 4) {                                        \
      asm volatile(instruction ".u32 [%0], %1;" ::"l"(global_address(to)), \
                   "r"(bits)                                               \
                   : "memory");                                            \
    } else {                                                               \
      asm volatile(instruction ".u64 [%0], %1;" ::"l"(global_address(to)), \
                   "l"(bits)                                               \
                   : "memory");                                            \
    }                                                                      \
  }

SYMM_LOAD_WORD(load_relaxed, "relaxed")
SYMM_LOAD_WORD(load_acquire, "acquire")
SYMM_STORE_WORD(store_relaxed, "st.relaxed.sys.global")
SYMM_STORE_WORD(store_release, "st.release.sys.global")

// These functions access two 8-byte words, aligned to 16 bytes, as one: a
// load gets both words from the same store (PTX 8.3, .b128).

#define SYMM_LOAD_TWO_WORDS(name, order)                                     \
  inline __device__ void name(std::uint64_t const* from, std::uint64_t& low, \
                              std::uint64_t& high) {                         \
    asm volatile("{ .reg .b128 both; ld." order                              \
                 ".sys.global.b128 both, [%2]; mov.b128 {%0, %1}, both; }"   \
                 : "=l"(low), "=l"(high)                                     \
                 : "l"(global_address(from))                                 \
                 : "memory");                                                \
  }

SYMM_LOAD_TWO_WORDS(load_two_relaxed, "relaxed")
SYMM_LOAD_TWO_WORDS(load_two_acquire, "acquire")

/// Loads two 8-byte words, aligned to 16 bytes; each load is relaxed.
inline __device__ void load_pair(std::uint64_t const* from, std::uint64_t& low,
                                 std::uint64_t& high) {
  asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];"
               : "=l"(low), "=l"(high)
               : "l"(global_address(from))
               : "memory");
}

inline __device__ void store_two_relaxed(std::uint64_t* to, std::uint64_t low,
                                         std::uint64_t high) {
  asm volatile(
      "{ .reg .b128 both; mov.b128 both, {%1, %2}; "
      "st.relaxed.sys.global.b128 [%0], both; }" ::"l"(global_address(to)),
      "l"(low), "l"(high)
      : "memory");
}

// Relaxed atomic operations. Those that return a value return the old value of
// the word.

template <class T>
__device__ T fetch(T const* address) {
  return *static_cast<T const volatile*>(address);
}
template <class T>
__device__ void set(T* address, T value) {
  *static_cast<T volatile*>(address) = value;
}
template <class T>
__device__ T swap(T* address, T value) {
  return bit_cast<T>(atomicExch_system(reinterpret_cast<Bits<T>*>(address),
                                       bit_cast<Bits<T>>(value)));
}
/// Compares the bits of the values.
template <class T>
__device__ T compare_swap(T* address, T compare, T value) {
  return bit_cast<T>(atomicCAS_system(reinterpret_cast<Bits<T>*>(address),
                                      bit_cast<Bits<T>>(compare),
                                      bit_cast<Bits<T>>(value)));
}

#define SYMM_FETCH_WORD(name, Word, function)                           \
  template <class T>                                                    \
  __device__ T name(T* address, T value) {                              \
    return static_cast<T>(function(reinterpret_cast<Word<T>*>(address), \
                                   static_cast<Word<T>>(value)));       \
  }

SYMM_FETCH_WORD(fetch_add, Summand, atomicAdd_system)
SYMM_FETCH_WORD(fetch_min, Integer, atomicMin_system)
SYMM_FETCH_WORD(fetch_max, Integer, atomicMax_system)
SYMM_FETCH_WORD(fetch_and, Bits, atomicAnd_system)
SYMM_FETCH_WORD(fetch_or, Bits, atomicOr_system)
SYMM_FETCH_WORD(fetch_xor, Bits, atomicXor_system)

/// Operations without a result: waiting for the result would cost a round trip.
/// (nvcc does not always see that a result is unused: one thread's additions
/// took 0.22 us each then, instead of 0.01.) With a generic address, GPUs wait
/// nevertheless. Between two H200s, that reduces the rate of random updates
/// from 14.7 to 10.4 per nanosecond and PE.
#define SYMM_CHANGE_AS(operation)                               \
  if constexpr (sizeof(T) == 4) {                               \
    asm volatile("red.relaxed.sys.global." operation            \
                 "32 [%0], %1;" ::"l"(global_address(address)), \
                 "r"(bit_cast<Bits<T>>(value))                  \
                 : "memory");                                   \
  } else {                                                      \
    asm volatile("red.relaxed.sys.global." operation            \
                 "64 [%0], %1;" ::"l"(global_address(address)), \
                 "l"(bit_cast<Bits<T>>(value))                  \
                 : "memory");                                   \
  }
#define SYMM_CHANGE_WORD(name, is_other, other, usual) \
  template <class T>                                   \
  __device__ void change_##name(T* address, T value) { \
    if constexpr (is_other) {                          \
      SYMM_CHANGE_AS(#name other)                      \
    } else {                                           \
      SYMM_CHANGE_AS(#name usual)                      \
    }                                                  \
  }

SYMM_CHANGE_WORD(add, std::is_floating_point_v<T>, ".f", ".u")
SYMM_CHANGE_WORD(min, std::is_signed_v<T>, ".s", ".u")
SYMM_CHANGE_WORD(max, std::is_signed_v<T>, ".s", ".u")
SYMM_CHANGE_WORD(and, false, "", ".b")
SYMM_CHANGE_WORD(or, false, "", ".b")
SYMM_CHANGE_WORD(xor, false, "", ".b")

#undef SYMM_LOAD_WORD
#undef SYMM_LOAD_TWO_WORDS
#undef SYMM_STORE_WORD
#undef SYMM_FETCH_WORD
#undef SYMM_CHANGE_AS
#undef SYMM_CHANGE_WORD

}  // namespace symm::Impl::InKernel

#endif
#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_CHECK_CALLS_HPP
#define SYMM_GPU_CHECK_CALLS_HPP

#include "../../base/Function.hpp"

#if defined(SYMM_CHECK) && defined(SYMM_COMPILES_KERNELS)

#include <cstddef>
#include <cstdint>

#include "../../base/Types.hpp"

namespace symm::Impl::check {

enum class AtomicKind : int;

// The functions of base/Check.hpp that one thread of a kernel calls. They are
// defined in symm_gpu/KernelCheck.hpp.
namespace OnGpu {
template <int = 0>
__noinline__ __device__ void access(void const* address, std::size_t bytes,
                                    bool is_write, bool is_atomic);
template <int = 0>
__noinline__ __device__ void copy(void const* dest, void const* source,
                                  std::size_t bytes, Pe pe, bool is_put,
                                  bool is_later);
template <int = 0>
__noinline__ __device__ void atomic(void const* address, std::size_t bytes,
                                    Pe pe, AtomicKind kind, void const* fetch);
template <int = 0>
__noinline__ __device__ void put_signal(void const* dest, void const* source,
                                        std::size_t bytes, void const* signal,
                                        Pe pe, bool adds, bool is_later);
inline __device__ void fence();
inline __device__ void quiet();
template <int = 0>
__noinline__ __device__ void seen(void const* variable);
template <int = 0>
__noinline__ __device__ void use_blocks(void const* dest,
                                        std::size_t dest_bytes,
                                        void const* source,
                                        std::size_t source_bytes);
template <int = 0>
__noinline__ __device__ int begin_meeting(std::uint64_t key);
template <int = 0>
__noinline__ __device__ void end_meeting(int place);
}  // namespace OnGpu

}  // namespace symm::Impl::check

#endif
#endif

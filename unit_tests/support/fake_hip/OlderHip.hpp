// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FAKE_HIP_OLDER_HIP_HPP
#define SYMM_FAKE_HIP_OLDER_HIP_HPP

// What Kokkos 5 and Clang 19 need in addition to HIP 5.2.3, which Debian 12
// has: with `-include` of this header, the sources of this project compile
// there, with Kokkos' headers. Programs do not link.

#ifdef __HIP__
// These two functions use names that Clang does not know any more.
#define atomicInc symm_older_atomic_inc
#define atomicDec symm_older_atomic_dec
#include <hip/hip_runtime.h>
#undef atomicInc
#undef atomicDec

inline __device__ unsigned atomicInc([[maybe_unused]] unsigned* address,
                                     unsigned limit) {
#ifdef __HIP_DEVICE_COMPILE__
  return __builtin_amdgcn_atomic_inc32(address, limit, __ATOMIC_RELAXED,
                                       "agent");
#else
  return limit;
#endif
}

inline __device__ unsigned atomicDec([[maybe_unused]] unsigned* address,
                                     unsigned limit) {
#ifdef __HIP_DEVICE_COMPILE__
  return __builtin_amdgcn_atomic_dec32(address, limit, __ATOMIC_RELAXED,
                                       "agent");
#else
  return limit;
#endif
}

/// HIP has this function since version 5.6.
extern "C" hipError_t hipStreamGetDevice(hipStream_t stream,
                                         hipDevice_t* device);
#endif

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FUNCTION_HPP
#define SYMM_FUNCTION_HPP

// The first header of all, so that this comes before other errors. (GCC 10 says
// 201709L where it is asked for C++20.)
#if __cplusplus < 201709L
#error \
    "Kokkos SymmetricSpace needs C++20: -std=c++20 or later, or CMake's \
target_compile_features(app PRIVATE cxx_std_20)"
#endif

// Functions for the host and for kernels, of the compilers that compile both
// (nvcc, hipcc and Clang); of all others, for the host.

#if defined(__CUDACC__) || defined(__HIPCC__)
#define SYMM_FUNCTION __host__ __device__
#define SYMM_INLINE_FUNCTION __host__ __device__ inline
#define SYMM_FORCEINLINE_FUNCTION __host__ __device__ __forceinline__
#else
#define SYMM_FUNCTION
#define SYMM_INLINE_FUNCTION inline
#define SYMM_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#endif

// A function for both is compiled twice. SYMM_FOR_DEVICE is defined where that
// is for kernels; SYMM_IF_ON_HOST((statements;)) and
// SYMM_IF_ON_DEVICE((statements;)) are in one of the two only.

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define SYMM_FOR_DEVICE
#endif

#define SYMM_WITHOUT_PARENTHESES(...) __VA_ARGS__
#ifdef SYMM_FOR_DEVICE
#define SYMM_IF_ON_HOST(statements) \
  {}
#define SYMM_IF_ON_DEVICE(statements) \
  { SYMM_WITHOUT_PARENTHESES statements }
#else
#define SYMM_IF_ON_HOST(statements) \
  { SYMM_WITHOUT_PARENTHESES statements }
#define SYMM_IF_ON_DEVICE(statements) \
  {}
#endif

#endif

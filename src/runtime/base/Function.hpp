// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FUNCTION_HPP
#define SYMM_FUNCTION_HPP

// This header is included before all others so that this error is reported
// first. (GCC 10 defines __cplusplus as 201709L for C++20.)
#if __cplusplus < 201709L
#error \
    "Kokkos SymmetricSpace needs C++20: -std=c++20 or later, or CMake's \
target_compile_features(app PRIVATE cxx_std_20)"
#endif

// nvcc includes CUDA's header itself.
#ifdef __HIPCC__
#include <hip/hip_runtime.h>
#endif

// These macros mark functions as callable from the host and from kernels.
// Without CUDA or HIP, the functions are compiled for the host only.
// SYMM_COMPILES_KERNELS is defined if the compiler compiles kernels.

#if defined(__CUDACC__) || defined(__HIPCC__)
#define SYMM_COMPILES_KERNELS
#define SYMM_FUNCTION __host__ __device__
#define SYMM_INLINE_FUNCTION __host__ __device__ inline
#define SYMM_FORCEINLINE_FUNCTION __host__ __device__ __forceinline__
#else
#define SYMM_FUNCTION
#define SYMM_INLINE_FUNCTION inline
#define SYMM_FORCEINLINE_FUNCTION inline __attribute__((always_inline))
#endif

// Place this macro before a host-and-device template that calls its argument.
// In host code, the argument may be a function that only the host can call. The
// pragma suppresses nvcc's warning about such calls.
#ifdef __NVCC__
#define SYMM_CALLS_ANYTHING _Pragma("nv_exec_check_disable")
#else
#define SYMM_CALLS_ANYTHING
#endif

// A host-and-device function is compiled twice. SYMM_FOR_DEVICE is defined in
// the device compilation. SYMM_IF_ON_HOST((statements;)) keeps the statements
// in the host compilation only; SYMM_IF_ON_DEVICE((statements;)) keeps them in
// the device compilation only.

#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define SYMM_FOR_DEVICE
#endif

// Place this macro before a loop that nvcc must not unroll in kernels.
#if defined(SYMM_FOR_DEVICE) && defined(__CUDACC__)
#define SYMM_NOT_UNROLLED _Pragma("unroll 1")
#else
#define SYMM_NOT_UNROLLED
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_GPU_NAMES_HPP
#define SYMM_TEST_GPU_NAMES_HPP

#include <gmock/gmock.h>

#include <regex>
#include <string>
#include <utility>
#include <vector>

#include <runtime/gpu/Driver.hpp>

/// The tests of GPUs say what messages have to say in CUDA's words. In a build
/// for HIP, these functions expect HIP's instead. (There, the tests run on a
/// stand-in for HIP that answers by the fake CUDA driver, so faults are still
/// those of CUDA's functions.)
namespace symm_test {

#ifdef SYMM_TEST_HIP
inline constexpr bool is_hip = true;
#else
inline constexpr bool is_hip = false;
#endif

/// Words of CUDA, and what HIP says instead. The first that fits counts.
inline std::string said(std::string text) {
  if constexpr (!is_hip) return text;
  namespace words = symm::Impl::gpu::text;
  static std::vector<std::pair<std::regex, std::string>> const s_words{
      {std::regex("libcuda\\.so\\.1"), words::library},
      {std::regex("an NVIDIA GPU and its driver"), words::needed},
      {std::regex("no CUDA-capable"), "no ROCm-capable"},
      {std::regex("CUDA_ERROR_OUT_OF_MEMORY"), "hipErrorOutOfMemory"},
      {std::regex("CUDA_ERROR_INVALID_VALUE"), "hipErrorInvalidValue"},
      {std::regex("CUDA_ERROR_INVALID_DEVICE"), "hipErrorInvalidDevice"},
      {std::regex("CUDA_ERROR_INVALID$"), "hipErrorInvalid"},
      {std::regex("CUDA_ERROR_ILLEGAL_ADDRESS"), "hipErrorIllegalAddress"},
      {std::regex("CUDA_ERROR_NOT_INITIALIZED"), "hipErrorNotInitialized"},
      {std::regex("CUDA_ERROR_NOT_PERMITTED"), "hipErrorNotSupported"},
      {std::regex("CUDA_ERROR_NOT_SUPPORTED"), "hipErrorNotSupported"},
      {std::regex("CUDA_ERROR_NO_DEVICE"), "hipErrorNoDevice"},
      {std::regex("CUDA_ERROR_UNKNOWN"), "hipErrorUnknown"},
      {std::regex("CUDA driver"), words::driver},
      {std::regex("\\bCUDA\\b"), words::runtime},
      {std::regex("cudaMallocHost"), words::malloc_host},
      {std::regex("cuda([A-Z])"), "hip$1"},
      {std::regex("cuCtxPushCurrent"), "hipSetDevice"},
      {std::regex("cuCtxSynchronize"), "hipDeviceSynchronize"},
      {std::regex("cuDeviceGetCount"), "hipGetDeviceCount"},
      {std::regex("cuEventCreate"), "hipEventCreateWithFlags"},
      {std::regex("cuLaunchKernel"), "hipModuleLaunchKernel"},
      {std::regex("cuMemHost(Unr|R)egister"), "hipHost$1egister"},
      {std::regex("cu([A-Z])"), "hip$1"}};
  for (auto const& [word, instead] : s_words) {
    text = std::regex_replace(text, word, instead);
  }
  return text;
}

inline auto HasSubstr(std::string const& text) {
  return testing::HasSubstr(said(text));
}
inline auto EndsWith(std::string const& text) {
  return testing::EndsWith(said(text));
}
inline auto StartsWith(std::string const& text) {
  return testing::StartsWith(said(text));
}

}  // namespace symm_test

#endif

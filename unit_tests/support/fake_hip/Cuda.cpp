// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

#include <map>
#include <mutex>

namespace fake_hip {

void* library() {
  static void* const s_library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return s_library;
}

CUresult context_of(int device, CUcontext& context) {
  static std::mutex s_mutex;
  // Never destroyed: programs use it until their end.
  static auto& s_contexts = *new std::map<int, CUcontext>;
  std::lock_guard const lock(s_mutex);
  auto& known = s_contexts[device];
  if (known == nullptr) {
    if (auto const result = SYMM_CUDA(cuDevicePrimaryCtxRetain)(&known, device);
        result != CUDA_SUCCESS) {
      known = nullptr;
      return result;
    }
  }
  context = known;
  return CUDA_SUCCESS;
}

int version() {
  char const* const text = std::getenv("FAKE_HIP_VERSION");
  return text == nullptr ? 71'500'000 : std::atoi(text);
}

}  // namespace fake_hip

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "CudaDriver.hpp"

#include <dlfcn.h>

#include "../base/EnvironmentTable.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"

namespace symm::Impl {

namespace {

// The symbol's name after a macro in cuda.h has renamed it.
#define SYMM_TEXT_OF(name) #name
#define SYMM_SYMBOL_OF(name) SYMM_TEXT_OF(name)

template <class Function>
void find(void* library, char const* symbol, Function& function) {
  function = reinterpret_cast<Function>(::dlsym(library, symbol));
  if (function == nullptr) {
    throw SystemError(std::string("the CUDA driver of this machine has no ") +
                      symbol + "; update it (12.2 or later)");
  }
}

CudaDriver load() {
  constexpr char const* name = "libcuda.so.1";
  // Never closed: the driver does not work after dlclose().
  void* const library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    char const* const reason = ::dlerror();
    throw SystemError(std::string("no CUDA driver on this machine: ") +
                      (reason != nullptr ? reason : name) +
                      "; GPU memory needs an NVIDIA GPU and its driver");
  }
  CudaDriver driver;
#define SYMM_FIND_CUDA_FUNCTION(name) \
  find(library, SYMM_SYMBOL_OF(name), driver.name);
  SYMM_FOR_EACH_CUDA_FUNCTION(SYMM_FIND_CUDA_FUNCTION)
#undef SYMM_FIND_CUDA_FUNCTION

  if (CUresult const result = driver.cuInit(0); result != CUDA_SUCCESS) {
    auto const visible = setting_of(environment::visible_gpus);
    throw SystemError(
        Text("no GPU that can be used: cuInit failed: ", driver.text_of(result),
             visible ? Text("; ", visible->name, "=", visible->text) : Text()));
  }
  return driver;
}

}  // namespace

CudaDriver const& CudaDriver::instance() {
  static CudaDriver const driver = load();
  return driver;
}

std::string CudaDriver::text_of(CUresult result) const {
  // Both calls fail for error codes that this driver does not recognize.
  char const* name = nullptr;
  char const* text = nullptr;
  if (cuGetErrorName(result, &name) != CUDA_SUCCESS) name = nullptr;
  if (cuGetErrorString(result, &text) != CUDA_SUCCESS) text = nullptr;
  if (name == nullptr) return "CUDA error " + std::to_string(result);
  return std::string(name) +
         (text == nullptr ? "" : " (" + std::string(text) + ")");
}

void CudaDriver::check(CUresult result, std::string const& what,
                       char const* call) const {
  if (result == CUDA_SUCCESS) return;
  auto const message = what + ": " + call + " failed: " + text_of(result);
  if (result == CUDA_ERROR_OUT_OF_MEMORY) throw OutOfMemory(message);
  throw SystemError(message);
}

int CudaDriver::attribute(CUdevice device, CUdevice_attribute which,
                          std::string const& place) const {
  int value         = 0;
  auto const result = cuDeviceGetAttribute(&value, which, device);
  if (result == CUDA_ERROR_INVALID_VALUE) return 0;
  check(result,
        "asking for attribute " + std::to_string(which) + " of " + place,
        "cuDeviceGetAttribute");
  return value;
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Cuda.hpp"

#include <array>

namespace {

struct ErrorText {
  hipError_t error;
  char const* name;
  char const* text;
};

constexpr std::array error_texts{
    ErrorText{hipSuccess, "hipSuccess", "no error"},
    ErrorText{hipErrorInvalidValue, "hipErrorInvalidValue", "invalid argument"},
    ErrorText{hipErrorOutOfMemory, "hipErrorOutOfMemory", "out of memory"},
    ErrorText{hipErrorNotInitialized, "hipErrorNotInitialized",
              "initialization error"},
    ErrorText{hipErrorDeinitialized, "hipErrorDeinitialized",
              "driver shutting down"},
    ErrorText{hipErrorNoDevice, "hipErrorNoDevice",
              "no ROCm-capable device is detected"},
    ErrorText{hipErrorInvalidDevice, "hipErrorInvalidDevice",
              "invalid device ordinal"},
    ErrorText{hipErrorInvalidImage, "hipErrorInvalidImage",
              "device kernel image is invalid"},
    ErrorText{hipErrorInvalidContext, "hipErrorInvalidContext",
              "invalid device context"},
    ErrorText{hipErrorInvalidHandle, "hipErrorInvalidHandle",
              "invalid resource handle"},
    ErrorText{hipErrorNotFound, "hipErrorNotFound", "named symbol not found"},
    ErrorText{hipErrorNotReady, "hipErrorNotReady", "device not ready"},
    ErrorText{hipErrorIllegalAddress, "hipErrorIllegalAddress",
              "an illegal memory access was encountered"},
    ErrorText{hipErrorHostMemoryAlreadyRegistered,
              "hipErrorHostMemoryAlreadyRegistered",
              "part or all of the requested memory range is already mapped"},
    ErrorText{hipErrorHostMemoryNotRegistered,
              "hipErrorHostMemoryNotRegistered",
              "pointer does not correspond to a registered memory region"},
    ErrorText{hipErrorLaunchFailure, "hipErrorLaunchFailure",
              "unspecified launch failure"},
    ErrorText{hipErrorNotSupported, "hipErrorNotSupported",
              "operation not supported"},
    ErrorText{hipErrorStreamCaptureImplicit, "hipErrorStreamCaptureImplicit",
              "operation would make the legacy stream depend on a capturing "
              "blocking stream"},
    ErrorText{hipErrorUnknown, "hipErrorUnknown", "unknown error"}};

ErrorText const& text_of(hipError_t error) {
  for (auto const& known : error_texts) {
    if (known.error == error) return known;
  }
  return error_texts.back();
}

}  // namespace

extern "C" {

char const* hipGetErrorName(hipError_t error) { return text_of(error).name; }
char const* hipGetErrorString(hipError_t error) { return text_of(error).text; }

}  // extern "C"

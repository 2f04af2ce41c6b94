// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Initialization, devices, contexts and errors.

#include <unistd.h>
#include <cstdio>

#include <algorithm>
#include <cstring>
#include <vector>

#include "Driver.hpp"

using fake_cuda::Driver;
using fake_cuda::Entry;

namespace {

struct ErrorText {
  CUresult result;
  char const* name;
  char const* text;
};

constexpr ErrorText error_texts[] = {
    {CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {CUDA_ERROR_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED",
     "initialization error"},
    {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE",
     "no CUDA-capable device is detected"},
    {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE",
     "invalid device ordinal"},
    {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT",
     "invalid device context"},
    {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE",
     "invalid resource handle"},
    {CUDA_ERROR_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {CUDA_ERROR_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED,
     "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT",
     "operation would make the legacy stream depend on a capturing blocking "
     "stream"},
    {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED,
     "CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED",
     "part or all of the requested memory range is already mapped"},
    {CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED,
     "CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED",
     "pointer does not correspond to a registered memory region"},
    {CUDA_ERROR_NOT_PERMITTED, "CUDA_ERROR_NOT_PERMITTED",
     "operation not permitted"},
    {CUDA_ERROR_NOT_SUPPORTED, "CUDA_ERROR_NOT_SUPPORTED",
     "operation not supported"},
    {CUDA_ERROR_UNKNOWN, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

ErrorText const* find_error(CUresult result) {
  auto const* const it =
      std::find_if(std::begin(error_texts), std::end(error_texts),
                   [&](auto const& error) { return error.result == result; });
  return it == std::end(error_texts) ? nullptr : it;
}

bool is_device(Driver const& driver, CUdevice device) {
  return device >= 0 && device < driver.n_devices();
}

}  // namespace

CUresult cuGetErrorName(CUresult error, char const** name) {
  auto const* const found = find_error(error);
  *name                   = found == nullptr ? nullptr : found->name;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGetErrorString(CUresult error, char const** text) {
  auto const* const found = find_error(error);
  *text                   = found == nullptr ? nullptr : found->text;
  return found == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuInit(unsigned flags) {
  Entry entry("cuInit");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (entry.driver.process != 0) return CUDA_SUCCESS;
  auto config = fake_cuda::Config::from_environment();
  if (config.visible.empty()) return CUDA_ERROR_NO_DEVICE;
  entry.driver.config  = std::move(config);
  entry.driver.process = ::getpid();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int* count) {
  Entry entry("cuDeviceGetCount");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  *count = entry.driver.n_devices();
  return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  Entry entry("cuDeviceGet");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  if (!is_device(entry.driver, ordinal)) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char* name, int bytes, CUdevice device) {
  Entry entry("cuDeviceGetName");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  if (!is_device(entry.driver, device)) return CUDA_ERROR_INVALID_DEVICE;
  if (name == nullptr || bytes < 1) return CUDA_ERROR_INVALID_VALUE;
  auto const& text  = entry.driver.config.device_name;
  auto const length = text.copy(name, static_cast<std::size_t>(bytes) - 1);
  name[length]      = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char* name, int bytes, CUdevice device) {
  Entry entry("cuDeviceGetPCIBusId");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  if (!is_device(entry.driver, device)) return CUDA_ERROR_INVALID_DEVICE;
  if (name == nullptr || bytes < 13) return CUDA_ERROR_INVALID_VALUE;
  // That of the machine's GPU, whatever its number in this process.
  int const gpu = entry.driver.gpu_of(device);
  std::snprintf(name, static_cast<std::size_t>(bytes), "0000:%02x:00.0",
                static_cast<unsigned>(16 * (gpu + 1)) & 0xffU);
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid(CUuuid* uuid, CUdevice device) {
  Entry entry("cuDeviceGetUuid");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  if (!is_device(entry.driver, device)) return CUDA_ERROR_INVALID_DEVICE;
  *uuid          = {};
  uuid->bytes[0] = static_cast<char>(1 + entry.driver.gpu_of(device));
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute,
                              CUdevice device) {
  Entry entry("cuDeviceGetAttribute");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const& driver = entry.driver;
  if (!is_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
  auto const& properties =
      driver.config.devices.at(static_cast<std::size_t>(driver.gpu_of(device)));
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      *value = properties.has_vmm ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED:
      *value = properties.has_descriptors ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED:
      *value = properties.has_host_numa ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MPS_ENABLED:
      *value = driver.config.has_mps ? 1 : 0;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID: *value = 0; return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
      *value = fake_cuda::max_pitch;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = properties.n_multiprocessors;
      return CUDA_SUCCESS;
    case CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED:
      // As a driver that is older than the attribute.
      if (driver.config.fabric == fake_cuda::Fabric::absent) {
        return CUDA_ERROR_INVALID_VALUE;
      }
      *value = 1;
      return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuDeviceTotalMem(std::size_t* bytes, CUdevice device) {
  Entry entry("cuDeviceTotalMem");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const& driver = entry.driver;
  if (!is_device(driver, device)) return CUDA_ERROR_INVALID_DEVICE;
  *bytes =
      driver.config.devices.at(static_cast<std::size_t>(driver.gpu_of(device)))
          .memory_bytes;
  return CUDA_SUCCESS;
}

CUresult cuDeviceCanAccessPeer(int* can_access, CUdevice device,
                               CUdevice peer) {
  Entry entry("cuDeviceCanAccessPeer");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const& driver = entry.driver;
  if (!is_device(driver, device) || !is_device(driver, peer)) {
    return CUDA_ERROR_INVALID_DEVICE;
  }
  bool const is_peer =
      device != peer &&
      driver.config.are_peers(driver.gpu_of(device), driver.gpu_of(peer));
  *can_access = is_peer ? 1 : 0;
  return CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int* version) {
  Entry entry("cuDriverGetVersion");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  Entry entry("cuDevicePrimaryCtxRetain");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  *context = entry.driver.context_of(device);
  if (*context == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  ++(*context)->n_references;
  return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  Entry entry("cuDevicePrimaryCtxRelease");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto* const context = entry.driver.context_of(device);
  if (context == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (context->n_references == 0) return CUDA_ERROR_INVALID_CONTEXT;
  --context->n_references;
  return CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  Entry entry("cuCtxPushCurrent");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto const& contexts = entry.driver.contexts;
  bool const is_live =
      std::any_of(contexts.begin(), contexts.end(), [&](auto const& item) {
        return &item.second == context && item.second.n_references > 0;
      });
  if (!is_live) return CUDA_ERROR_INVALID_CONTEXT;
  fake_cuda::context_stack().push_back(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext* context) {
  Entry entry("cuCtxPopCurrent");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  auto& stack = fake_cuda::context_stack();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize() {
  Entry entry("cuCtxSynchronize");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  auto* const context = entry.driver.current();
  std::vector<fake_cuda::WorkQueue*> queues{&context->queue};
  for (auto& stream : entry.driver.streams) queues.push_back(&stream.queue);
  entry.unlock();
  for (auto* const queue : queues) queue->wait();
  return context->is_lost ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

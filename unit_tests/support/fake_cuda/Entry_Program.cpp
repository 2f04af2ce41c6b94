// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Memory that a program has made by itself: what is where, registration, CUDA
// IPC.

#include <cstdint>
#include <cstring>

#include "Control.hpp"
#include "Driver.hpp"

using fake_cuda::Driver;
using fake_cuda::Entry;
using fake_cuda::Place;

namespace {

/// What the attributes say of an address.
struct Known {
  bool is_on_gpu  = false;
  bool is_managed = false;
  bool has_ipc    = false;
  int ordinal     = 0;
};

/// Whether CUDA knows the address.
bool know(Driver const& driver, CUdeviceptr address, Known& known) {
  if (auto const* const mapping = driver.addresses.mapping_around(address)) {
    if (!mapping->has_access()) return false;
    auto const& place = mapping->memory->place;
    known             = {place.is_gpu, false, false, driver.ordinal_of(place)};
    return true;
  }
  auto const* const range = driver.program.find(address).range;
  if (range == nullptr) return false;
  known.is_managed = range->kind == fake_cuda_malloc_managed;
  known.is_on_gpu  = range->kind != fake_cuda_malloc_host;
  known.has_ipc    = range->kind == fake_cuda_malloc && !range->is_opened;
  if (range->memory != nullptr) {
    known.ordinal = driver.ordinal_of(range->memory->place);
  }
  return true;
}

template <class T>
void store(void* to, T value) {
  std::memcpy(to, &value, sizeof value);
}

}  // namespace

CUresult cuPointerGetAttribute(void* data, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  Entry entry("cuPointerGetAttribute");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  Known known;
  if (!know(entry.driver, address, known)) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      store(data, known.is_on_gpu ? CU_MEMORYTYPE_DEVICE : CU_MEMORYTYPE_HOST);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      store(data, known.is_managed);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
      store(data, known.has_ipc);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      store(data, known.ordinal);
      return CUDA_SUCCESS;
    default: return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemGetAddressRange(CUdeviceptr* start, std::size_t* bytes,
                              CUdeviceptr address) {
  Entry entry("cuMemGetAddressRange");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  CUdeviceptr mapped = 0;
  if (auto const* const mapping =
          entry.driver.addresses.mapping_around(address, &mapped)) {
    if (!mapping->has_access()) return CUDA_ERROR_NOT_FOUND;
    // Of host memory, only the size.
    *start = mapping->memory->place.is_gpu ? mapped : 0;
    *bytes = mapping->bytes;
    return CUDA_SUCCESS;
  }
  auto const found = entry.driver.program.find(address);
  if (found.range == nullptr) return CUDA_ERROR_NOT_FOUND;
  *start = found.start;
  *bytes = found.range->bytes;
  return CUDA_SUCCESS;
}

CUresult cuMemHostRegister(void* address, std::size_t bytes, unsigned flags) {
  Entry entry("cuMemHostRegister");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  constexpr unsigned known_flags =
      CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP;
  auto const start = reinterpret_cast<CUdeviceptr>(address);
  if ((flags & ~known_flags) != 0 ||
      entry.driver.addresses.is_reserved(start)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return entry.driver.program.register_host(start, bytes);
}

CUresult cuMemHostUnregister(void* address) {
  Entry entry("cuMemHostUnregister");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  return entry.driver.program.unregister_host(
      reinterpret_cast<CUdeviceptr>(address));
}

CUresult cuIpcGetMemHandle(CUipcMemHandle* handle, CUdeviceptr address) {
  Entry entry("cuIpcGetMemHandle");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  auto const* const range = entry.driver.program.find(address).range;
  if (range == nullptr || range->kind != fake_cuda_malloc || range->is_opened) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *handle = fake_cuda::ipc_handle_of(*range->memory);
  return CUDA_SUCCESS;
}

CUresult cuIpcOpenMemHandle(CUdeviceptr* start, CUipcMemHandle handle,
                            unsigned flags) {
  Entry entry("cuIpcOpenMemHandle");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  if (flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  auto& driver = entry.driver;
  return driver.program.open(*start, driver.config.machine, handle);
}

CUresult cuIpcCloseMemHandle(CUdeviceptr start) {
  Entry entry("cuIpcCloseMemHandle");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  return entry.driver.program.close(start);
}

void* fake_cuda_allocate(FakeCudaMemory kind, int device, std::size_t bytes) {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  auto const place = kind == fake_cuda_malloc_host
                         ? Place{false, 0}
                         : Place{true, driver.gpu_of(device)};
  return driver.program.allocate(driver.config.machine, kind, place, bytes);
}

void fake_cuda_free(void* start) {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  driver.program.free(start);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A stand-in for HIP's runtime library: it answers the functions of HIP that
// the library calls by functions of the CUDA driver, which is the fake one
// (fake_cuda/) or a real one. Errors have HIP's names and texts. Kernels of HIP
// do not run: a module has the CUDA code of symm_change_words(), whatever its
// image.
//
// What it does differently from CUDA is what ROCm's sources do (docs/
// hip_port.md): it ignores the alignment of a reservation, and memory is of the
// thread's current device.
//
// FAKE_HIP_VERSION  the version of HIP, as in HIP_VERSION; default: a recent
//                   one. Before 7.1, a descriptor is imported by its address;
//                   before 7.2, an attribute of addresses is not supported;
//                   before 7.15, hipMemRetainAllocationHandle() does not
//                   retain, and ends the process if it knows no such memory
// FAKE_HIP_MOVES    page-locked memory has another address on the GPU

#include <cuda.h>
#include <dlfcn.h>
#define __HIP_DISABLE_CPP_FUNCTIONS__  // NOLINT(bugprone-reserved-identifier)
#include <hip/hip_runtime_api.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <vector>

#include <runtime/cuda/WordChanges.hpp>

namespace {

// CUDA's driver.

void* library() {
  static void* const s_library = ::dlopen("libcuda.so.1", RTLD_NOW);
  return s_library;
}

template <class Function>
Function find(char const* symbol) {
  void* const found =
      library() == nullptr ? nullptr : ::dlsym(library(), symbol);
  if (found == nullptr) std::abort();  // hipInit() looks for the library
  return reinterpret_cast<Function>(found);
}

#define SYMM_TEXT(name) #name
/// A function of the driver, by the name that cuda.h gives it.
#define SYMM_CUDA(name)                                                      \
  ([] {                                                                      \
    static auto const s_function = find<decltype(&::name)>(SYMM_TEXT(name)); \
    return s_function;                                                       \
  }())

// Errors. Most have the same number in both.

hipError_t error_of(CUresult result) {
  if (result == CUDA_ERROR_NOT_PERMITTED) return hipErrorNotSupported;
  return static_cast<hipError_t>(result);
}

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

// Devices. Each thread has a current one, at first 0; the driver's contexts are
// current only during a call.

thread_local int s_device = 0;

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

/// Calls `body`, which returns a CUresult, with the context of a device.
template <class Body>
hipError_t on(int device, Body const& body) {
  CUcontext context = nullptr;
  auto result       = context_of(device, context);
  if (result != CUDA_SUCCESS) return error_of(result);
  result = SYMM_CUDA(cuCtxPushCurrent)(context);
  if (result != CUDA_SUCCESS) return error_of(result);
  result = body();
  static_cast<void>(SYMM_CUDA(cuCtxPopCurrent)(&context));
  return error_of(result);
}

template <class Body>
hipError_t on_current(Body const& body) {
  return on(s_device, body);
}

bool has(CUdevice_attribute which, int device) {
  int value = 0;
  return SYMM_CUDA(cuDeviceGetAttribute)(&value, which, device) ==
             CUDA_SUCCESS &&
         value != 0;
}

int version() {
  char const* const text = std::getenv("FAKE_HIP_VERSION");
  return text == nullptr ? 71'500'000 : std::atoi(text);
}

// Types.

CUdeviceptr cuda(void const* address) {
  return reinterpret_cast<CUdeviceptr>(address);
}
CUstream cuda(hipStream_t stream) { return reinterpret_cast<CUstream>(stream); }
CUevent cuda(hipEvent_t event) { return reinterpret_cast<CUevent>(event); }
CUmemGenericAllocationHandle cuda(hipMemGenericAllocationHandle_t handle) {
  return reinterpret_cast<CUmemGenericAllocationHandle>(handle);
}

CUmemLocation cuda(hipMemLocation const& from) {
  CUmemLocation to{};
  to.type = static_cast<CUmemLocationType>(from.type);  // the same numbers
  to.id   = from.id;
  return to;
}

CUmemAllocationProp cuda(hipMemAllocationProp const& from) {
  CUmemAllocationProp to{};
  to.type     = static_cast<CUmemAllocationType>(from.type);
  to.location = cuda(from.location);
  to.requestedHandleTypes =
      static_cast<CUmemAllocationHandleType>(from.requestedHandleType);
  return to;
}

CUmemAllocationProp of_current_device(hipMemAllocationProp const& from) {
  auto to = cuda(from);
  if (from.location.type == hipMemLocationTypeDevice) to.location.id = s_device;
  return to;
}

CUpointer_attribute cuda(hipPointer_attribute which) {
  switch (which) {
    case HIP_POINTER_ATTRIBUTE_MEMORY_TYPE:
      return CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    case HIP_POINTER_ATTRIBUTE_IS_MANAGED:
      return CU_POINTER_ATTRIBUTE_IS_MANAGED;
    case HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      return CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL;
    default: return CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
  }
}

hipError_t batch(hipStream_t stream, CUstreamBatchMemOpType operation,
                 void* address, std::uint64_t value, unsigned flags) {
  CUstreamBatchMemOpParams all{};
  all.waitValue.operation = operation;
  all.waitValue.address   = cuda(address);
  all.waitValue.value64   = value;
  all.waitValue.flags     = flags;
  return on_current(
      [&] { return SYMM_CUDA(cuStreamBatchMemOp)(cuda(stream), 1, &all, 0); });
}

/// Both have 0 for "at least", and 1 for "equal".
unsigned wait_flags(unsigned flags) {
  return flags == hipStreamWaitValueEq ? CU_STREAM_WAIT_VALUE_EQ
                                       : CU_STREAM_WAIT_VALUE_GEQ;
}

}  // namespace

extern "C" {

char const* hipGetErrorName(hipError_t error) { return text_of(error).name; }
char const* hipGetErrorString(hipError_t error) { return text_of(error).text; }

hipError_t hipInit(unsigned flags) {
  if (library() == nullptr) return hipErrorNoDevice;
  return error_of(SYMM_CUDA(cuInit)(flags));
}

hipError_t hipDriverGetVersion(int* result) {
  *result = version();
  return hipSuccess;
}

// Devices.

hipError_t hipGetDevice(int* device) {
  *device = s_device;
  return hipSuccess;
}

hipError_t hipSetDevice(int device) {
  auto const result = on(device, [] { return CUDA_SUCCESS; });
  if (result == hipSuccess) s_device = device;
  return result;
}

hipError_t hipGetDeviceCount(int* count) {
  return error_of(SYMM_CUDA(cuDeviceGetCount)(count));
}
hipError_t hipDeviceGet(hipDevice_t* device, int ordinal) {
  return error_of(SYMM_CUDA(cuDeviceGet)(device, ordinal));
}
hipError_t hipDeviceGetName(char* name, int bytes, hipDevice_t device) {
  return error_of(SYMM_CUDA(cuDeviceGetName)(name, bytes, device));
}
hipError_t hipDeviceGetPCIBusId(char* name, int bytes, int device) {
  return error_of(SYMM_CUDA(cuDeviceGetPCIBusId)(name, bytes, device));
}
hipError_t hipDeviceTotalMem(std::size_t* bytes, hipDevice_t device) {
  return error_of(SYMM_CUDA(cuDeviceTotalMem)(bytes, device));
}
hipError_t hipDeviceCanAccessPeer(int* can, int device, int peer) {
  return error_of(SYMM_CUDA(cuDeviceCanAccessPeer)(can, device, peer));
}

hipError_t hipDeviceGetUuid(hipUUID* uuid, hipDevice_t device) {
  CUuuid bits{};
  auto const result = SYMM_CUDA(cuDeviceGetUuid)(&bits, device);
  static_assert(sizeof bits == sizeof *uuid);
  std::memcpy(uuid, &bits, sizeof bits);
  return error_of(result);
}

hipError_t hipDeviceGetAttribute(int* value, hipDeviceAttribute_t which,
                                 int device) {
  bool const is_pitch = which == hipDeviceAttributeMaxPitch;
  if (!is_pitch && which != hipDeviceAttributeMultiprocessorCount)
    return hipErrorInvalidValue;
  return error_of(SYMM_CUDA(cuDeviceGetAttribute)(
      value,
      is_pitch ? CU_DEVICE_ATTRIBUTE_MAX_PITCH
               : CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT,
      device));
}

hipError_t hipGetDeviceProperties(hipDeviceProp_t* properties, int device) {
  *properties = {};
  std::strcpy(properties->gcnArchName, "stand-in");
  return hipDeviceGetName(properties->name, sizeof properties->name, device);
}

hipError_t hipDeviceSynchronize() {
  return on_current([] { return SYMM_CUDA(cuCtxSynchronize)(); });
}
hipError_t hipDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return on_current(
      [&] { return SYMM_CUDA(cuCtxGetStreamPriorityRange)(least, greatest); });
}

// Virtual memory.

hipError_t hipMemAddressReserve(void** address, std::size_t bytes,
                                std::size_t /*alignment*/, void* hint,
                                unsigned long long flags) {
  CUdeviceptr start = 0;
  auto const result =
      SYMM_CUDA(cuMemAddressReserve)(&start, bytes, 0, cuda(hint), flags);
  *address = reinterpret_cast<void*>(start);
  return error_of(result);
}
hipError_t hipMemAddressFree(void* address, std::size_t bytes) {
  return error_of(SYMM_CUDA(cuMemAddressFree)(cuda(address), bytes));
}

hipError_t hipMemGetAllocationGranularity(
    std::size_t* bytes, hipMemAllocationProp const* properties,
    hipMemAllocationGranularity_flags which) {
  // What CUDA has attributes for.
  bool const is_on_device =
      properties->location.type == hipMemLocationTypeDevice;
  int const device = s_device;
  if (!has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device)) {
    return hipErrorNotSupported;
  }
  if (properties->requestedHandleType != hipMemHandleTypeNone &&
      !has(CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED,
           device)) {
    return hipErrorNotSupported;
  }
  if (!is_on_device &&
      !has(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED,
           device)) {
    return hipErrorInvalidValue;
  }
  auto const wanted = of_current_device(*properties);
  return error_of(SYMM_CUDA(cuMemGetAllocationGranularity)(
      bytes, &wanted, static_cast<CUmemAllocationGranularity_flags>(which)));
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t* handle,
                        std::size_t bytes,
                        hipMemAllocationProp const* properties,
                        unsigned long long flags) {
  auto const wanted                    = of_current_device(*properties);
  CUmemGenericAllocationHandle created = 0;
  auto const result = SYMM_CUDA(cuMemCreate)(&created, bytes, &wanted, flags);
  *handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(created);
  return error_of(result);
}
hipError_t hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  return error_of(SYMM_CUDA(cuMemRelease)(cuda(handle)));
}
hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle,
                                        void* address) {
  CUmemGenericAllocationHandle held = 0;
  auto const result = SYMM_CUDA(cuMemRetainAllocationHandle)(&held, address);
  *handle           = reinterpret_cast<hipMemGenericAllocationHandle_t>(held);
  if (version() < 71'500'000) {
    if (result != CUDA_SUCCESS) std::abort();
    static_cast<void>(SYMM_CUDA(cuMemRelease)(held));
  }
  return error_of(result);
}
hipError_t hipMemGetAllocationPropertiesFromHandle(
    hipMemAllocationProp* properties, hipMemGenericAllocationHandle_t handle) {
  CUmemAllocationProp its{};
  auto const result =
      SYMM_CUDA(cuMemGetAllocationPropertiesFromHandle)(&its, cuda(handle));
  *properties      = {};
  properties->type = static_cast<hipMemAllocationType>(its.type);
  properties->location.type =
      static_cast<hipMemLocationType>(its.location.type);
  properties->location.id         = its.location.id;
  properties->requestedHandleType = static_cast<hipMemAllocationHandleType>(
      its.requestedHandleTypes & CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  return error_of(result);
}

hipError_t hipMemMap(void* address, std::size_t bytes, std::size_t offset,
                     hipMemGenericAllocationHandle_t handle,
                     unsigned long long flags) {
  return error_of(
      SYMM_CUDA(cuMemMap)(cuda(address), bytes, offset, cuda(handle), flags));
}
hipError_t hipMemUnmap(void* address, std::size_t bytes) {
  return error_of(SYMM_CUDA(cuMemUnmap)(cuda(address), bytes));
}
hipError_t hipMemSetAccess(void* address, std::size_t bytes,
                           hipMemAccessDesc const* all, std::size_t n) {
  std::vector<CUmemAccessDesc> rights;
  for (std::size_t i = 0; i < n; ++i) {
    rights.push_back(
        {cuda(all[i].location), static_cast<CUmemAccess_flags>(all[i].flags)});
  }
  return error_of(
      SYMM_CUDA(cuMemSetAccess)(cuda(address), bytes, rights.data(), n));
}
hipError_t hipMemGetAccess(unsigned long long* flags,
                           hipMemLocation const* location, void* address) {
  auto const place = cuda(*location);
  return error_of(SYMM_CUDA(cuMemGetAccess)(flags, &place, cuda(address)));
}

hipError_t hipMemExportToShareableHandle(void* shared,
                                         hipMemGenericAllocationHandle_t handle,
                                         hipMemAllocationHandleType type,
                                         unsigned long long flags) {
  if (type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
  return error_of(SYMM_CUDA(cuMemExportToShareableHandle)(
      shared, cuda(handle), CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, flags));
}
hipError_t hipMemImportFromShareableHandle(
    hipMemGenericAllocationHandle_t* handle, void* shared,
    hipMemAllocationHandleType type) {
  if (type != hipMemHandleTypePosixFileDescriptor) return hipErrorInvalidValue;
  bool const is_address = cuda(shared) > 1U << 20U;
  if (is_address != (version() < 70'100'000)) return hipErrorInvalidValue;
  auto const descriptor = is_address ? std::intptr_t{*static_cast<int*>(shared)}
                                     : reinterpret_cast<std::intptr_t>(shared);
  CUmemGenericAllocationHandle imported = 0;
  auto const result = SYMM_CUDA(cuMemImportFromShareableHandle)(
      &imported, reinterpret_cast<void*>(descriptor),
      CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
  *handle = reinterpret_cast<hipMemGenericAllocationHandle_t>(imported);
  return error_of(result);
}

// Other memory.

hipError_t hipMemGetInfo(std::size_t* free, std::size_t* total) {
  return on_current([&] { return SYMM_CUDA(cuMemGetInfo)(free, total); });
}
hipError_t hipMalloc(void** address, std::size_t bytes) {
  CUdeviceptr start = 0;
  auto const result =
      on_current([&] { return SYMM_CUDA(cuMemAlloc)(&start, bytes); });
  *address = reinterpret_cast<void*>(start);
  return result;
}
hipError_t hipFree(void* address) {
  return on_current([&] { return SYMM_CUDA(cuMemFree)(cuda(address)); });
}
hipError_t hipMemGetAddressRange(hipDeviceptr_t* start, std::size_t* bytes,
                                 hipDeviceptr_t address) {
  CUdeviceptr first = 0;
  auto const result = on_current([&] {
    return SYMM_CUDA(cuMemGetAddressRange)(&first, bytes, cuda(address));
  });
  *start            = reinterpret_cast<void*>(first);
  return result;
}
hipError_t hipPointerGetAttribute(void* data, hipPointer_attribute which,
                                  hipDeviceptr_t address) {
  if (which == HIP_POINTER_ATTRIBUTE_IS_LEGACY_HIP_IPC_CAPABLE &&
      version() < 70'200'000) {
    return hipErrorNotSupported;
  }
  auto const result = on_current([&] {
    return SYMM_CUDA(cuPointerGetAttribute)(data, cuda(which), cuda(address));
  });
  if (result == hipSuccess && which == HIP_POINTER_ATTRIBUTE_MEMORY_TYPE) {
    auto& type = *static_cast<unsigned*>(data);
    type = type == CU_MEMORYTYPE_HOST ? hipMemoryTypeHost : hipMemoryTypeDevice;
  }
  return result;
}
hipError_t hipHostRegister(void* address, std::size_t bytes, unsigned flags) {
  return on_current(
      [&] { return SYMM_CUDA(cuMemHostRegister)(address, bytes, flags); });
}
hipError_t hipHostGetDevicePointer(void** on_gpu, void* address,
                                   unsigned /*flags*/) {
  bool const moves = std::getenv("FAKE_HIP_MOVES") != nullptr;
  *on_gpu          = static_cast<char*>(address) + (moves ? 4096 : 0);
  return hipSuccess;
}
hipError_t hipHostUnregister(void* address) {
  return on_current([&] { return SYMM_CUDA(cuMemHostUnregister)(address); });
}

static_assert(sizeof(hipIpcMemHandle_t) == sizeof(CUipcMemHandle));

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t* handle, void* address) {
  return on_current([&] {
    return SYMM_CUDA(cuIpcGetMemHandle)(
        reinterpret_cast<CUipcMemHandle*>(handle), cuda(address));
  });
}
hipError_t hipIpcOpenMemHandle(void** address, hipIpcMemHandle_t handle,
                               unsigned) {
  CUipcMemHandle its{};
  std::memcpy(&its, &handle, sizeof its);
  CUdeviceptr start = 0;
  auto const result = on_current([&] {
    return SYMM_CUDA(cuIpcOpenMemHandle)(&start, its,
                                         CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS);
  });
  *address          = reinterpret_cast<void*>(start);
  return result;
}
hipError_t hipIpcCloseMemHandle(void* address) {
  return on_current(
      [&] { return SYMM_CUDA(cuIpcCloseMemHandle)(cuda(address)); });
}

// Copies.

hipError_t hipMemcpy(void* to, void const* from, std::size_t bytes,
                     hipMemcpyKind) {
  return on_current(
      [&] { return SYMM_CUDA(cuMemcpy)(cuda(to), cuda(from), bytes); });
}
hipError_t hipMemcpyAsync(void* to, void const* from, std::size_t bytes,
                          hipMemcpyKind, hipStream_t stream) {
  return on_current([&] {
    return SYMM_CUDA(cuMemcpyAsync)(cuda(to), cuda(from), bytes, cuda(stream));
  });
}
hipError_t hipMemcpy2DAsync(void* to, std::size_t to_pitch, void const* from,
                            std::size_t from_pitch, std::size_t width,
                            std::size_t height, hipMemcpyKind,
                            hipStream_t stream) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.srcDevice     = cuda(from);
  copy.srcPitch      = from_pitch;
  copy.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  copy.dstDevice     = cuda(to);
  copy.dstPitch      = to_pitch;
  copy.WidthInBytes  = width;
  copy.Height        = height;
  return on_current(
      [&] { return SYMM_CUDA(cuMemcpy2DAsync)(&copy, cuda(stream)); });
}
hipError_t hipMemsetD8(hipDeviceptr_t address, unsigned char value,
                       std::size_t bytes) {
  return on_current(
      [&] { return SYMM_CUDA(cuMemsetD8)(cuda(address), value, bytes); });
}

// Streams and events.

hipError_t hipStreamCreateWithPriority(hipStream_t* stream, unsigned flags,
                                       int priority) {
  return on_current([&] {
    return SYMM_CUDA(cuStreamCreateWithPriority)(
        reinterpret_cast<CUstream*>(stream), flags, priority);
  });
}
hipError_t hipStreamDestroy(hipStream_t stream) {
  return on_current([&] { return SYMM_CUDA(cuStreamDestroy)(cuda(stream)); });
}
hipError_t hipStreamQuery(hipStream_t stream) {
  return on_current([&] { return SYMM_CUDA(cuStreamQuery)(cuda(stream)); });
}
hipError_t hipStreamSynchronize(hipStream_t stream) {
  return on_current(
      [&] { return SYMM_CUDA(cuStreamSynchronize)(cuda(stream)); });
}
hipError_t hipStreamIsCapturing(hipStream_t stream,
                                hipStreamCaptureStatus* status) {
  CUstreamCaptureStatus its{};
  auto const result = on_current(
      [&] { return SYMM_CUDA(cuStreamIsCapturing)(cuda(stream), &its); });
  *status = static_cast<hipStreamCaptureStatus>(its);
  return result;
}
hipError_t hipStreamWaitEvent(hipStream_t stream, hipEvent_t event,
                              unsigned flags) {
  return on_current([&] {
    return SYMM_CUDA(cuStreamWaitEvent)(cuda(stream), cuda(event), flags);
  });
}
hipError_t hipEventCreateWithFlags(hipEvent_t* event, unsigned flags) {
  return on_current([&] {
    return SYMM_CUDA(cuEventCreate)(reinterpret_cast<CUevent*>(event), flags);
  });
}
hipError_t hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return on_current(
      [&] { return SYMM_CUDA(cuEventRecord)(cuda(event), cuda(stream)); });
}
hipError_t hipEventDestroy(hipEvent_t event) {
  return on_current([&] { return SYMM_CUDA(cuEventDestroy)(cuda(event)); });
}
/// HIP has this function since version 5.6, and Kokkos calls it.
hipError_t hipStreamGetDevice(hipStream_t, hipDevice_t* device) {
  *device = s_device;
  return hipSuccess;
}

hipError_t hipStreamWaitValue32(hipStream_t stream, void* address,
                                std::uint32_t value, unsigned flags,
                                std::uint32_t) {
  return batch(stream, CU_STREAM_MEM_OP_WAIT_VALUE_32, address, value,
               wait_flags(flags));
}
hipError_t hipStreamWaitValue64(hipStream_t stream, void* address,
                                std::uint64_t value, unsigned flags,
                                std::uint64_t) {
  return batch(stream, CU_STREAM_MEM_OP_WAIT_VALUE_64, address, value,
               wait_flags(flags));
}
hipError_t hipStreamWriteValue32(hipStream_t stream, void* address,
                                 std::uint32_t value, unsigned) {
  return batch(stream, CU_STREAM_MEM_OP_WRITE_VALUE_32, address, value,
               CU_STREAM_WRITE_VALUE_DEFAULT);
}
hipError_t hipStreamWriteValue64(hipStream_t stream, void* address,
                                 std::uint64_t value, unsigned) {
  return batch(stream, CU_STREAM_MEM_OP_WRITE_VALUE_64, address, value,
               CU_STREAM_WRITE_VALUE_DEFAULT);
}

// The kernel of atomic operations.

hipError_t hipModuleLoadData(hipModule_t* module, void const*) {
  return on_current([&] {
    return SYMM_CUDA(cuModuleLoadData)(reinterpret_cast<CUmodule*>(module),
                                       symm::Impl::word_changes_ptx);
  });
}
hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                char const* name) {
  return on_current([&] {
    return SYMM_CUDA(cuModuleGetFunction)(
        reinterpret_cast<CUfunction*>(function),
        reinterpret_cast<CUmodule>(module), name);
  });
}
hipError_t hipModuleUnload(hipModule_t module) {
  return on_current([&] {
    return SYMM_CUDA(cuModuleUnload)(reinterpret_cast<CUmodule>(module));
  });
}
hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                 unsigned grid_y, unsigned grid_z,
                                 unsigned block_x, unsigned block_y,
                                 unsigned block_z, unsigned shared_bytes,
                                 hipStream_t stream, void** parameters,
                                 void** extra) {
  return on_current([&] {
    return SYMM_CUDA(cuLaunchKernel)(
        reinterpret_cast<CUfunction>(function), grid_x, grid_y, grid_z, block_x,
        block_y, block_z, shared_bytes, cuda(stream), parameters, extra);
  });
}

}  // extern "C"

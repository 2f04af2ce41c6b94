// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Fills and copies.

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include "Driver.hpp"

using fake_cuda::Driver;
using fake_cuda::Entry;
using fake_cuda::Place;

namespace {

/// Long enough that who does not wait is found out.
constexpr auto time_of_a_fill = std::chrono::milliseconds(3);

}  // namespace

CUresult cuMemGetInfo(std::size_t* free_bytes, std::size_t* total_bytes) {
  Entry entry("cuMemGetInfo");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  auto const& config = entry.driver.config;
  int const gpu      = entry.driver.current()->gpu;
  *total_bytes       = config.devices.at(std::size_t(gpu)).memory_bytes;
  *free_bytes        = *total_bytes - fake_cuda::bytes_in_use(config.machine,
                                                              Place{true, gpu}.name());
  return CUDA_SUCCESS;
}

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t bytes) {
  Entry entry("cuMemsetD8");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  auto& driver        = entry.driver;
  auto* const context = driver.current();
  if ((!driver.addresses.is_reserved(to) &&
       driver.program.find(to).range == nullptr) ||
      !driver.addresses.may_access(to, bytes, Place{true, context->gpu}.name(),
                                   true)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  context->queue.push([=] {
    std::this_thread::sleep_for(time_of_a_fill);
    std::memset(reinterpret_cast<void*>(to), value, bytes);
  });
  return CUDA_SUCCESS;
}

namespace {

/// Enqueues copies of `rows` rows.
CUresult copy_rows(char const* function, CUdeviceptr to, std::size_t to_pitch,
                   CUdeviceptr from, std::size_t from_pitch,
                   std::size_t row_bytes, std::size_t rows, bool may_go_on,
                   CUstream stream = nullptr) {
  Entry entry(function);
  auto result = entry.context_result();
  if (result == CUDA_SUCCESS) result = entry.stream_result(stream);
  if (result != CUDA_SUCCESS) return result;
  auto& driver        = entry.driver;
  auto* const context = driver.current();
  auto const place    = Place{true, context->gpu}.name();
  for (std::size_t row = 0; row < rows; ++row) {
    if (!driver.addresses.may_access(to + row * to_pitch, row_bytes, place,
                                     true) ||
        !driver.addresses.may_access(from + row * from_pitch, row_bytes, place,
                                     false)) {
      return CUDA_ERROR_INVALID_VALUE;
    }
  }
  // Within a device it has begun when the call returns, and may go on.
  bool const is_on_host =
      !driver.addresses.is_reserved(to) || !driver.addresses.is_reserved(from);
  auto& queue = entry.queue_of(stream);
  queue.push([=] {
    if (!is_on_host) std::this_thread::sleep_for(time_of_a_fill);
    for (std::size_t row = 0; row < rows; ++row) {
      std::memcpy(reinterpret_cast<void*>(to + row * to_pitch),
                  reinterpret_cast<void const*>(from + row * from_pitch),
                  row_bytes);
    }
  });
  entry.unlock();
  if (is_on_host && !may_go_on) queue.wait();
  return CUDA_SUCCESS;
}

}  // namespace

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return copy_rows("cuMemcpy", to, 0, from, 0, bytes, 1, false);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                       CUstream stream) {
  return copy_rows("cuMemcpyAsync", to, 0, from, 0, bytes, 1, true, stream);
}

CUresult cuMemcpy2DAsync(CUDA_MEMCPY2D const* copy, CUstream stream) {
  if (copy->srcMemoryType != CU_MEMORYTYPE_UNIFIED ||
      copy->dstMemoryType != CU_MEMORYTYPE_UNIFIED ||
      copy->srcPitch < copy->WidthInBytes ||
      copy->dstPitch < copy->WidthInBytes ||
      std::max(copy->srcPitch, copy->dstPitch) >
          std::size_t{fake_cuda::max_pitch}) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return copy_rows("cuMemcpy2DAsync", copy->dstDevice, copy->dstPitch,
                   copy->srcDevice, copy->srcPitch, copy->WidthInBytes,
                   copy->Height, true, stream);
}

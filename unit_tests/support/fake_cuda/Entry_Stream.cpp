// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Streams and events.

#include <algorithm>

#include "Driver.hpp"

using fake_cuda::Driver;
using fake_cuda::Entry;

namespace {

/// Whether the stream, or for the null one any other, is captured.
bool is_in_the_way(Driver const& driver, CUstream stream) {
  if (stream != nullptr) {
    return stream->capture != CU_STREAM_CAPTURE_STATUS_NONE;
  }
  return std::any_of(driver.streams.begin(), driver.streams.end(),
                     [](auto const& its) {
                       return its.capture != CU_STREAM_CAPTURE_STATUS_NONE;
                     });
}

/// What may not be asked of a stream that is captured: that ends the capture.
CUresult refuse_captured(Driver const& driver, CUstream stream) {
  if (!is_in_the_way(driver, stream)) return CUDA_SUCCESS;
  if (stream == nullptr) return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  stream->capture = CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

bool is_live(Driver const& driver, CUevent event) {
  return std::any_of(
      driver.events.begin(), driver.events.end(),
      [&](auto const& its) { return &its == event && its.context != nullptr; });
}

}  // namespace

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus* status) {
  Entry entry("cuStreamIsCapturing");
  if (auto const result = entry.stream_result(stream); result != CUDA_SUCCESS) {
    return result;
  }
  if (stream == nullptr && is_in_the_way(entry.driver, stream)) {
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  *status = stream == nullptr ? CU_STREAM_CAPTURE_STATUS_NONE : stream->capture;
  return CUDA_SUCCESS;
}

CUresult cuStreamQuery(CUstream stream) {
  Entry entry("cuStreamQuery");
  auto result = entry.stream_result(stream);
  if (result == CUDA_SUCCESS) result = refuse_captured(entry.driver, stream);
  if (result != CUDA_SUCCESS) return result;
  if (!entry.queue_of(stream).is_idle()) return CUDA_ERROR_NOT_READY;
  if (stream != nullptr) stream->n_launched = 0;
  return CUDA_SUCCESS;
}

CUresult cuStreamSynchronize(CUstream stream) {
  Entry entry("cuStreamSynchronize");
  auto result = entry.stream_result(stream);
  if (result == CUDA_SUCCESS) result = refuse_captured(entry.driver, stream);
  if (result != CUDA_SUCCESS) return result;
  auto& queue = entry.queue_of(stream);
  if (stream != nullptr) stream->n_launched = 0;
  entry.unlock();
  queue.wait();
  return CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  Entry entry("cuStreamWaitEvent");
  auto result = entry.stream_result(stream);
  if (result == CUDA_SUCCESS) result = refuse_captured(entry.driver, stream);
  if (result != CUDA_SUCCESS) return result;
  if (flags != 0) return CUDA_ERROR_INVALID_VALUE;
  if (!is_live(entry.driver, event)) return CUDA_ERROR_INVALID_HANDLE;
  if (event->queue == nullptr) return CUDA_SUCCESS;  // for nothing
  // What it is recorded for now: it may be recorded anew at once.
  entry.queue_of(stream).push([earlier = event->queue, at = event->position] {
    earlier->wait_for(at);
  });
  return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  Entry entry("cuEventCreate");
  if (auto const result = entry.context_result(); result != CUDA_SUCCESS) {
    return result;
  }
  if (flags != CU_EVENT_DISABLE_TIMING) return CUDA_ERROR_INVALID_VALUE;
  auto& driver      = entry.driver;
  *event            = &driver.events.emplace_back();
  (*event)->context = driver.current();
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  Entry entry("cuEventDestroy");
  if (entry.result() != CUDA_SUCCESS) return entry.result();
  if (!is_live(entry.driver, event)) return CUDA_ERROR_INVALID_HANDLE;
  event->context = nullptr;
  return CUDA_SUCCESS;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  Entry entry("cuEventRecord");
  auto result = entry.stream_result(stream);
  if (result == CUDA_SUCCESS) result = refuse_captured(entry.driver, stream);
  if (result != CUDA_SUCCESS) return result;
  auto& driver = entry.driver;
  if (!is_live(driver, event)) return CUDA_ERROR_INVALID_HANDLE;
  auto* const context = stream == nullptr ? driver.current() : stream->context;
  if (event->context != context) return CUDA_ERROR_INVALID_HANDLE;
  event->queue    = &entry.queue_of(stream);
  event->position = event->queue->position();
  return CUDA_SUCCESS;
}

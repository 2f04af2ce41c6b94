// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Driver.hpp"

#include <unistd.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace fake_cuda {

Driver& Driver::instance() {
  // Never destroyed: the work queues' threads use it until the process ends.
  static auto* const driver = new Driver;
  return *driver;
}

CUctx_st* Driver::context_of(int ordinal) {
  if (ordinal < 0 || ordinal >= n_devices()) return nullptr;
  int const gpu = gpu_of(ordinal);
  auto& context = contexts[gpu];
  context.gpu   = gpu;
  return &context;
}

bool Driver::sees(int gpu) const {
  return std::find(config.visible.begin(), config.visible.end(), gpu) !=
         config.visible.end();
}

int Driver::ordinal_of(Place const& place) const {
  if (!place.is_gpu) return place.number;
  auto const it =
      std::find(config.visible.begin(), config.visible.end(), place.number);
  return it == config.visible.end()
             ? -1
             : static_cast<int>(it - config.visible.begin());
}

CUctx_st* Driver::current() const {
  auto const& stack = context_stack();
  if (stack.empty() || stack.back()->n_references == 0) return nullptr;
  return stack.back();
}

std::shared_ptr<Allocation> Driver::memory_of(
    CUmemGenericAllocationHandle handle) const {
  auto const it = handles.find(handle);
  return it == handles.end() ? nullptr : it->second;
}

CUmemGenericAllocationHandle Driver::add_reference(
    std::shared_ptr<Allocation> const& memory) {
  if (memory->handle == 0) memory->handle = ++last_handle;
  ++memory->n_references;
  handles[memory->handle] = memory;
  return memory->handle;
}

std::vector<CUctx_st*>& context_stack() {
  // Never destroyed: the main thread calls the driver until its end.
  thread_local auto& stack = *new std::vector<CUctx_st*>;
  return stack;
}

Entry::Entry(char const* function)
    : driver(Driver::instance()), m_lock(driver.mutex) {
  std::string_view const name = function;
  ++driver.n_calls[function];
  // Once initialized, never again in a child of that process.
  bool const is_initialized = driver.process == ::getpid();
  bool const is_first       = name == "cuInit" && driver.process == 0;
  if (!is_initialized && !is_first) m_result = CUDA_ERROR_NOT_INITIALIZED;
  auto& fault = driver.fault;
  if (fault.times == 0 || fault.function != name) return;
  int const call = fault.n_calls++;
  if (call >= fault.first && call - fault.first < fault.times) {
    m_result = fault.result;
  }
}

CUresult Entry::context_result() const {
  if (m_result != CUDA_SUCCESS) return m_result;
  auto const* const context = driver.current();
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  return context->is_lost ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

CUresult Entry::stream_result(CUstream stream) const {
  if (stream == nullptr) return context_result();
  if (m_result != CUDA_SUCCESS) return m_result;
  bool const is_live = std::any_of(
      driver.streams.begin(), driver.streams.end(), [&](auto const& its) {
        return &its == stream && its.context != nullptr;
      });
  if (!is_live) return CUDA_ERROR_INVALID_HANDLE;
  return stream->context->is_lost ? CUDA_ERROR_ILLEGAL_ADDRESS : CUDA_SUCCESS;
}

WorkQueue& Entry::queue_of(CUstream stream) const {
  return stream == nullptr ? driver.current()->queue : stream->queue;
}

}  // namespace fake_cuda

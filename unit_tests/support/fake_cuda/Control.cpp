// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// What tests ask of the fake driver, and tell it.

#include "Control.hpp"

#include <chrono>
#include <string_view>
#include <thread>

#include "Driver.hpp"

using fake_cuda::Driver;

FakeCudaCounts fake_cuda_counts() {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  FakeCudaCounts counts{
      0, driver.addresses.n_mappings(), driver.addresses.n_reservations(),
      0, driver.program.n_registered(), driver.program.n_opened(),
      0};
  for (auto const& entry : driver.handles) {
    counts.handles += entry.second->n_references;
  }
  for (auto const& entry : driver.contexts) {
    counts.contexts += entry.second.n_references;
  }
  for (auto const& event : driver.events) {
    if (event.context != nullptr) ++counts.events;
  }
  return counts;
}

int fake_cuda_n_current_contexts() {
  return static_cast<int>(fake_cuda::context_stack().size());
}

std::size_t fake_cuda_bytes_in_use(char const* place) {
  return fake_cuda::bytes_in_use(fake_cuda::Config::from_environment().machine,
                                 place);
}

std::size_t fake_cuda_n_calls(char const* function) {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  auto const found = driver.n_calls.find(std::string_view(function));
  return found == driver.n_calls.end() ? 0 : found->second;
}

void fake_cuda_fail(char const* function, int first, int times, int result) {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  driver.fault = {function, first, times, 0, static_cast<CUresult>(result)};
}

CUstream fake_cuda_make_stream(int device) {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  auto& stream   = driver.streams.emplace_back();
  stream.context = driver.context_of(device);
  return &stream;
}

void fake_cuda_destroy_stream(CUstream stream) {
  std::lock_guard const lock(Driver::instance().mutex);
  stream->context = nullptr;
}

bool fake_cuda_capture(CUstream stream, bool is_captured) {
  std::lock_guard const lock(Driver::instance().mutex);
  bool const was_valid =
      stream->capture != CU_STREAM_CAPTURE_STATUS_INVALIDATED;
  stream->capture = is_captured ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                                : CU_STREAM_CAPTURE_STATUS_NONE;
  return was_valid;
}

void fake_cuda_launch(int device, CUstream stream, int milliseconds,
                      void (*work)(void*), void* argument) {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  auto& queue =
      stream == nullptr ? driver.context_of(device)->queue : stream->queue;
  queue.push([=] {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    work(argument);
  });
}

void fake_cuda_occupy(bool is_occupied) {
  Driver::instance().is_occupied = is_occupied;
}

void fake_cuda_run_at_launch() { Driver::instance().runs_at_launch = true; }

void fake_cuda_lose_context(int device) {
  auto& driver = Driver::instance();
  std::lock_guard const lock(driver.mutex);
  driver.context_of(device)->is_lost = true;
}

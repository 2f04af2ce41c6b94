// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_DRIVER_HPP
#define SYMM_TEST_FAKE_CUDA_DRIVER_HPP

#include <cuda.h>
#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "AddressSpace.hpp"
#include "Allocation.hpp"
#include "Config.hpp"
#include "ProgramMemory.hpp"
#include "WorkQueue.hpp"

/// The primary context of a device; there are no others.
struct CUctx_st {
  int gpu                  = 0;  // physical number
  std::size_t n_references = 0;
  bool is_lost             = false;
  fake_cuda::WorkQueue queue;  // of the null stream
};

/// A stream. It and the null stream do not wait for each other.
struct CUstream_st {
  CUctx_st* context             = nullptr;  // null: destroyed
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  int n_launched                = 0;  // since the program last saw it idle
  fake_cuda::WorkQueue queue;
};

struct CUevent_st {
  CUctx_st* context           = nullptr;  // null: destroyed
  fake_cuda::WorkQueue* queue = nullptr;  // where it was recorded, or null
  std::uint64_t position      = 0;
};

namespace fake_cuda {

struct Fault {
  std::string function;
  int first       = 0;
  int times       = 0;
  int n_calls     = 0;
  CUresult result = CUDA_SUCCESS;
};

/// The state of the driver in this process. Lives as long as the process.
struct Driver {
  static Driver& instance();

  [[nodiscard]] int n_devices() const {
    return static_cast<int>(config.visible.size());
  }
  /// The context of the device with that ordinal; null if there is none.
  CUctx_st* context_of(int ordinal);
  /// Of a device by its ordinal.
  [[nodiscard]] int gpu_of(int ordinal) const {
    return config.visible.at(static_cast<std::size_t>(ordinal));
  }
  [[nodiscard]] bool sees(int gpu) const;
  /// Of the GPU (-1: hidden) or the NUMA node.
  [[nodiscard]] int ordinal_of(Place const& place) const;
  /// The context that is current on this thread, or null if there is none that
  /// is alive.
  [[nodiscard]] CUctx_st* current() const;
  /// Returns null if the handle does not belong to this process.
  [[nodiscard]] std::shared_ptr<Allocation> memory_of(
      CUmemGenericAllocationHandle handle) const;
  /// Adds one reference to `memory`.
  CUmemGenericAllocationHandle add_reference(
      std::shared_ptr<Allocation> const& memory);

  std::mutex mutex;
  pid_t process = 0;  // that called cuInit(), or 0
  Config config;
  Fault fault;
  std::map<int, CUctx_st> contexts;  // by physical number
  std::map<CUmemGenericAllocationHandle, std::shared_ptr<Allocation>> handles;
  std::list<CUstream_st> streams;  // never removed: their threads go on
  std::list<CUevent_st> events;
  std::map<std::string, std::size_t, std::less<>> n_calls;  // by function
  AddressSpace addresses;
  ProgramMemory program;
  CUmemGenericAllocationHandle last_handle = 0x7f00'0000;
  std::atomic<bool> is_occupied    = false;  // by kernels of the program
  std::atomic<bool> runs_at_launch = false;
};

/// What every entry point does first: takes the lock, and finds out whether the
/// call is to fail, because a test ordered it or because the driver is not
/// initialized in this process (for example, after a fork).
class Entry {
 public:
  explicit Entry(char const* function);

  [[nodiscard]] CUresult result() const { return m_result; }
  /// The same, but also requires that a live context is current.
  [[nodiscard]] CUresult context_result() const;
  /// The same, but also requires that the stream is alive or, for the null
  /// stream, that a context is current.
  [[nodiscard]] CUresult stream_result(CUstream stream) const;
  /// The queue of a stream for which stream_result() is CUDA_SUCCESS.
  [[nodiscard]] WorkQueue& queue_of(CUstream stream) const;
  /// Releases the lock, so that a wait does not block other threads.
  void unlock() { m_lock.unlock(); }

  Driver& driver;

 private:
  std::unique_lock<std::mutex> m_lock;
  CUresult m_result = CUDA_SUCCESS;
};

/// The contexts that are pushed on this thread.
std::vector<CUctx_st*>& context_stack();

}  // namespace fake_cuda

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_DRIVER_HPP
#define SYMM_TEST_FAKE_CUDA_DRIVER_HPP

#include <cuda.h>
#include <sys/types.h>

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

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
  fake_cuda::WorkQueue queue;
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
  /// Of a device by its ordinal; null if there is none.
  CUctx_st* context_of(int ordinal);
  /// Of a device by its ordinal.
  [[nodiscard]] int gpu_of(int ordinal) const {
    return config.visible.at(static_cast<std::size_t>(ordinal));
  }
  [[nodiscard]] bool sees(int gpu) const;
  /// Of the GPU (-1: hidden) or the NUMA node.
  [[nodiscard]] int ordinal_of(Place const& place) const;
  /// The context that is current on this thread and lives; else null.
  [[nodiscard]] CUctx_st* current() const;
  /// Null if it is no handle of this process.
  [[nodiscard]] std::shared_ptr<Allocation> memory_of(
      CUmemGenericAllocationHandle handle) const;
  /// One more reference to `memory`.
  CUmemGenericAllocationHandle add_reference(
      std::shared_ptr<Allocation> const& memory);

  std::mutex mutex;
  pid_t process = 0;  // that called cuInit(); 0: none yet
  Config config;
  Fault fault;
  std::map<int, CUctx_st> contexts;  // by physical number
  std::map<CUmemGenericAllocationHandle, std::shared_ptr<Allocation>> handles;
  AddressSpace addresses;
  ProgramMemory program;
  CUmemGenericAllocationHandle last_handle = 0x7f00'0000;
};

/// What every entry point does first: takes the lock, and finds out whether it
/// is to fail, by a test's order or because the driver is not initialised in
/// this process (as after a fork).
class Entry {
 public:
  explicit Entry(char const* function);

  [[nodiscard]] CUresult result() const { return m_result; }
  /// The same, and that a live context is current.
  [[nodiscard]] CUresult context_result() const;
  /// So that a wait does not keep other threads out.
  void unlock() { m_lock.unlock(); }

  Driver& driver;

 private:
  std::unique_lock<std::mutex> m_lock;
  CUresult m_result = CUDA_SUCCESS;
};

/// Contexts pushed on this thread.
std::vector<CUctx_st*>& context_stack();

}  // namespace fake_cuda

#endif

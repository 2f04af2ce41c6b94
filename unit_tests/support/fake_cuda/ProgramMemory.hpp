// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_PROGRAM_MEMORY_HPP
#define SYMM_TEST_FAKE_CUDA_PROGRAM_MEMORY_HPP

#include <cuda.h>

#include <cstddef>
#include <map>
#include <memory>

#include "Allocation.hpp"
#include "Control.hpp"

namespace fake_cuda {

/// Memory that a program allocates with functions other than cuMemCreate,
/// memory that it registers, and memory that it has opened from other
/// processes.
class ProgramMemory {
 public:
  struct Range {
    std::size_t bytes   = 0;
    FakeCudaMemory kind = fake_cuda_malloc;
    std::shared_ptr<Allocation> memory;  // null: registered host memory
    bool is_opened           = false;    // by cuIpcOpenMemHandle()
    std::size_t n_references = 1;
  };
  struct Found {
    CUdeviceptr start = 0;
    Range const* range;
  };

  /// Returns null if the system refuses.
  void* allocate(std::string const& machine, FakeCudaMemory kind, Place place,
                 std::size_t bytes);
  void free(void* start);

  /// The range that contains an address; `range` is null if there is none.
  [[nodiscard]] Found find(CUdeviceptr address) const;
  [[nodiscard]] bool meets(CUdeviceptr address, std::size_t bytes) const;

  CUresult register_host(CUdeviceptr address, std::size_t bytes);
  CUresult unregister_host(CUdeviceptr address);

  CUresult open(CUdeviceptr& start, std::string const& machine,
                CUipcMemHandle const& handle);
  CUresult close(CUdeviceptr start);

  /// Number of ranges that are registered or opened.
  [[nodiscard]] std::size_t n_registered() const;
  [[nodiscard]] std::size_t n_opened() const;

 private:
  std::map<CUdeviceptr, Range> m_ranges;
};

}  // namespace fake_cuda

#endif

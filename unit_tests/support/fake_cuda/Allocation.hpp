// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FAKE_CUDA_ALLOCATION_HPP
#define SYMM_TEST_FAKE_CUDA_ALLOCATION_HPP

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <runtime/base/UniqueFd.hpp>

namespace fake_cuda {

/// Where memory is: on a GPU, given by its physical number, or on a NUMA node.
struct Place {
  bool is_gpu = true;
  int number  = 0;

  [[nodiscard]] std::string name() const {
    return (is_gpu ? "gpu" : "numa") + std::to_string(number);
  }
};

/// Physical memory: a memfd, whose name holds what another process must know
/// about it.
struct Allocation {
  symm::Impl::UniqueFd file;
  std::size_t bytes = 0;
  Place place;
  int handle_types                    = 0;
  CUmemGenericAllocationHandle handle = 0;
  std::size_t n_references            = 0;  // handles, not mappings
};

/// Returns null if the system refuses.
std::shared_ptr<Allocation> create_allocation(std::string const& machine,
                                              Place place, std::size_t bytes,
                                              int handle_types);

/// The allocation that a descriptor refers to; null if it does not belong to
/// this machine.
std::shared_ptr<Allocation> open_allocation(std::string const& machine,
                                            symm::Impl::UniqueFd file);

/// A fabric handle that stands for an allocation.
CUmemFabricHandle fabric_handle_of(Allocation const& allocation);
/// A descriptor of the memory; empty if the memory no longer exists.
symm::Impl::UniqueFd open_fabric_handle(CUmemFabricHandle const& fabric);

/// The same for CUDA IPC.
CUipcMemHandle ipc_handle_of(Allocation const& allocation);
symm::Impl::UniqueFd open_ipc_handle(CUipcMemHandle const& ipc);
bool is_ipc_handle_of_this_process(CUipcMemHandle const& ipc);

/// Bytes at a place that any process keeps alive through a handle, a mapping (a
/// process keeps a file as long as it maps the file) or a descriptor.
std::size_t bytes_in_use(std::string const& machine, std::string const& place);

}  // namespace fake_cuda

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DEVICE_HPP
#define SYMM_DEVICE_HPP

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../base/Types.hpp"
#include "MemoryProvider.hpp"

namespace symm::Impl {

// All that the rest of the runtime knows of GPUs. Device_Cuda.cpp or, in a
// build without GPUs, Device_None.cpp defines it.

/// Number of GPUs that this process can use, at least 1. Local.
/// \throws SystemError on this PE, saying why there is none.
[[nodiscard]] int n_devices();

/// A GPU that this process can use, for symm_info.
struct DeviceProperties {
  std::string name;
  std::string bus_address;
  std::string architecture;  // such as "9.0"
  std::size_t memory_bytes = 0;
  // What the symmetric heap needs: virtual memory management, whose memory is
  // shared by file descriptors; and for the heap in host memory that as well.
  bool has_virtual_memory   = false;
  bool has_file_descriptors = false;
  bool has_host_memory      = false;
  std::vector<int> peers;  // GPUs whose memory it reaches
};

/// For jobs of several nodes, before CUDA starts: kernels are loaded when their
/// program is. At its first launch a kernel may have to wait for those that
/// run, and so, for ever, for messages that are served behind that launch.
/// Local. Without effect where the environment says when, or CUDA has been
/// started.
void load_kernels_with_programs();
/// Whether they are loaded at their first launch, though. Local.
/// \throws SystemError on this PE, if the driver cannot tell.
[[nodiscard]] bool loads_kernels_at_launch();

/// All that n_devices() counts. Local.
/// \throws SystemError on this PE, saying why there is none.
[[nodiscard]] std::vector<DeviceProperties> describe_devices();

/// "CUDA driver 13.0", the one that is installed. Local.
/// \throws SystemError on this PE, saying why there is none.
[[nodiscard]] std::string device_driver();

/// Memory that the kernels of GPU `device` and of its peers reach: its own, or
/// host memory, which CPUs reach too. Local.
///
/// \param device below n_devices().
/// \param n_pes  PEs of this machine that each take as much host memory.
/// \throws UsageError, SystemError on this PE, if the GPU cannot have it.
[[nodiscard]] std::unique_ptr<MemoryProvider> make_device_memory(
    MemoryKind kind, int device, int n_pes);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DEVICE_HPP
#define SYMM_DEVICE_HPP

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "../base/Types.hpp"
#include "MemoryProvider.hpp"

namespace symm::Impl {

// The runtime's only interface to GPUs. Device_Cuda.cpp or, in a build without
// GPUs, Device_None.cpp defines it.

/// Number of GPUs that this process can use, at least 1. Local.
/// \throws SystemError on this PE, saying why there is none.
[[nodiscard]] int n_devices();

/// A GPU that this process can use, for symm_info.
struct DeviceProperties {
  std::string name;
  std::string bus_address;
  std::string architecture;  // such as "9.0"
  std::size_t memory_bytes = 0;
  // The symmetric heap needs virtual memory management and memory shared by
  // file descriptors; in host memory, management of host memory as well.
  bool has_virtual_memory   = false;
  bool has_file_descriptors = false;
  bool has_host_memory      = false;
  bool has_mps              = false;  // processes run side by side on it
  std::vector<int> peers;             // the GPUs whose memory it reaches
};

/// Which GPU a PE has.
struct GpuOfPe {
  std::array<char, 16> uuid{};  // the same in all processes, no other GPU's
  bool has_mps = false;         // as of DeviceProperties
};
/// \param device below n_devices(). Local. \throws SystemError on this PE.
[[nodiscard]] GpuOfPe identify_device(int device);

/// For jobs of several nodes, whose kernels wait for messages: they hang if the
/// work that serves a message waits for such a kernel. So CUDA loads kernels
/// with their program (at its first launch, a kernel may wait for running
/// ones), and has as many queues to the GPU under MPS as without it (work of
/// several streams in one queue waits for each other). Local. Without effect on
/// what the environment sets, or if CUDA has been started.
void prepare_devices_for_nodes();
/// Whether kernels are nevertheless loaded at their first launch. Local.
/// \throws SystemError on this PE, if the driver cannot tell.
[[nodiscard]] bool loads_kernels_at_launch();

/// The GPUs that n_devices() counts. Local.
/// \throws SystemError on this PE, saying why there is none.
[[nodiscard]] std::vector<DeviceProperties> describe_devices();

/// "CUDA driver 13.0", the one that is installed. Local.
/// \throws SystemError on this PE, saying why there is none.
[[nodiscard]] std::string device_driver();

/// Memory that the kernels of GPU `device` and of its peers reach: the GPU's
/// own, or host memory, which CPUs reach too. Local.
///
/// \param device below n_devices().
/// \param n_pes  PEs of this machine that each take as much host memory.
/// \throws UsageError, SystemError on this PE, if the GPU cannot have it.
[[nodiscard]] std::unique_ptr<MemoryProvider> make_device_memory(
    MemoryKind kind, int device, int n_pes);

}  // namespace symm::Impl

#endif

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

// The runtime's only interface to GPUs. It is implemented in Device_Gpu.cpp
// and Device_Cuda.cpp, or in Device_None.cpp for a build without GPUs.

/// Returns the number of GPUs that this process can use, at least 1. Local.
/// \throws SystemError on this PE, with the reason, if there is none.
[[nodiscard]] int n_devices();

/// Properties of a GPU that this process can use, for symm_info.
struct DeviceProperties {
  std::string name;
  std::string bus_address;
  std::string architecture;  // such as "9.0"
  std::size_t memory_bytes = 0;
  // A symmetric heap requires virtual memory management, and memory that can be
  // shared through file descriptors. A heap in host memory also requires
  // virtual memory management of host memory.
  bool has_virtual_memory   = false;
  bool has_file_descriptors = false;
  bool has_host_memory      = false;
  // Whether the GPU can run several processes' kernels at the same time.
  bool has_mps = false;
  std::vector<int> peers;  // GPUs whose memory this GPU can access
};

/// Identifies a PE's GPU.
struct GpuOfPe {
  std::array<char, 16> uuid{};    // unique; the same in all processes
  bool has_mps          = false;  // as in DeviceProperties
  int n_multiprocessors = 0;
};
/// Returns the identity of GPU `device`, which must be below n_devices().
/// Local.
/// \throws SystemError on this PE.
[[nodiscard]] GpuOfPe identify_device(int device);

/// Prepares the GPU's driver for a job on several nodes, in which kernels wait
/// for messages. Such a job hangs if the work that handles a message has to
/// wait for a kernel that is waiting for that message. Therefore, this call
/// sets environment variables of the driver:
/// - Kernels are loaded eagerly, because a kernel that is loaded at its first
///   launch may have to wait for running kernels.
/// - Under CUDA's MPS, the process gets as many hardware queues as without MPS,
///   because work from streams that share a queue is serialized.
/// Local. Does not override variables that are already set, and has no effect
/// once the driver has been initialized. (HIP reads its variable before main():
/// there, this call does nothing.)
void prepare_devices_for_nodes();

/// The end of a message that begins "PEs share a GPU": it says what their
/// kernels do without MPS, and how to change it.
[[nodiscard]] char const* how_pes_share_a_gpu();

/// Says that kernels are loaded at their first launch, despite
/// prepare_devices_for_nodes(), and what to do about it; null if they are not.
/// Local.
/// \throws SystemError on this PE if the driver does not provide this
///         information.
[[nodiscard]] char const* why_kernels_load_late();

/// Describes the GPUs that n_devices() counts. Local.
/// \throws SystemError on this PE, with the reason, if there is none.
[[nodiscard]] std::vector<DeviceProperties> describe_devices();

/// Returns the installed driver, such as "CUDA driver 13.0". Local.
/// \throws SystemError on this PE, with the reason, if there is none.
[[nodiscard]] std::string device_driver();

/// Creates a provider of memory that kernels on GPU `device` and on its peers
/// can access: the GPU's own memory, or host memory, which CPUs can also
/// access. Local.
///
/// \param device less than n_devices().
/// \param n_pes  the number of PEs on this machine, each of which uses the same
///        amount of host memory.
/// \throws UsageError, SystemError on this PE if the GPU does not support this
///         memory.
[[nodiscard]] std::unique_ptr<MemoryProvider> make_device_memory(
    MemoryKind kind, int device, int n_pes);

}  // namespace symm::Impl

#endif

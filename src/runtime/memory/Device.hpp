// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DEVICE_HPP
#define SYMM_DEVICE_HPP

#include <memory>

#include "../base/Types.hpp"
#include "MemoryProvider.hpp"

namespace symm::Impl {

// All that the rest of the runtime knows of GPUs. Device_Cuda.cpp or, in a
// build without GPUs, Device_None.cpp defines it.

/// Number of GPUs that this process can use, at least 1. Local.
/// \throws SystemError on this PE, saying why there is none.
[[nodiscard]] int n_devices();

/// Memory that the kernels of GPU `device` and of its peers reach: its own, or
/// host memory, which CPUs reach too. Local.
///
/// \param device below n_devices().
/// \param n_pes  PEs of this node that each take as much host memory.
/// \throws UsageError, SystemError on this PE, if the GPU cannot have it.
[[nodiscard]] std::unique_ptr<MemoryProvider> make_device_memory(
    MemoryKind kind, int device, int n_pes);

}  // namespace symm::Impl

#endif

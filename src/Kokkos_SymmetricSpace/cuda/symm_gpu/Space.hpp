// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_SPACE_HPP
#define SYMM_GPU_SPACE_HPP

#include <optional>
#include <utility>

#include <Kokkos_Core.hpp>

#include "../../space/SymmetricSpaceBase.hpp"

namespace symm {

/// GPU memory in the symmetric heap: a Kokkos memory space. Kernels of every PE
/// read and write every PE's copy, over NVLink or PCIe where PEs have GPUs of
/// their own; several PEs may share a GPU.
class SymmetricCudaSpace : public Impl::SymmetricSpaceBase {
 public:
  using memory_space    = SymmetricCudaSpace;
  using execution_space = Kokkos::Cuda;
  using device_type     = Kokkos::Device<execution_space, memory_space>;

  static constexpr MemoryKind memory_kind = MemoryKind::device;

  explicit SymmetricCudaSpace(Deallocate deallocate = Deallocate::retire)
      : SymmetricSpaceBase(memory_kind, name(), deallocate) {}
  explicit SymmetricCudaSpace(Impl::HeadersOnly tag)
      : SymmetricSpaceBase(memory_kind, name(), tag) {}

  static constexpr char const* name() { return "SymmetricCuda"; }

  /// Called when Kokkos has filled a View. Collective, with a barrier on exit.
  /// \param failure why this PE has not filled it; all PEs throw it.
  static void finish_view(char const* label,
                          std::optional<Impl::Failure> failure) {
    SymmetricSpaceBase::finish_view(memory_kind, label, std::move(failure));
  }
};

/// The symmetric space of this build: GPU memory.
using SymmetricSpace = SymmetricCudaSpace;

}  // namespace symm

#endif

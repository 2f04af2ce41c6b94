// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_HOST_SPACE_HPP
#define SYMM_SYMMETRIC_HOST_SPACE_HPP

#include <optional>
#include <utility>

#include <Kokkos_Core.hpp>

#include "SymmetricSpaceBase.hpp"

namespace symm {

/// Host memory in the symmetric heap: a Kokkos memory space. In a CUDA build
/// kernels reach it too, over PCIe or NVLink-C2C.
class SymmetricHostSpace : public Impl::SymmetricSpaceBase {
 public:
  using memory_space    = SymmetricHostSpace;
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using device_type     = Kokkos::Device<execution_space, memory_space>;

  static constexpr MemoryKind memory_kind = MemoryKind::host;

  explicit SymmetricHostSpace(Deallocate deallocate = Deallocate::retire)
      : SymmetricSpaceBase(memory_kind, name(), deallocate) {}
  explicit SymmetricHostSpace(Impl::HeadersOnly tag)
      : SymmetricSpaceBase(memory_kind, name(), tag) {}

  static constexpr char const* name() { return "SymmetricHost"; }

  /// Called when Kokkos has filled a View. Collective, with a barrier on exit.
  /// \param failure why this PE has not filled it; all PEs throw it.
  static void finish_view(char const* label,
                          std::optional<Impl::Failure> failure) {
    SymmetricSpaceBase::finish_view(memory_kind, label, std::move(failure));
  }
};

}  // namespace symm

#endif

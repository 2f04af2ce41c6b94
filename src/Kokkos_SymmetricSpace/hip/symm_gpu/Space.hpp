// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_SPACE_HPP
#define SYMM_GPU_SPACE_HPP

#include <Kokkos_Core.hpp>

#include "../../space/SymmetricSpaceBase.hpp"

namespace symm {

/// A Kokkos memory space: GPU memory in the symmetric heap. Kernels of every PE
/// can read and write the copy of every PE. Several PEs may share a GPU. (This
/// compiles. Nobody has run it.)
class SymmetricHipSpace
    : public Impl::SymmetricSpaceIn<SymmetricHipSpace, Kokkos::HIP,
                                    MemoryKind::device> {
 public:
  using SymmetricSpaceIn::SymmetricSpaceIn;

  static constexpr char const* name() { return "SymmetricHip"; }
};

/// The symmetric space of this build: GPU memory.
using SymmetricSpace = SymmetricHipSpace;

}  // namespace symm

#endif

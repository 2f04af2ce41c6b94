// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SYMMETRIC_HOST_SPACE_HPP
#define SYMM_SYMMETRIC_HOST_SPACE_HPP

#include <Kokkos_Core.hpp>

#include "SymmetricSpaceBase.hpp"

namespace symm {

/// A Kokkos memory space: host memory in the symmetric heap. In a CUDA build,
/// kernels can access it, too, over PCIe or NVLink-C2C. In a HIP build, it
/// needs memory that HIP creates on a NUMA node. According to its sources, ROCm
/// cannot do this before 2026; allocations then throw. (Nobody has tried it.)
class SymmetricHostSpace
    : public Impl::SymmetricSpaceIn<SymmetricHostSpace,
                                    Kokkos::DefaultHostExecutionSpace,
                                    MemoryKind::host> {
 public:
  using SymmetricSpaceIn::SymmetricSpaceIn;

  static constexpr char const* name() { return "SymmetricHost"; }
};

}  // namespace symm

#endif

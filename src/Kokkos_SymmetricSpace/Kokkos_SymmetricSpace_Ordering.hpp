// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_ORDERING_HPP
#define KOKKOS_SYMMETRICSPACE_ORDERING_HPP

#include <Kokkos_Core.hpp>

#include "../runtime/symm_ordering.hpp"

namespace symm {

struct QuietKernel {
  KOKKOS_FUNCTION void operator()(int) const { quiet(); }
};

/// quiet() for what has been enqueued on an execution space instance: all of
/// it is complete and visible to all PEs before anything begins that is
/// enqueued later. Enqueued itself: the host does not wait. Local.
template <class ExecutionSpace>
requires Kokkos::is_execution_space_v<ExecutionSpace>
void quiet(ExecutionSpace const& exec) {
  // The launch itself orders: kernels and copies of one instance run one after
  // the other, and what a thread knows to be done its fence makes visible.
  Kokkos::parallel_for("symm::quiet",
                       Kokkos::RangePolicy<ExecutionSpace>(exec, 0, 1),
                       QuietKernel{});
}

}  // namespace symm

#endif

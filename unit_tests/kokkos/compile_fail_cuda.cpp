// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What must not compile in a build for GPUs (compile_fail.py).

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <support/gpu.hpp>

using Managed = Kokkos::View<int*, symm_test::GpuManagedSpace>;

// refused: managed memory .such as CudaUVMSpace. cannot be shared
void share_view_of_a_managed_View() { symm::share_view(Managed()); }

// refused: Views in this memory space cannot be registered
void registration_of_a_managed_View() {
  symm::register_symmetric_view(Managed());
}

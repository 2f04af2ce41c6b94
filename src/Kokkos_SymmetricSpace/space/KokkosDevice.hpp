// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_DEVICE_HPP
#define SYMM_KOKKOS_DEVICE_HPP

#include <optional>

namespace symm::Impl {

// The choice of Kokkos' GPU, defined in KokkosDevice_Cuda.cpp or, in a build
// without GPUs, in KokkosDevice_None.cpp.

/// The GPU that Kokkos shall take, numbered as for --kokkos-device-id: PEs of a
/// node take turns. Nothing in a build without GPUs, or if the user has chosen.
/// \param number_on_node  of this PE, from 0.
/// \param has_user_chosen by the arguments or settings of initialize().
/// \throws SystemError on this PE, saying why there is no GPU.
[[nodiscard]] std::optional<int> choose_device(int number_on_node,
                                               bool has_user_chosen);

/// The GPU that Kokkos uses, numbered as in the CUDA runtime; nothing in a
/// build without GPUs. Precondition: Kokkos is initialized.
[[nodiscard]] std::optional<int> device_of_kokkos();

/// From now on, host calls enqueue their kernels on Kokkos' default instance.
void use_queue_of_kokkos();

}  // namespace symm::Impl

#endif

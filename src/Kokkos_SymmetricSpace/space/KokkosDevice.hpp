// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_DEVICE_HPP
#define SYMM_KOKKOS_DEVICE_HPP

#include <optional>

namespace symm::Impl {

// The choice of the GPU for Kokkos. Defined in KokkosDevice_Cuda.cpp or, in a
// build without GPUs, in KokkosDevice_None.cpp.

/// The GPU that Kokkos should use, numbered as for --kokkos-device-id. The PEs
/// of a node take GPUs in turn. Nothing in a build without GPUs, or if the user
/// has chosen.
/// \param number_on_node  this PE's number on the node, from 0.
/// \param has_user_chosen whether the arguments or settings of initialize()
///        choose.
/// \throws SystemError on this PE, if there is no GPU, with the reason.
[[nodiscard]] std::optional<int> choose_device(int number_on_node,
                                               bool has_user_chosen);

/// The GPU that Kokkos uses, numbered as in the CUDA runtime; nothing in a
/// build without GPUs. Precondition: Kokkos is initialized.
[[nodiscard]] std::optional<int> device_of_kokkos();

/// From this call on, host calls enqueue their kernels on Kokkos' default
/// instance.
void use_queue_of_kokkos();

}  // namespace symm::Impl

#endif

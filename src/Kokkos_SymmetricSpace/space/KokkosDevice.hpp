// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_DEVICE_HPP
#define SYMM_KOKKOS_DEVICE_HPP

#include <optional>

namespace symm::Impl {

// These functions choose a GPU for Kokkos. They are defined in
// KokkosDevice_Gpu.cpp or, in a build without GPUs, in KokkosDevice_None.cpp.

/// The GPU that Kokkos should use, numbered as for --kokkos-device-id. The PEs
/// on a node are assigned GPUs round-robin. Returns nullopt in a build without
/// GPUs, or if the user has chosen a GPU.
/// \param number_on_node  this PE's number on the node, starting at 0.
/// \param has_user_chosen whether the arguments or settings of initialize()
///        choose a GPU.
/// \throws SystemError on this PE if there is no GPU; the message says why.
[[nodiscard]] std::optional<int> choose_device(int number_on_node,
                                               bool has_user_chosen);

/// The GPU that Kokkos uses, numbered as in the CUDA runtime; nullopt in a
/// build without GPUs. Precondition: Kokkos is initialized.
[[nodiscard]] std::optional<int> device_of_kokkos();

/// After this call, host operations enqueue their kernels on Kokkos' default
/// instance.
void use_queue_of_kokkos();

}  // namespace symm::Impl

#endif

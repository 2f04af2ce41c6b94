// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_KOKKOS_DEVICE_HPP
#define SYMM_KOKKOS_DEVICE_HPP

#include <optional>

namespace symm::Impl {

// Which GPU Kokkos takes. KokkosDevice_Cuda.cpp or, in a build without GPUs,
// KokkosDevice_None.cpp defines it.

/// The GPU that Kokkos shall take, as its --kokkos-device-id counts: PEs of a
/// node take turns. Nothing where there are no GPUs, or the user has chosen.
/// \param number_on_node  of this PE, from 0.
/// \param has_user_chosen by the arguments or settings of initialize().
/// \throws SystemError on this PE, saying why there is no GPU.
[[nodiscard]] std::optional<int> choose_device(int number_on_node,
                                               bool has_user_chosen);

/// The GPU that Kokkos has taken, as the runtime of the heap counts. Kokkos
/// runs.
[[nodiscard]] std::optional<int> device_of_kokkos();

/// From now on kernels of the host's calls go to Kokkos' default instance.
void use_queue_of_kokkos();

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GPU_VIEWS_HPP
#define SYMM_GPU_VIEWS_HPP

#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <symm_gpu/KokkosNames.hpp>
#include <symm_gpu/Space.hpp>

#include "../../view/OrdinarySpaces.hpp"
#include "../../view/PeerView.hpp"
#include "../../view/ViewBytes.hpp"

namespace symm {

namespace Impl {

template <>
struct SymmetricSpaceOf<gpu::HostPinnedSpace> {
  using type = SymmetricHostSpace;
};
template <>
struct SymmetricSpaceOf<gpu::DeviceSpace> {
  using type = SymmetricSpace;
};

template <class T>
struct SharedBufferOf<T, gpu::DeviceSpace> {
  using type = SharedDeviceBuffer<T>;
};

template <>
inline constexpr bool is_managed_space_v<gpu::ManagedSpace> = true;

}  // namespace Impl

/// The elements that PE `pe` has shared, as an ordinary unmanaged View of type
/// `View` in Kokkos' space of GPU memory, for kernels, deep_copy and subview.
/// Local.
///
///     auto shared = symm::share_view(u);  // Kokkos::View<double**> u
///     auto right  = symm::peer_view<decltype(u)>(shared, pe, nx, ny);
///
/// \tparam View    a View type with elements of type T, or of type T const for
///         read-only access.
/// \param  extents the extents of PE `pe`'s View, which the caller must know.
/// \returns a View that is valid as long as the buffer is open on this PE.
/// \throws UsageError on this PE if PE `pe` does not exist or has shared fewer
///         elements, or if the buffer is closed.
template <class View, class T, class... Extents>
[[nodiscard]] UnmanagedView<View> peer_view(SharedDeviceBuffer<T> const& shared,
                                            Pe pe, Extents... extents) {
  static_assert(
      std::is_same_v<typename View::memory_space, Impl::gpu::DeviceSpace>,
      "a peer's shared GPU memory is seen as a View in Kokkos' own space of "
      "GPU memory, such as CudaSpace");
  static_assert(std::is_same_v<typename View::value_type, T> ||
                    std::is_same_v<typename View::value_type, T const>,
                "the View must have elements of the buffer's type");
  auto const bytes  = Impl::bytes_of_extents<View>(extents...);
  auto const count  = bytes.value_or(0) / sizeof(T);
  auto const theirs = shared.count(pe);
  if (!bytes || count > theirs) {
    throw UsageError("symm::peer_view: a View of " +
                     (bytes ? std::to_string(count) : "far too many") +
                     " elements, but PE " + std::to_string(pe) +
                     " has shared " + std::to_string(theirs));
  }
  return UnmanagedView<View>(shared.peer(pe), extents...);
}

}  // namespace symm

#endif

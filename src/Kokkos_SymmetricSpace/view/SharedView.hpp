// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_SHAREDVIEW_HPP
#define KOKKOS_SYMMETRICSPACE_SHAREDVIEW_HPP

#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Fwd.hpp>
#include "PeerView.hpp"
#include "ViewBytes.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_shared_buffers.hpp"

namespace symm {

/// How PEs share what is in a memory space; void: not at all.
template <class T, class MemorySpace>
struct SharedBufferOf {
  using type = void;
};
template <class T>
struct SharedBufferOf<T, Kokkos::HostSpace> {
  using type = SharedHostBuffer<T>;
};
#ifdef KOKKOS_ENABLE_CUDA
template <class T>
struct SharedBufferOf<T, Kokkos::CudaSpace> {
  using type = SharedDeviceBuffer<T>;
};

template <class MemorySpace>
inline constexpr bool is_managed_space_v =
    std::is_same_v<MemorySpace, Kokkos::CudaUVMSpace>;
#else
template <class MemorySpace>
inline constexpr bool is_managed_space_v = false;
#endif

/// Shares the elements of an ordinary View of every PE, where they are: of a
/// View in HostSpace as a SharedHostBuffer, of one in CudaSpace as a
/// SharedDeviceBuffer, which say what can be done then, and until when `view`
/// must live. Element (i, j, ...) has the number that the layout
/// of `view` gives to it.
///
/// Collective: every PE passes a View of its own; extents may differ, and be 0.
/// \throws UsageError on every PE, if there is a View whose elements do not lie
///         one behind the other (a subview, say).
template <class T, class... Properties>
[[nodiscard]] auto share_view(Kokkos::View<T, Properties...> const& view) {
  using View  = Kokkos::View<T, Properties...>;
  using Space = typename View::memory_space;
  using Shared =
      typename SharedBufferOf<typename View::value_type, Space>::type;
  static_assert(!is_symmetric_space_v<Space>,
                "a View in a symmetric space is shared already: use "
                "symm::global_view or symm::peer_view");
  static_assert(!is_managed_space_v<Space>,
                "CUDA managed memory (CudaUVMSpace) cannot be shared between "
                "processes: declare the View in CudaSpace or HostSpace");
  static_assert(
      !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>,
      "the elements of a LayoutStride View may lie apart: share the whole "
      "View, or a copy in LayoutLeft or LayoutRight");
  static_assert(!std::is_void_v<Shared> || is_symmetric_space_v<Space> ||
                    is_managed_space_v<Space>,
                "symm::share_view takes Views in HostSpace and CudaSpace");
  if constexpr (!std::is_void_v<Shared>) {
    std::exception_ptr failure;
    if (!view.span_is_contiguous()) {
      failure = std::make_exception_ptr(UsageError(
          "symm::share_view: the elements of View \"" + view.label() +
          "\" do not lie one behind the other; share the whole View, or a "
          "copy"));
    }
    return Shared(view.data(), view.span(), failure);
  }
}

#ifdef KOKKOS_ENABLE_CUDA

/// What PE `pe` has shared, as an ordinary unmanaged View in CudaSpace of type
/// `View`, for kernels, deep_copy and subview. Local.
///
///     auto shared = symm::share_view(u);  // Kokkos::View<double**> u
///     auto right  = symm::peer_view<decltype(u)>(shared, pe, nx, ny);
///
/// \tparam View    of elements of type T (const, where only reading is meant).
/// \param  extents of the View of `pe`, which are not known here.
/// \returns a View that is valid as long as the buffer is open on this PE.
/// \throws UsageError on this PE, if there is no such PE, or it has shared
///         fewer elements, or the buffer is closed.
template <class View, class T, class... Extents>
[[nodiscard]] UnmanagedView<View> peer_view(SharedDeviceBuffer<T> const& shared,
                                            Pe pe, Extents... extents) {
  static_assert(std::is_same_v<typename View::memory_space, Kokkos::CudaSpace>,
                "a peer's memory of cudaMalloc is seen as a View in CudaSpace");
  static_assert(std::is_same_v<typename View::value_type, T> ||
                    std::is_same_v<typename View::value_type, T const>,
                "the View must have elements of the buffer's type");
  auto const bytes  = bytes_of_extents<View>(extents...);
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

#endif

}  // namespace symm

#endif

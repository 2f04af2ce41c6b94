// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SHARED_VIEW_HPP
#define SYMM_SHARED_VIEW_HPP

#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <symm_gpu/Views.hpp>

#include "../space/SymmetricSpaceBase.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_shared_buffers.hpp"

namespace symm {

/// Shares the elements of every PE's ordinary View in place. A View in
/// HostSpace becomes a SharedHostBuffer; a View in CudaSpace becomes a
/// SharedDeviceBuffer. See these classes for their operations and for the
/// required lifetime of `view`. Elements are numbered in the order of their
/// addresses.
///
/// Collective: every PE passes its own View. Extents may differ and may be 0.
/// \throws UsageError on every PE if the elements of a View are not contiguous
///         (as in some subviews).
template <class T, class... Properties>
[[nodiscard]] auto share_view(Kokkos::View<T, Properties...> const& view) {
  using View  = Kokkos::View<T, Properties...>;
  using Space = typename View::memory_space;
  using Shared =
      typename Impl::SharedBufferOf<typename View::value_type, Space>::type;
  static_assert(!is_symmetric_space_v<Space>,
                "a View in a symmetric space is already shared: use "
                "symm::global_view or symm::peer_view");
  static_assert(
      !Impl::is_managed_space_v<Space>,
      "managed memory (such as CudaUVMSpace) cannot be shared between "
      "processes: declare the View in GPU or host memory");
  static_assert(
      !std::is_same_v<typename View::array_layout, Kokkos::LayoutStride>,
      "the elements of a LayoutStride View need not be contiguous: share the "
      "whole View, or a copy with LayoutLeft or LayoutRight");
  static_assert(!std::is_void_v<Shared> || is_symmetric_space_v<Space> ||
                    Impl::is_managed_space_v<Space>,
                "symm::share_view takes only Views in HostSpace, CudaSpace and "
                "HIPSpace");
  if constexpr (!std::is_void_v<Shared>) {
    std::exception_ptr failure;
    if (!view.span_is_contiguous()) {
      failure = std::make_exception_ptr(UsageError(
          "symm::share_view: View \"" + view.label() +
          "\" is not contiguous; share the whole View, or a contiguous copy"));
    }
    return Shared(view.data(), view.span(), failure);
  }
}

}  // namespace symm

#endif

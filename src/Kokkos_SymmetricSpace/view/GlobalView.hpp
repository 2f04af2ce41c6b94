// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GLOBAL_VIEW_HPP
#define SYMM_GLOBAL_VIEW_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include "../kokkos_impl/SeenElement.hpp"
#include "ElementsOfPes.hpp"
#include "PeerView.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"

namespace symm {

/// All PEs' copies of one View: `g(pe, i, j)` is element (i, j) on PE `pe`.
///
/// A GlobalView is a lightweight handle that kernels can capture. Like a
/// pointer, a GlobalView owns nothing: it is valid as long as the View exists
/// on this PE (with Deallocate::retire). Selecting the PE costs one
/// multiplication and one addition, which compilers move out of loops over the
/// indices. This part of the address arithmetic uses 64 bits. For the rest,
/// Kokkos uses the indices' type, as for any View: a View with more than 2^31
/// elements needs 64-bit indices.
template <class View>
class GlobalView : public Impl::ViewOfPes<View, false> {
  using Base = Impl::ViewOfPes<View, false>;

 public:
  using view_type      = typename Base::view_type;
  using reference_type = Impl::Reference<typename view_type::element_type>;

  static_assert(
      !view_type::memory_traits::is_atomic,
      "elements of an Atomic View are proxies: use global_view(view).peer(pe), "
      "or a View without the Atomic trait");

  using Base::Base;

  /// Element (indices...) on PE `pe`. Precondition: is_near(pe). The indices
  /// are checked if Kokkos checks View bounds, and the PE is checked if
  /// SYMM_CHECKS_IN_KERNELS is on. An invalid index or PE stops the program.
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Pe pe, Indices... indices) const {
    return reference_type(*this->address_of(pe, indices...));
  }

  /// PE `pe`'s copy as an ordinary unmanaged View. Precondition: is_near(pe),
  /// which is checked if SYMM_CHECKS_IN_KERNELS is on.
  KOKKOS_FUNCTION view_type peer(Pe pe) const {
    this->m_elements.expect_pe(Base::call, pe, true);
    return this->copy_of(pe, pe);
  }
};

/// Returns the GlobalView of `view`, which must be an UnevenView or a View that
/// peer_view() accepts. The call is local. In a job on several nodes, only the
/// copies on near PEs (is_near()) have addresses. Do not index the copies on
/// far PEs; use remote_view() for those copies.
///
/// \throws UsageError on this PE if the View is not in the heap.
template <class View>
auto global_view(View const& view) {
  return GlobalView<View>(view, Impl::heap_map_of(view, "symm::global_view"));
}

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GLOBAL_VIEW_HPP
#define SYMM_GLOBAL_VIEW_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include "ElementsOfPes.hpp"
#include "PeerView.hpp"

#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"

namespace symm {

/// All PEs' copies of one View: `g(pe, i, j)` is element (i, j) on PE `pe`.
///
/// A small value to capture in kernels. Like a pointer it owns nothing: it is
/// valid as long as the View lives on this PE (with Deallocate::retire). The PE
/// costs one multiplication and one addition, which a compiler moves out of
/// loops over the indices. This part of the arithmetic is in 64 bits. Kokkos
/// computes the rest in the type of the indices, as for any View: a View of
/// more than 2^31 elements needs 64-bit indices.
template <class View>
class GlobalView {
 public:
  using view_type      = UnmanagedView<View>;
  using value_type     = typename view_type::value_type;
  using reference_type = typename view_type::element_type&;

  static_assert(!view_type::memory_traits::is_atomic,
                "elements of an Atomic View are proxies: use "
                "global_view(view).peer(pe), or a View without the trait");

  KOKKOS_FUNCTION static constexpr std::size_t rank() {
    return view_type::rank();
  }

  GlobalView() = default;

  /// \param local this PE's copy.
  GlobalView(View const& local, HeapMap const& map) : m_elements(local, map) {}

  /// Element (indices...) on PE `pe`. Precondition: is_near(pe). Indices
  /// are checked where Kokkos checks those of Views, the PE where
  /// SYMM_CHECKS_IN_KERNELS is on; a wrong one stops the program.
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Pe pe, Indices... indices) const {
    m_elements.expect_pe(call, pe, true);
    m_elements.expect_indices(call, pe, indices...);
    return *m_elements.address_of(pe, indices...);
  }

  /// PE `pe`'s copy as an ordinary unmanaged View; `pe` is near, checked as
  /// above.
  KOKKOS_FUNCTION view_type peer(Pe pe) const {
    m_elements.expect_pe(call, pe, true);
    return m_elements.template copy_of<view_type>(pe, pe);
  }

  /// This PE's own copy.
  [[nodiscard]] KOKKOS_FUNCTION view_type local() const {
    return peer(my_pe());
  }
  /// Extent of this PE's own copy.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return m_elements.extent(my_pe(), r);
  }
  /// Extent of PE `pe`'s copy; in an UnevenView the PEs' extents differ.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(Pe pe, std::size_t r) const {
    m_elements.expect_pe(call, pe, false);
    return m_elements.extent(pe, r);
  }
  /// Whether PE `pe` exists and is near. Elements of far PEs have no address
  /// here; RemoteView reaches them.
  [[nodiscard]] KOKKOS_FUNCTION bool is_near(Pe pe) const {
    return m_elements.map().is_near(pe);
  }
  /// As it was called before 0.1.0.
  [[deprecated("say is_near(pe)"), nodiscard]] KOKKOS_FUNCTION bool
  is_reachable(Pe pe) const {
    return is_near(pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION Pe my_pe() const {
    return m_elements.map().my_pe;
  }
  [[nodiscard]] KOKKOS_FUNCTION int n_pes() const {
    return m_elements.map().n_pes;
  }

 private:
  static constexpr char const* call = "symm::global_view";

  Impl::ElementsOfPes<View> m_elements;
};

/// The GlobalView of `view`, which is a View as peer_view() takes, or an
/// UnevenView. Local. In a job of several nodes only near PEs' copies have an
/// address: do not index the others (GlobalView::is_near()), use
/// remote_view().
///
/// \throws UsageError on this PE, if the View is not in the heap.
template <class View>
auto global_view(View const& view) {
  return GlobalView<View>(view, Impl::heap_map_of(view, "symm::global_view"));
}

}  // namespace symm

#endif

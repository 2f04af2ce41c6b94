// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_GLOBALVIEW_HPP
#define KOKKOS_SYMMETRICSPACE_GLOBALVIEW_HPP

#include <cstddef>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_PeerView.hpp>

#include "../runtime/HeapMap.hpp"
#include "../runtime/Types.hpp"

namespace symm {

/// Whether an element of `View` is found with these indices.
template <class View, class... Indices>
inline constexpr bool are_indices_of_v =
    sizeof...(Indices) == View::rank() &&
    (std::is_convertible_v<Indices, std::size_t> && ...);

/// All PEs' copies of one View: `g(pe, i, j)` is element (i, j) on PE `pe`.
///
/// A small value to capture in kernels; like a pointer it owns nothing and is
/// valid as long as the View lives on this PE (with Deallocate::retire). The PE
/// costs one multiplication and one addition, which a compiler moves out of
/// loops over the indices. The PE's part of the arithmetic is in 64 bits; the
/// rest is that of the View, which Kokkos computes in the type of the indices:
/// a View of more than 2^31 elements needs 64-bit indices, here as there.
template <class View>
class GlobalView {
 public:
  using view_type      = UnmanagedView<View>;
  using value_type     = typename view_type::value_type;
  using reference_type = typename view_type::element_type&;

  static_assert(!view_type::memory_traits::is_atomic,
                "elements of an Atomic View are proxies: use "
                "global_view(view).peer(pe), or a View without the trait");

  static constexpr std::size_t rank() { return view_type::rank(); }

  GlobalView() = default;

  GlobalView(view_type const& local, HeapMap const& map)
      : m_first(local), m_map(map) {
    if (local.data() != nullptr) {
      m_first.assign_data(map.peer_ptr(local.data(), 0));
    }
  }

  /// Element (indices...) on PE `pe`. Bounds are checked where Kokkos checks
  /// those of Views.
  template <class... Indices>
  requires are_indices_of_v<view_type, Indices...> KOKKOS_FORCEINLINE_FUNCTION
      reference_type
      operator()(Pe pe, Indices... indices) const {
    KOKKOS_EXPECTS(0 <= pe && pe < m_map.n_pes);
    // The offset in the type of the indices, as Kokkos computes it, is what
    // nvcc makes the best of; GCC does so with 64 bits (docs/design.md).
    auto* const first = m_first.data();
    KOKKOS_IF_ON_DEVICE((return m_map.peer_ptr_from_first(
        first, pe)[&m_first(indices...) - first];))
    KOKKOS_IF_ON_HOST((return m_map.peer_ptr_from_first(
        first, pe)[&m_first(static_cast<std::size_t>(indices)...) - first];))
  }

  /// PE `pe`'s copy as an ordinary unmanaged View.
  KOKKOS_FUNCTION view_type peer(Pe pe) const {
    KOKKOS_EXPECTS(0 <= pe && pe < m_map.n_pes);
    view_type result(m_first);
    if (m_first.data() != nullptr) {
      result.assign_data(m_map.peer_ptr_from_first(m_first.data(), pe));
    }
    return result;
  }

  /// This PE's own copy.
  [[nodiscard]] KOKKOS_FUNCTION view_type local() const {
    return peer(m_map.my_pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return m_first.extent(r);
  }
  [[nodiscard]] KOKKOS_FUNCTION Pe my_pe() const { return m_map.my_pe; }
  [[nodiscard]] KOKKOS_FUNCTION int n_pes() const { return m_map.n_pes; }

 private:
  view_type m_first;  // PE 0's
  HeapMap m_map;
};

/// All PEs' copies of `view`, whose extents and strides are taken to be equal
/// on all PEs. Local.
///
/// \throws UsageError on this PE, if the View is not in the heap.
template <class T, class... Properties>
GlobalView<Kokkos::View<T, Properties...>> global_view(
    Kokkos::View<T, Properties...> const& view) {
  return {UnmanagedView<Kokkos::View<T, Properties...>>(view),
          heap_map_of(view, "symm::global_view")};
}

}  // namespace symm

#endif

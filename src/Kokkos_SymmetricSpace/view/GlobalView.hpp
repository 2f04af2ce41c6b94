// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GLOBAL_VIEW_HPP
#define SYMM_GLOBAL_VIEW_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include "PeerView.hpp"

#include "../../runtime/base/KernelText.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"

namespace symm {

namespace Impl {

/// Whether an element of `View` is found with these indices.
template <class View, class... Indices>
inline constexpr bool are_indices_of_v =
    sizeof...(Indices) == View::rank() &&
    (std::is_convertible_v<Indices, std::size_t> && ...);

/// The label of a View for what a kernel says; empty where Kokkos checks no
/// bounds.
class LabelInKernels {
 public:
  LabelInKernels() = default;
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
  template <class View>
  explicit LabelInKernels(View const& view) {
    std::string const label                       = view.label();
    m_text[label.copy(m_text, sizeof m_text - 1)] = '\0';
  }
  [[nodiscard]] KOKKOS_FUNCTION char const* label() const { return m_text; }

 private:
  char m_text[64] = {};
#else
  template <class View>
  explicit LabelInKernels(View const&) {}
  [[nodiscard]] KOKKOS_FUNCTION char const* label() const { return ""; }
#endif
};

}  // namespace Impl

/// All PEs' copies of one View: `g(pe, i, j)` is element (i, j) on PE `pe`.
///
/// A small value to capture in kernels; like a pointer it owns nothing and is
/// valid as long as the View lives on this PE (with Deallocate::retire). The PE
/// costs one multiplication and one addition, which a compiler moves out of
/// loops over the indices. The PE's part of the arithmetic is in 64 bits; the
/// rest is that of the View, which Kokkos computes in the type of the indices:
/// a View of more than 2^31 elements needs 64-bit indices, here as there.
template <class View>
class GlobalView : private Impl::LabelInKernels {
 public:
  using view_type      = UnmanagedView<View>;
  using value_type     = typename view_type::value_type;
  using reference_type = typename view_type::element_type&;

  static_assert(!view_type::memory_traits::is_atomic,
                "elements of an Atomic View are proxies: use "
                "global_view(view).peer(pe), or a View without the trait");

  static constexpr std::size_t rank() { return view_type::rank(); }

  GlobalView() = default;

  /// \param local this PE's copy.
  GlobalView(View const& local, HeapMap const& map)
      : Impl::LabelInKernels(local), m_first(local), m_map(map) {
    if (local.data() != nullptr) {
      m_first.assign_data(map.peer_ptr(local.data(), 0));
    }
  }

  /// Element (indices...) on PE `pe`, which is_reachable(). Indices are checked
  /// where Kokkos checks those of Views, the PE where it checks preconditions;
  /// a wrong one stops the program.
  template <class... Indices>
  requires Impl::are_indices_of_v<view_type, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Pe pe, Indices... indices) const {
    expect_pe(pe);
    expect_indices(pe, indices...);
    // The offset in the type of the indices, as Kokkos computes it, is what
    // nvcc makes the best of; GCC does so with 64 bits (docs/design.md).
    auto* const first = m_first.data();
    KOKKOS_IF_ON_DEVICE((return m_map.peer_ptr_from_first(
        first, pe)[&m_first(indices...) - first];))
    KOKKOS_IF_ON_HOST((return m_map.peer_ptr_from_first(
        first, pe)[&m_first(static_cast<std::size_t>(indices)...) - first];))
  }

  /// PE `pe`'s copy as an ordinary unmanaged View. The PE is checked as above.
  KOKKOS_FUNCTION view_type peer(Pe pe) const {
    expect_pe(pe);
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
  /// Whether there is such a PE on this node: in a job of several, elements of
  /// others have no address here.
  [[nodiscard]] KOKKOS_FUNCTION bool is_reachable(Pe pe) const {
    return m_map.is_near(pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION Pe my_pe() const { return m_map.my_pe; }
  [[nodiscard]] KOKKOS_FUNCTION int n_pes() const { return m_map.n_pes; }

 private:
  KOKKOS_FUNCTION void expect_pe([[maybe_unused]] Pe pe) const {
#ifdef SYMM_CHECKS_IN_KERNELS
    if (is_reachable(pe)) return;
    Impl::KernelText text;
    text << "symm::global_view \"" << label() << "\": ";
    if (0 <= pe && pe < m_map.n_pes) {
      text << "PE " << pe
           << " is on another node, where no loads and stores reach";
    } else {
      text << "there is no PE " << pe << "; PEs are 0 to " << m_map.n_pes - 1;
    }
    text.abort();
#endif
  }

  template <class... Indices>
  KOKKOS_FUNCTION void expect_indices(
      [[maybe_unused]] Pe pe, [[maybe_unused]] Indices... indices) const {
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
    std::size_t r = 0;
    if (((static_cast<std::size_t>(indices) < m_first.extent(r++)) && ...))
      return;
    Impl::KernelText text;
    text << "symm::global_view \"" << label() << "\": element (";
    r = 0;
    ((text << (r++ == 0 ? "" : ", ") << static_cast<std::int64_t>(indices)),
     ...);
    text << ") on PE " << pe << " is out of bounds; the extents are (";
    for (r = 0; r < rank(); ++r) text << (r == 0 ? "" : ", ") << extent(r);
    text << ")";
    text.abort();
#endif
  }

  view_type m_first;  // PE 0's
  HeapMap m_map;
};

/// All PEs' copies of `view`, a View as peer_view() takes: a GlobalView. Local.
/// In a job of several nodes only those of this one have an address: the others
/// are not to be indexed (GlobalView::is_reachable()).
///
/// \throws UsageError on this PE, if the View is not in the heap.
template <class View>
auto global_view(View const& view) {
  return GlobalView<View>(view, Impl::heap_map_of(view, "symm::global_view"));
}

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_ELEMENTS_OF_PES_HPP
#define SYMM_ELEMENTS_OF_PES_HPP

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>
#include "../kokkos_impl/MakeView.hpp"
#include "../space/LiveViews.hpp"
#include "PeerView.hpp"

#include "../../runtime/base/KernelText.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"

namespace symm::Impl {

/// Whether indices of these types select an element of `View`.
template <class View, class... Indices>
inline constexpr bool are_indices_of_v =
    sizeof...(Indices) == View::rank() &&
    (std::is_convertible_v<Indices, std::size_t> && ...);

/// A View's label, for error messages in kernels. Empty unless Kokkos checks
/// bounds.
class LabelInKernels {
 public:
  LabelInKernels() = default;
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
  template <class View>
  KOKKOS_FUNCTION explicit LabelInKernels([[maybe_unused]] View const& view) {
    KOKKOS_IF_ON_HOST((std::string const label = view.label();
                       m_text[label.copy(m_text, sizeof m_text - 1)] = '\0';))
  }
  [[nodiscard]] KOKKOS_FUNCTION char const* label() const { return m_text; }

 private:
  char m_text[64] = {};
#else
  template <class View>
  KOKKOS_FUNCTION explicit LabelInKernels(View const&) {}
  [[nodiscard]] KOKKOS_FUNCTION char const* label() const { return ""; }
#endif
};

/// Detects whether the View on this PE has been destroyed. Works only on the
/// host, in builds in which Kokkos checks bounds.
class ViewAlive {
 public:
  ViewAlive() = default;
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
  KOKKOS_FUNCTION explicit ViewAlive(
      [[maybe_unused]] void const* address_here) {
    KOKKOS_IF_ON_HOST(
        (m_address = address_here; m_number = live_view_at(address_here);))
  }
  /// Whether the View has been destroyed; false if the memory belonged to no
  /// View.
  [[nodiscard]] KOKKOS_FUNCTION bool has_ended() const {
    KOKKOS_IF_ON_HOST(
        (return m_number != 0 && live_view_at(m_address) != m_number;))
    KOKKOS_IF_ON_DEVICE((return false;))
  }

 private:
  void const* m_address  = nullptr;
  std::uint64_t m_number = 0;
#else
  KOKKOS_FUNCTION explicit ViewAlive(void const*) {}
  [[nodiscard]] KOKKOS_FUNCTION bool has_ended() const { return false; }
#endif
};

/// An UnmanagedView without the Atomic trait, so its elements have addresses.
template <class View>
using PlainView =
    Kokkos::View<typename View::data_type, typename View::array_layout,
                 typename View::device_type,
                 Kokkos::MemoryTraits<(View::memory_traits::impl_value &
                                       ~unsigned{Kokkos::Atomic}) |
                                      Kokkos::Unmanaged>>;

template <bool is_cut>
KOKKOS_FUNCTION auto range_of_dimension([[maybe_unused]] std::size_t n) {
  if constexpr (is_cut) {
    return Kokkos::pair<std::size_t, std::size_t>(0, n);
  } else {
    return Kokkos::ALL_t();
  }
}
template <std::size_t dimension, class View, std::size_t... R>
KOKKOS_FUNCTION View first_of_view(View const& view, std::size_t n,
                                   std::index_sequence<R...>) {
  return Kokkos::subview(view, range_of_dimension<R == dimension>(n)...);
}
/// The subview of `view` that contains the first n indices in one dimension.
/// That dimension must vary slowest in memory; the subview then has the same
/// type as the View.
template <std::size_t dimension, class View>
KOKKOS_FUNCTION View first_of_view(View const& view, std::size_t n) {
  return first_of_view<dimension>(view, n,
                                  std::make_index_sequence<View::rank()>());
}

/// Provides the extents of all PEs' copies and the View `whole`, which is at
/// least as large as each copy. In this primary template, all extents are
/// equal, and `whole` is the View itself. The specialization for UnevenView
/// differs.
template <class View>
class ExtentsOfPes {
 public:
  /// Whether all PEs have equal extents.
  static constexpr bool are_equal = true;

  ExtentsOfPes() = default;
  KOKKOS_FUNCTION explicit ExtentsOfPes(View const&) {}

  KOKKOS_FUNCTION static View const& whole(View const& view) { return view; }

  template <class Whole>
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(Whole const& whole, Pe,
                                                   std::size_t r) const {
    return whole.extent(r);
  }
  /// The part of `whole` that corresponds to PE `pe`'s copy.
  template <class Whole>
  [[nodiscard]] KOKKOS_FUNCTION Whole part_of(Whole const& whole, Pe) const {
    return whole;
  }
};

/// Computes the addresses of elements in all PEs' copies of a View. An
/// ElementsOfPes is a lightweight object that kernels can capture.
template <class View>
class ElementsOfPes : private LabelInKernels,
                      private ViewAlive,
                      private ExtentsOfPes<View> {
  using Extents = ExtentsOfPes<View>;

 public:
  using plain_view = PlainView<View>;

  ElementsOfPes() = default;

  /// \param local this PE's copy.
  KOKKOS_FUNCTION ElementsOfPes(View const& local, HeapMap const& map)
      : LabelInKernels(local),
        ViewAlive(local.data()),
        Extents(local),
        m_first(plain_view_of<plain_view>(Extents::whole(local))),
        m_map(map) {
    if (local.data() != nullptr) {
      m_first.assign_data(map.peer_ptr(local.data(), 0));
    }
  }

  /// The address of element (indices...) on PE `pe`. For a far PE, this is the
  /// address that the element would have if the PE were near.
  template <class... Indices>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto* address_of(
      Pe pe, Indices... indices) const {
    expect_alive();
    // nvcc generates the best code if offsets have the same type as the
    // indices, as in Kokkos; GCC does so if offsets are 64-bit
    // (docs/decisions.md).
    auto* const first = m_first.data();
    KOKKOS_IF_ON_DEVICE((return m_map.peer_ptr_from_first(first, pe) +
                                    (&m_first(indices...) - first);))
    KOKKOS_IF_ON_HOST(
        (return m_map.peer_ptr_from_first(first, pe) +
                    (&m_first(static_cast<std::size_t>(indices)...) - first);))
  }

  /// PE `pe`'s copy, with the extents of PE `like`, as a View of type `Result`.
  /// For a far PE, the View has the address that the copy would have if the PE
  /// were near.
  template <class Result>
  [[nodiscard]] KOKKOS_FUNCTION Result copy_of(Pe pe, Pe like) const {
    expect_alive();
    Result result(m_first);
    if (m_first.data() != nullptr) {
      result.assign_data(m_map.peer_ptr_from_first(m_first.data(), pe));
    }
    return Extents::part_of(result, like);
  }

  [[nodiscard]] KOKKOS_FUNCTION HeapMap const& map() const { return m_map; }
  /// Whether PE `pe` exists and loads and stores can reach that PE's copy.
  [[nodiscard]] KOKKOS_FUNCTION bool reaches(std::int64_t pe) const {
    return 0 <= pe && pe < m_map.n_pes && m_map.is_near(static_cast<Pe>(pe));
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(Pe pe, std::size_t r) const {
    return Extents::extent(m_first, pe, r);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size(Pe pe) const {
    return Extents::part_of(m_first, pe).size();
  }

  /// Aborts the program unless PE `pe` exists and, if `must_be_near`, is near.
  /// Does nothing in builds that do not check preconditions.
  KOKKOS_FUNCTION void expect_pe([[maybe_unused]] char const* call,
                                 [[maybe_unused]] Pe pe,
                                 [[maybe_unused]] bool must_be_near) const {
#ifdef SYMM_CHECKS_IN_KERNELS
    bool const is_pe = 0 <= pe && pe < m_map.n_pes;
    if (must_be_near ? reaches(pe) : is_pe) return;
    KernelText text;
    add_name(text, call);
    if (is_pe) {
      text << "PE " << pe
           << " is on another node, whose memory loads and stores cannot "
              "reach; use symm::remote_view(view)(pe, ...), or put and get";
    } else {
      text << "invalid PE " << pe << "; PEs are 0 to " << m_map.n_pes - 1;
    }
    text.abort();
#endif
  }

  /// Aborts the program unless the element exists. Does nothing if Kokkos does
  /// not check bounds. The message states the element, the PE and the extents.
  template <class... Indices>
  KOKKOS_FUNCTION void expect_indices(
      [[maybe_unused]] char const* call, [[maybe_unused]] Pe pe,
      [[maybe_unused]] Indices... indices) const {
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
    std::size_t r = 0;
    if (((static_cast<std::size_t>(indices) < extent(pe, r++)) && ...)) return;
    KernelText text;
    add_name(text, call);
    text << "element (";
    r = 0;
    ((text << (r++ == 0 ? "" : ", ") << static_cast<std::int64_t>(indices)),
     ...);
    text << ") on PE " << pe << " is out of bounds; the extents are (";
    for (r = 0; r < plain_view::rank(); ++r) {
      text << (r == 0 ? "" : ", ") << extent(pe, r);
    }
    text << ")";
    text.abort();
#endif
  }

 private:
  /// Aborts the program if the View has been destroyed on this PE.
  KOKKOS_FUNCTION void expect_alive() const {
    if (!has_ended()) return;
    KernelText text;
    add_name(text, "symm::global_view, remote_view");
    text << "the View has been destroyed or resized on this PE; make a new "
            "global_view or remote_view after that";
    text.abort();
  }
  KOKKOS_FUNCTION void add_name(KernelText& text, char const* call) const {
    text << call;
    if (*label() != '\0') text << " \"" << label() << "\"";
    text << ": ";
  }

  plain_view m_first;  // PE 0's copy
  HeapMap m_map;
};

/// The base of GlobalView and RemoteView.
/// \tparam reaches_far whether elements on far PEs can be accessed.
template <class View, bool reaches_far>
class ViewOfPes {
 public:
  /// The type of View for one PE's copy.
  using view_type  = UnmanagedView<View>;
  using value_type = typename view_type::value_type;

  KOKKOS_FUNCTION static constexpr std::size_t rank() {
    return view_type::rank();
  }

  ViewOfPes() = default;

  /// \param local this PE's copy.
  KOKKOS_FUNCTION ViewOfPes(View const& local, HeapMap const& map)
      : m_elements(local, map) {}

  /// This PE's own copy, as an ordinary unmanaged View.
  [[nodiscard]] KOKKOS_FUNCTION view_type local() const {
    return copy_of(my_pe(), my_pe());
  }
  /// Extent r of this PE's own copy.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return m_elements.extent(my_pe(), r);
  }
  /// Extent r of PE `pe`'s copy; in an UnevenView, the PEs' extents may differ.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(Pe pe, std::size_t r) const {
    m_elements.expect_pe(call, pe, false);
    return m_elements.extent(pe, r);
  }
  /// Whether PE `pe` exists and is near, so loads and stores can reach that
  /// PE's elements.
  [[nodiscard]] KOKKOS_FUNCTION bool is_near(Pe pe) const {
    return m_elements.reaches(pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION Pe my_pe() const {
    return m_elements.map().my_pe;
  }
  [[nodiscard]] KOKKOS_FUNCTION int n_pes() const {
    return m_elements.map().n_pes;
  }

 protected:
  static constexpr char const* call =
      reaches_far ? "symm::remote_view" : "symm::global_view";

  /// The address of an element, after checking the PE and the indices.
  template <class... Indices>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto* address_of(
      Pe pe, Indices... indices) const {
    m_elements.expect_pe(call, pe, !reaches_far);
    m_elements.expect_indices(call, pe, indices...);
    return m_elements.address_of(pe, indices...);
  }
  /// PE `pe`'s copy, with the extents of PE `like`.
  [[nodiscard]] KOKKOS_FUNCTION view_type copy_of(Pe pe, Pe like) const {
    return m_elements.template copy_of<view_type>(pe, like);
  }

  ElementsOfPes<View> m_elements;
};

}  // namespace symm::Impl

#endif

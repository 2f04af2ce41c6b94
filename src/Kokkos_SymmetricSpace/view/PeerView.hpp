// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PEER_VIEW_HPP
#define SYMM_PEER_VIEW_HPP

#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"
#include "../../runtime/symm_errors.hpp"

namespace symm {

/// The type of an unmanaged View with the same elements, layout, space and
/// traits as `View`.
template <class View>
using UnmanagedView = Kokkos::View<
    typename View::data_type, typename View::array_layout,
    typename View::device_type,
    Kokkos::MemoryTraits<View::memory_traits::impl_value | Kokkos::Unmanaged>>;

/// Whether other processes can use elements of type T because an element's
/// bytes represent its entire value. Specialize this variable as true for a
/// type that is not trivially copyable but contains no addresses or other data
/// that are meaningful in only one process:
///
///     template <>
///     inline constexpr bool symm::elements_are_shareable_v<Cell> = true;
template <class T>
inline constexpr bool elements_are_shareable_v =
    std::is_trivially_copyable_v<T>;

namespace Impl {

/// Whether T has a copy on each PE: a View or an UnevenView.
template <class T>
inline constexpr bool is_view_of_pes_v = Kokkos::is_view_v<T>;

/// Causes a compile-time error unless `View` has elements on other PEs.
template <class View>
constexpr void check_symmetric_view() {
  static_assert(is_view_of_pes_v<View>,
                "pass a Kokkos::View, not a type derived from it: for an "
                "OffsetView, whose first index would be taken for 0, pass its "
                ".view(); for a DynRankView, whose rank is not part of its "
                "type, pass a View of its .data() and extents");
  static_assert(is_symmetric_space_v<typename View::memory_space>,
                "the View must be in a symmetric space: declare it as "
                "Kokkos::View<..., symm::SymmetricSpace>");
  static_assert(elements_are_shareable_v<typename View::non_const_value_type>,
                "elements that are not trivially copyable may refer to memory "
                "of the process that created them: if yours do not, specialize "
                "symm::elements_are_shareable_v for their type");
}

/// The map of the heap in memory of kind `kind`, or null if this PE's part of
/// that heap does not contain `address`. A null address belongs to any heap.
/// \throws UsageError on this PE if no heap of that kind exists.
HeapMap const* find_heap_map(MemoryKind kind, void const* address,
                             char const* call);
[[noreturn]] void throw_not_in_heap(std::string const& label, char const* call);
/// Throws a UsageError that says why no View of PE `pe`'s copy can exist.
[[noreturn]] void throw_no_peer_view(std::string const& label, Pe pe,
                                     int n_pes);

/// The map of the heap that contains `view`. A View without memory belongs to
/// any heap.
/// \throws UsageError on this PE if the View's memory is not in the heap.
template <class View>
HeapMap const& heap_map_of(View const& view, char const* call) {
  check_symmetric_view<View>();
  auto const* const map =
      find_heap_map(View::memory_space::memory_kind, view.data(), call);
  if (map == nullptr) throw_not_in_heap(view.label(), call);
  return *map;
}

/// The map of the heap that contains `view`, if loads and stores can reach PE
/// `pe`'s copy of the View.
/// \throws UsageError on this PE in the same cases as heap_map_of(), and if PE
///         `pe` does not exist or is far.
template <class View>
HeapMap const& heap_map_of_near(View const& view, Pe pe) {
  auto const& map = heap_map_of(view, "symm::peer_view");
  if (!map.is_near(pe)) throw_no_peer_view(view.label(), pe, map.n_pes);
  return map;
}

}  // namespace Impl

/// The map of the heap that contains `view`: the addresses of all PEs' parts of
/// the heap. Kernels capture the map to call operations on addresses of the
/// View's elements. The call is local; the map is valid until finalize().
/// \throws UsageError on this PE if the View is not in the heap.
template <class View>
[[nodiscard]] HeapMap heap_map(View const& view) {
  return Impl::heap_map_of(view, "symm::heap_map");
}

/// The heap map of a memory space. symm::malloc() allocates from the heap of
/// symm::SymmetricSpace.
/// \throws UsageError on this PE if the space has no heap, before initialize()
///         and after finalize().
template <class Space>
[[nodiscard]] HeapMap heap_map() {
  static_assert(is_symmetric_space_v<Space>,
                "the memory space must be a symmetric space");
  return heap_map(Space::memory_kind);
}

/// PE `pe`'s copy of `view` as an ordinary unmanaged View. The result works
/// everywhere in Kokkos (kernels, subview, deep_copy). The call is local.
///
/// \param view a Kokkos::View with any layout; it may be a subview. The call
///        assumes that the View's extents and strides are equal on all PEs. The
///        elements must be trivially copyable, or elements_are_shareable_v must
///        be true for their type.
/// \returns a View that is valid as long as `view`, or another copy of `view`,
///          exists on this PE (with Deallocate::retire).
/// \throws UsageError on this PE if PE `pe` does not exist, if loads and stores
///         cannot reach that PE's memory (is_near()), or if the View is not in
///         the heap.
template <class View>
auto peer_view(View const& view, Pe pe) {
  auto const& map = Impl::heap_map_of_near(view, pe);
  UnmanagedView<View> result(view);
  if (view.data() != nullptr) result.assign_data(map.peer_ptr(view.data(), pe));
  return result;
}

}  // namespace symm

#endif

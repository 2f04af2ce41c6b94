// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_PEERVIEW_HPP
#define KOKKOS_SYMMETRICSPACE_PEERVIEW_HPP

#include <string>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_SharedAlloc.hpp>

#include "../runtime/Error.hpp"
#include "../runtime/HeapMap.hpp"
#include "../runtime/Runtime.hpp"
#include "../runtime/Types.hpp"

namespace symm {

/// A View like `View` that owns nothing: same elements, layout, space and
/// traits.
template <class View>
using UnmanagedView = Kokkos::View<
    typename View::data_type, typename View::array_layout,
    typename View::device_type,
    Kokkos::MemoryTraits<View::memory_traits::impl_value | Kokkos::Unmanaged>>;

/// The heap that holds `view`; a View that holds no memory belongs to any.
/// \throws UsageError on this PE, if its memory is not in the heap.
template <class View>
HeapMap const& heap_map_of(View const& view, char const* call) {
  static_assert(is_symmetric_space_v<typename View::memory_space>,
                "the View must be in a symmetric space: declare it as "
                "Kokkos::View<..., symm::SymmetricSpace>");
  auto& heap =
      Runtime::instance(call).heap(View::memory_space::memory_kind, call);
  if (view.data() != nullptr && !heap.contains(view.data())) {
    throw UsageError(std::string(call) + ": View \"" + view.label() +
                     "\" is not in this PE's part of the symmetric heap (is it "
                     "a peer's already?)");
  }
  return heap.map();
}

/// PE `pe`'s copy of `view` as an ordinary unmanaged View: everything of Kokkos
/// works on it (kernels, subview, deep_copy). Local.
///
/// \param view of any layout, also a subview; its extents and strides are taken
///        to be equal on all PEs.
/// \returns a View that is valid as long as `view`, or another copy of it,
/// lives
///          on this PE (with Deallocate::retire).
/// \throws UsageError on this PE, if there is no such PE or the View is not in
///         the heap.
template <class T, class... Properties>
UnmanagedView<Kokkos::View<T, Properties...>> peer_view(
    Kokkos::View<T, Properties...> const& view, Pe pe) {
  auto const& map = heap_map_of(view, "symm::peer_view");
  if (pe < 0 || pe >= map.n_pes) {
    throw UsageError("symm::peer_view of \"" + view.label() +
                     "\": there is no PE " + std::to_string(pe) +
                     "; PEs are 0 to " + std::to_string(map.n_pes - 1));
  }
  UnmanagedView<Kokkos::View<T, Properties...>> result(view);
  if (view.data() != nullptr) result.assign_data(map.peer_ptr(view.data(), pe));
  return result;
}

}  // namespace symm

#endif

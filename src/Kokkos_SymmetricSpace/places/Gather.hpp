// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_GATHER_HPP
#define KOKKOS_SYMMETRICSPACE_GATHER_HPP

#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../space/ExecutionSpaceStream.hpp"
#include "Places.hpp"

namespace symm::Impl {

/// (No lambda: nvcc takes none in a function with two parameter packs.)
template <class Dest, class View, class Places>
struct GatherKernel {
  Dest dest;
  PlacedView<View> at;
  Places places;

  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    dest(n) = at(places(n));
  }
};

}  // namespace symm::Impl

namespace symm {

/// Copies the element of `view` at places(n) to dest(n), for all n, in one
/// kernel on `exec`: for elements that are read more than once. Local;
/// enqueued. Put a barrier between earlier writes of PEs to their copies and
/// this call, and another between this call and later writes.
///
/// \param dest   rank 1, any memory that kernels of `exec` reach; must not
///        overlap the elements read.
/// \param places of this View, by places(). These are of near PEs only;
///        get_nbi() copies elements of far ones.
/// \throws UsageError on this PE, if `dest` and `places` differ in length, or
///         the View is not in the heap.
template <Impl::ExecutionSpace Exec, class T, class... P, class View, class U,
          class... Q>
void gather(Exec const& exec, Kokkos::View<T, P...> const& dest,
            View const& view, Kokkos::View<U, Q...> const& places) {
  using Dest   = Kokkos::View<T, P...>;
  using Places = Kokkos::View<U, Q...>;
  static_assert(Dest::rank() == 1 && Places::rank() == 1,
                "gather copies to a View of rank 1, by places of rank 1");
  static_assert(
      Kokkos::SpaceAccessibility<Exec,
                                 typename Dest::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<Exec,
                                     typename Places::memory_space>::accessible,
      "the kernels of the execution space must reach both Views");
  if (dest.extent(0) != places.extent(0)) {
    throw UsageError("symm::gather of \"" + view.label() +
                     "\": " + std::to_string(places.extent(0)) +
                     " places for \"" + dest.label() + "\" of " +
                     std::to_string(dest.extent(0)) + " elements");
  }
  Kokkos::parallel_for(
      "symm::gather",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0,
                                                                dest.extent(0)),
      Impl::GatherKernel<Dest, View, Places>{dest, placed_view(view), places});
}

}  // namespace symm

#endif

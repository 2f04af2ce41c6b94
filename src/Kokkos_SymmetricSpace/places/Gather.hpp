// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_GATHER_HPP
#define KOKKOS_SYMMETRICSPACE_GATHER_HPP

#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../../runtime/base/Types.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../space/ExecutionSpaceStream.hpp"
#include "../view/RemoteView.hpp"
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

/// Elements that a RemoteView reaches.
enum class GatheredPes { all, far, near };

/// (Two kernels on the host: a processor that begins a message does not look as
/// far ahead as to the next load, which may wait for memory.)
template <GatheredPes which, class Dest, class Remote, class Pes, class Indices>
struct RemoteGatherKernel {
  Dest dest;
  Remote at;
  Pes pes;
  Indices indices;

  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    auto const pe = static_cast<Pe>(pes(n));
    if constexpr (which == GatheredPes::near) {
      if (at.is_near(pe)) dest(n) = at(pe, indices(n)).get();
    } else if (which == GatheredPes::all || !at.is_near(pe)) {
      at(pe, indices(n)).get_nbi(&dest(n));
    }
  }
};

/// \throws UsageError on this PE.
template <class View, class Dest>
void expect_as_many(View const& view, std::size_t count, char const* what,
                    Dest const& dest) {
  if (dest.extent(0) == count) return;
  throw UsageError("symm::gather of \"" + view.label() +
                   "\": " + std::to_string(count) + " " + what + " for \"" +
                   dest.label() + "\" of " + std::to_string(dest.extent(0)) +
                   " elements");
}

template <class Exec>
auto range_of_gather(Exec const& exec, std::size_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, n);
}

template <GatheredPes which, class Exec, class Dest, class Remote, class Pes,
          class Indices>
void gather_of(Exec const& exec, Dest const& dest, Remote const& remote,
               Pes const& pes, Indices const& indices) {
  Kokkos::parallel_for("symm::gather", range_of_gather(exec, dest.extent(0)),
                       RemoteGatherKernel<which, Dest, Remote, Pes, Indices>{
                           dest, remote, pes, indices});
}

}  // namespace symm::Impl

namespace symm {

/// Copies the element of `view` at places(n) to dest(n), for all n, in one
/// kernel on `exec`: for elements that are read more than once. Local;
/// enqueued. Put a barrier between earlier writes of PEs to their copies and
/// this call, and another between this call and later writes.
///
/// \param dest   rank 1, any memory that kernels of `exec` reach; must not
///        overlap the elements read.
/// \param places of this View, by places(). These are of near PEs only.
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
  Impl::expect_as_many(view, places.extent(0), "places", dest);
  Kokkos::parallel_for(
      "symm::gather", Impl::range_of_gather(exec, dest.extent(0)),
      Impl::GatherKernel<Dest, View, Places>{dest, placed_view(view), places});
}

/// Copies element indices(n) of PE pes(n) to dest(n), for all n, of near and of
/// far PEs: for elements that are read once. (For lists that are used again, an
/// ExchangePlan or places() are faster.) Local. Barriers as above.
///
/// On a host instance the copies are there on return, and all that this PE has
/// put is complete; what it gets of a far PE comes in blocks. On a GPU it is
/// enqueued, and a thread waits for each element of a far PE.
///
/// \param dest    rank 1, of the elements' type, any memory that kernels of
///        `exec` reach.
/// \param view    as remote_view() takes it, of rank 1.
/// \param pes, indices rank 1, integers, which those kernels reach.
/// \throws UsageError on this PE, if lengths differ, or the View is not in the
///         heap. Indices and PEs are checked as by remote_view().
template <Impl::ExecutionSpace Exec, class T, class... P, class View, class U,
          class... Q, class W, class... R>
void gather(Exec const& exec, Kokkos::View<T, P...> const& dest,
            View const& view, Kokkos::View<U, Q...> const& pes,
            Kokkos::View<W, R...> const& indices) {
  using Dest    = Kokkos::View<T, P...>;
  using Pes     = Kokkos::View<U, Q...>;
  using Indices = Kokkos::View<W, R...>;
  static_assert(Dest::rank() == 1 && Pes::rank() == 1 && Indices::rank() == 1,
                "gather copies to a View of rank 1, by PEs and indices of "
                "rank 1");
  static_assert(std::is_integral_v<typename Pes::value_type> &&
                    std::is_integral_v<typename Indices::value_type>,
                "PEs and indices are integers");
  static_assert(
      Kokkos::SpaceAccessibility<Exec,
                                 typename Dest::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<Exec,
                                     typename Pes::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<
              Exec, typename Indices::memory_space>::accessible,
      "the kernels of the execution space must reach all three Views");
  Impl::expect_as_many(view, pes.extent(0), "PEs", dest);
  Impl::expect_as_many(view, indices.extent(0), "indices", dest);
  using Impl::GatheredPes;
  auto const remote = remote_view(view);
  if constexpr (Impl::runs_on_host_v<Exec>) {
    Impl::gather_of<GatheredPes::far>(exec, dest, remote, pes, indices);
    Impl::gather_of<GatheredPes::near>(exec, dest, remote, pes, indices);
    exec.fence("symm::gather");
    quiet();
  } else {
    Impl::gather_of<GatheredPes::all>(exec, dest, remote, pes, indices);
  }
}

}  // namespace symm

#endif

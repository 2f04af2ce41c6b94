// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_GATHER_HPP
#define KOKKOS_SYMMETRICSPACE_GATHER_HPP

#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../../runtime/access/PeOperations.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_errors.hpp"
#include "../space/ExecutionSpaceStream.hpp"
#include "../view/RemoteView.hpp"
#include "GatheredElements.hpp"
#include "Places.hpp"

namespace symm::Impl {

/// Copies the elements at `places` to `dest`. (A lambda would not work: nvcc
/// does not accept lambdas in a function with two parameter packs.)
template <class Dest, class View, class Places>
struct GatherKernel {
  Dest dest;
  PlacedView<View> at;
  Places places;

  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    dest(n) = at(places(n));
  }
};

/// Copies elements from near and far PEs to `dest`, on GPUs.
template <class Dest, class Remote, class Pes, class Indices>
struct RemoteGatherKernel {
  Dest dest;
  Remote at;
  Pes pes;
  Indices indices;

  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    at(static_cast<Pe>(pes(n)), indices(n)).get_nbi(&dest(n));
  }
};

/// Records the first exception thrown by a thread of a host kernel because no
/// exception may leave an OpenMP parallel region.
class KernelFailure {
 public:
  template <class Work>
  void take_from(Work const& work) noexcept {
    try {
      work();
    } catch (...) {
      if (!m_is_taken.exchange(true)) m_failure = std::current_exception();
    }
  }
  /// Rethrows the recorded exception, if there is one. Call it after the
  /// kernel.
  void rethrow() const {
    if (m_failure != nullptr) std::rethrow_exception(m_failure);
  }

 private:
  std::atomic<bool> m_is_taken{false};
  std::exception_ptr m_failure;
};

/// The elements that a host kernel copies.
enum class GatheredPes { all_are_near, near, far };

/// Copies the elements that `which` selects. (Separate kernels copy near and
/// far elements because a CPU that is starting a message does not prefetch the
/// next loads.)
template <GatheredPes which, class Dest, class Remote, class Pes, class Indices>
struct HostGatherKernel {
  Dest dest;
  Remote at;
  Pes pes;
  Indices indices;
  KernelFailure* failure;

  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::size_t n) const {
    KOKKOS_IF_ON_HOST((copy(n);))
  }

 private:
  void copy(std::size_t n) const {
    auto const pe          = static_cast<Pe>(pes(n));
    constexpr bool is_far  = which == GatheredPes::far;
    constexpr bool has_all = which == GatheredPes::all_are_near;
    if (!has_all && at.is_near(pe) == is_far) return;
    if constexpr (is_far) {
      failure->take_from([&] { at(pe, indices(n)).get_nbi(&dest(n)); });
    } else if constexpr (!Remote::is_on_host) {
      failure->take_from([&] { dest(n) = at(pe, indices(n)).get(); });
    } else {  // a load cannot throw; a plain loop is faster
      dest(n) = at(pe, indices(n)).get();
    }
  }
};

/// \throws UsageError on this PE if `dest` does not have `count` elements.
template <class View, class Dest>
void expect_as_many(View const& view, std::size_t count, char const* what,
                    Dest const& dest) {
  if (dest.extent(0) == count) return;
  throw UsageError("symm::gather of \"" + view.label() + "\": \"" +
                   dest.label() + "\" (" + std::to_string(dest.extent(0)) +
                   ") and the list of " + what + " (" + std::to_string(count) +
                   ") must have the same length");
}

template <class Exec>
auto range_of_gather(Exec const& exec, std::size_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(exec, 0, n);
}

template <GatheredPes which, class Exec, class Dest, class Remote, class Pes,
          class Indices>
void gather_of(Exec const& exec, Dest const& dest, Remote const& remote,
               Pes const& pes, Indices const& indices) {
  KernelFailure failure;
  Kokkos::parallel_for("symm::gather", range_of_gather(exec, dest.extent(0)),
                       HostGatherKernel<which, Dest, Remote, Pes, Indices>{
                           dest, remote, pes, indices, &failure});
  exec.fence("symm::gather");
  failure.rethrow();
}

template <class Exec, class Dest, class View, class Pes, class Indices>
void gather_on_host(Exec const& exec, Dest const& dest, View const& view,
                    RemoteView<View> const& remote, bool are_all_near,
                    Pes const& pes, Indices const& indices) {
  expect_gathered(exec, view,
                  GatheredElements<View, Pes, Indices>{remote, pes, indices});
  if (are_all_near) {
    gather_of<GatheredPes::all_are_near>(exec, dest, remote, pes, indices);
    quiet();
    return;
  }
  complete_if_throws("symm::gather", [&] {
    gather_of<GatheredPes::far>(exec, dest, remote, pes, indices);
    gather_of<GatheredPes::near>(exec, dest, remote, pes, indices);
    quiet();
  });
}

}  // namespace symm::Impl

namespace symm {

/// Copies the element of `view` at places(n) to dest(n), for all n, in one
/// kernel that is enqueued on `exec`. Use this function for elements that are
/// read more than once. The call is local. There must be a barrier between the
/// PEs' earlier writes to their copies and this call, and another barrier
/// between this call and later writes.
///
/// \param dest a rank-1 View in any memory that kernels on `exec` can access.
///        It must not overlap the elements that are read.
/// \param places made for this View by places(), which has checked that the
///        elements exist and are on near PEs. gather() does not check this
///        again.
/// \throws UsageError on this PE if `dest` and `places` differ in length, or if
///         the View is not in the heap.
template <Impl::ExecutionSpace Exec, class T, class... P, class View, class U,
          class... Q>
void gather(Exec const& exec, Kokkos::View<T, P...> const& dest,
            View const& view, Kokkos::View<U, Q...> const& places) {
  using Dest   = Kokkos::View<T, P...>;
  using Places = Kokkos::View<U, Q...>;
  static_assert(
      Dest::rank() == 1 && Places::rank() == 1,
      "symm::gather: the destination and the places must be Views of rank 1");
  static_assert(
      Kokkos::SpaceAccessibility<Exec,
                                 typename Dest::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<Exec,
                                     typename Places::memory_space>::accessible,
      "symm::gather: the execution space must be able to access both Views");
  Impl::expect_as_many(view, places.extent(0), "places", dest);
  Kokkos::parallel_for(
      "symm::gather", Impl::range_of_gather(exec, dest.extent(0)),
      Impl::GatherKernel<Dest, View, Places>{dest, placed_view(view), places});
}

/// Copies element indices(n) on PE pes(n) to dest(n), for all n, from near and
/// far PEs. Use this function for elements that are read only once. (For lists
/// that are used again, an ExchangePlan or places() is faster.) The call is
/// local. Requires the same barriers as gather() with places.
///
/// On a host instance, the copies and all of this PE's puts are complete on
/// return; elements from far PEs arrive in blocks. On a GPU, the copy is
/// enqueued, and a GPU thread waits for each element from a far PE.
///
/// \param dest a rank-1 View with the element type of `view`, in any memory
///        that kernels on `exec` can access.
/// \param view a rank-1 View that remote_view() accepts.
/// \param pes, indices rank-1 Views of integers, in memory that those kernels
///        can access.
/// \throws UsageError on this PE if lengths differ, if the View is not in the
///         heap, or, on a host instance, if a PE or an element does not exist.
///         Nothing has been copied in these cases. (On GPUs, PEs and indices
///         are checked as in remote_view().) If any other error is thrown,
///         parts of `dest` may have been written, but nothing writes to `dest`
///         after the call.
template <Impl::ExecutionSpace Exec, class T, class... P, class View, class U,
          class... Q, class W, class... R>
void gather(Exec const& exec, Kokkos::View<T, P...> const& dest,
            View const& view, Kokkos::View<U, Q...> const& pes,
            Kokkos::View<W, R...> const& indices) {
  using Dest    = Kokkos::View<T, P...>;
  using Pes     = Kokkos::View<U, Q...>;
  using Indices = Kokkos::View<W, R...>;
  static_assert(Dest::rank() == 1 && Pes::rank() == 1 && Indices::rank() == 1,
                "symm::gather: the destination, the PEs and the indices must "
                "be Views of rank 1");
  static_assert(std::is_integral_v<typename Pes::value_type> &&
                    std::is_integral_v<typename Indices::value_type>,
                "symm::gather: PEs and indices must be integers");
  static_assert(
      Kokkos::SpaceAccessibility<Exec,
                                 typename Dest::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<Exec,
                                     typename Pes::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<
              Exec, typename Indices::memory_space>::accessible,
      "symm::gather: the execution space must be able to access all three "
      "Views");
  Impl::expect_as_many(view, pes.extent(0), "PEs", dest);
  Impl::expect_as_many(view, indices.extent(0), "indices", dest);
  auto const& map = Impl::heap_map_of(view, "symm::gather");
  RemoteView<View> const remote(view, map);
  if constexpr (Impl::runs_on_host_v<Exec>) {
    Impl::gather_on_host(exec, dest, view, remote, map.n_near >= map.n_pes, pes,
                         indices);
  } else {
    Kokkos::parallel_for(
        "symm::gather", Impl::range_of_gather(exec, dest.extent(0)),
        Impl::RemoteGatherKernel<Dest, RemoteView<View>, Pes, Indices>{
            dest, remote, pes, indices});
  }
}

}  // namespace symm

#endif

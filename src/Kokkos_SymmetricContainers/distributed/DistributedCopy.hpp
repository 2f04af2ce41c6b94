// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DISTRIBUTED_COPY_HPP
#define SYMM_DISTRIBUTED_COPY_HPP

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Operations.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../../runtime/symm_atomics.hpp"
#include "../../runtime/symm_job.hpp"
#include "../base/TeamMembers.hpp"
#include "DistributedShape.hpp"
#include "Distributions.hpp"

// Copies between a DistributedView and a host View that contains all rows.

namespace symm::Impl {

inline constexpr char const* distributed_copy =
    "Kokkos::deep_copy with a symm::DistributedView";
template <Direction direction>
inline constexpr char const* copy_of_root_call =
    direction == Direction::put ? "symm::scatter" : "symm::gather";

template <class Distributed, class Host>
constexpr void check_host_view() {
  static_assert(
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                                 typename Host::memory_space>::accessible,
      "the View of all rows must be in host memory: use "
      "Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view)");
  static_assert(Host::rank() == Distributed::rank(),
                "the Views must have the same rank");
}

template <class View>
std::vector<std::size_t> extents_of(View const& view) {
  std::vector<std::size_t> extents(View::rank());
  for (std::size_t r = 0; r < extents.size(); ++r) extents[r] = view.extent(r);
  return extents;
}

/// A View of the `count` rows first, first + step, ... of `view`.
template <class View>
auto rows_at(View const& view, std::size_t first, std::size_t step,
             std::size_t count) {
  Kokkos::LayoutStride layout;
  for (std::size_t r = 0; r < View::rank(); ++r) {
    layout.dimension[r] = r == 0 ? count : view.extent(r);
    layout.stride[r]    = view.stride(r) * (r == 0 ? step : 1);
  }
  using Data =
      typename PointersTo<typename View::value_type, View::rank()>::type;
  return Kokkos::View<Data, Kokkos::LayoutStride, typename View::device_type,
                      Kokkos::MemoryUnmanaged>(
      view.data() + (count == 0 ? 0 : first * view.stride(0)), layout);
}

/// Copies between PE `pe`'s rows in `whole` and `part`, which contains only
/// these rows.
template <Direction direction, class Map, class Whole, class Part>
void copy_rows(Map const& map, Pe pe, Whole const& whole, Part const& part) {
  for (std::size_t s = 0; s < map.n_series(pe); ++s) {
    auto const rows = map.series(pe, s);
    auto const in_whole =
        rows_at(whole, rows.global_first, rows.global_step, rows.count);
    auto const in_part =
        rows_at(part, rows.local_first, rows.local_step, rows.count);
    if constexpr (direction == Direction::put) {
      copy_view(OneThread(), in_part, in_whole);
    } else {
      copy_view(OneThread(), in_whole, in_part);
    }
  }
}

/// Copies between PE `pe`'s part of `view` and its rows in `whole`. PE `pe` may
/// be near or far.
/// \param whole a View of all rows, in host memory.
template <Direction direction, class Distributed, class Whole>
void copy_part(Distributed const& view, Pe pe, Whole const& whole) {
  constexpr bool is_put = direction == Direction::put;
  auto const& map       = view.row_map();
  auto const peer       = symm::remote_view(view).peer(pe);
  if (peer.size() == 0) return;
  if constexpr (is_host_reachable_v<typename Distributed::memory_space>) {
    if (map.n_series(pe) == 1) {
      auto const rows = map.series(pe, 0);
      auto const in_whole =
          rows_at(whole, rows.global_first, rows.global_step, rows.count);
      if constexpr (is_put) {
        copy_alone(peer, in_whole);
      } else {
        copy_alone(in_whole, peer);
      }
      return;
    }
  }
  // With a staging View, one message and one copy to or from the GPU suffice.
  auto const staging = make_staging_view(peer);
  if constexpr (is_put) {
    copy_rows<direction>(map, pe, whole, staging);
    deep_copy_peer<direction>(peer, staging);
  } else {
    deep_copy_peer<direction>(peer, staging);
    copy_rows<direction>(map, pe, whole, staging);
  }
}

/// Collective over the members: calls copies() between two barriers. If check()
/// or copies() throws on any member, all members throw. If check() throws on
/// any member, nothing is copied.
template <class Check, class Copies>
void copy_together(char const* call, TeamMembers const& members,
                   Check const& check, Copies const& copies) {
  Observed const observed([=] {
    return Operation{OperationKind::collective, call};
  });
  Kokkos::fence(call);
  symm::quiet();
  members.agree(ObjectCall(call), failure_of(check));
  auto const failure = failure_of([&] {
    copies();
    Kokkos::fence(call);
    symm::quiet();
  });
  members.agree(ObjectCall(call), failure);
}

template <class Distributed, class Whole>
void expect_whole(char const* call, Distributed const& view,
                  Whole const& whole) {
  auto const extents  = extents_of(view);
  auto const of_whole = extents_of(whole);
  if (of_whole == extents) return;
  throw_extents_of_host_view(call, view.label(), of_whole, extents);
}

/// Copies between all PEs' parts of `view` and `whole` on PE `root`.
template <Direction direction, class Distributed, class Whole>
void copy_of_root(Distributed const& view, Whole const& whole, Pe root) {
  check_host_view<Distributed, Whole>();
  constexpr char const* call = copy_of_root_call<direction>;
  bool const is_root         = my_pe() == root;
  TeamMembers const members(Impl::team_of(view.row_map()));
  copy_together(
      call, members,
      [&] {
        expect_root(call, members.team(), root);
        if (is_root) expect_whole(call, view, whole);
      },
      [&] {
        if (!is_root) return;
        for (Pe k = 0; k < members.n(); ++k)
          copy_part<direction>(view, members.world_pe(k), whole);
      });
}

/// Copies from each PE's own `whole` to this PE's part of `view`, or from all
/// PEs' parts to each PE's own `whole`.
template <Direction direction, class Distributed, class Whole>
void copy_of_all(Distributed const& view, Whole const& whole) {
  check_host_view<Distributed, Whole>();
  TeamMembers const members(Impl::team_of(view.row_map()));
  copy_together(
      distributed_copy, members,
      [&] { expect_whole(distributed_copy, view, whole); },
      [&] {
        if constexpr (direction == Direction::put) {
          copy_part<direction>(view, my_pe(), whole);
        } else {
          // Each PE begins with its own part, which spreads the load.
          for (int step = 0; step < members.n(); ++step) {
            auto const k = (members.me() + step) % members.n();
            copy_part<direction>(view, members.world_pe(k), whole);
          }
        }
      });
}

}  // namespace symm::Impl

#endif

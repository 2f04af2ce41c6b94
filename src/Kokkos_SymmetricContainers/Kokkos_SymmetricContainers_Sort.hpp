// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_SORT_HPP
#define KOKKOS_SYMMETRICCONTAINERS_SORT_HPP

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Operations.hpp>

#include "../runtime/symm_collectives.hpp"
#include "../runtime/symm_errors.hpp"
#include "../runtime/symm_job.hpp"
#include "../runtime/symm_teams.hpp"
#include "base/RunKernel.hpp"
#include "exchange/Fields.hpp"
#include "exchange/GrowView.hpp"
#include "exchange/PlanBlocks.hpp"
#include "sort/Bins.hpp"
#include "sort/HostViews.hpp"
#include "sort/SortOnHost.hpp"
#include "sort/SortStep.hpp"

namespace symm {

/// Sorts the elements on all PEs by key; the sort is stable. PE 0 receives the
/// first elements, PE 1 the next ones, and so on. All PEs receive the same
/// number of elements (the first PEs may receive one more than the others), no
/// matter how many keys are equal. Elements with equal keys are ordered by
/// their original PE, then by their index on that PE. The call is collective
/// over the world and runs after earlier work on `exec`. On return, the Views
/// contain this PE's part of the sorted elements.
///
/// The sort runs on the host. If keys or values are in GPU memory, the host
/// sorts copies of these Views.
///
/// \param team this PE's PE team. In the same call, each PE team sorts the
///        elements on its own PEs. A PE that does not take part passes PeTeam()
///        and a `count` of 0. The default is the world.
/// \param count this PE's number of elements; the Views may be longer.
/// \param keys rank-1 View of integers, floats or doubles, in any memory.
///        Floating-point keys are sorted in the order of IEEE 754's totalOrder:
///        -0 is before 0, and a NaN is before or after all numbers, depending
///        on its sign.
/// \param values Views that ExchangePlan accepts, in any memory; the first
///        index selects an element. If Views of keys or values are too short,
///        the call resizes them, as if by Kokkos::resize(), to an eighth more
///        than needed. Views in a symmetric space must have equal lengths on
///        all PEs and are resized on all PEs.
/// \returns the number of elements on this PE after the sort.
/// \throws UsageError on every PE if a View on any PE is too short, or if
///         element sizes differ between PEs. OutOfMemory or SystemError on
///         every PE. In these cases, no element has been moved.
template <Impl::ExecutionSpace Exec, std::integral Count, class Keys,
          class... Values>
std::size_t sort(Exec const& exec, PeTeam const& team, Count count, Keys& keys,
                 Values&... values) {
  static_assert(Kokkos::is_view_v<Keys> && Keys::rank() == 1 &&
                    std::is_arithmetic_v<typename Keys::value_type> &&
                    sizeof(typename Keys::value_type) <= 8,
                "symm::sort: the keys must be a Kokkos::View of rank 1 of "
                "numbers of at most 8 bytes");
  static_assert(!std::is_const_v<Keys> && (!std::is_const_v<Values> && ...),
                "the Views may be enlarged: pass variables that are not const");
  constexpr char const* call = "symm::sort";
  using Host                 = Impl::HostExec<Exec>;
  using HostKeys             = Impl::HostView<Keys>;
  using Fields               = decltype(Impl::fields_of_all<Host>(
      call, 0, std::declval<Impl::HostViews<Values...>>()));
  using Work                 = Impl::SortOnHost<Host, HostKeys, Fields>;

  Impl::Observed const observed(
      [] {
        return Impl::Operation{Impl::OperationKind::collective, call};
      },
      Impl::check::Accesses::are_its);
  Impl::SortInput input;
  std::optional<Work> work;
  HostKeys host_keys;
  Impl::HostViews<Values...> host_values;
  auto const failure = Impl::failure_of([&] {
    exec.fence(call);
    input.count    = Impl::expect_count(call, count, keys);
    input.capacity = std::min(
        {std::size_t{keys.extent(0)}, std::size_t{values.extent(0)}...});
    host_keys   = Impl::host_view(keys);
    host_values = {Impl::host_view(values)...};
    auto const fields =
        Impl::fields_of_all<Host>(call, input.count, host_values);
    input.element_bytes = sizeof(typename Keys::value_type) + fields.bytes();
    work.emplace(Impl::host_instance(exec), call, host_keys, fields, input);
  });
  Impl::SortStep step(call, Impl::TeamMembers(team), input, failure);
  auto const& of_world = step.of_world();
  if (!of_world.has_elements) return 0;
  typename Work::Outbox const outbox(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(call)),
      of_world.outbox_bytes);
  step.add_up(work->count(step.buckets()));
  auto const n_now = step.n_now();
  auto keys_now    = host_keys;
  auto values_now  = host_values;
  std::optional<Fields> fields_now;
  auto const find_fields = [&] {
    fields_now.emplace(Impl::fields_of_all<Host>(call, n_now, values_now));
  };
  Impl::agree(call, Impl::failure_of([&] {
                work->reserve(step);
                if (!of_world.grows) find_fields();
              }));
  if (of_world.grows) {
    Impl::agree(call, Impl::failure_of([&] {
                  Impl::grow_private(call, keys, n_now);
                  (Impl::grow_private(call, values, n_now), ...);
                }));
    Impl::grow_symmetric(call, keys, of_world.max_now);
    (Impl::grow_symmetric(call, values, of_world.max_now), ...);
    Impl::agree(call, Impl::failure_of([&] {
                  keys_now   = Impl::host_view(keys);
                  values_now = {Impl::host_view(values)...};
                  find_fields();
                }));
  }
  work->pack_keys(step, outbox);
  step.cut([&](std::size_t bucket, std::uint64_t bits) {
    return work->count_below(step, bucket, bits);
  });
  work->pack_fields();
  barrier_all();
  work->unpack(step, keys_now, *fields_now);
  Impl::copy_back(keys, keys_now);
  std::apply(
      [&](auto const&... sorted) { (Impl::copy_back(values, sorted), ...); },
      values_now);
  return n_now;
}
template <Impl::ExecutionSpace Exec, std::integral Count, class Keys,
          class... Values>
std::size_t sort(Exec const& exec, Count count, Keys& keys, Values&... values) {
  return sort(exec, team_world(), count, keys, values...);
}
/// Sorts all elements of `keys` on all PEs of the world.
template <Impl::ExecutionSpace Exec, class Keys, class... Values>
requires(Kokkos::is_view_v<Keys>) std::size_t
    sort(Exec const& exec, Keys& keys, Values&... values) {
  return sort(exec, keys.extent(0), keys, values...);
}

/// Counts how many elements on all PEs fall into each bin. The call is
/// collective over the world and runs after earlier work on `exec`. On return,
/// `counts` contains the counts of all bins on every PE.
///
/// If there are too many bins for one PE, distribute the bins over the PEs
/// instead. Then count with atomic_add() on the PE that holds the bin.
///
/// \param bins a rank-1 View with the bin of each element on this PE: integers
///        from 0 to counts.extent(0) - 1. The View may be empty. It must be
///        accessible to kernels on `exec`.
/// \param counts a rank-1 View of numbers in a symmetric space that kernels on
///        `exec` can access, with equal extents on all PEs. The call overwrites
///        its contents.
/// \throws UsageError on every PE if `bins` contains an invalid bin on any PE;
///         in that case, `counts` does not change.
template <Impl::ExecutionSpace Exec, class Bins, class T, class... P>
void histogram(Exec const& exec, Bins const& bins,
               Kokkos::View<T, P...> const& counts) {
  using Counts = Kokkos::View<T, P...>;
  static_assert(
      Kokkos::is_view_v<Bins> && Bins::rank() == 1 &&
          std::is_integral_v<typename Bins::value_type>,
      "symm::histogram: the bins must be a Kokkos::View of rank 1 of integers");
  static_assert(Counts::rank() == 1 &&
                    is_symmetric_space_v<typename Counts::memory_space>,
                "symm::histogram: the counts must be a View of rank 1 in a "
                "symmetric space");
  static_assert(
      Kokkos::SpaceAccessibility<Exec,
                                 typename Bins::memory_space>::accessible &&
          Kokkos::SpaceAccessibility<Exec,
                                     typename Counts::memory_space>::accessible,
      "symm::histogram: the execution space must be able to access both Views");
  constexpr char const* call = "symm::histogram";
  Impl::Observed const observed(
      [] {
        return Impl::Operation{Impl::OperationKind::collective, call};
      },
      Impl::check::Accesses::are_its);
  Impl::agree(call, Impl::failure_of([&] {
                Impl::expect_bins(exec, call, bins, counts.extent(0));
              }));
  Kokkos::deep_copy(exec, counts, typename Counts::value_type{});
  Impl::run(
      exec, call, bins.extent(0),
      Impl::CountInBins<Bins, Counts>{bins, counts, exec.concurrency() > 1});
  if (counts.extent(0) > 0) reduce(exec, team_world(), counts, counts, Sum());
  exec.fence(call);
}

}  // namespace symm

#endif

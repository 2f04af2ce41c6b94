// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_GHOST_VALUES_HPP
#define SYMM_EXCHANGE_GHOST_VALUES_HPP

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "ExchangeBuffers.hpp"
#include "ExchangeLists.hpp"
#include "PlanBlocks.hpp"

// The ghosts of a plan created by from_exports(): their owners, and the values
// that the owners send them.

namespace symm::Impl {

/// The owner of each ghost, in ghost order.
[[nodiscard]] inline Kokkos::View<int*, ExchangeMemory> owners_of_ghosts(
    PlanBlocks const& plan) {
  Kokkos::View<int*, ExchangeMemory> owners("symm::ExchangePlan, owners",
                                            plan.ghosts.elements.extent(0));
  auto const on_host = Kokkos::create_mirror_view(owners);
  auto* to           = on_host.data();
  for (std::size_t b = 0; b < plan.neighbors.size(); ++b) {
    to = std::fill_n(to, plan.ghosts.blocks.on_host()[b].count,
                     plan.neighbors[b]);
  }
  Kokkos::deep_copy(owners, on_host);
  return owners;
}

/// The values of the exports, in the order of PlanBlocks::of_exports(),
/// followed by space for `n_ghosts` ghost values.
/// \throws UsageError on this PE if `pes` is not the plan's list of PEs, or if
///         there is not exactly one value per export.
template <class Values>
auto values_of_exports(char const* call, PlanBlocks const& plan,
                       Integers const& pes, Values const& values,
                       std::size_t n_ghosts) {
  using T          = typename Values::non_const_value_type;
  auto const order = plan.order_of_exports(call, pes);
  if (values.extent(0) != order.size()) {
    throw UsageError(Text(call, ": View \"", values.label(), "\" has ",
                          values.extent(0), " values, but the plan has ",
                          order.size(),
                          " exports; pass one value for each export"));
  }
  Kokkos::View<T*, ExchangeMemory> all(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(call)),
      order.size() + n_ghosts);
  auto const on_host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), values);
  auto const sorted = Kokkos::create_mirror_view(all);
  for (std::size_t k = 0; k < order.size(); ++k) sorted(k) = on_host(order[k]);
  Kokkos::deep_copy(all, sorted);
  return all;
}

/// Calls work() while the exports temporarily replace the plan's elements.
/// Fences `exec` before it restores the elements.
/// \throws whatever work() throws.
template <class Exec, class Work>
void with_exports(Exec const& exec, char const* call, PlanBlocks& plan,
                  Work const& work) {
  PlanElements elements = plan.of_exports();
  std::swap(static_cast<PlanElements&>(plan), elements);
  auto const failure = failure_of(work);
  exec.fence(call);
  std::swap(static_cast<PlanElements&>(plan), elements);
  if (failure) throw_failure(*failure);
}

}  // namespace symm::Impl

#endif

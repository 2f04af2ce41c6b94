// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A stencil of five points over edge x edge cells a PE, of which each PE has
// edge whole rows. "View" is an ordinary View of this PE with a row more on
// both sides, whose rows nobody exchanges. "RowsAround" and "g(i, j)" are a
// DistributedView of all PEs, with the indices of the whole. No barriers: what
// an access costs.

#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exchange/Lists.hpp"
#include "harness/Session.hpp"

namespace perf::distributed_stencil_benchmark {
namespace {

using Rows  = Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;
using Whole = symm::DistributedView<Rows>;
using Cells =
    Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<long>>;

/// \param first the index in `to` of the first row. \param to cells of this PE.
template <class From>
void update(Cells const& cells, From const& from, Rows const& to, long first) {
  Kokkos::parallel_for(
      "update", cells, KOKKOS_LAMBDA(long i, long j) {
        to(i - first, j) = 0.25 * (from(i - 1, j) + from(i + 1, j) +
                                   from(i, j - 1) + from(i, j + 1));
      });
  Kokkos::fence();
}

/// The same, row by row.
template <class RowOf>
void update_rows(Kokkos::RangePolicy<Exec> const& rows, RowOf const& row_of,
                 Rows const& to, long first) {
  Kokkos::parallel_for(
      "update", rows, KOKKOS_LAMBDA(long i) {
        auto const up = row_of(i - 1), mine = row_of(i), down = row_of(i + 1);
        auto const n = static_cast<long>(to.extent(1));
        for (long j = 1; j < n - 1; ++j)
          to(i - first, j) =
              0.25 * (up(j) + down(j) + mine(j - 1) + mine(j + 1));
      });
  Kokkos::fence();
}
struct RowOfView {
  Rows view;
  KOKKOS_FUNCTION auto operator()(long i) const {
    return Kokkos::subview(view, i, Kokkos::ALL);
  }
};
struct RowAround {
  symm::RowsAround<Whole> around;
  KOKKOS_FUNCTION auto operator()(long i) const { return around.row(i); }
};

void measure_edge(Session& session, int edge) {
  auto const n     = static_cast<std::size_t>(edge);
  auto const n_pes = static_cast<std::size_t>(session.n_pes());
  Whole const g("g", n * n_pes, n);
  Rows const mine("mine", n + 2, n), to("to", n + 2, n);
  Kokkos::deep_copy(g.local(), 1);
  Kokkos::deep_copy(mine, 1);
  symm::barrier_all();
  Exec const exec;
  symm::RowsAround const around(g, 1);
  around.update(exec);
  // Of the whole, all but the first row and the last one.
  long const first = static_cast<long>(g.first());
  long const begin = first + (session.my_pe() == 0 ? 1 : 0);
  long const end =
      first + edge - (session.my_pe() + 1 == session.n_pes() ? 1 : 0);
  Cells const of_whole(exec, {begin, 1L}, {end, edge - 1L});
  Cells const of_view(exec, {begin - first + 1, 1L},
                      {end - first + 1, edge - 1L});
  auto const run_view  = [&] { update(of_view, mine, to, 1); };
  auto const run_rows  = [&] { update(of_whole, around, to, first); };
  auto const run_whole = [&] { update(of_whole, g, to, first); };
  session.compare({{{"stencil, edge", edge}}},
                  {{"View", "", repeat(run_view)},
                   {"RowsAround", "View", repeat(run_rows)},
                   {"g(i, j)", "View", repeat(run_whole)}});
  Kokkos::RangePolicy<Exec> const rows_of_view(exec, begin - first + 1,
                                               end - first + 1);
  Kokkos::RangePolicy<Exec> const rows_of_whole(exec, begin, end);
  auto const by_rows = [&] {
    update_rows(rows_of_view, RowOfView{mine}, to, 1);
  };
  auto const by_rows_around = [&] {
    update_rows(rows_of_whole, RowAround{around}, to, first);
  };
  session.compare({{{"by rows, edge", edge}}},
                  {{"View", "", repeat(by_rows)},
                   {"RowsAround::row", "View", repeat(by_rows_around)}});
  std::int64_t wrong = 0;
  for (long i = begin; i < end; ++i)
    for (long j = 1; j < edge - 1; ++j) wrong += to(i - first, j) == 1 ? 0 : 1;
  session.verify("stencil, edge " + std::to_string(edge), wrong);
}

void measure(Session& session) {
  for (int const edge :
       session.quick() ? std::vector<int>{32} : std::vector<int>{32, 128, 1024})
    measure_edge(session, edge);
}

Registered const registered{"distributed_stencil", measure};

}  // namespace
}  // namespace perf::distributed_stencil_benchmark

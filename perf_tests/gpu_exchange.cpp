// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The halo of an ExchangePlan on GPUs: a periodic box of edge^3 cells per PE in
// a grid of n x 1 x 1 PEs, ghosts 2 wide on all sides, three Views of three
// doubles a cell. A PE of a small grid is its own neighbor.
//
// "pack and unpack" is two kernels over lists of cells, to a buffer of this PE
// and from it, for these Views alone: what an exchange cannot do without. A
// sample is so many of them in one stream and a wait for the last one.

#include <Kokkos_SymmetricContainers.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "harness/Session.hpp"

namespace perf::gpu_exchange_benchmark {
namespace {

using Exec  = Kokkos::DefaultExecutionSpace;
using Cells = Kokkos::View<double*** [3], Exec::memory_space>;
using Cell  = Kokkos::Array<int, 3>;
using List  = Kokkos::View<Cell*, Exec::memory_space>;

constexpr int n_views     = 3;
constexpr int ghost_width = 2;

struct Fields {
  Cells f[n_views];
  int edge;

  explicit Fields(int its_edge) : edge(its_edge) {
    auto const e = static_cast<std::size_t>(its_edge + 2 * ghost_width);
    for (auto& x : f) x = Cells("f", e, e, e);
  }
};

/// What component `c` of View `v` is in cell (i, j, k) of PE `me`.
KOKKOS_FUNCTION double value_of(int edge, int n_pes, int me, int i, int j,
                                int k, int v, int c) {
  auto const wrap = [](int at, int n) { return (at + n) % n; };
  auto const x    = wrap(me * edge + i - ghost_width, n_pes * edge);
  auto const y    = wrap(j - ghost_width, edge);
  auto const z    = wrap(k - ghost_width, edge);
  return ((x * 1024.0 + y) * 1024.0 + z) * 16.0 + v * 3 + c;
}

KOKKOS_FUNCTION bool is_owned(int edge, Cell const& cell) {
  for (int a = 0; a < 3; ++a)
    if (cell[a] < ghost_width || cell[a] >= edge + ghost_width) return false;
  return true;
}

template <class Work>
void for_all_cells(Fields const& fields, Work const& work) {
  int const e = fields.edge + 2 * ghost_width;
  Kokkos::parallel_for(
      "perf_tests",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>({0, 0, 0}, {e, e, e}), work);
}

/// Owned cells get their values, ghosts -1.
struct Fill {
  Fields fields;
  int n_pes, me;
  KOKKOS_FUNCTION void operator()(int i, int j, int k) const {
    bool const owned = is_owned(fields.edge, {i, j, k});
    for (int v = 0; v < n_views; ++v)
      for (int c = 0; c < 3; ++c)
        fields.f[v](i, j, k, c) =
            owned ? value_of(fields.edge, n_pes, me, i, j, k, v, c) : -1;
  }
};
struct CountWrong {
  Fields fields;
  int n_pes, me;
  KOKKOS_FUNCTION void operator()(int i, int j, int k,
                                  std::int64_t& wrong) const {
    for (int v = 0; v < n_views; ++v)
      for (int c = 0; c < 3; ++c)
        wrong += fields.f[v](i, j, k, c) !=
                         value_of(fields.edge, n_pes, me, i, j, k, v, c)
                     ? 1
                     : 0;
  }
};

/// The cells that are sent along all 26 directions, or the ghosts.
List cells_of(int edge, bool ghosts) {
  std::vector<Cell> cells;
  auto const append = [&](int const(&d)[3]) {
    int begin[3];
    int end[3];
    for (int a = 0; a < 3; ++a) {
      int const low  = ghosts ? 0 : ghost_width;
      int const high = ghosts ? edge + ghost_width : edge;
      begin[a]       = d[a] == 0 ? ghost_width : d[a] < 0 ? low : high;
      end[a]         = d[a] == 0 ? edge + ghost_width : begin[a] + ghost_width;
    }
    for (int i = begin[0]; i < end[0]; ++i)
      for (int j = begin[1]; j < end[1]; ++j)
        for (int k = begin[2]; k < end[2]; ++k) cells.push_back({i, j, k});
  };
  for (int n = 0; n < 27; ++n)
    if (n != 13) append({n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1});
  List const list("cells", cells.size());
  Kokkos::deep_copy(
      list, Kokkos::View<Cell*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                cells.data(), cells.size()));
  return list;
}

using Buffer = Kokkos::View<double*, Exec::memory_space>;

template <bool packs>
struct CopyCells {
  Fields fields;
  List cells;
  Buffer buffer;
  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    auto const& cell = cells(n);
    for (std::size_t v = 0; v < n_views; ++v)
      for (std::size_t c = 0; c < 3; ++c) {
        auto& in_view   = fields.f[v](cell[0], cell[1], cell[2], c);
        auto& in_buffer = buffer((v * cells.extent(0) + n) * 3 + c);
        if constexpr (packs) {
          in_buffer = in_view;
        } else {
          in_view = in_buffer;
        }
      }
  }
};

std::function<void(std::int64_t)> in_stream(std::function<void()> const& call) {
  return [call](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) call();
    Exec().fence();
  };
}

void measure_halo(Session& session, int edge) {
  int const me = session.my_pe();
  int const n  = session.n_pes();
  Fields const fields(edge);
  Exec const exec;
  for_all_cells(fields, Fill{fields, n, me});
  exec.fence();
  auto const e        = static_cast<std::size_t>(edge);
  auto plan           = symm::ExchangePlan::from_box({.owned       = {e, e, e},
                                                      .pe_grid     = {n, 1, 1},
                                                      .ghost_width = ghost_width,
                                                      .periodic    = {true, true, true}});
  auto const exchange = [&] {
    plan.gather(exec, fields.f[0], fields.f[1], fields.f[2]);
  };
  exchange();
  exec.fence();
  std::int64_t wrong = 0;
  int const width    = edge + 2 * ghost_width;
  Kokkos::parallel_reduce("perf_tests",
                          Kokkos::MDRangePolicy<Exec, Kokkos::Rank<3>>(
                              {0, 0, 0}, {width, width, width}),
                          CountWrong{fields, n, me}, wrong);
  auto const sent   = cells_of(edge, false);
  auto const ghosts = cells_of(edge, true);
  Buffer const buffer("buffer", sent.extent(0) * n_views * 3);
  auto const range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(
      exec, 0, sent.extent(0));
  auto const kernels = [&] {
    Kokkos::parallel_for("pack", range, CopyCells<true>{fields, sent, buffer});
    Kokkos::parallel_for("unpack", range,
                         CopyCells<false>{fields, ghosts, buffer});
  };
  std::int64_t const iterations = session.gpus().are_shared() ? 20 : 0;
  session.compare(
      {{{"halo, cells per axis", edge}}},
      {{"pack and unpack", "", in_stream(kernels), iterations},
       {"ExchangePlan", "pack and unpack", in_stream(exchange), iterations}});
  session.verify("halo of " + std::to_string(edge), wrong);
}

void measure(Session& session) {
  auto const edges =
      session.quick() ? std::vector<int>{8} : std::vector<int>{16, 32, 64, 128};
  for (int const edge : edges) measure_halo(session, edge);
}

Registered const registered{"exchange", measure};

}  // namespace
}  // namespace perf::gpu_exchange_benchmark

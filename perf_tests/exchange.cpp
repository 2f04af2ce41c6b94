// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Halos on CPUs: a periodic box of edge^3 cells per PE in a grid of 2 x 1 x 1
// or 2 x 2 x 1 PEs, ghosts 2 wide on all sides, 26 neighbors, three Views of
// three doubles a cell.
//
// "MPI" packs one message a neighbor, by persistent requests. "by hand" is the
// same over put_signal, for these elements alone (exchange/Blocks.hpp).

#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "exchange/Blocks.hpp"
#include "exchange/Lists.hpp"
#include "harness/Session.hpp"

namespace perf::exchange_benchmark {
namespace {

using Cells = Private<double*** [3]>;

constexpr int ghost_width = 2;

struct Box {
  int edge;
  int pe_grid[3];
  int place[3];

  Box(int its_edge, int me, int n_pes)
      : edge(its_edge), pe_grid{n_pes > 1 ? 2 : 1, n_pes / 2, 1}, place{} {
    if (n_pes == 1) pe_grid[1] = 1;
    for (int a = 2; a >= 0; me /= pe_grid[a--]) place[a] = me % pe_grid[a];
  }
  int neighbor(int const (&d)[3], int sign) const {
    int pe = 0;
    for (int a = 0; a < 3; ++a)
      pe = pe * pe_grid[a] + (place[a] + sign * d[a] + pe_grid[a]) % pe_grid[a];
    return pe;
  }
  /// The cells to send along d, or the ghosts that this fills here.
  void append(std::vector<int>& cells, int const (&d)[3], bool ghosts) const {
    int begin[3], end[3];
    for (int a = 0; a < 3; ++a) {
      int const low =
          ghosts ? (d[a] > 0 ? 0 : edge + 2) : (d[a] > 0 ? edge : 2);
      begin[a] = d[a] == 0 ? 2 : low;
      end[a]   = d[a] == 0 ? edge + 2 : low + 2;
    }
    int const e = edge + 2 * ghost_width;
    for (int i = begin[0]; i < end[0]; ++i)
      for (int j = begin[1]; j < end[1]; ++j)
        for (int k = begin[2]; k < end[2]; ++k)
          cells.push_back((i * e + j) * e + k);
  }
};

struct Fields {
  Cells f[3];
  explicit Fields(std::size_t e) {
    for (auto& x : f) x = Cells("f", e, e, e);
  }
  void fill(Box const& box, int me) {
    auto const e = static_cast<int>(f[0].extent(0));
    for (int v = 0; v < 3; ++v)
      for (int i = 0; i < e * e * e; ++i) {
        bool const owned =
            std::min({i / e / e, i / e % e, i % e}) >= 2 &&
            std::max({i / e / e, i / e % e, i % e}) < box.edge + 2;
        for (int c = 0; c < 3; ++c)
          f[v].data()[i * 3 + c] = owned ? me * 1e6 + i * 10 + v * 3 + c : -1;
      }
  }
  std::int64_t differences(Fields const& other) const {
    std::int64_t n = 0;
    for (int v = 0; v < 3; ++v)
      for (std::size_t i = 0; i < f[v].size(); ++i)
        n += f[v].data()[i] != other.f[v].data()[i] ? 1 : 0;
    return n;
  }
};

struct Cell {
  double f[3][3];
};

/// By blocks of cells.
template <class Blocks>
void exchange_cells(Blocks& blocks, Fields const& fields,
                    std::vector<int> const& sent,
                    std::vector<int> const& filled) {
  double *p0 = fields.f[0].data(), *p1 = fields.f[1].data(),
         *p2 = fields.f[2].data();
  blocks(
      [&](std::size_t k) {
        Cell cell;
        auto const at = 3 * static_cast<std::size_t>(sent[k]);
        for (std::size_t c = 0; c < 3; ++c) {
          cell.f[0][c] = p0[at + c];
          cell.f[1][c] = p1[at + c];
          cell.f[2][c] = p2[at + c];
        }
        return cell;
      },
      [&](std::size_t k, Cell const& cell) {
        auto const at = 3 * static_cast<std::size_t>(filled[k]);
        for (std::size_t c = 0; c < 3; ++c) {
          p0[at + c] = cell.f[0][c];
          p1[at + c] = cell.f[1][c];
          p2[at + c] = cell.f[2][c];
        }
      });
}

void measure_halo(Session& session, int edge) {
  Box const box(edge, session.my_pe(), session.n_pes());
  auto const n = static_cast<std::size_t>(session.n_pes());
  std::vector<std::vector<int>> out(n), in(n);
  for (int d = 0; d < 27; ++d) {
    int const direction[3] = {d / 9 - 1, d / 3 % 3 - 1, d % 3 - 1};
    if (d == 13) continue;
    box.append(out[static_cast<std::size_t>(box.neighbor(direction, 1))],
               direction, false);
    box.append(in[static_cast<std::size_t>(box.neighbor(direction, -1))],
               direction, true);
  }
  auto const sent = joined(out), filled = joined(in);
  auto const e = static_cast<std::size_t>(edge + 2 * ghost_width);
  Fields of_mpi(e), of_hand(e), of_plan(e);
  for (auto* fields : {&of_mpi, &of_hand, &of_plan})
    fields->fill(box, session.my_pe());

  MpiBlocks<Cell> mpi(sent.counts);
  HandBlocks<Cell> by_hand(sent.counts);
  symm::BoxDecomposition decomposition;
  auto const owned          = static_cast<std::size_t>(edge);
  decomposition.owned       = {owned, owned, owned};
  decomposition.pe_grid     = {box.pe_grid[0], box.pe_grid[1], box.pe_grid[2]};
  decomposition.ghost_width = ghost_width;
  decomposition.periodic    = {true, true, true};
  auto plan                 = symm::ExchangePlan::from_box(decomposition);
  Exec const exec;
  auto const run_mpi = [&] {
    exchange_cells(mpi, of_mpi, sent.list, filled.list);
  };
  auto const run_by_hand = [&] {
    exchange_cells(by_hand, of_hand, sent.list, filled.list);
  };
  auto const& f       = of_plan.f;
  auto const run_plan = [&] { plan.gather(exec, f[0], f[1], f[2]); };
  session.compare({{{"halo, edge", edge}}},
                  {{"MPI", "", repeat(run_mpi)},
                   {"by hand", "MPI", repeat(run_by_hand)},
                   {"ExchangePlan", "MPI", repeat(run_plan)}});
  session.verify("halo, edge " + std::to_string(edge),
                 of_mpi.differences(of_plan) + of_mpi.differences(of_hand));
}

void measure(Session& session) {
  for (int const edge :
       session.quick() ? std::vector<int>{8} : std::vector<int>{8, 16, 32, 64})
    measure_halo(session, edge);
}

Registered const registered{"exchange", measure};

}  // namespace
}  // namespace perf::exchange_benchmark

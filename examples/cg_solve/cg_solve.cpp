// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Conjugate gradients with the search direction in the symmetric space, to be
// read beside ../cg_mpi/cg_mpi.cpp, which does the same with MPI messages. The
// two differ in how they allocate and how an entry of another PE gets here.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cg_common/conjugate_gradients.hpp>
#include <cg_common/problem.hpp>
#include <cstddef>
#include <cstdio>
#include <set>
#include <vector>

namespace {

using Direction = Kokkos::View<double*, symm::SymmetricSpace>;

// Where an entry of the direction is. A column of the matrix is turned into
// this once; in the kernel, the PE costs a multiplication and an addition.
struct Place {
  int pe;
  int index;
};

// Entries of a PE of another node, which loads do not reach: each product gets
// copies of them first, to behind this PE's own entries.
struct Fetch {
  int pe;
  int first;  // column
  int count;
  int to;  // index of the first copy

  int end() const { return first + count; }
};

// What my rows need of other nodes, in the order of the columns.
std::vector<Fetch> fetches_of(cg::Problem const& problem) {
  // Getting so many entries that nobody needs takes less than another message.
  constexpr int gap  = 64;
  auto const& blocks = problem.blocks;
  std::set<int> needed;
  for (int const column : problem.rows.column)
    if (!symm::is_reachable(blocks.owner(column))) needed.insert(column);

  std::vector<Fetch> fetches;
  int to = blocks.largest();
  for (int const column : needed) {
    int const pe = blocks.owner(column);
    if (fetches.empty() || fetches.back().pe != pe ||
        fetches.back().end() + gap < column)
      fetches.push_back({pe, column, 0, to});
    auto& last = fetches.back();
    last.count = column + 1 - last.first;
    to         = last.to + last.count;
  }
  return fetches;
}

std::vector<Place> places_of(cg::Problem const& problem,
                             std::vector<Fetch> const& fetches) {
  auto const& blocks = problem.blocks;
  std::vector<Place> places;
  places.reserve(problem.rows.column.size());
  for (int const column : problem.rows.column) {
    int const pe = blocks.owner(column);
    if (symm::is_reachable(pe)) {
      places.push_back({pe, column - blocks.first(pe)});
      continue;
    }
    auto const fetch = std::partition_point(
        fetches.begin(), fetches.end(),
        [column](Fetch const& other) { return other.end() <= column; });
    places.push_back({symm::my_pe(), fetch->to + column - fetch->first});
  }
  return places;
}

void fetch_entries(Direction const& p, cg::RowBlocks const& blocks,
                   std::vector<Fetch> const& fetches) {
  for (auto const& [pe, first, count, to] : fetches)
    symm::get_nbi(p.data() + to, p.data() + (first - blocks.first(pe)),
                  static_cast<std::size_t>(count), pe);
  symm::quiet();  // they are there
}

// y = A p. Entries of other PEs of this node are read where they are.
void multiply(cg::SparseRows<Place> const& a, Direction const& p,
              cg::Vector const& y) {
  auto const everywhere = symm::global_view(p);
  cg::multiply(
      a,
      KOKKOS_LAMBDA(Place const& place) {
        return everywhere(place.pe, place.index);
      },
      y);
}

cg::Solution solve(cg::Problem const& problem, cg::Traffic& traffic) {
  auto const fetches = fetches_of(problem);
  double n_fetched   = 0;
  for (auto const& fetch : fetches) n_fetched += fetch.count;

  // Collective: every PE allocates room for the largest block, and for the most
  // copies that a PE gets from other nodes.
  Direction const p("p", static_cast<std::size_t>(problem.blocks.largest() +
                                                  problem.pes.max(n_fetched)));

  auto const places = places_of(problem, fetches);
  cg::SparseRows<Place> const a(problem.rows, places);
  auto const n_remote = std::count_if(
      places.begin(), places.end(),
      [](Place const& place) { return place.pe != symm::my_pe(); });
  traffic = {"remote reads", static_cast<double>(n_remote) + n_fetched};

  Kokkos::DefaultExecutionSpace const exec;
  return cg::conjugate_gradients(problem, p, [&](cg::Vector const& y) {
    // One barrier a product is enough. It comes after all PEs have written
    // their entries of p and before anybody reads them. After the product none
    // is needed: before p is written again, all PEs add up a number that each
    // has computed from its finished product, and nobody has the sum before
    // everybody has brought his number.
    symm::barrier_all(exec);
    fetch_entries(p, problem.blocks, fetches);
    multiply(a, p, y);
  });
}

double sum_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}
double max_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Max{});
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return cg::run(argc, argv,
                   {symm::my_pe(), symm::n_pes(), sum_over_pes, max_over_pes},
                   solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none: nobody waits for this one.
    std::fprintf(stderr, "cg_solve: %s\n", error.what());
    return 1;
  }
}

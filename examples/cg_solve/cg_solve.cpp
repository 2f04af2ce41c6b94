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
#include <vector>

namespace {

using Direction = Kokkos::View<double*, symm::SymmetricSpace>;

// Where an entry of the direction is. A column of the matrix is turned into
// this once; in the kernel, the PE costs a multiplication and an addition.
struct Place {
  int pe;
  int index;
};

std::vector<Place> places_of(cg::Problem const& problem) {
  auto const& blocks = problem.blocks;
  std::vector<Place> places;
  places.reserve(problem.rows.column.size());
  for (int const column : problem.rows.column) {
    int const pe = blocks.owner(column);
    places.push_back({pe, column - blocks.first(pe)});
  }
  return places;
}

// y = A p. Entries of other PEs are read where they are.
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
  // Collective: every PE allocates room for the largest block.
  Direction const p("p", static_cast<std::size_t>(problem.blocks.largest()));

  auto const places = places_of(problem);
  cg::SparseRows<Place> const a(problem.rows, places);
  auto const n_remote = std::count_if(
      places.begin(), places.end(),
      [](Place const& place) { return place.pe != symm::my_pe(); });
  traffic = {"remote reads", static_cast<double>(n_remote)};

  Kokkos::DefaultExecutionSpace const exec;
  return cg::conjugate_gradients(problem, p, [&](cg::Vector const& y) {
    // One barrier a product is enough. It comes after all PEs have written
    // their entries of p and before anybody reads them. After the product none
    // is needed: before p is written again, all PEs add up a number that each
    // has computed from its finished product, and nobody has the sum before
    // everybody has brought his number.
    symm::barrier_all(exec);
    multiply(a, p, y);
  });
}

// Numbers of all PEs, combined. In host memory, where the host has them.
class Reductions {
 public:
  // Collective.
  Reductions() = default;

  double sum(double mine) const { return reduce(mine, symm::Sum{}); }
  double max(double mine) const { return reduce(mine, symm::Max{}); }

 private:
  template <class Op>
  double reduce(double mine, Op op) const {
    m_mine() = mine;
    symm::reduce(symm::team_world(), m_result.data(), m_mine.data(), 1, op);
    return m_result();
  }

  Kokkos::View<double, symm::SymmetricHostSpace> m_mine{"mine"};
  Kokkos::View<double, symm::SymmetricHostSpace> m_result{"result"};
};

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    Reductions const all;
    return cg::run(argc, argv,
                   {symm::my_pe(), symm::n_pes(),
                    [&](double mine) { return all.sum(mine); },
                    [&](double mine) { return all.max(mine); }},
                   solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none: nobody waits for this one.
    std::fprintf(stderr, "cg_solve: %s\n", error.what());
    return 1;
  }
}

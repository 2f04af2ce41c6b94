// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Conjugate gradients with an exchange plan. Compare it with
// ../cg_mpi/cg_mpi.cpp, which does the same with MPI messages. The two differ
// in how a PE gets entries from other PEs, and in how dot products are summed.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <cg_common/conjugate_gradients.hpp>
#include <cg_common/problem.hpp>
#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

using Dots = Kokkos::View<cg::Dots, symm::SymmetricSpace>;

// A product needs entries from other PEs, the ghosts. The plan copies them to
// the places after the PE's own entries. Collective.
symm::ExchangePlan plan_for(cg::Problem const& problem,
                            std::vector<int> const& columns) {
  auto const& blocks = problem.blocks;
  std::vector<int> pes;
  std::vector<int> indices;
  for (int const column : columns) {
    pes.push_back(blocks.owner(column));
    indices.push_back(column - blocks.first(pes.back()));
  }
  return symm::ExchangePlan::from_imports(
      static_cast<std::size_t>(problem.rows.count()),
      cg::copy_to_device("indices", indices), cg::copy_to_device("PEs", pes));
}

cg::Solution solve(cg::Problem const& problem, cg::Traffic& traffic) {
  auto const& [options, pes, blocks, rows] = problem;
  auto const columns = cg::columns_of_others(rows, blocks, pes.me);
  traffic            = {"copied entries", static_cast<double>(columns.size())};

  auto plan = plan_for(problem, columns);
  cg::Vector const u("u",
                     static_cast<std::size_t>(rows.count()) + plan.n_ghosts());
  Dots const dots("dot products");
  cg::SparseRows const a(
      rows, cg::columns_with_ghosts(rows, blocks, pes.me, columns));

  Kokkos::DefaultExecutionSpace const exec;
  auto const exchange = [&] { plan.gather(exec, u); };
  return cg::conjugate_gradients(
      problem, a, u, dots, exchange, [&](Dots const& mine) {
        symm::reduce(exec, symm::team_world(), mine, mine, symm::Sum{});
        return mine;
      });
}

double sum_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Sum{});
}
double max_over_pes(double mine) {
  return symm::reduce(symm::team_world(), mine, symm::Max{});
}
double sum_before(double mine) {
  return symm::exscan(symm::team_world(), mine, symm::Sum{});
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return cg::run(
        argc, argv,
        {symm::my_pe(), symm::n_pes(), sum_over_pes, max_over_pes, sum_before},
        solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "cg_solve: %s\n", error.what());
    return 1;
  }
}

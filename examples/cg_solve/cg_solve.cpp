// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Conjugate gradients with the vector that is multiplied in the symmetric
// space, to be read beside ../cg_mpi/cg_mpi.cpp, which does the same with MPI
// messages. The two differ in how they allocate and how an entry of another PE
// gets here.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cg_common/conjugate_gradients.hpp>
#include <cg_common/problem.hpp>
#include <cstddef>
#include <cstdio>
#include <utility>
#include <vector>

namespace {

// Of each PE as many as it has.
using Entries = symm::UnevenView<Kokkos::View<double*, symm::SymmetricSpace>>;
using Dots    = Kokkos::View<cg::Dots, symm::SymmetricSpace>;

// The columns of which a product needs copies, the ghosts.
std::vector<int> ghost_columns(cg::Problem const& problem) {
  // From another node, so many entries that nobody needs take less than another
  // message.
  constexpr int gap                        = 64;
  auto const& [options, pes, blocks, rows] = problem;
  std::vector<int> ghosts;
  for (int const column : cg::columns_of_others(rows, blocks, pes.me)) {
    int const pe    = blocks.owner(column);
    bool const fill = !symm::is_near(pe) && !ghosts.empty() &&
                      blocks.owner(ghosts.back()) == pe &&
                      ghosts.back() + gap >= column;
    for (int c = fill ? ghosts.back() + 1 : column; c <= column; ++c)
      ghosts.push_back(c);
  }
  return ghosts;
}

// Fills the ghosts, which come behind the PE's own entries.
class Ghosts {
 public:
  Ghosts(cg::RowBlocks const& blocks, std::vector<int> const& columns,
         Entries const& u)
      : m_u(u) {
    std::vector<int> pes;
    std::vector<std::size_t> indices;
    // Those of PEs of this node are next to each other, as their numbers are.
    auto to = static_cast<std::size_t>(blocks.count(symm::my_pe()));
    for (int const column : columns) {
      int const pe     = blocks.owner(column);
      auto const index = static_cast<std::size_t>(column - blocks.first(pe));
      if (symm::is_near(pe)) {
        if (pes.empty()) m_first_near = to;
        pes.push_back(pe);
        indices.push_back(index);
      } else if (!m_far.empty() && m_far.back().pe == pe &&
                 m_far.back().end() == index) {
        ++m_far.back().count;
      } else {
        m_far.push_back({pe, index, 1, to});
      }
      ++to;
    }
    m_near = symm::places(u, cg::copy_to_device("PEs", pes),
                          cg::copy_to_device("indices", indices));
  }

  void update(Kokkos::DefaultExecutionSpace const& exec) const {
    auto const end = m_first_near + m_near.size();
    symm::gather(exec,
                 Kokkos::subview(m_u.local(), std::pair(m_first_near, end)),
                 m_u, m_near);
    if (m_far.empty()) return;
    exec.fence("cg: the barrier before");
    for (auto const& [pe, index, count, to] : m_far)
      symm::get_nbi(m_u.data() + to, m_u.data() + index, count, pe);
    symm::quiet();  // they are there
  }

 private:
  // Of a PE of another node, which loads do not reach.
  struct Far {
    int pe;
    std::size_t index;
    std::size_t count;
    std::size_t to;

    std::size_t end() const { return index + count; }
  };

  Entries m_u;
  Kokkos::View<symm::Place*> m_near;
  std::size_t m_first_near = 0;
  std::vector<Far> m_far;
};

cg::Solution solve(cg::Problem const& problem, cg::Traffic& traffic) {
  auto const& [options, pes, blocks, rows] = problem;
  auto const columns                       = ghost_columns(problem);
  traffic = {"copied entries", static_cast<double>(columns.size())};

  // Collective. A PE has its own entries, and behind them its ghosts.
  Entries const all("u",
                    static_cast<std::size_t>(rows.count()) + columns.size());
  auto const u = all.local();
  Dots const dots("dot products");
  Ghosts const ghosts(blocks, columns, all);
  cg::SparseRows const a(
      rows, cg::columns_with_ghosts(rows, blocks, pes.me, columns));

  Kokkos::DefaultExecutionSpace const exec;
  auto const multiply = [&](cg::Vector const& y) {
    // One barrier a product is enough. It comes after all PEs have written
    // their entries of u and before anybody copies them. After the product none
    // is needed: before u is written again, all PEs add up what each has
    // computed from its finished product.
    symm::barrier(exec, symm::team_world());
    ghosts.update(exec);
    cg::multiply(a, u, y);
  };
  return cg::conjugate_gradients(
      problem, u, dots, multiply, [&](Dots const& mine) {
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
    // A collective call fails on all PEs or on none: nobody waits for this one.
    std::fprintf(stderr, "cg_solve: %s\n", error.what());
    return 1;
  }
}

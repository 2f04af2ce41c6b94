// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Counts the triangles in a random graph whose vertices are distributed over
// the PEs: the PE that has vertex i, with neighbors j and k, asks the PE of j
// whether j and k are neighbors (bale's triangle counting).
//
//     mpiexec -n PES triangles [VERTICES]

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

// Whether there is an edge between two vertices. Any PE can compute this, so
// the result can be checked.
bool are_neighbors(int i, int j, int n_vertices) {
  auto x = (static_cast<std::uint64_t>(std::max(i, j)) << 32U) +
           static_cast<std::uint64_t>(std::min(i, j));
  x = (x ^ (x >> 31U)) * 0x7fb5'd329'728e'a185U;
  x = (x ^ (x >> 27U)) * 0x81da'def4'bc2d'd44dU;
  return (x >> 33U) % static_cast<unsigned>(n_vertices) < 30;
}

// For each vertex on this PE, the neighbors with lower numbers.
struct Graph {
  explicit Graph(int n) : n_vertices(n) {
    for (int i = symm::my_pe(); i < n; i += symm::n_pes()) {
      auto& row = rows.emplace_back();
      for (int j = 0; j < i; ++j)
        if (are_neighbors(i, j, n)) row.push_back(j);
    }
  }
  static symm::Pe pe_of(int vertex) { return vertex % symm::n_pes(); }
  std::vector<int> const& row(int vertex) const {
    return rows[static_cast<std::size_t>(vertex / symm::n_pes())];
  }

  int n_vertices;
  std::vector<std::vector<int>> rows;
};

struct Question {  // asks whether there is an edge
  int from;
  int to;
};

bool run(int n_vertices) {
  Graph const graph(n_vertices);
  std::int64_t n_triangles = 0;
  symm::Mailbox<Question> questions("questions", [&](Question const& its) {
    auto const& row = graph.row(its.from);
    n_triangles += std::binary_search(row.begin(), row.end(), its.to) ? 1 : 0;
  });

  Kokkos::Timer timer;
  for (auto const& row : graph.rows)
    for (int const j : row)
      for (int const k : row)
        if (k < j) questions.send(Graph::pe_of(j), {j, k});
  auto const n_answered = static_cast<std::int64_t>(questions.finish());
  double const seconds  = timer.seconds();

  std::int64_t expected = 0;
  for (auto const& row : graph.rows)
    for (int const j : row)
      for (int const k : row)
        if (k < j && are_neighbors(j, k, n_vertices)) ++expected;
  auto const sum = [](std::int64_t mine) {
    return symm::reduce(symm::team_world(), mine, symm::Sum{});
  };
  n_triangles           = sum(n_triangles);
  auto const n_messages = sum(n_answered);
  bool const is_right   = n_triangles == sum(expected);
  if (symm::my_pe() == 0) {
    std::printf("triangles: %" PRId64
                " of %d vertices, %.1f million messages a second: %s\n",
                n_triangles, n_vertices,
                static_cast<double>(n_messages) / seconds / 1e6,
                is_right ? "correct" : "WRONG");
  }
  return is_right;
}

}  // namespace

int main(int argc, char* argv[]) {
  symm::ScopeGuard const guard(argc, argv);
  return run(argc > 1 ? std::max(std::atoi(argv[1]), 1) : 4000) ? 0 : 1;
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// PageRank of an undirected graph whose vertices are distributed over the PEs:
// how often a random walker visits each vertex. In each step, the walker stays
// or follows an edge, all with equal probability. Now and then, the walker
// jumps to a random vertex.
//
//     mpiexec -n PES graph [FILE]
//
// Each line of FILE contains the numbers of two vertices, counted from 0, or
// begins with '#'. Without a file, the graph is a ring with chords.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Edges = std::set<std::pair<int, int>>;

// For each vertex, its targets: the adjacent vertices and the vertex itself.
// Every PE reads the whole file, so either all PEs fail or none.
Edges read_edges(char const* name) {
  Edges edges;
  auto const add = [&](int a, int b) { edges.insert({{a, b}, {b, a}}); };
  std::ifstream file(name == nullptr ? "" : name);
  for (std::string line; std::getline(file, line);) {
    int a = -1, b = -1;
    if (line.empty() || line[0] == '#') continue;
    if (std::sscanf(line.c_str(), "%d %d", &a, &b) != 2 || a < 0 || b < 0)
      throw std::runtime_error(std::string(name) + ": not an edge: " + line);
    add(a, b);
  }
  for (int v = 0; v < 20'000 && name == nullptr; ++v)
    for (int const w : {v + 1, v * 7, v / 2}) add(v, w % 20'000);
  if (edges.empty())
    throw std::runtime_error(std::string(name) +
                             ": cannot be read or has no edges");
  for (int v = edges.rbegin()->first; v >= 0; --v) add(v, v);
  return edges;
}

Kokkos::View<int*> on_device(std::vector<int> const& list) {
  Kokkos::View<int*> const view("list", list.size());
  Kokkos::deep_copy(view, Kokkos::View<int const*, Kokkos::HostSpace>(
                              list.data(), list.size()));
  return view;
}

// This PE's vertices and their targets: vertex v leads to target(e) for
// first(v) <= e < first(v + 1). Vertices on other PEs are ghosts, which come
// after this PE's own vertices.
struct Graph {
  explicit Graph(Edges const& edges) {
    n_all              = edges.rbegin()->first + 1;
    int const per_pe   = (n_all + symm::n_pes() - 1) / symm::n_pes();
    my_first           = symm::my_pe() * per_pe;
    n_mine             = std::clamp(n_all - my_first, 0, per_pe);
    auto const is_mine = [&](int v) { return v / per_pe == symm::my_pe(); };

    std::map<int, int> ghosts;
    std::vector<int> pes, indices, targets, firsts(1, 0);
    for (auto const& [from, to] : edges) {
      if (!is_mine(from)) continue;
      auto const ghost = n_mine + static_cast<int>(pes.size());
      if (!is_mine(to) && ghosts.emplace(to, ghost).second) {
        pes.push_back(to / per_pe);
        indices.push_back(to % per_pe);
      }
      targets.push_back(is_mine(to) ? to - my_first : ghosts[to]);
      firsts.resize(static_cast<std::size_t>(from - my_first) + 2);
      firsts.back() = static_cast<int>(targets.size());
    }
    first  = on_device(firsts);
    target = on_device(targets);
    plan   = symm::ExchangePlan::from_imports(  // collective
        static_cast<std::size_t>(n_mine), on_device(indices), on_device(pes));
  }

  int n_all = 0, n_mine = 0, my_first = 0;
  Kokkos::View<int*> first, target;
  symm::ExchangePlan plan;
};

bool run(char const* name) {
  Graph graph(read_edges(name));
  auto const first = graph.first, target = graph.target;
  // The contribution of a vertex to each of its targets: its rank divided by
  // the number of targets. The mean of all ranks is 1.
  auto const size = graph.n_mine + static_cast<int>(graph.plan.n_ghosts());
  Kokkos::View<double*> old("shares", size), next("shares", size);

  Kokkos::DefaultExecutionSpace const exec;
  constexpr int steps = 100;
  Kokkos::Timer timer;
  for (int n = 0; n < steps; ++n) {
    Kokkos::parallel_for(
        "graph: step", first.extent(0) - 1, KOKKOS_LAMBDA(int v) {
          double sum = 0;
          for (int e = first(v); e < first(v + 1); ++e) sum += old(target(e));
          next(v) = (0.15 + 0.85 * sum) / (first(v + 1) - first(v));
        });
    graph.plan.gather(exec, next);
    std::swap(old, next);
  }
  exec.fence("graph: last step");
  double const seconds = timer.seconds();

  Kokkos::HostSpace const host;
  auto const shares      = Kokkos::create_mirror_view_and_copy(host, old);
  auto const firsts      = Kokkos::create_mirror_view_and_copy(host, first);
  double sum             = 0;
  std::uint64_t checksum = 0;  // over all bits; independent of the number of
                               // PEs
  for (int v = 0; v < graph.n_mine; ++v) {
    sum += shares(v) * (firsts(v + 1) - firsts(v));
    checksum += std::bit_cast<std::uint64_t>(shares(v)) *
                static_cast<std::uint64_t>(2 * (graph.my_first + v) + 1);
  }
  checksum = symm::reduce(symm::team_world(), checksum, symm::Sum{});
  // The mean of the ranks. All ranks start at 0.
  double const mean =
      symm::reduce(symm::team_world(), sum, symm::Sum{}) / graph.n_all;
  bool const is_correct = std::abs(mean - 1 + std::pow(0.85, steps)) < 1e-12;
  if (symm::my_pe() == 0)
    std::printf(
        "%d vertices, mean rank %.6f, checksum %016llx: %s\n"
        "time: %.3f s, %.2f us a step\n",
        graph.n_all, mean, static_cast<unsigned long long>(checksum),
        is_correct ? "correct" : "WRONG", seconds, 1e6 * seconds / steps);
  return is_correct;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return run(argc > 1 ? argv[1] : nullptr) ? 0 : 1;
  } catch (std::exception const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "graph: %s\n", error.what());
    return 1;
  }
}

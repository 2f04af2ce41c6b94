// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The 3-D heat equation with Views in the symmetric space, to be read beside
// ../heat3d_mpi/heat3d_mpi.cpp, which does the same with MPI messages. The two
// differ in how they allocate and how they exchange the halo.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <heat3d_common/problem.hpp>
#include <numeric>
#include <utility>
#include <vector>

namespace {

using heat3d::Face;
using heat3d::Triple;

using Field =
    Kokkos::View<double***, Kokkos::LayoutRight, symm::SymmetricSpace>;

// The numbers of all PEs, on every PE: each puts its own into everybody's View.
std::vector<double> gather(double mine) {
  // A View per call: nobody overwrites what a slower PE still reads.
  Kokkos::View<double*, symm::SymmetricHostSpace> numbers("numbers",
                                                          symm::n_pes());
  auto const everywhere = symm::global_view(numbers);
  for (int pe = 0; pe < symm::n_pes(); ++pe)
    everywhere(pe, symm::my_pe()) = mine;
  symm::barrier_all();
  return {numbers.data(), numbers.data() + numbers.size()};
}

double sum_over_pes(double mine) {
  auto const numbers = gather(mine);
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

double max_over_pes(double mine) {
  auto const numbers = gather(mine);
  return *std::max_element(numbers.begin(), numbers.end());
}

// Writes my outermost layers of cells into the neighbours' ghost layers.
void put_halo(Field const& u, std::vector<Face> const& faces) {
  auto const everywhere = symm::global_view(u);
  for (Face const& face : faces) {
    int const pe       = face.pe;
    Triple const shift = face.shift;
    heat3d::for_each_cell(
        "heat3d: put halo", face.cells, KOKKOS_LAMBDA(int i, int j, int k) {
          everywhere(pe, i + shift[0], j + shift[1], k + shift[2]) = u(i, j, k);
        });
  }
}

// Planes of `pe`, on PE 0, which reads them itself.
heat3d::Planes fetch_planes(Field const& u, int pe, int first, int count) {
  if (symm::my_pe() != 0) return {};
  auto const source =
      Kokkos::subview(symm::peer_view(u, pe), std::pair(first, first + count),
                      Kokkos::ALL, Kokkos::ALL);
  heat3d::Planes planes("planes", source.layout());
  Kokkos::deep_copy(planes, source);
  return planes;
}

heat3d::Solution solve(heat3d::Problem const& problem) {
  // Collective: every PE allocates room for the largest box.
  Kokkos::DefaultExecutionSpace const exec;
  auto const extents = problem.decomposition.largest_view();
  Field u_old("u_old", heat3d::layout_of(extents));
  Field u_new("u_new", heat3d::layout_of(extents));

  heat3d::fill_with(problem.sine, u_old, problem.own);
  put_halo(u_old, problem.faces);
  symm::barrier_all(exec);

  // One barrier a step is enough. Step n reads only u_old and writes, here and
  // at the neighbours, only u_new; a PE leaves the barrier of step n when all
  // PEs have finished it. So
  // - what step n + 1 reads, the ghost layers of its u_old, was written by
  //   step n, before the barrier;
  // - what step n + 1 overwrites, its u_new, was last read by step n as u_old,
  //   before the barrier. A neighbour can be ahead by one step, not by two: it
  //   waits in the barrier of step n + 1, while this PE reads the other View.
  // With a single View, a fast neighbour would overwrite ghosts still in use.
  Kokkos::Timer timer;
  {
    auto progress = problem.progress();
    for (int step = 1; step <= problem.options.steps; ++step) {
      heat3d::update(u_old, u_new, problem.mode.stencil(), problem.own);
      put_halo(u_new, problem.faces);
      symm::barrier_all(exec);
      std::swap(u_old, u_new);
      progress.step_done(step);
    }
  }

  return heat3d::solution(problem, u_old, timer.seconds(),
                          [u_old](int pe, int first, int count) {
                            return fetch_planes(u_old, pe, first, count);
                          });
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return heat3d::run(
        argc, argv, {symm::my_pe(), symm::n_pes(), sum_over_pes, max_over_pes},
        solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none: nobody waits for this one.
    std::fprintf(stderr, "heat3d: %s\n", error.what());
    return 1;
  }
}

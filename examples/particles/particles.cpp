// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Particles that repel each other in a periodic box, to be read beside
// ../particles_mpi/particles_mpi.cpp, which does the same with MPI messages.
// The two differ in how they allocate, how a particle gets to another PE, and
// how the particles of other PEs are seen from here.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <particles_common/problem.hpp>
#include <set>
#include <utility>
#include <vector>

namespace {

using particles::Near;
using particles::Particle;
using particles::Place;

using Cells =
    Kokkos::View<Particle**, Kokkos::LayoutRight, symm::SymmetricSpace>;
using Counts = Kokkos::View<int*, symm::SymmetricSpace>;

void sum_over_pes(std::uint64_t* words, int count) {
  auto const size = static_cast<std::size_t>(count);
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight,
               symm::SymmetricHostSpace> const numbers("numbers", 2, size);
  std::copy_n(words, size, &numbers(0, 0));
  symm::reduce(symm::team_world(), &numbers(1, 0), &numbers(0, 0), size,
               symm::Sum{});
  std::copy_n(&numbers(1, 0), size, words);
}

// The particles of all PEs at one time.
struct State {
  Cells cells;
  Counts counts;
};

// The cells of the box and around it, in whichever PE's memory they are, by
// their number in "around".
struct CellsAround {
  symm::PlacedView<Cells> cells;
  symm::PlacedView<Counts> counts;
  Kokkos::View<symm::Place const*> cell_places;
  Kokkos::View<symm::Place const*> count_places;

  KOKKOS_FUNCTION Particle* particles(int around) const {
    return &cells(cell_places(around));
  }
  KOKKOS_FUNCTION int& count(int around) const {
    return counts(count_places(around));
  }
  KOKKOS_FUNCTION Near operator()(int around) const {
    return {particles(around), count(around)};
  }
};

// Where this PE's kernels find cells: those of near PEs where they are, and of
// PEs of other nodes, which loads and stores do not reach, copies.
struct Around {
  // Copies are behind the cells of the largest box.
  explicit Around(particles::Problem const& problem)
      : first_copy(problem.boxes.largest()),
        surroundings(problem.boxes, problem.pes.me,
                     [](int pe) { return !symm::is_near(pe); }),
        copied(particles::on_device(surroundings.copied)) {
    std::set<Place> once;
    for (int n = 0; n < static_cast<int>(surroundings.found.size()); ++n) {
      auto const& place = surroundings.found[static_cast<std::size_t>(n)];
      if (place.pe != problem.pes.me && once.insert(place).second)
        of_others.push_back(n);
    }
  }

  // Prepares the places of all cells, in Views as those of `state`.
  void prepare(State const& state) {
    auto const found = particles::on_device(surroundings.found);
    auto const count = found.extent(0);
    Kokkos::View<int*> const pes("PEs", count);
    Kokkos::View<int*> const cells("cells", count);
    Kokkos::View<int*> const zeros("first particles", count);
    Kokkos::parallel_for(
        "particles: places", count, KOKKOS_LAMBDA(int n) {
          pes(n)   = found(n).pe;
          cells(n) = found(n).cell;
        });
    cell_places  = symm::places(state.cells, pes, cells, zeros);
    count_places = symm::places(state.counts, pes, cells);
  }

  CellsAround cells_of(State const& state) const {
    return {symm::placed_view(state.cells), symm::placed_view(state.counts),
            cell_places, count_places};
  }

  int first_copy;
  particles::Surroundings surroundings;
  std::vector<int> of_others;  // cells of other PEs that are read in place
  Kokkos::View<Place const*> copied;
  Kokkos::View<symm::Place const*> cell_places;
  Kokkos::View<symm::Place const*> count_places;
};

// On a CPU, a kernel waits for each cell of another PE that it comes to: how
// many particles to look at is not known before. Here all are asked for at
// once.
void prefetch(Around const& around, State const& state) {
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::DefaultExecutionSpace,
                                           Kokkos::DefaultHostExecutionSpace::
                                               memory_space>::accessible) {
    auto const cells = around.cells_of(state);
    for (int const cell : around.of_others) {
      __builtin_prefetch(&cells.count(cell));
      __builtin_prefetch(cells.particles(cell));
    }
  }
}

// Moves my particles by a time step, from `old` to their cells in `next`, on
// whichever PE: an atomic addition to a cell's count says where there is room.
void step(particles::Problem const& problem, Around const& around,
          State const& old, State const& next,
          particles::Trouble const& trouble) {
  auto const from    = around.cells_of(old);
  auto const to      = around.cells_of(next);
  auto const mine    = old.cells;
  auto const box     = problem.box;
  double const dt    = problem.options.dt;
  int const capacity = problem.options.capacity;
  particles::for_each_particle(
      "particles: step", box, old.counts,
      KOKKOS_LAMBDA(int cell, int place, int n) {
        Particle particle = mine(cell, n);
        particles::Kick const kick(particle, box, place, dt, from);
        if (!particles::move(particle, kick, box, dt, place))
          trouble.was_too_fast();

        int const number = symm::atomic_fetch_add(&to.count(place), 1);
        if (number < capacity) {
          to.particles(place)[number] = particle;
        } else {
          symm::atomic_add(&to.count(place), -1);
          trouble.found_no_room(1);
        }
      });
}

// Brings what has moved to PEs of other nodes there, from my copies of their
// cells. One thread team does it: a GPU that were full of threads that wait for
// other nodes could not carry out what these ask of it.
void deliver(State const& next, Around const& around,
             particles::Trouble const& trouble) {
  if (around.surroundings.copied.empty()) return;
  auto const cells      = next.cells;
  auto const counts     = next.counts;
  auto const copied     = around.copied;
  auto const everywhere = symm::remote_view(cells);
  auto const heap       = symm::heap_map(counts);
  int const first_copy  = around.first_copy;
  int const capacity    = cells.extent_int(1);
  Kokkos::parallel_for(
      "particles: deliver", Kokkos::TeamPolicy<>(1, Kokkos::AUTO),
      KOKKOS_LAMBDA(Kokkos::TeamPolicy<>::member_type const& team) {
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, copied.extent_int(0)), [&](int c) {
              int const count = counts(first_copy + c);
              if (count == 0) return;
              Place const to = copied(c);
              int const first =
                  symm::atomic_fetch_add(heap, &counts(to.cell), count, to.pe);
              int const fit =
                  Kokkos::min(count, Kokkos::max(capacity - first, 0));
              for (int n = 0; n < fit; ++n)
                everywhere(to.pe, to.cell, first + n) =
                    Particle(cells(first_copy + c, n));
              if (fit == count) return;
              symm::atomic_add(heap, &counts(to.cell), fit - count, to.pe);
              trouble.found_no_room(count - fit);
            });
      });
}

// Gets the cells around my box that PEs of other nodes have, each row of them
// with one message for the counts and one for the particles.
void fetch_copies(State const& state, Around const& around) {
  auto const& copied = around.surroundings.copied;
  if (copied.empty()) return;
  Kokkos::fence("particles: PEs of other nodes have written");
  auto const capacity = state.cells.extent(1);
  for (std::size_t n = 0; n < copied.size();) {
    auto const [pe, cell] = copied[n];
    std::size_t row       = 1;
    while (n + row < copied.size() &&
           copied[n + row] == Place{pe, cell + static_cast<int>(row)})
      ++row;
    auto const copy = static_cast<std::size_t>(around.first_copy) + n;
    // (The host takes no references to elements in a GPU's memory.)
    auto* const counts = state.counts.data();
    auto* const cells  = state.cells.data();  // row by row
    symm::get_nbi(counts + copy, counts + cell, row, pe);
    symm::get_nbi(cells + copy * capacity,
                  cells + static_cast<std::size_t>(cell) * capacity,
                  row * capacity, pe);
    n += row;
  }
  symm::quiet();  // they are there
}

particles::Solution solve(particles::Problem const& problem) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const& options = problem.options;
  auto const& boxes   = problem.boxes;
  auto const& box     = problem.box;
  Around around(problem);

  // Collective: every PE allocates room for the largest box, and for the most
  // copies that a PE has of cells of other nodes.
  int const n_cells = symm::reduce(
      symm::team_world(), around.first_copy + around.copied.extent_int(0),
      symm::Max{});
  Counts later("counts", n_cells);
  State old{Cells("cells", n_cells, options.capacity),
            Counts("counts", n_cells)};
  State next{Cells("cells", n_cells, options.capacity),
             Counts("counts", n_cells)};

  around.prepare(old);

  particles::fill(old.cells, old.counts, box, boxes.cells(), options.per_cell);
  symm::barrier(exec, symm::team_world());
  fetch_copies(old, around);
  auto const totals = [&] {
    return particles::totals_of(old.cells, old.counts, box, options.dt,
                                around.cells_of(old));
  };
  auto const first = totals();

  // One kernel and one barrier a step, and nothing that the host waits for. A
  // PE leaves the barrier of a step when all PEs have finished it. So
  // - the particles that a step reads, at the neighbours, too, were written by
  //   the step before, before the barrier;
  // - the cells that it overwrites were last read by the step before.
  // Counts have to be 0 before anybody adds to them. Those of `old` are still
  // read, and a neighbour that is ahead adds to those that it calls `next`: so
  // there are three, and a step clears those that the next one adds to.
  particles::Trouble const trouble;
  Kokkos::Timer timer;
  {
    auto progress = problem.progress();
    for (int n = 1; n <= options.steps; ++n) {
      Kokkos::deep_copy(exec, later, 0);
      prefetch(around, old);
      step(problem, around, old, next, trouble);
      deliver(next, around, trouble);
      symm::barrier(exec, symm::team_world());
      fetch_copies(next, around);
      std::swap(old.cells, next.cells);
      Counts const free = old.counts;
      old.counts        = next.counts;
      next.counts       = later;
      later             = free;
      trouble.check_sometimes(problem, n);
      progress.step_done(n);
    }
    exec.fence("particles: last step");
  }
  double const seconds = timer.seconds();

  particles::Solution solution{seconds, first, totals(), {}};
  if (!options.picture.empty())
    solution.brightness =
        particles::brightness_of(old.cells, old.counts, box, boxes.cells());
  symm::barrier_all(exec);  // nobody reads my cells any more
  return solution;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return particles::run(argc, argv,
                          {symm::my_pe(), symm::n_pes(), sum_over_pes}, solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none: nobody waits for this one.
    std::fprintf(stderr, "particles: %s\n", error.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Particles that repel each other in a periodic box. Compare it with
// ../particles_mpi/particles_mpi.cpp, which does the same with MPI messages.
// The two differ in how a particle moves to another PE, and in how a PE sees
// the particles on other PEs.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <particles_common/problem.hpp>
#include <utility>
#include <vector>

namespace {

using particles::Particle;
using particles::Place;

using Cells  = Kokkos::View<Particle**, Kokkos::LayoutRight>;
using Counts = Kokkos::View<int*>;
using Found  = Kokkos::View<int const*>;  // indexed by the number in "around"

void sum_over_pes(std::uint64_t* words, int count) {
  auto const size = static_cast<std::size_t>(count);
  Kokkos::View<std::uint64_t**, Kokkos::LayoutRight,
               symm::SymmetricHostSpace> const numbers("numbers", 2, size);
  std::copy_n(words, size, &numbers(0, 0));
  symm::reduce(symm::team_world(), &numbers(1, 0), &numbers(0, 0), size,
               symm::Sum{});
  std::copy_n(&numbers(1, 0), size, words);
}

// The part of a particle that other PEs see.
struct Position {
  double x[3];
};
struct Seen {
  Position const* first;
  int count;
};

// The particles in my cells, and the positions of the particles in the cells
// around my box.
struct State {
  State(std::size_t n_cells, std::size_t n_around, int capacity)
      : cells("cells", n_cells, capacity),
        positions("positions", n_cells + n_around, capacity),
        counts("counts", n_cells + n_around) {}

  Cells cells;
  Kokkos::View<Position**, Kokkos::LayoutRight> positions;
  Counts counts;
};

// A cell in the box or around it.
struct CellAt {
  State state;
  Found found;

  KOKKOS_FUNCTION Seen operator()(int around) const {
    int const cell = found(around);
    return {&state.positions(cell, 0), state.counts(cell)};
  }
};

KOKKOS_INLINE_FUNCTION void append(State const& state, int cell,
                                   Particle const& particle,
                                   particles::Trouble const& trouble) {
  int const room = Kokkos::atomic_fetch_add(&state.counts(cell), 1);
  if (room < static_cast<int>(state.cells.extent(1))) {
    state.cells(cell, room)     = particle;
    auto const& x               = particle.x;
    state.positions(cell, room) = {{x[0], x[1], x[2]}};
  } else {
    Kokkos::atomic_add(&state.counts(cell), -1);
    trouble.found_no_room(1);
  }
}

// Particles in transit to cells on other PEs.
struct Leaving {
  explicit Leaving(int most)
      : particles("leaving", most),
        cells("their cells", most),
        pes("their PEs", most) {}

  Kokkos::View<Particle*> particles;
  Kokkos::View<int*> cells;
  Kokkos::View<int*> pes;
  Kokkos::View<int> count{"how many"};
};

// Moves my particles by one time step, from `old` to their cells in `next` or
// to `leaving`.
void step(particles::Problem const& problem, CellAt const& old,
          Kokkos::View<Place const*> const& owners, State const& next,
          Leaving const& leaving, particles::Trouble const& trouble) {
  auto const box    = problem.box;
  double const dt   = problem.options.dt;
  int const n_cells = box.n_cells();
  particles::for_each_particle(
      "particles: step", box, old.state.counts,
      KOKKOS_LAMBDA(int cell, int place, int n) {
        Particle particle = old.state.cells(cell, n);
        particles::Kick const kick(particle, box, place, dt, old);
        if (!particles::move(particle, kick, box, dt, place))
          trouble.was_too_fast();
        int const to = old.found(place);
        if (to < n_cells) {
          append(next, to, particle, trouble);
        } else {
          int const k          = Kokkos::atomic_fetch_add(&leaving.count(), 1);
          leaving.particles(k) = particle;
          leaving.cells(k)     = owners(to - n_cells).cell;
          leaving.pes(k)       = owners(to - n_cells).pe;
        }
      });
}

// Sends leaving particles to their new PEs, and puts arriving ones into their
// cells.
void migrate(Kokkos::DefaultExecutionSpace const& exec,
             symm::Migration& migration, Leaving& leaving, State const& next,
             particles::Trouble const& trouble) {
  int count = 0;
  Kokkos::deep_copy(count, leaving.count);
  auto const n =
      migration.migrate(exec, Kokkos::subview(leaving.pes, std::pair(0, count)),
                        leaving.particles, leaving.cells);
  auto const arrived = leaving;
  Kokkos::parallel_for(
      "particles: arrive", Kokkos::RangePolicy<>(exec, 0, n),
      KOKKOS_LAMBDA(std::size_t k) {
        append(next, arrived.cells(k), arrived.particles(k), trouble);
      });
}

particles::Solution solve(particles::Problem const& problem) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const& options = problem.options;
  auto const& boxes   = problem.boxes;
  auto const& box     = problem.box;
  particles::Surroundings const around(boxes, problem.pes.me);
  auto const n_cells  = static_cast<std::size_t>(box.n_cells());
  auto const n_around = around.copied.size();
  auto const found    = particles::on_device(around.found);
  auto const owners   = particles::on_device(around.copied);

  // Collective. The plan copies the counts and positions of the cells around my
  // box. The copies come after the entries of my own cells.
  std::vector<int> pes;
  std::vector<int> indices;
  for (auto const& [pe, cell] : around.copied) {
    pes.push_back(pe);
    indices.push_back(cell);
  }
  auto plan = symm::ExchangePlan::from_imports(
      n_cells, particles::on_device(indices), particles::on_device(pes));
  symm::Migration migration;

  State old(n_cells, n_around, options.capacity);
  State next(n_cells, n_around, options.capacity);
  Leaving leaving(box.n_outermost() * options.capacity);
  particles::Trouble const trouble;
  particles::fill(
      box, boxes.cells(), options.per_cell,
      KOKKOS_LAMBDA(int cell, Particle const& particle) {
        append(old, cell, particle, trouble);
      });
  plan.gather(exec, old.counts, old.positions);
  auto const totals = [&] {
    return particles::totals_of(old.cells, old.counts, box, options.dt,
                                CellAt{old, found});
  };
  auto const first = totals();

  Kokkos::Timer timer;
  {
    auto progress = problem.progress();
    for (int n = 1; n <= options.steps; ++n) {
      Kokkos::deep_copy(exec, next.counts, 0);
      Kokkos::deep_copy(exec, leaving.count, 0);
      step(problem, {old, found}, owners, next, leaving, trouble);
      migrate(exec, migration, leaving, next, trouble);
      plan.gather(exec, next.counts, next.positions);
      std::swap(old, next);
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
  return solution;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    return particles::run(argc, argv,
                          {symm::my_pe(), symm::n_pes(), sum_over_pes}, solve);
  } catch (symm::Error const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "particles: %s\n", error.what());
    return 1;
  }
}

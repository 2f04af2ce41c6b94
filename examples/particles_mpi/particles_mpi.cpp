// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Particles that repel each other in a periodic box, with Kokkos Views and MPI
// messages. Compare it with ../particles/particles.cpp, which does the same
// with a plan and a migration. The two differ in how a particle moves to
// another PE, and in how a PE sees the particles on other PEs.

#include <mpi.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <particles_common/problem.hpp>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

using particles::Near;
using particles::Particle;
using particles::Place;

using Cells  = Kokkos::View<Particle**, Kokkos::LayoutRight>;
using Counts = Kokkos::View<int*>;
using Found  = Kokkos::View<int const*>;  // indexed by the number in "around"

// Host memory that kernels can access, so that any MPI can read and write it.
// (With a GPU-aware MPI, GPU memory would suffice.)
using MessageSpace = Kokkos::SharedHostPinnedSpace;

void sum_over_ranks(std::uint64_t* words, int count) {
  MPI_Allreduce(MPI_IN_PLACE, words, count, MPI_UINT64_T, MPI_SUM,
                MPI_COMM_WORLD);
}

// The particles in my cells, followed by copies of the particles in other
// ranks' cells around my box.
struct State {
  Cells cells;
  Counts counts;
};

// A cell in the box or around it.
struct CellAt {
  State state;
  Found found;

  KOKKOS_FUNCTION Near operator()(int around) const {
    int const cell = found(around);
    return {&state.cells(cell, 0), state.counts(cell)};
  }
};

KOKKOS_INLINE_FUNCTION void append(State const& state, int cell,
                                   Particle const& particle,
                                   particles::Trouble const& trouble) {
  int const room = Kokkos::atomic_fetch_add(&state.counts(cell), 1);
  if (room < static_cast<int>(state.cells.extent(1))) {
    state.cells(cell, room) = particle;
  } else {
    Kokkos::atomic_add(&state.counts(cell), -1);
    trouble.found_no_room(1);
  }
}

// Moves my particles by one time step, from `old` to their cells in `next`, or
// to the copies in `next` of other ranks' cells.
void step(particles::Problem const& problem, Found const& found,
          State const& old, State const& next,
          particles::Trouble const& trouble) {
  CellAt const cell_at{old, found};
  auto const box  = problem.box;
  double const dt = problem.options.dt;
  particles::for_each_particle(
      "particles: step", box, old.counts,
      KOKKOS_LAMBDA(int cell, int place, int n) {
        Particle particle = old.cells(cell, n);
        particles::Kick const kick(particle, box, place, dt, cell_at);
        if (!particles::move(particle, kick, box, dt, place))
          trouble.was_too_fast();
        append(next, found(place), particle, trouble);
      });
}

// The data that are sent for a particle: a Migrant to the particle's new owner,
// a Ghost to ranks that only see the particle.
struct Migrant {
  Particle particle;
  std::int64_t cell;  // the receiver's number for the cell

  KOKKOS_FUNCTION static Migrant of(Particle const& particle, int cell) {
    return {particle, cell};
  }
  KOKKOS_FUNCTION Particle unpacked() const { return particle; }
};

struct Ghost {
  double x[3];
  std::int64_t cell;

  KOKKOS_FUNCTION static Ghost of(Particle const& particle, int cell) {
    return {{particle.x[0], particle.x[1], particle.x[2]}, cell};
  }
  KOKKOS_FUNCTION Particle unpacked() const {
    return {{x[0], x[1], x[2]}, {0, 0, 0}, -1};
  }
};

// A cell whose particles are sent: its number here and on the receiver.
struct Route {
  int from;
  int to;
  int message;
};

// Messages of one kind to and from all neighbors, in persistent buffers.
template <class Item>
class Messages {
  static_assert(std::is_trivially_copyable_v<Item>);

 public:
  // \param routes the routes to each neighbor.
  // \param incoming the number of cells that each neighbor sends.
  // \param capacity the capacity of a cell; no message has more particles than
  //        its cells have room for.
  Messages(std::map<int, std::vector<Route>> const& routes,
           std::map<int, std::size_t> const& incoming, std::size_t capacity,
           int tag)
      : m_tag(tag), m_sent("particles sent", routes.size()) {
    std::vector<Route> all;
    for (auto const& [rank, its_routes] : routes) {
      for (auto const& [from, to, message] : its_routes)
        all.push_back({from, to, static_cast<int>(m_outgoing.size())});
      m_outgoing.push_back({rank, m_out_size, 0});
      m_out_size += its_routes.size() * capacity;
    }
    for (auto const& [rank, n_cells] : incoming) {
      m_incoming.push_back({rank, m_in_size, n_cells * capacity});
      m_in_size += n_cells * capacity;
    }
    m_routes = particles::on_device(all);
    m_firsts = Firsts("firsts", m_outgoing.size());
    for (std::size_t n = 0; n < m_outgoing.size(); ++n)
      m_firsts(n) = m_outgoing[n].first;
    m_out = Buffer(Kokkos::view_alloc("outgoing", Kokkos::WithoutInitializing),
                   m_out_size);
    m_in  = Buffer(Kokkos::view_alloc("incoming", Kokkos::WithoutInitializing),
                   m_in_size);
  }

  void start_receiving() {
    m_receives.clear();
    for (auto const& [rank, first, room] : m_incoming)
      MPI_Irecv(m_in.data() + first, static_cast<int>(room * sizeof(Item)),
                MPI_BYTE, rank, m_tag, MPI_COMM_WORLD,
                &m_receives.emplace_back());
  }

  void pack(State const& state) {
    Kokkos::deep_copy(Kokkos::DefaultExecutionSpace(), m_sent, 0);
    auto const routes = m_routes;
    auto const firsts = m_firsts;
    auto const sent   = m_sent;
    auto const out    = m_out;
    Kokkos::parallel_for(
        "particles: pack", Kokkos::RangePolicy<>(0, routes.extent_int(0)),
        KOKKOS_LAMBDA(int r) {
          auto const route = routes(r);
          int const count  = state.counts(route.from);
          if (count == 0) return;
          auto const at = firsts(route.message) +
                          static_cast<std::size_t>(Kokkos::atomic_fetch_add(
                              &sent(route.message), count));
          for (int n = 0; n < count; ++n)
            out(at + static_cast<std::size_t>(n)) =
                Item::of(state.cells(route.from, n), route.to);
        });
  }

  // Precondition: packing has completed.
  void start_sending() {
    m_sends.clear();
    for (std::size_t n = 0; n < m_outgoing.size(); ++n)
      MPI_Isend(m_out.data() + m_outgoing[n].first,
                m_sent(n) * static_cast<int>(sizeof(Item)), MPI_BYTE,
                m_outgoing[n].rank, m_tag, MPI_COMM_WORLD,
                &m_sends.emplace_back());
  }

  void unpack(State const& state, particles::Trouble const& trouble) {
    for (std::size_t left = m_receives.size(); left > 0; --left) {
      int arrived = 0;
      MPI_Status status;
      MPI_Waitany(static_cast<int>(m_receives.size()), m_receives.data(),
                  &arrived, &status);
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      auto const* const items =
          m_in.data() + m_incoming[static_cast<std::size_t>(arrived)].first;
      Kokkos::parallel_for(
          "particles: unpack",
          Kokkos::RangePolicy<>(0, bytes / static_cast<int>(sizeof(Item))),
          KOKKOS_LAMBDA(int n) {
            append(state, static_cast<int>(items[n].cell), items[n].unpacked(),
                   trouble);
          });
    }
    MPI_Waitall(static_cast<int>(m_sends.size()), m_sends.data(),
                MPI_STATUSES_IGNORE);
  }

 private:
  struct Message {
    int rank;
    std::size_t first;  // index of the first item in the buffer
    std::size_t room;
  };
  using Buffer = Kokkos::View<Item*, MessageSpace>;
  using Firsts = Kokkos::View<std::size_t*, MessageSpace>;

  int m_tag;
  std::vector<Message> m_outgoing;
  std::vector<Message> m_incoming;
  std::size_t m_out_size = 0;
  std::size_t m_in_size  = 0;
  std::vector<MPI_Request> m_receives;
  std::vector<MPI_Request> m_sends;
  Kokkos::View<Route const*> m_routes;
  Firsts m_firsts;
  Kokkos::View<int*, MessageSpace> m_sent;
  Buffer m_out;
  Buffer m_in;
};

// After moving particles, every rank sends the moved particles that are now in
// another rank's cells or in cells that another rank has copies of. This takes
// one round of messages per step.
class Exchange {
 public:
  Exchange(particles::Problem const& problem,
           particles::Surroundings const& around)
      : Exchange(Plan(problem, around), problem.options.capacity) {}

  // Call this before the particles are moved, so that early messages find a
  // posted receive.
  void start_receiving() {
    m_migrants.start_receiving();
    m_ghosts.start_receiving();
  }

  void exchange(State const& state, particles::Trouble const& trouble) {
    m_migrants.pack(state);
    m_ghosts.pack(state);
    Kokkos::fence("particles: packed");
    m_migrants.start_sending();
    m_ghosts.start_sending();
    m_migrants.unpack(state, trouble);
    m_ghosts.unpack(state, trouble);
    Kokkos::fence("particles: unpacked, so that buffers may be filled");
  }

 private:
  // The cells that this rank sends to each other rank: the cells that both
  // ranks have or have copies of, in the same order on both sides.
  struct Plan {
    Plan(particles::Problem const& problem,
         particles::Surroundings const& around) {
      int const me    = problem.pes.me;
      auto const mine = numbers_of(problem.boxes, me, around.copied);
      for (int rank = 0; rank < problem.pes.count; ++rank) {
        if (rank == me) continue;
        auto const its =
            numbers_of(problem.boxes, rank,
                       particles::Surroundings(problem.boxes, rank).copied);
        for (auto const& [cell, number] : mine) {
          auto const there = its.find(cell);
          if (there == its.end()) continue;
          auto& routes = cell.pe == rank ? migrants : ghosts;
          routes[rank].push_back({number, there->second, 0});
          ++(cell.pe == me ? incoming_migrants : incoming_ghosts)[rank];
        }
      }
    }

    static std::map<Place, int> numbers_of(particles::Boxes const& boxes,
                                           int rank,
                                           std::vector<Place> const& copied) {
      std::map<Place, int> numbers;
      for (int cell = 0; cell < boxes.box(rank).n_cells(); ++cell)
        numbers[{rank, cell}] = cell;
      int copy = boxes.box(rank).n_cells();
      for (auto const& cell : copied) numbers[cell] = copy++;
      return numbers;
    }

    std::map<int, std::vector<Route>> migrants;
    std::map<int, std::vector<Route>> ghosts;
    std::map<int, std::size_t> incoming_migrants;
    std::map<int, std::size_t> incoming_ghosts;
  };

  Exchange(Plan const& plan, int capacity)
      : m_migrants(plan.migrants, plan.incoming_migrants,
                   static_cast<std::size_t>(capacity), 0),
        m_ghosts(plan.ghosts, plan.incoming_ghosts,
                 static_cast<std::size_t>(capacity), 1) {}

  Messages<Migrant> m_migrants;
  Messages<Ghost> m_ghosts;
};

particles::Solution solve(particles::Problem const& problem) {
  Kokkos::DefaultExecutionSpace const exec;
  auto const& options = problem.options;
  auto const& box     = problem.box;
  particles::Surroundings const around(problem.boxes, problem.pes.me);
  Found const found = particles::on_device(around.found);

  auto const n_cells =
      static_cast<std::size_t>(box.n_cells()) + around.copied.size();
  auto const make_state = [&] {
    return State{Cells("cells", n_cells, options.capacity),
                 Counts("counts", n_cells)};
  };
  State old  = make_state();
  State next = make_state();
  Exchange messages(problem, around);
  particles::Trouble const trouble;

  particles::fill(
      box, problem.boxes.cells(), options.per_cell,
      KOKKOS_LAMBDA(int cell, Particle const& particle) {
        append(old, cell, particle, trouble);
      });
  messages.start_receiving();
  messages.exchange(old, trouble);
  auto const totals = [&] {
    return particles::totals_of(old.cells, old.counts, box, options.dt,
                                CellAt{old, found});
  };
  auto const first = totals();

  Kokkos::Timer timer;
  {
    auto progress = problem.progress();
    for (int n = 1; n <= options.steps; ++n) {
      messages.start_receiving();
      Kokkos::deep_copy(exec, next.counts, 0);
      step(problem, found, old, next, trouble);
      messages.exchange(next, trouble);
      std::swap(old, next);
      trouble.check_sometimes(problem, n);
      progress.step_done(n);
    }
    Kokkos::fence("particles: last step");
  }
  double const seconds = timer.seconds();

  particles::Solution solution{seconds, first, totals(), {}};
  if (!options.picture.empty())
    solution.brightness = particles::brightness_of(old.cells, old.counts, box,
                                                   problem.boxes.cells());
  return solution;
}

}  // namespace

int main(int argc, char* argv[]) {
  MPI_Init(&argc, &argv);
  int status = 0;
  try {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    int rank    = 0;
    int n_ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_ranks);
    status = particles::run(argc, argv, {rank, n_ranks, sum_over_ranks}, solve);
  } catch (std::exception const& error) {
    // This rank may be the only one that is out of memory; the others would
    // wait for it.
    std::fprintf(stderr, "particles_mpi: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return status;
}

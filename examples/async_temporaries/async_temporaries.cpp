// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Tracers that the wind carries across a plane: a time loop in which every
// stage is a temporary View that neighbors read. Each View is created where it
// is needed and destroyed when it is no longer needed. The loop body, step()
// below, is written once and runs twice:
// - with ordinary symmetric Views; creating each View takes a collective call
//   that waits for the PE's kernels;
// - with Views in a pool, which are created and destroyed in stream order: the
//   host enqueues one step after another without waiting for any of them.
//
// The plane is periodic. Its rows are distributed over the PEs. Each tracer has
// its own execution space instance.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <cinttypes>
#include <common/progress.hpp>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "check.hpp"
#include "options.hpp"
#include "plane.hpp"
#include "wave.hpp"

namespace {

using async_temporaries::Field;
using async_temporaries::Flow;
using async_temporaries::Options;
using async_temporaries::Rows;
using async_temporaries::Wave;

using Exec = Kokkos::DefaultExecutionSpace;
// The instance on which a tracer's kernels run. A lane also has its own PE
// team: the barriers of one PE team run one after another, whatever instances
// they are enqueued on, but barriers of different PE teams may overlap.
struct Lane {
  Exec exec;
  symm::PeTeam team;
};

std::vector<Lane> make_lanes(int count) {
  std::vector<Lane> lanes;
  for (auto const& exec : Kokkos::Experimental::partition_space(
           Exec(), std::vector<int>(static_cast<std::size_t>(count), 1))) {
    lanes.push_back({exec, symm::team_split_strided(symm::team_world(), 0, 1,
                                                    symm::n_pes())});
  }
  return lanes;
}

Kokkos::TeamPolicy<Exec> one_team_per_row(Lane const& lane, Rows const& rows) {
  return {lane.exec, rows.count(), Kokkos::AUTO};
}
using Team = Kokkos::TeamPolicy<Exec>::member_type;

// Sets the columns next to the plane after all threads have written their
// columns.
KOKKOS_INLINE_FUNCTION void close_row(Team const& team, Field const& field,
                                      int row, int size) {
  team.team_barrier();
  Kokkos::single(Kokkos::PerTeam(team), [&] {
    field(row, 0)        = field(row, size);
    field(row, size + 1) = field(row, 1);
  });
}

void start(Lane const& lane, Rows const& rows, Wave const& wave,
           Field const& u) {
  int const size  = rows.size;
  int const first = rows.first();
  Kokkos::parallel_for(
      "start", one_team_per_row(lane, rows), KOKKOS_LAMBDA(Team const& team) {
        int const i = team.league_rank();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, 1, size + 1),
                             [&](int j) { u(i, j) = wave(first + i, j - 1); });
        close_row(team, u, i, size);
      });
}

// next = u + the change of each point due to its neighbors in `stage`. Rows on
// other PEs are read in place.
void compute_stage(Lane const& lane, Rows const& rows, Flow const& flow,
                   Field const& next, Field const& u, Field const& stage) {
  auto const everywhere = symm::global_view(stage);
  int const size        = rows.size;
  int const me          = rows.me;
  int const before      = rows.before();
  int const behind      = rows.behind();
  int const last        = rows.count() - 1;
  int const last_before = rows.count_of(before) - 1;
  Kokkos::parallel_for(
      "stage", one_team_per_row(lane, rows), KOKKOS_LAMBDA(Team const& team) {
        int const i        = team.league_rank();
        int const pe_north = i > 0 ? me : before;
        int const north    = i > 0 ? i - 1 : last_before;
        int const pe_south = i < last ? me : behind;
        int const south    = i < last ? i + 1 : 0;
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(team, 1, size + 1), [&](int j) {
              double const n = everywhere(pe_north, north, j);
              double const s = everywhere(pe_south, south, j);
              double const w = stage(i, j - 1);
              double const e = stage(i, j + 1);
              next(i, j)     = u(i, j) + flow.wind_x * (w - e) +
                           flow.wind_y * (n - s) +
                           flow.diffusion * (n + s + w + e - 4 * stage(i, j));
            });
        close_row(team, next, i, size);
      });
}

// A temporary View; it is in a pool if `space` is a pool's space. All PEs
// request equal extents in the same order (rule 1), whatever rows they have.
Field make_field(Lane const& lane, symm::SymmetricSpace const& space,
                 Rows const& rows) {
  return Field(Kokkos::view_alloc(lane.exec, space, Kokkos::WithoutInitializing,
                                  "stage"),
               rows.extents());
}

// A Runge-Kutta step: four stages, from u to the next u.
void step(Lane const& lane, symm::SymmetricSpace const& space, Rows const& rows,
          Flow const& flow, Field& u) {
  Field stage = u;
  for (double const part : {1. / 4, 1. / 3, 1. / 2, 1.}) {
    Field const next = make_field(lane, space, rows);
    compute_stage(
        lane, rows,
        {part * flow.wind_x, part * flow.wind_y, part * flow.diffusion}, next,
        u, stage);
    // This destroys the previous stage (except in the first pass, where that
    // stage is u, which is still needed). The destruction happens in stream
    // order, after the kernel that reads the stage. Neighbors may still be
    // reading the stage, so the pool does not reuse its memory until the next
    // barrier.
    stage = next;
    // Rule 2: neighbors may read a new View after a barrier that follows its
    // construction; here, this barrier also makes them wait for the values.
    // Rule 3: the memory of a destroyed View is reused only after the next
    // barrier. So one barrier is enough, and the pass after the next one can
    // reuse the memory of the View destroyed above.
    symm::barrier(lane.exec, lane.team);
  }
  u = stage;
}

struct Result {
  std::vector<Field> tracers;
  double seconds;
};

// Collective. The first steps, in which a pool grows, are not timed.
constexpr int warm_up = 3;
Result run(Options const& options, std::vector<Lane> const& lanes,
           symm::SymmetricSpace const& space, char const* name) {
  Rows const rows{options.size};
  Flow const flow;
  Result result{std::vector<Field>(lanes.size()), 0};
  auto const step_all = [&] {
    for (std::size_t t = 0; t < lanes.size(); ++t)
      step(lanes[t], space, rows, flow, result.tracers[t]);
  };
  for (std::size_t t = 0; t < lanes.size(); ++t) {
    auto& u = result.tracers[t];
    u       = make_field(lanes[t], space, rows);
    start(lanes[t], rows, Wave::of_tracer(static_cast<int>(t), rows.size), u);
    symm::barrier(lanes[t].exec, lanes[t].team);
  }
  for (int i = 0; i < warm_up; ++i) step_all();
  Kokkos::fence();
  symm::barrier_all();

  if (symm::my_pe() == 0) std::printf("%s:\n", name);
  Kokkos::Timer timer;
  {
    // Counts the steps that the host has enqueued. On a GPU, the host may be
    // several steps ahead of the kernels.
    examples::Progress progress(
        options.steps, 1. * options.size * options.size * options.tracers,
        symm::my_pe() == 0);
    for (int i = 1; i <= options.steps; ++i) {
      step_all();
      progress.step_done(i);
    }
  }
  Kokkos::fence();
  symm::barrier_all();
  result.seconds = timer.seconds();
  if (symm::my_pe() == 0) std::printf("  %.4g s\n", result.seconds);
  return result;
}

// Returns, on every PE, whether the result is correct.
bool compare(Options const& options) {
  auto const lanes    = make_lanes(options.tracers);
  auto const ordinary = run(options, lanes, symm::SymmetricSpace(),
                            "with ordinary symmetric Views");
  symm::UniqueMemPool const pool(symm::MemPoolProperties{});
  auto const pooled =
      run(options, lanes, symm::SymmetricSpace(pool), "with Views in a pool");

  async_temporaries::Check mine;
  for (int t = 0; t < options.tracers; ++t) {
    Rows const rows{options.size};
    auto const expected =
        Wave::of_tracer(t, options.size).after(options.steps + warm_up, Flow{});
    auto const i = static_cast<std::size_t>(t);
    mine.add(t, rows, expected, pooled.tracers[i], ordinary.tracers[i]);
  }
  auto const found = mine.over_pes();

  // Each stage rounds a few times, at values of 1 and less.
  double const most     = 1e-14 + 4e-15 * (options.steps + warm_up);
  bool const is_correct = found.error <= most && found.differ == 0;
  if (symm::my_pe() != 0) return is_correct;
  std::printf("time with a pool / with ordinary Views: %.3f\n",
              pooled.seconds / ordinary.seconds);
  std::printf("%d temporaries a step on %d PEs; the pool took %.1f MiB\n",
              4 * options.tracers, symm::n_pes(),
              static_cast<double>(pool.reserved_high()) / (1 << 20));
  std::printf(
      "%d tracers of %d x %d points, %d steps: max. error %.1e, "
      "%" PRIu64 " values differ, checksum %016" PRIx64 ": %s\n",
      options.tracers, options.size, options.size, options.steps + warm_up,
      found.error, found.differ, found.checksum,
      is_correct ? "correct" : "WRONG");
  return is_correct;
}

int run_program(int argc, char const* const* argv) {
  auto const options = async_temporaries::parse_options(argc, argv);
  if (options.help) {
    if (symm::my_pe() == 0)
      std::fputs(async_temporaries::help_text().c_str(), stdout);
    return 0;
  }
  if (options.size < symm::n_pes())
    throw async_temporaries::UsageError(
        "--size " + std::to_string(options.size) + " is too small for " +
        std::to_string(symm::n_pes()) + " PEs");
  if (symm::team_node().n_pes() != symm::n_pes())
    throw async_temporaries::UsageError(
        "its kernels read rows of other PEs in place, so all PEs must be on "
        "one node; the job has " +
        std::to_string(symm::n_pes()) + " PEs, but PE " +
        std::to_string(symm::my_pe()) + " is on a node with " +
        std::to_string(symm::team_node().n_pes()) + " of them");
  return compare(options) ? 0 : 1;
}

}  // namespace

int main(int argc, char* argv[]) {
  try {
    symm::ScopeGuard const guard(argc, argv);
    try {
      return run_program(argc, argv);
    } catch (async_temporaries::UsageError const& error) {
      if (symm::my_pe() == 0)
        std::fprintf(stderr, "async_temporaries: %s\n", error.what());
      return 2;
    }
  } catch (std::exception const& error) {
    // A collective call fails on all PEs or on none, so no PE is waiting for
    // this one.
    std::fprintf(stderr, "async_temporaries: %s\n", error.what());
    return 1;
  }
}

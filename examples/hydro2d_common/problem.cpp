// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <bit>
#include <cinttypes>
#include <cmath>
#include <common/step_time.hpp>
#include <cstdio>
#include <filesystem>
#include <hydro2d_common/problem.hpp>
#include <hydro2d_common/shock_tube.hpp>
#include <iostream>
#include <string>

namespace hydro2d {
namespace {

/// The relative change in mass that rounding may cause, and the fraction of the
/// energy that the donor-cell scheme may dissipate.
constexpr double rounding    = 1e-11;
constexpr double energy_lost = 0.05;
/// The mean error of the density in a tube must be less than this number times
/// the square root of the cell length.
constexpr double tube_tolerance = 0.2;

struct State {
  double density;
  double pressure;
};
/// The initial state at the center of a cell.
State state_at(Start start, double x, double y) {
  if (start == Start::blast)
    return x * x + y * y < 0.09 ? State{1, 1} : State{0.125, 0.1};
  return (start == Start::tube_x ? x : y) < 0.5 ? State{1, 1}
                                                : State{0.125, 0.1};
}

std::uint64_t mixed(std::uint64_t word) {
  word ^= word >> 31U;
  word *= 0x7FB5D329728EA185U;
  word ^= word >> 27U;
  word *= 0x81DADEF4BC2DD44DU;
  return word ^ (word >> 33U);
}
std::uint64_t hash_of(double value, std::uint64_t place) {
  return mixed(std::bit_cast<std::uint64_t>(value) + mixed(place));
}

auto on_host_of(Field const& field) {
  return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), field);
}

/// The sum is exact, modulo 2^64: the halves of words are integers that a
/// double can represent.
std::uint64_t sum_of_words(Pes const& pes, std::uint64_t mine) {
  auto const low  = pes.sum(static_cast<double>(mine & 0xFFFF'FFFFU));
  auto const high = pes.sum(static_cast<double>(mine >> 32U));
  return static_cast<std::uint64_t>(low) +
         (static_cast<std::uint64_t>(high) << 32U);
}

Totals over_pes(Pes const& pes, Totals const& mine) {
  return {pes.sum(mine.mass), pes.sum(mine.energy),
          sum_of_words(pes, mine.checksum), pes.sum(mine.tube_error)};
}

double n_cells(Options const& options) {
  return 1.0 * options.size[0] * options.size[1];
}

/// Collective. Prints the report on PE 0. Returns, on every PE, whether the
/// result is correct.
bool report(Problem const& problem, Solution const& solution) {
  auto const& options = problem.options;
  auto const first    = over_pes(problem.pes, solution.first);
  auto const last     = over_pes(problem.pes, solution.last);
  double const mass   = last.mass / first.mass - 1;
  double const energy = last.energy / first.energy - 1;
  bool const is_tube =
      options.start != Start::blast && solution.time < tube_ends;
  std::size_t const axis = options.start == Start::tube_x ? 0 : 1;
  double const bound     = tube_tolerance / std::sqrt(options.size[axis]);
  bool const is_correct  = std::abs(mass) <= rounding && energy <= rounding &&
                          energy >= -energy_lost &&
                          (!is_tube || last.tube_error <= bound);
  if (problem.pes.me != 0 || (options.quiet && is_correct)) return is_correct;
  std::printf("%s, %.1f million cell updates/s\n",
              examples::step_time_text(solution.seconds, options.steps).c_str(),
              n_cells(options) * options.steps /
                  std::max(solution.seconds, 1e-9) * 1e-6);
  std::printf("at time %.6f: mass %+.1e, energy %+.1e of what they were\n",
              solution.time, mass, energy);
  if (is_tube)
    std::printf("mean error of the density: %.2e, at most %.2e\n",
                last.tube_error, bound);
  std::printf("checksum: %016" PRIx64 ": %s\n", last.checksum,
              is_correct ? "correct" : "WRONG");
  std::fflush(stdout);
  return is_correct;
}

void announce(std::string const& program, Problem const& problem) {
  auto const& grid = problem.grid;
  std::printf("%s: %dx%d cells, %d steps, %d PE%s as %dx%d\n", program.c_str(),
              grid.size[0], grid.size[1], problem.options.steps,
              problem.pes.count, problem.pes.count == 1 ? "" : "s",
              grid.pe_grid[0], grid.pe_grid[1]);
  std::fflush(stdout);
}

}  // namespace

Problem::Problem(Options const& its_options, Pes const& its_pes)
    : options(its_options),
      pes(its_pes),
      grid(options, pes.me, pes.count),
      cell(options.size) {}

examples::Progress Problem::progress() const {
  return {options.steps, n_cells(options), pes.me == 0 && !options.quiet};
}

void start(Problem const& problem, Fields const& fields) {
  auto const rho   = on_host_of(fields[density]);
  auto const e     = on_host_of(fields[energy]);
  auto const& grid = problem.grid;
  for (int i = 0; i < grid.owned[0]; ++i)
    for (int j = 0; j < grid.owned[1]; ++j) {
      auto const state          = state_at(problem.options.start,
                                           (grid.first[0] + i + 0.5) * problem.cell.dx,
                                           (grid.first[1] + j + 0.5) * problem.cell.dy);
      rho(i + width, j + width) = state.density;
      e(i + width, j + width) =
          state.pressure / ((gamma_of_gas - 1) * state.density);
    }
  Kokkos::deep_copy(fields[density], rho);
  Kokkos::deep_copy(fields[energy], e);
}

Totals totals_of(Problem const& problem, Fields const& fields, double time) {
  auto const rho = on_host_of(fields[density]), e = on_host_of(fields[energy]),
             u     = on_host_of(fields[velocity_x]),
             v     = on_host_of(fields[velocity_y]);
  auto const& grid = problem.grid;
  Totals totals;
  for (int i = width; i < width + grid.owned[0]; ++i)
    for (int j = width; j < width + grid.owned[1]; ++j) {
      double const mass = rho(i, j) * problem.cell.volume();
      double motion     = 0;  // from the nodes at the corners
      for (int n = 0; n < 4; ++n) {
        int const a = i + n / 2, b = j + n % 2;
        motion += 0.25 * (u(a, b) * u(a, b) + v(a, b) * v(a, b));
      }
      totals.mass += mass;
      totals.energy += mass * (e(i, j) + 0.5 * motion);
      int const x = grid.first[0] + i - width, y = grid.first[1] + j - width;
      auto const place = static_cast<std::uint64_t>(x) *
                             static_cast<std::uint64_t>(grid.size[1]) +
                         static_cast<std::uint64_t>(y);
      totals.checksum +=
          hash_of(rho(i, j), 4 * place) + hash_of(e(i, j), 4 * place + 1) +
          hash_of(u(i, j), 4 * place + 2) + hash_of(v(i, j), 4 * place + 3);
      double const along = problem.options.start == Start::tube_x
                               ? (x + 0.5) * problem.cell.dx
                               : (y + 0.5) * problem.cell.dy;
      totals.tube_error += std::abs(rho(i, j) - tube_density(along, time)) *
                           problem.cell.volume();
    }
  return totals;
}

int run(int argc, char* argv[], Pes const& pes,
        Solution (*solve)(Problem const& problem)) {
  auto const program = std::filesystem::path(argv[0]).filename().string();
  try {
    auto const options = parse_options(argc, argv);
    if (options.help) {
      if (pes.me == 0) std::cout << help_text(program) << std::flush;
      return 0;
    }
    Problem const problem(options, pes);
    if (pes.me == 0 && !options.quiet) announce(program, problem);
    return report(problem, solve(problem)) ? 0 : 1;
  } catch (UsageError const& error) {
    if (pes.me == 0)
      std::cerr << program << ": " << error.what() << " (see --help)\n";
    return 2;
  }
}

}  // namespace hydro2d

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cmath>
#include <common/image.hpp>
#include <common/step_time.hpp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <particles_common/problem.hpp>
#include <string>

namespace particles {
namespace {

/// The largest allowed relative change in energy from the initial value.
constexpr double energy_tolerance = 1e-3;

Triple triple(Options::Numbers const& numbers) {
  return {numbers[0], numbers[1], numbers[2]};
}

Triple pe_grid_of(Options const& options, int n_pes) {
  if (!options.pe_grid) return choose_pe_grid(triple(options.cells), n_pes);
  auto const grid = triple(*options.pe_grid);
  if (1.0 * grid[0] * grid[1] * grid[2] != n_pes)
    throw UsageError("--pe-grid " + to_string(grid) +
                     " does not match the number of PEs, " +
                     std::to_string(n_pes));
  return grid;
}

double number_of_particles(Options const& options) {
  return 1.0 * options.cells[0] * options.cells[1] * options.cells[2] *
         options.per_cell;
}

void announce(std::string const& program, Problem const& problem) {
  auto const& options = problem.options;
  std::printf(
      "%s: %.0f particles in %s cells, %d steps of %.3g, %d PE%s as %s\n",
      program.c_str(), number_of_particles(options),
      to_string(options.cells).c_str(), options.steps, options.dt,
      problem.pes.count, problem.pes.count == 1 ? "" : "s",
      to_string(problem.boxes.pe_grid()).c_str());
  std::fflush(stdout);
}

/// Collective. Prints the report on PE 0. Returns, on every PE, whether the
/// result is correct.
bool report(Problem const& problem, Solution const& solution) {
  auto const& options = problem.options;
  auto const first    = problem.over_pes(solution.first);
  auto const last     = problem.over_pes(solution.last);

  auto const is_kept = [&](int word) {
    return first.words[word] == last.words[word];
  };
  auto const expected =
      static_cast<std::uint64_t>(number_of_particles(options));
  bool const number_is_kept =
      is_kept(Totals::particles) && last.words[Totals::particles] == expected;
  bool const momentum_is_kept = is_kept(Totals::momentum) &&
                                is_kept(Totals::momentum + 1) &&
                                is_kept(Totals::momentum + 2);
  auto const energy_of = [](Totals const& totals) {
    return static_cast<double>(
               static_cast<std::int64_t>(totals.words[Totals::energy])) *
           0x1p-32;
  };
  double const energy       = energy_of(first);
  double const change       = (energy_of(last) - energy) / energy;
  bool const energy_is_kept = std::abs(change) <= energy_tolerance;
  bool const is_correct = number_is_kept && momentum_is_kept && energy_is_kept;

  if (problem.pes.me == 0 && !(options.quiet && is_correct)) {
    std::printf(
        "%s, %.2f million particles/s\n",
        examples::step_time_text(solution.seconds, options.steps).c_str(),
        number_of_particles(options) * options.steps /
            std::max(solution.seconds, 1e-9) * 1e-6);
    std::printf("number of particles: %s; momentum: %s; energy: %s\n",
                number_is_kept ? "kept" : "WRONG",
                momentum_is_kept ? "kept to the last bit" : "WRONG",
                energy_is_kept ? "kept" : "WRONG");
    std::printf("energy: %.8g, relative change %.1e, checksum: %016" PRIx64
                ": %s\n",
                energy_of(last), change, last.words[Totals::checksum],
                is_correct ? "correct" : "WRONG");
    std::fflush(stdout);
  }
  return is_correct;
}

/// The second axis points up and the third to the right. A small picture is
/// enlarged.
examples::Image image_of(std::vector<std::uint64_t> const& brightness,
                         Triple const& cells) {
  int const height = cells[1] * pixels_per_cell;
  int const width  = cells[2] * pixels_per_cell;
  int const zoom   = std::max(1, 512 / std::max(height, width));
  auto const largest =
      std::max(*std::max_element(brightness.begin(), brightness.end()),
               std::uint64_t{1});
  examples::Image image;
  image.height  = static_cast<std::size_t>(height * zoom);
  image.width   = static_cast<std::size_t>(width * zoom);
  image.palette = examples::heat_palette();
  for (int row = height * zoom - 1; row >= 0; --row)
    for (int column = 0; column < width * zoom; ++column) {
      auto const pixel = brightness[static_cast<std::size_t>(
          row / zoom * width + column / zoom)];
      // Uses the square root, so that slow particles are visible, too.
      image.pixels.push_back(static_cast<std::uint8_t>(
          255 * std::sqrt(static_cast<double>(pixel) /
                          static_cast<double>(largest))));
    }
  return image;
}

/// Collective; on PE 0, `file` is open.
/// \returns on every PE, whether the file could be written.
bool write_picture(Problem const& problem, Solution const& solution,
                   std::ofstream& file) {
  auto const& name = problem.options.picture;
  auto brightness  = solution.brightness;
  problem.pes.sum(brightness.data(), static_cast<int>(brightness.size()));
  std::uint64_t failed = 0;
  if (problem.pes.me == 0) {
    errno = 0;
    examples::write_image(file, image_of(brightness, problem.boxes.cells()),
                          name);
    file.close();
    if (!file) {
      std::cerr << "writing '" << name << "' failed: " << std::strerror(errno)
                << '\n';
      failed = 1;
    }
  }
  problem.pes.sum(&failed, 1);
  return failed == 0;
}

/// Collective; opens the picture file on PE 0, before the run starts.
/// \returns on every PE, whether this succeeded or was unnecessary.
bool open_picture(Problem const& problem, std::ofstream& file) {
  auto const& name     = problem.options.picture;
  std::uint64_t failed = 0;
  if (problem.pes.me == 0 && !name.empty()) {
    errno = 0;
    file.open(name, std::ios::binary | std::ios::trunc);
    if (!file) {
      std::cerr << "cannot write '" << name << "': " << std::strerror(errno)
                << '\n';
      failed = 1;
    }
  }
  problem.pes.sum(&failed, 1);
  return failed == 0;
}

}  // namespace

Problem::Problem(Options const& the_options, Pes const& the_pes)
    : options(the_options),
      pes(the_pes),
      boxes(triple(options.cells), pe_grid_of(options, pes.count)),
      box(boxes.box(pes.me)) {}

examples::Progress Problem::progress() const {
  return {options.steps, number_of_particles(options),
          pes.me == 0 && !options.quiet, "particles"};
}

Totals Problem::over_pes(Totals totals) const {
  pes.sum(totals.words, Totals::size);
  return totals;
}

void Trouble::check(Problem const& problem, int step) const {
  auto const counts =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, m_counts);
  std::uint64_t words[] = {counts(0), counts(1)};
  problem.pes.sum(words, 2);
  auto const by_then = " by step " + std::to_string(step);
  auto const options = problem.options;
  if (words[0] != 0)
    throw LostParticles(
        std::to_string(words[0]) + " particles found their new cell full" +
        by_then + ": it has room for " + std::to_string(options.capacity) +
        "; use a larger --capacity");
  if (words[1] != 0)
    throw LostParticles(std::to_string(words[1]) +
                        " times a particle moved by more than a cell" +
                        by_then + "; use a --dt smaller than " +
                        std::to_string(options.dt));
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
    std::ofstream picture;
    if (!open_picture(problem, picture)) return 1;

    if (pes.me == 0 && !options.quiet) announce(program, problem);
    auto const solution = solve(problem);
    bool is_correct     = report(problem, solution);
    if (!options.picture.empty())
      is_correct = write_picture(problem, solution, picture) && is_correct;
    return is_correct ? 0 : 1;
  } catch (UsageError const& error) {
    if (pes.me == 0)
      std::cerr << program << ": " << error.what() << "; see --help\n";
    return 2;
  } catch (LostParticles const& error) {
    if (pes.me == 0) std::cerr << program << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace particles

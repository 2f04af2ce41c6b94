// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_HALO_SIGNALS_PLATE_HPP
#define SYMM_EXAMPLES_HALO_SIGNALS_PLATE_HPP

// Everything except the exchange: the plate and the rows of each PE, the update
// of a point, and the exact solution.

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "options.hpp"

namespace halo {

using Exec  = Kokkos::DefaultExecutionSpace;
using Field = Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;

/// A PE that has the rows right above or below mine.
struct Neighbor {
  symm::Pe pe;
  int row;     ///< my row that the neighbor needs
  int ghost;   ///< the row in the neighbor's View where my row belongs
  int signal;  ///< the neighbor's signal that my row has arrived
};

/// This PE's rows of a plate: rows 1 to `own` of its Views, between two ghost
/// rows. The neighbor above raises a PE's signal 0, and the neighbor below
/// raises signal 1.
struct Strip {
  int plate;
  symm::PeTeam team;  ///< the PEs of the plate, from top to bottom
  int size;           ///< number of points of the plate per axis
  int first;          ///< number, in the plate, of the row above mine
  int own;            ///< number of my rows
  int most;           ///< largest number of rows on any PE
  std::vector<Neighbor> neighbors;

  /// Collective: splits all PEs into one PE team per plate.
  /// \throws UsageError on every PE if there are too many PEs or plates.
  explicit Strip(Options const& options) : size(options.size) {
    int const me     = symm::my_pe();
    int const n_pes  = symm::n_pes();
    int const plates = options.plates > 0 ? options.plates : std::min(2, n_pes);
    int const fewest = n_pes / plates;
    if (fewest == 0)
      throw UsageError("--plates " + std::to_string(plates) +
                       ": each plate needs a PE, but the number of PEs is " +
                       std::to_string(n_pes));
    if (size < fewest + (n_pes % plates != 0 ? 1 : 0))
      throw UsageError("--size " + std::to_string(size) +
                       ": a plate has more PEs than rows");
    plate = static_cast<int>(std::int64_t{me} * plates / n_pes);
    team  = symm::team_split(symm::team_world(), plate, me);
    most  = (size + fewest - 1) / fewest;

    int const place = team.my_pe();
    first           = begin(place);
    own             = begin(place + 1) - first;
    if (place > 0)
      neighbors.push_back({team.world_pe(place - 1), 1,
                           begin(place) - begin(place - 1) + 1, 1});
    if (place + 1 < team.n_pes())
      neighbors.push_back({team.world_pe(place + 1), own, 0, 0});
  }

  /// The signals that my neighbors raise here, one per neighbor.
  template <class Signals>
  auto raised_here(Signals const& signals) const {
    bool const has_above = team.my_pe() > 0;
    auto const n         = static_cast<int>(neighbors.size());
    int const from       = has_above ? 0 : 1;
    return Kokkos::subview(signals, Kokkos::pair<int, int>(from, from + n));
  }

 private:
  int begin(int place) const {
    return static_cast<int>(std::int64_t{place} * size / team.n_pes());
  }
};

using Member = Kokkos::TeamPolicy<Exec>::member_type;

/// Sets each point in `count` rows, starting at `first` with stride `stride`,
/// to the mean of its four neighbors.
inline void update(Field const& u_old, Field const& u_new, int size, int first,
                   int stride, int count) {
  if (count <= 0) return;
  Kokkos::parallel_for(
      "halo: update", Kokkos::TeamPolicy<Exec>(count, Kokkos::AUTO),
      KOKKOS_LAMBDA(Member const& member) {
        int const i = first + stride * member.league_rank();
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(member, 1, size + 1), [&](int j) {
              u_new(i, j) = 0.25 * ((u_old(i - 1, j) + u_old(i + 1, j)) +
                                    (u_old(i, j - 1) + u_old(i, j + 1)));
            });
      });
}

/// A sine mode keeps its shape: each step multiplies it by decay().
struct Mode {
  int along_i;
  int along_j;
  int size;

  explicit Mode(Strip const& strip)
      : along_i(1 + strip.plate % 3), along_j(1), size(strip.size) {}
  KOKKOS_FUNCTION double operator()(int row, int column) const {
    double const h = Kokkos::numbers::pi / (size + 1);
    // (Rows 0 and size + 1 are the boundary, where the sine would not be
    // exactly 0, because pi is rounded.)
    if (row == 0 || row == size + 1) return 0;
    if (column == 0 || column == size + 1) return 0;
    return Kokkos::sin(along_i * h * row) * Kokkos::sin(along_j * h * column);
  }
  double decay() const {
    double const h = Kokkos::numbers::pi / (size + 1);
    return (std::cos(along_i * h) + std::cos(along_j * h)) / 2;
  }
};

/// Sets my rows and the ghost rows, so that nothing needs to be exchanged at
/// the start.
inline void start(Field const& u, Strip const& strip) {
  Mode const mode(strip);
  int const first = strip.first;
  Kokkos::parallel_for(
      "halo: start",
      Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>>(
          {0, 0}, {strip.own + 2, strip.size + 2}),
      KOKKOS_LAMBDA(int i, int j) { u(i, j) = mode(first + i, j); });
}

struct Check {
  double error           = 0;
  std::uint64_t checksum = 0;  ///< over the bits of all points, each with its
                               ///< own weight
};

/// Compares my rows with the exact solution.
inline Check check(Field const& u, Strip const& strip, int steps) {
  Mode const mode(strip);
  double const amplitude = std::pow(mode.decay(), steps);
  auto const points =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, u);
  Check result;
  for (int i = 1; i <= strip.own; ++i)
    for (int j = 1; j <= strip.size; ++j) {
      int const row    = strip.first + i;
      auto const where = std::int64_t{row} * strip.size + j;
      double distance  = std::abs(points(i, j) - amplitude * mode(row, j));
      if (std::isnan(distance))
        distance = Kokkos::Experimental::infinity_v<double>;
      result.error = std::max(result.error, distance);
      result.checksum += std::bit_cast<std::uint64_t>(points(i, j)) *
                         static_cast<std::uint64_t>(2 * where + 1);
    }
  return result;
}

}  // namespace halo

#endif

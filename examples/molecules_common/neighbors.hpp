// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_MOLECULES_NEIGHBORS_HPP
#define SYMM_EXAMPLES_MOLECULES_NEIGHBORS_HPP

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <molecules_common/atoms.hpp>

namespace molecules {

/// Atoms and ghosts, sorted into a grid of bins that are half a range long.
struct Bins {
  struct Item {
    double x[3];
    std::int64_t atom;
  };

  Bins(Vector const& lower, Vector const& upper, double range)
      : side(0.5001 * range) {
    for (int axis = 0; axis < 3; ++axis) {
      begin[axis] = lower[axis] - range;
      extent[axis] =
          static_cast<int>((upper[axis] + range - begin[axis]) / side) + 1;
    }
    firsts = Kokkos::View<int*>("firsts of bins", n_bins() + 2);
  }

  int n_bins() const { return extent[0] * extent[1] * extent[2]; }
  KOKKOS_FUNCTION int place(double x, int axis) const {
    int const at = static_cast<int>((x - begin[axis]) / side);
    return Kokkos::clamp(at, 0, extent[axis] - 1);
  }
  KOKKOS_FUNCTION int bin(Vectors const& x, int i) const {
    return (place(x(i, 0), 0) * extent[1] + place(x(i, 1), 1)) * extent[2] +
           place(x(i, 2), 2);
  }

  double side;
  Vector begin{};
  Triple extent{};
  Kokkos::View<int*> firsts;  ///< where the items of bin b begin; they end
                              ///< where the next bin begins
  Kokkos::View<Item*> items{"items of bins", 0};
};

/// Counting sort.
inline void fill(Bins& bins, Atoms const& atoms) {
  int const n = atoms.n_all();
  if (bins.items.extent_int(0) < n)
    Kokkos::realloc(bins.items, static_cast<std::size_t>(n + n / 8));
  auto const to     = bins;
  auto const x      = atoms.x;
  auto const firsts = bins.firsts;
  Kokkos::deep_copy(firsts, 0);
  Kokkos::parallel_for(
      "molecules: count", Kokkos::RangePolicy<Exec>(0, n),
      KOKKOS_LAMBDA(int i) { Kokkos::atomic_inc(&firsts(to.bin(x, i) + 2)); });
  Kokkos::parallel_scan(
      "molecules: firsts", Kokkos::RangePolicy<Exec>(0, bins.n_bins() + 2),
      KOKKOS_LAMBDA(int b, int& sum, bool is_final) {
        sum += firsts(b);
        if (is_final) firsts(b) = sum;
      });
  // Until all items are placed, firsts(b + 1) is the place of the next item of
  // bin b.
  Kokkos::parallel_for(
      "molecules: sort", Kokkos::RangePolicy<Exec>(0, n), KOKKOS_LAMBDA(int i) {
        int const k = Kokkos::atomic_fetch_add(&firsts(to.bin(x, i) + 1), 1);
        to.items(k) = {{x(i, 0), x(i, 1), x(i, 2)}, i};
      });
}

/// The neighbors of atom i: atoms and ghosts within the range that have a
/// larger index. Each pair is therefore in the list once.
struct NeighborList {
  Kokkos::View<int*> counts{"counts of neighbors", 0};
  Kokkos::View<int**> neighbors{"neighbors", 0, 40};
};

/// \returns the largest number of neighbors of any atom; the lists are complete
///          if they have room for this number.
inline int find_neighbors(NeighborList const& list, Bins const& bins,
                          Atoms const& atoms, double range) {
  int most = 0;
  Kokkos::parallel_reduce(
      "molecules: neighbors", Kokkos::RangePolicy<Exec>(0, atoms.n_owned),
      KOKKOS_LAMBDA(int i, int& max_here) {
        int const room    = list.neighbors.extent_int(1);
        double const at[] = {atoms.x(i, 0), atoms.x(i, 1), atoms.x(i, 2)};
        int first[3];
        int last[3];
        for (int axis = 0; axis < 3; ++axis) {
          int const place = bins.place(at[axis], axis);
          first[axis]     = Kokkos::max(place - 2, 0);
          last[axis]      = Kokkos::min(place + 2, bins.extent[axis] - 1);
        }
        int count = 0;
        for (int a = first[0]; a <= last[0]; ++a)
          for (int b = first[1]; b <= last[1]; ++b) {
            int const row = (a * bins.extent[1] + b) * bins.extent[2];
            int const end = bins.firsts(row + last[2] + 1);
            for (int k = bins.firsts(row + first[2]); k < end; ++k) {
              auto const& item = bins.items(k);
              double square    = 0;
              for (int axis = 0; axis < 3; ++axis) {
                double const d = at[axis] - item.x[axis];
                square += d * d;
              }
              // Stored unconditionally, to avoid a branch, and then kept or
              // overwritten.
              if (count < room)
                list.neighbors(i, count) = static_cast<int>(item.atom);
              int const is_near  = square < range * range ? 1 : 0;
              int const is_later = item.atom > i ? 1 : 0;
              count += is_near & is_later;
            }
          }
        list.counts(i) = count;
        max_here       = Kokkos::max(max_here, count);
      },
      Kokkos::Max<int>(most));
  return most;
}

inline void build(NeighborList& list, Bins& bins, Atoms const& atoms,
                  double range) {
  fill(bins, atoms);
  auto const n    = static_cast<std::size_t>(atoms.n_owned);
  auto const rows = n + n / 8;
  if (list.counts.extent(0) < n) {
    Kokkos::realloc(list.counts, rows);
    Kokkos::realloc(Kokkos::WithoutInitializing, list.neighbors, rows,
                    list.neighbors.extent(1));
  }
  int const most = find_neighbors(list, bins, atoms, range);
  if (most <= list.neighbors.extent_int(1)) return;
  // Atoms that came from other PEs have more neighbors with later indices.
  Kokkos::realloc(Kokkos::WithoutInitializing, list.neighbors,
                  list.neighbors.extent(0),
                  static_cast<std::size_t>(most + most / 2));
  find_neighbors(list, bins, atoms, range);
}

}  // namespace molecules

#endif

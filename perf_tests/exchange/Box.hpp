// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_BOX_HPP
#define SYMM_PERF_BOX_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <cstddef>
#include <cstdint>

namespace perf {

using Index = int;
template <class Space>
using Field     = Kokkos::View<double***, Kokkos::LayoutRight, Space>;
using SymmField = Field<symm::SymmetricSpace>;
using Execution = SymmField::execution_space;
/// A private field of this PE, in the same kind of memory.
using PrivateField = Field<Execution::memory_space>;
/// Memory that both kernels and MPI can access.
using Message = Field<Kokkos::SharedHostPinnedSpace>;
/// The second index is the one that is contiguous in memory, if either is.
using Face = Kokkos::MDRangePolicy<
    Execution, Kokkos::Rank<2, Kokkos::Iterate::Right, Kokkos::Iterate::Right>,
    Kokkos::IndexType<Index>>;

struct Ring {
  int me;
  int low;   ///< the PE at the side of index 1
  int high;  ///< the PE at the side of index `edge`
};

/// The element at (a, b) within layer `layer` along the axis.
template <int Axis, class View>
KOKKOS_FUNCTION double& element(View const& view, Index layer, Index a,
                                Index b) {
  if constexpr (Axis == 0) return view(layer, a, b);
  if constexpr (Axis == 1) return view(a, layer, b);
  if constexpr (Axis == 2) return view(a, b, layer);
}

template <int Axis, class Global>
KOKKOS_FUNCTION double& element_on(Global const& global, int pe, Index layer,
                                   Index a, Index b) {
  if constexpr (Axis == 0) return global(pe, layer, a, b);
  if constexpr (Axis == 1) return global(pe, a, layer, b);
  if constexpr (Axis == 2) return global(pe, a, b, layer);
}

/// A value that differs for every PE, element and step parity.
KOKKOS_INLINE_FUNCTION double value(int pe, int parity, Index i, Index j,
                                    Index k) {
  return (pe * 2 + parity) * 16'777'216.0 + (i * 256.0 + j) * 256.0 + k;
}

template <class View>
void fill_interior(View const& view, Index edge, int pe, int parity) {
  using Interior = Kokkos::MDRangePolicy<Execution, Kokkos::Rank<3>,
                                         Kokkos::IndexType<Index>>;
  Kokkos::parallel_for(
      "fill", Interior({1, 1, 1}, {edge + 1, edge + 1, edge + 1}),
      KOKKOS_LAMBDA(Index i, Index j, Index k) {
        view(i, j, k) = value(pe, parity, i, j, k);
      });
  Kokkos::fence();
}

/// Two boxes of edge^3 elements, each surrounded by a ghost layer. A solver
/// alternates between them: it reads one and writes the other.
template <class View>
[[nodiscard]] std::array<View, 2> make_fields(Index edge, int pe) {
  auto const extent = static_cast<std::size_t>(edge) + 2;
  std::array<View, 2> fields{View("even", extent, extent, extent),
                             View("odd", extent, extent, extent)};
  fill_interior(fields[0], edge, pe, 0);
  fill_interior(fields[1], edge, pe, 1);
  return fields;
}

/// Counts the elements that differ between a layer of one View and a layer of
/// another.
template <int Axis, class View>
std::int64_t count_differences(View const& view, Index layer,
                               PrivateField const& other, Index other_layer,
                               Index edge) {
  std::int64_t different = 0;
  Kokkos::parallel_reduce(
      "compare", Face({1, 1}, {edge + 1, edge + 1}),
      KOKKOS_LAMBDA(Index a, Index b, std::int64_t & sum) {
        sum += element<Axis>(view, layer, a, b) !=
                       element<Axis>(other, other_layer, a, b)
                   ? 1
                   : 0;
      },
      different);
  return different;
}

template <int Axis, class View>
std::int64_t count_wrong_ghosts(View const& view, Index edge, Ring const& ring,
                                int parity) {
  PrivateField const expected("expected", view.extent(0), view.extent(1),
                              view.extent(2));
  fill_interior(expected, edge, ring.low, parity);
  std::int64_t const wrong =
      count_differences<Axis>(view, 0, expected, edge, edge);
  fill_interior(expected, edge, ring.high, parity);
  return wrong + count_differences<Axis>(view, edge + 1, expected, 1, edge);
}

/// The number of wrong ghost elements in both fields, after at least two steps.
template <int Axis, class View>
std::int64_t count_wrong_ghosts(std::array<View, 2> const& fields, Index edge,
                                Ring const& ring) {
  return count_wrong_ghosts<Axis>(fields[0], edge, ring, 0) +
         count_wrong_ghosts<Axis>(fields[1], edge, ring, 1);
}

}  // namespace perf

#endif

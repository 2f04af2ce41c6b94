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
using HostField = Field<Kokkos::HostSpace>;
using Execution = SymmField::execution_space;
using Face =
    Kokkos::MDRangePolicy<Execution, Kokkos::Rank<2>, Kokkos::IndexType<Index>>;

struct Ring {
  int me;
  int low;   ///< the PE at the side of index 1
  int high;  ///< the PE at the side of index `edge`
};

/// The element of layer `layer` of the axis, at (a, b) within the layer.
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

/// Unlike for every PE, element, and step parity.
KOKKOS_INLINE_FUNCTION double value(int pe, int parity, Index i, Index j,
                                    Index k) {
  return (pe * 2 + parity) * 16'777'216.0 + (i * 256.0 + j) * 256.0 + k;
}

template <class View>
void fill_interior(View const& view, Index edge, int pe, int parity) {
  for (Index i = 1; i <= edge; ++i)
    for (Index j = 1; j <= edge; ++j)
      for (Index k = 1; k <= edge; ++k)
        view(i, j, k) = value(pe, parity, i, j, k);
}

/// Two boxes of edge^3 elements with a ghost layer around them. A solver uses
/// them in turn: it reads one and writes the other.
template <class View>
[[nodiscard]] std::array<View, 2> make_fields(Index edge, int pe) {
  auto const extent = static_cast<std::size_t>(edge) + 2;
  std::array<View, 2> fields{View("even", extent, extent, extent),
                             View("odd", extent, extent, extent)};
  fill_interior(fields[0], edge, pe, 0);
  fill_interior(fields[1], edge, pe, 1);
  return fields;
}

template <int Axis, class View>
std::int64_t count_wrong_ghosts(View const& view, Index edge, Ring const& ring,
                                int parity) {
  Kokkos::View<double***, Kokkos::LayoutRight, Kokkos::HostSpace> const
      expected("expected", view.extent(0), view.extent(1), view.extent(2));
  std::int64_t wrong = 0;
  auto const check   = [&](Index ghost, int from, Index layer) {
    fill_interior(expected, edge, from, parity);
    for (Index a = 1; a <= edge; ++a)
      for (Index b = 1; b <= edge; ++b)
        wrong += element<Axis>(view, ghost, a, b) !=
                         element<Axis>(expected, layer, a, b)
                       ? 1
                       : 0;
  };
  check(0, ring.low, edge);
  check(edge + 1, ring.high, 1);
  return wrong;
}

/// Wrong ghosts of both fields, after at least two steps.
template <int Axis, class View>
std::int64_t count_wrong_ghosts(std::array<View, 2> const& fields, Index edge,
                                Ring const& ring) {
  return count_wrong_ghosts<Axis>(fields[0], edge, ring, 0) +
         count_wrong_ghosts<Axis>(fields[1], edge, ring, 1);
}

}  // namespace perf

#endif

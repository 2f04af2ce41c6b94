// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DISTRIBUTED_PARTS_OF_PES_HPP
#define SYMM_DISTRIBUTED_PARTS_OF_PES_HPP

#include <cstddef>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../../runtime/symm_job.hpp"
#include "Distributions.hpp"

// Specializations that allow a DistributedView to be passed to peer_view(),
// remote_view() and other functions that work on the Views of all PEs.

namespace symm {

template <class View, class Distribution>
class DistributedView;

namespace Impl {

template <class View, class Distribution>
inline constexpr bool is_view_of_pes_v<DistributedView<View, Distribution>> =
    true;

/// Strides are equal on all PEs; the number of rows on each PE is computed.
template <class View, class Distribution>
class ExtentsOfPes<DistributedView<View, Distribution>> {
 public:
  static constexpr bool are_equal = false;

  ExtentsOfPes() = default;
  KOKKOS_FUNCTION explicit ExtentsOfPes(
      DistributedView<View, Distribution> const& view)
      : m_rows(view.row_map()) {}

  KOKKOS_FUNCTION static View const& whole(
      DistributedView<View, Distribution> const& view) {
    return view.allocated();
  }

  template <class Whole>
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(Whole const& whole, Pe pe,
                                                   std::size_t r) const {
    return r == 0 ? m_rows.count(pe) : whole.extent(r);
  }
  template <class Whole>
  [[nodiscard]] KOKKOS_FUNCTION Whole part_of(Whole const& whole, Pe pe) const {
    return first_of_view<0>(whole, m_rows.count(pe));
  }

 private:
  RowMap<Distribution> m_rows;
};

}  // namespace Impl

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_EXAMPLES_ASYNC_TEMPORARIES_PLANE_HPP
#define SYMM_EXAMPLES_ASYNC_TEMPORARIES_PLANE_HPP

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>

namespace async_temporaries {

/// The values on this PE's rows. Next to the first and the last column, there
/// is a copy of the column at the opposite end.
using Field = Kokkos::View<double**, Kokkos::LayoutRight, symm::SymmetricSpace>;

/// The rows of the plane on this PE. The first PEs may have one row more than
/// the others.
struct Rows {
  int size;  ///< number of rows on all PEs, and of columns
  int n_pes = symm::n_pes();
  int me    = symm::my_pe();

  int first_of(int pe) const {
    return pe * (size / n_pes) + std::min(pe, size % n_pes);
  }
  int count_of(int pe) const { return first_of(pe + 1) - first_of(pe); }
  int first() const { return first_of(me); }
  int count() const { return count_of(me); }
  int before() const { return (me + n_pes - 1) % n_pes; }
  int behind() const { return (me + 1) % n_pes; }

  /// The extents of a Field with room for any PE's rows.
  Kokkos::LayoutRight extents() const {
    return Kokkos::LayoutRight(static_cast<std::size_t>(count_of(0)),
                               static_cast<std::size_t>(size) + 2);
  }
};

}  // namespace async_temporaries

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_POINT_COPIES_HPP
#define SYMM_EXCHANGE_POINT_COPIES_HPP

#include <vector>

#include "../../runtime/symm_job.hpp"
#include "BoxesOfPe.hpp"
#include "CheckedBoxes.hpp"
#include "ExchangeLists.hpp"

namespace symm::Impl {

/// The points in a PE's boxes that are copies, and each point's owner.
struct PointCopies {
  std::vector<ElementIndex> elements;  // index on the owner
  std::vector<Pe> pes;                 // the owner
  std::vector<ElementIndex> places;    // index on this PE
};

/// Finds the owner of each point that this PE holds as a copy.
/// \param all the boxes of all PEs.
/// \param me this PE's index in `all`.
[[nodiscard]] PointCopies copies_of_points(CheckedBoxes const& mine,
                                           std::vector<BoxesOfPe> const& all,
                                           Pe me);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_STRIDEDALLTOALLWORK_HPP
#define SYMM_COLLECTIVES_STRIDEDALLTOALLWORK_HPP

#include <cstddef>

#include "../access/GroupOperations.hpp"
#include "../access/StridedCopy.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../memory/HeapMap.hpp"
#include "../teams/PeTeam.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveWork.hpp"

namespace symm::Impl {

/// alltoalls(): an alltoall() with strided elements.
template <class T>
struct StridedAlltoallWork {
  PeTeam team;
  T* dest;
  T const* source;
  std::size_t dest_stride;
  std::size_t source_stride;
  std::size_t count;

  [[nodiscard]] SYMM_FUNCTION CollectiveCall call() const {
    auto const n = bytes_of_all(team, 1, count);
    return {"symm::alltoalls",
            count,
            dest,
            bytes_of(sizeof(T), n, dest_stride),
            source,
            bytes_of(sizeof(T), n, source_stride),
            0,
            Overlap::unknown};
  }
  template <Group Threads>
  SYMM_FUNCTION void operator()(Threads const& group, HeapMap const& heap,
                                std::size_t part, std::size_t n_parts) const {
    int const n       = team.n_pes();
    Pe const me       = team.my_pe();
    auto const range  = part_of(count, part, n_parts, 1);
    T const* const my = source + first_of(me, range) * source_stride;
    for (int k = 1; k <= n; ++k) {
      Pe const pe = (me + k) % n;
      T* const to = dest + first_of(pe, range) * dest_stride;
      if (range.count != 0) {
        copy_blocks(group, heap,
                    StridedCopy<Direction::get, T>{to, my, dest_stride,
                                                   source_stride, range.count},
                    team.world_pe(pe), "symm::alltoalls");
      }
    }
  }

 private:
  [[nodiscard]] SYMM_FUNCTION std::size_t first_of(Pe pe,
                                                   Range const& range) const {
    return static_cast<std::size_t>(pe) * count + range.first;
  }
};

/// Returns the reason why the strides passed to alltoalls() are invalid; "" if
/// they are valid.
inline char const* problem_of_strides(std::size_t dest_stride,
                                      std::size_t source_stride) {
  return dest_stride == 0 || source_stride == 0 ? "strides must be at least 1"
                                                : "";
}

}  // namespace symm::Impl

#endif

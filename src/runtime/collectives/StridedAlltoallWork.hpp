// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_STRIDEDALLTOALLWORK_HPP
#define SYMM_COLLECTIVES_STRIDEDALLTOALLWORK_HPP

#include <cstddef>

#include "../access/PeOperations.hpp"
#include "../access/RingClient.hpp"
#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../groups/GroupCopy.hpp"
#include "../memory/HeapMap.hpp"
#include "../one_sided/Rma.hpp"
#include "../teams/PeTeam.hpp"
#include "CollectiveCall.hpp"
#include "CollectiveWork.hpp"

namespace symm::Impl {

/// alltoall with elements that are not next to each other.
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
      SYMM_IF_ON_HOST(
          (if (fetch_far(group, heap, pe, to, my, range.count)) { continue; }))
      SYMM_IF_ON_DEVICE((if (team.has_far_pes() &&
                             !heap.is_near(team.world_pe(pe))) [[unlikely]] {
        if (range.count != 0) {
          InKernel::copy_strided_far(group, false, my, to, sizeof(T),
                                     range.count, source_stride * sizeof(T),
                                     dest_stride * sizeof(T),
                                     team.world_pe(pe));
        }
        continue;
      }))
      T const* const from = block_of(team, heap, my, pe);
      copy_each(
          group, range.count,
          [=, stride = source_stride](std::size_t i) {
            return from[i * stride];
          },
          [=, stride = dest_stride](std::size_t i, T const& value) {
            to[i * stride] = value;
          });
    }
  }

 private:
  /// Fetches the elements of a far member. \returns whether it is far.
  template <Group Threads>
  bool fetch_far(Threads const& group, HeapMap const& heap, Pe member, T* to,
                 T const* mine, std::size_t n) const {
    if (!team.has_far_pes() || heap.is_near(team.world_pe(member)))
      return false;
    if (group.rank() == 0 && n != 0) {
      get_strided_from(
          to, resolve_far(heap, mine, team.world_pe(member)),
          {sizeof(T), n, source_stride * sizeof(T), dest_stride * sizeof(T)},
          "symm::alltoalls");
    }
    return true;
  }
  [[nodiscard]] SYMM_FUNCTION std::size_t first_of(Pe pe,
                                                   Range const& range) const {
    return static_cast<std::size_t>(pe) * count + range.first;
  }
};

/// The problem with the strides of alltoalls(); "" if there is none.
inline char const* problem_of_strides(std::size_t dest_stride,
                                      std::size_t source_stride) {
  return dest_stride == 0 || source_stride == 0 ? "a stride is 0" : "";
}

}  // namespace symm::Impl

#endif

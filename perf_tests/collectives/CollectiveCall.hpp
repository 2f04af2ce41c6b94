// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_COLLECTIVE_CALL_HPP
#define SYMM_PERF_COLLECTIVE_CALL_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <cstddef>
#include <string>

#include "harness/DeviceWords.hpp"

namespace perf {

/// The elements that are sent: numbers whose sums are exact in any order.
#if defined(KOKKOS_ENABLE_CUDA)
using Number = float;
#else
using Number = double;
#endif
/// Such numbers, in memory that kernels of the default execution space can
/// access.
using Numbers = Kokkos::View<Number*, DeviceSpace, Kokkos::MemoryUnmanaged>;

enum class Collective { broadcast, fcollect, alltoall, reduce };

inline constexpr std::array all_collectives{
    Collective::broadcast, Collective::fcollect, Collective::alltoall,
    Collective::reduce};

[[nodiscard]] inline std::string text_of(Collective what) {
  switch (what) {
    case Collective::broadcast: return "broadcast";
    case Collective::fcollect: return "fcollect";
    case Collective::alltoall: return "alltoall";
    case Collective::reduce: return "reduce";
  }
  return "?";
}

/// One collective operation of all PEs; reduce is a sum.
struct CollectiveCall {
  Collective what;
  std::size_t count;  ///< elements of a block, as passed to the operation
  int n_pes;

  /// Not 0, which may be a special case.
  [[nodiscard]] int root() const { return n_pes - 1; }
  [[nodiscard]] std::size_t source_count() const {
    return what == Collective::alltoall ? all_blocks() : count;
  }
  [[nodiscard]] std::size_t dest_count() const {
    return what == Collective::alltoall || what == Collective::fcollect
               ? all_blocks()
               : count;
  }

 private:
  [[nodiscard]] std::size_t all_blocks() const {
    return count * static_cast<std::size_t>(n_pes);
  }
};

/// Writes what PE `me` sends, which differs for every (sender, receiver,
/// element).
void fill_source(Numbers const& source, CollectiveCall const& call, int me);

/// The number of elements that are not what PE `me` must receive.
[[nodiscard]] std::int64_t count_wrong(Numbers const& dest,
                                       CollectiveCall const& call, int me);

}  // namespace perf

#endif

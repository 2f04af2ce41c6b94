// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_SORT_BINS_HPP
#define SYMM_SORT_BINS_HPP

#include <cstddef>
#include <limits>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../base/RunKernel.hpp"

namespace symm::Impl {

/// Finds the first element whose bin does not exist.
template <class Bins>
struct FindWrongBin {
  Bins bins;
  std::size_t n_bins;

  KOKKOS_FUNCTION void operator()(std::size_t k, std::size_t& first) const {
    // (The conversion makes a negative number large.)
    if (static_cast<std::size_t>(bins(k)) >= n_bins && k < first) first = k;
  }
};

/// \throws UsageError on this PE if an entry of `bins` is negative or not less
///         than `n_bins`.
template <class Exec, class Bins>
void expect_bins(Exec const& exec, char const* call, Bins const& bins,
                 std::size_t n_bins) {
  auto first = std::numeric_limits<std::size_t>::max();
  Kokkos::parallel_reduce(call, range(exec, bins.extent(0)),
                          FindWrongBin<Bins>{bins, n_bins},
                          Kokkos::Min<std::size_t>(first));
  exec.fence(call);
  if (first >= bins.extent(0)) return;
  typename Bins::non_const_value_type bin{};
  Kokkos::deep_copy(bin, Kokkos::subview(bins, first));
  throw UsageError(Text(call, ": PE ", my_pe(), ": element ", first,
                        ": invalid bin ", +bin, "; the number of bins is ",
                        n_bins));
}

template <class Bins, class Counts>
struct CountInBins {
  Bins bins;
  Counts counts;
  bool has_threads;

  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    auto* const count = &counts(static_cast<std::size_t>(bins(k)));
    if (has_threads) {
      Kokkos::atomic_inc(count);
    } else {
      ++*count;
    }
  }
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "harness/DeviceWords.hpp"

#include "harness/Pattern.hpp"

namespace perf {

void fill_pattern(DeviceWords const& words, int from, int to) {
  Kokkos::parallel_for(
      "fill with the pattern", words.extent(0),
      KOKKOS_LAMBDA(std::size_t i) { words(i) = pattern(from, to, i); });
  Kokkos::fence();
}

std::int64_t count_wrong(DeviceWords const& words, int from, int to) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(
      "compare with the pattern", words.extent(0),
      KOKKOS_LAMBDA(std::size_t i, std::int64_t & sum) {
        sum += words(i) != pattern(from, to, i) ? 1 : 0;
      },
      wrong);
  return wrong;
}

}  // namespace perf

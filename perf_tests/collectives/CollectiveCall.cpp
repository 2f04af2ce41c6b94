// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "collectives/CollectiveCall.hpp"

#include <cstdint>

namespace perf {
namespace {

/// A small integer: the sum over 64 PEs is exact in a float. Another one for
/// every sender and receiver among 16, and for elements that lie less than
/// 1021, a prime, apart, or a power of two.
[[nodiscard]] KOKKOS_INLINE_FUNCTION Number number(std::size_t from,
                                                   std::size_t to,
                                                   std::size_t element) {
  return static_cast<Number>((from % 16 * 16 + to % 16) * 1021 +
                             element % 1021);
}

struct FillSource {
  Numbers source;
  std::size_t me;
  std::size_t count;  // of a block: the next one is for the next PE

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    source(i) = number(me, i / count, i % count);
  }
};

struct CountWrong {
  Numbers dest;
  Collective what;
  std::size_t count;
  std::size_t me;
  std::size_t root;
  std::size_t n_pes;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::int64_t& wrong) const {
    wrong += dest(i) != expected(i) ? 1 : 0;
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION Number expected(std::size_t i) const {
    if (what == Collective::broadcast) return number(root, 0, i);
    if (what == Collective::fcollect) return number(i / count, 0, i % count);
    if (what == Collective::alltoall) return number(i / count, me, i % count);
    Number sum = 0;
    for (std::size_t pe = 0; pe < n_pes; ++pe) sum += number(pe, 0, i);
    return sum;
  }
};

}  // namespace

void fill_source(Numbers const& source, CollectiveCall const& call, int me) {
  Kokkos::parallel_for(
      "fill the source", call.source_count(),
      FillSource{source, static_cast<std::size_t>(me), call.count});
  Kokkos::fence();
}

std::int64_t count_wrong(Numbers const& dest, CollectiveCall const& call,
                         int me) {
  std::int64_t wrong = 0;
  Kokkos::parallel_reduce(
      "look at dest", call.dest_count(),
      CountWrong{dest, call.what, call.count, static_cast<std::size_t>(me),
                 static_cast<std::size_t>(call.root()),
                 static_cast<std::size_t>(call.n_pes)},
      wrong);
  return wrong;
}

}  // namespace perf

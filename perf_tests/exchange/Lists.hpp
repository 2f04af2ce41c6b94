// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#ifndef SYMM_PERF_EXCHANGE_LISTS_HPP
#define SYMM_PERF_EXCHANGE_LISTS_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstdint>
#include <vector>

#include "exchange/Blocks.hpp"

namespace perf {

using Exec = Kokkos::DefaultExecutionSpace;
template <class T>
using Private = Kokkos::View<T, Kokkos::LayoutRight, Exec::memory_space>;
using Triples = Private<double* [3]>;
using Ints    = Private<int*>;

inline Ints to_view(std::vector<int> const& list) {
  Ints view("list", list.size());
  std::copy(list.begin(), list.end(), view.data());
  return view;
}

/// Lists of elements for all PEs, one after another.
struct Elements {
  Counts counts;
  std::vector<int> list;
};
inline Elements joined(std::vector<std::vector<int>> const& parts) {
  Elements all;
  for (auto const& part : parts) {
    all.counts.push_back(static_cast<std::int64_t>(part.size()));
    all.list.insert(all.list.end(), part.begin(), part.end());
  }
  return all;
}

template <class Body>
auto repeat(Body const& body) {
  return [&body](std::int64_t n) {
    for (std::int64_t k = 0; k < n; ++k) body();
  };
}

}  // namespace perf

#endif

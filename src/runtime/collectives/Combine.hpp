// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_COMBINE_HPP
#define SYMM_COLLECTIVES_COMBINE_HPP

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../teams/PassedSources.hpp"

namespace symm::Impl {

/// Combines the sources on members 0 to `end` - 1, element by element, in
/// member order. All reductions and scans use this order, so results are
/// bitwise identical regardless of where the sources are. (Only PacketReduce
/// and KernelReduce have their own loops, because they load from several
/// members at once.)
///
/// \param values Receives the n results. If `has_values` is true, it initially
///        contains values that precede member 0's elements.
/// \param source_of Called once for each member; source_of(member)[i] is
///        element i of that member.
SYMM_CALLS_ANYTHING
template <class Values, class Op, class SourceOf>
SYMM_FORCEINLINE_FUNCTION void combine(Values&& values, std::size_t n,
                                       Op const& op, Pe end,
                                       SourceOf const& source_of,
                                       bool has_values = false) {
  using T   = std::remove_cvref_t<decltype(values[0])>;
  Pe member = 0;
  if (!has_values) {
    auto source = source_of(member++);
    for (std::size_t i = 0; i < n; ++i) values[i] = source[i];
  }
  for (; member < end; ++member) {
    auto source = source_of(member);
    for (std::size_t i = 0; i < n; ++i)
      values[i] = static_cast<T>(op(values[i], source[i]));
  }
}

/// Like combine(), but for sources that the members have sent.
/// \param init If not null, a value that precedes member 0's elements.
template <class T, class Op>
void combine_passed(T* values, std::size_t n, Op const& op, Pe end,
                    PassedSources const& sources, T const* init = nullptr) {
  if (init != nullptr) std::fill_n(values, n, *init);
  combine(
      values, n, op, end, [&](Pe pe) { return sources.elements<T>(pe); },
      init != nullptr);
}

}  // namespace symm::Impl

#endif

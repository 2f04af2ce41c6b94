// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_SHARES_HPP
#define SYMM_COLLECTIVES_SHARES_HPP

#include <cstddef>

#include "../base/Function.hpp"
#include "../base/Types.hpp"
#include "../groups/GroupCopy.hpp"

// These functions compute which elements each PE loads and stores in a
// collective operation. They use no lookup tables and work for any number of
// PEs. A test on CPUs counts the bytes on each link
// (unit_tests/runtime/Shares.cpp).

namespace symm::Impl {

struct Range {
  std::size_t first;
  std::size_t count;
};

/// The elements in part `part` if `count` elements are divided into `n_parts`
/// parts. Unless empty, a part begins at a multiple of `unit`.
SYMM_INLINE_FUNCTION Range part_of(std::size_t count, std::size_t part,
                                   std::size_t n_parts, std::size_t unit) {
  std::size_t const n_units = (count + unit - 1) / unit;
  std::size_t const each    = (n_units + n_parts - 1) / n_parts * unit;
  std::size_t const first   = part * each < count ? part * each : count;
  std::size_t const left    = count - first;
  return {first, left < each ? left : each};
}

/// Distributes the blocks that this PE exchanges with the members over a
/// kernel's parts so that all blocks are transferred at the same time. This
/// PE's own block uses no link and need not wait for the other blocks. Part
/// `part` calls copy(member, piece, n_pieces) for each block of which it copies
/// a piece.
template <class Copy>
SYMM_INLINE_FUNCTION void for_each_block(int n_pes, Pe me, std::size_t part,
                                         std::size_t n_parts,
                                         Copy const& copy) {
  auto const n = static_cast<std::size_t>(n_pes);
  for (std::size_t k = part % n; k < n; k += n_parts) {
    // Start with the PE after this one so that the PEs do not all access the
    // same PE first.
    auto const member =
        static_cast<Pe>((static_cast<std::size_t>(me) + 1 + k) % n);
    if (n_parts <= n) {
      copy(member, std::size_t{0}, std::size_t{1});
    } else {
      copy(member, part / n, (n_parts - k + n - 1) / n);
    }
  }
}

/// A broadcast in which the root's link carries each word only once. Every
/// other member loads a share of the root's words and stores that share on all
/// members except the root.
/// \param load load(i) loads the root's word i.
/// \param store store(member, i, word) stores word i on a member.
template <class Threads, class Load, class Store>
SYMM_INLINE_FUNCTION void pass_on(Threads const& group, int n_pes, Pe me,
                                  Pe root, std::size_t n_words,
                                  std::size_t part, std::size_t n_parts,
                                  Load const& load, Store const& store) {
  if (me == root) return;
  constexpr std::size_t line = 8;  // words
  auto const n_shares        = static_cast<std::size_t>(n_pes - 1);
  auto const share = static_cast<std::size_t>(me < root ? me : me - 1);
  auto const range =
      part_of(n_words, share * n_parts + part, n_shares * n_parts, line);
  // With twice as many loads in flight, a kernel took 5 to 12 % longer.
  constexpr std::size_t n_loads = 4;
  copy_each<n_loads>(
      group, range.count, [&](std::size_t i) { return load(range.first + i); },
      [&](std::size_t i, auto const& word) {
        for (int k = 0; k < n_pes; ++k) {
          Pe const member = me + k < n_pes ? me + k : me + k - n_pes;
          if (member != root) store(member, range.first + i, word);
        }
      });
}

}  // namespace symm::Impl

#endif

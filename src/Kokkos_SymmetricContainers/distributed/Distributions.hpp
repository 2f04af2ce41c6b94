// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DISTRIBUTIONS_HPP
#define SYMM_DISTRIBUTIONS_HPP

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <Kokkos_Core.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"
#include "Divisor.hpp"

namespace symm {

// Distributions of a DistributedView's rows over the PEs.

/// Each PE holds one block of consecutive rows, in the order of PE numbers.
/// Block sizes differ by at most one row. The rows of PE p begin at p * extent
/// / n_pes(), rounded up. If there are fewer rows than PEs, row i is on PE i.
/// (BLOCKED in DASH, blockDist in Chapel.)
struct Blocks {};

/// Row i is on PE i % n_pes(). (CYCLIC in DASH, cyclicDist in Chapel, no layout
/// qualifier in UPC.)
struct Cyclic {};

/// Blocks of `block` rows, distributed round-robin: row i is on PE i / block %
/// n_pes(). The last block may be shorter. (BLOCKCYCLIC in DASH, ScaLAPACK's
/// distribution, [block] in UPC.)
struct BlockCyclic {
  explicit BlockCyclic(std::size_t rows) : block(rows) {}

  std::size_t block;  // number of rows, at least 1, equal on all PEs
};

/// Distributes rows over the PEs of one PE team only, in the order of their
/// numbers in that PE team. OnTeam(team) uses Blocks; OnTeam(team, Cyclic())
/// uses Cyclic.
///
/// \tparam Distribution Blocks, Cyclic or BlockCyclic.
template <class Distribution = Blocks>
struct OnTeam {
  /// \param its_team this PE's PE team; with PeTeam(), this PE holds no rows.
  ///        Must outlive the DistributedView.
  explicit OnTeam(PeTeam const& its_team, Distribution const& its_own = {})
      : team(its_team), distribution(its_own) {}

  PeTeam team;
  Distribution distribution;
};
OnTeam(PeTeam const&)->OnTeam<Blocks>;

namespace Impl {

/// A row: the PE that holds it, and its index on that PE.
struct RowOfPe {
  Pe pe;
  std::size_t row;
};

/// Rows that have a constant stride both in a PE's part and in the whole View.
struct RowSeries {
  std::size_t local_first;
  std::size_t local_step;
  std::size_t global_first;
  std::size_t global_step;
  std::size_t count;
};

/// Maps the global index of a row to a PE and a local index, and vice versa. A
/// RowMap is a lightweight object that kernels can capture by value.
///
///     find(i)                 the PE that holds row i, and its index there
///     global_index(pe, k)     the global index of row k on PE `pe`
///     count(pe)               the number of rows on PE `pe`
///     most()                  the largest count() on any PE
///     n_series(pe)            the number of RowSeries in PE `pe`'s part
///     series(pe, s)           number `s` of these RowSeries
template <class Distribution>
class RowMap;

template <>
class RowMap<Blocks> {
 public:
  RowMap() = default;
  RowMap(Blocks const&, std::size_t extent, int n_pes)
      : m_extent(extent), m_n_pes(static_cast<std::size_t>(n_pes)) {
    // If there are fewer rows than PEs, distribute them like n_pes rows.
    auto const n = std::max(extent, m_n_pes);
    m_rows       = n / m_n_pes;
    m_more       = (n % m_n_pes << more_bits) / m_n_pes;
    m_shift      = static_cast<unsigned>(std::bit_width(m_rows)) - 1;
    m_factor     = scaled_fraction(m_n_pes, n, 63 + m_shift);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RowOfPe find(std::size_t i) const {
    // This is i * n_pes / extent. If n_pes * extent is at most 2^62, rounding
    // the factor adds less than 1 / extent.
    auto const pe = high_of_product(2 * i, m_factor) >> m_shift;
    return {static_cast<Pe>(pe), i - first_of(pe)};
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t global_index(Pe pe,
                                                         std::size_t k) const {
    return first(pe) + k;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t count(Pe pe) const {
    return first(pe + 1) - first(pe);
  }
  [[nodiscard]] std::size_t most() const { return count(0); }
  [[nodiscard]] static std::size_t n_series(Pe) { return 1; }
  [[nodiscard]] RowSeries series(Pe pe, std::size_t) const {
    return {0, 1, first(pe), 1, count(pe)};
  }

 private:
  // With up to 2^20 PEs, rounding m_more does not change first_of().
  static constexpr unsigned more_bits = 40;

  /// pe * extent / n_pes, rounded up.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t first_of(
      std::size_t pe) const {
    constexpr auto round_up = (std::size_t{1} << more_bits) - 1;
    return pe * m_rows + ((pe * m_more + round_up) >> more_bits);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t first(Pe pe) const {
    auto const first = first_of(static_cast<std::size_t>(pe));
    return first < m_extent ? first : m_extent;
  }

  std::size_t m_extent   = 0;
  std::size_t m_n_pes    = 1;
  std::size_t m_rows     = 0;  // rows per PE, rounded down
  std::size_t m_more     = 0;  // remaining fraction of a row, in units of 2^-40
  unsigned m_shift       = 0;
  std::uint64_t m_factor = 0;
};

template <>
class RowMap<Cyclic> {
 public:
  RowMap() = default;
  RowMap(Cyclic const&, std::size_t extent, int n_pes)
      : m_extent(extent),
        m_n_pes(static_cast<std::size_t>(n_pes)),
        m_by_pes(m_n_pes) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RowOfPe find(std::size_t i) const {
    auto const row = m_by_pes.quotient(i);
    return {static_cast<Pe>(i - row * m_n_pes), row};
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t global_index(Pe pe,
                                                         std::size_t k) const {
    return k * m_n_pes + static_cast<std::size_t>(pe);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t count(Pe pe) const {
    return m_by_pes.quotient(m_extent + m_n_pes - 1 -
                             static_cast<std::size_t>(pe));
  }
  [[nodiscard]] std::size_t most() const { return count(0); }
  [[nodiscard]] static std::size_t n_series(Pe) { return 1; }
  [[nodiscard]] RowSeries series(Pe pe, std::size_t) const {
    return {0, 1, static_cast<std::size_t>(pe), m_n_pes, count(pe)};
  }

 private:
  std::size_t m_extent = 0;
  std::size_t m_n_pes  = 1;
  Divisor m_by_pes;
};

template <>
class RowMap<BlockCyclic> {
 public:
  RowMap() = default;
  RowMap(BlockCyclic const& distribution, std::size_t extent, int n_pes)
      : m_extent(extent),
        m_block(std::clamp(distribution.block, std::size_t{1},
                           std::max(extent, std::size_t{1}))),
        m_n_pes(static_cast<std::size_t>(n_pes)),
        m_by_block(m_block),
        m_by_pes(m_n_pes) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RowOfPe find(std::size_t i) const {
    auto const block = m_by_block.quotient(i);
    auto const turn  = m_by_pes.quotient(block);
    return {static_cast<Pe>(block - turn * m_n_pes),
            i - (block - turn) * m_block};
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t global_index(Pe pe,
                                                         std::size_t k) const {
    auto const turn = m_by_block.quotient(k);
    return k + (turn * (m_n_pes - 1) + static_cast<std::size_t>(pe)) * m_block;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t count(Pe pe) const {
    auto const p       = static_cast<std::size_t>(pe);
    auto const n_whole = m_by_block.quotient(m_extent);
    auto const turns   = m_by_pes.quotient(n_whole);
    auto const last    = n_whole - turns * m_n_pes;  // PE with the short
                                                     // block
    auto const of_blocks = (turns + (p < last ? 1 : 0)) * m_block;
    return of_blocks + (p == last ? m_extent - n_whole * m_block : 0);
  }
  [[nodiscard]] std::size_t most() const { return count(0); }
  /// The number of PE `pe`'s blocks, or the number of rows in a block if that
  /// is less.
  [[nodiscard]] std::size_t n_series(Pe pe) const {
    return std::min(m_block, n_turns(pe));
  }
  [[nodiscard]] RowSeries series(Pe pe, std::size_t s) const {
    auto const n = count(pe);
    if (m_block < n_turns(pe)) {
      return {s, m_block, global_index(pe, s), m_block * m_n_pes,
              (n - s + m_block - 1) / m_block};
    }
    auto const first = s * m_block;
    return {first, 1, global_index(pe, first), 1, std::min(m_block, n - first)};
  }

 private:
  [[nodiscard]] std::size_t n_turns(Pe pe) const {
    return (count(pe) + m_block - 1) / m_block;
  }

  std::size_t m_extent = 0;
  std::size_t m_block  = 1;
  std::size_t m_n_pes  = 1;
  Divisor m_by_block, m_by_pes;
};

/// The RowMap for OnTeam. PE numbers are world PE numbers. PEs outside the PE
/// team hold no rows.
template <class Distribution>
class RowMap<OnTeam<Distribution>> {
 public:
  RowMap() = default;
  RowMap(OnTeam<Distribution> const& on_team, std::size_t extent, int)
      : m_rows(on_team.distribution, on_team.team.is_valid() ? extent : 0,
               std::max(on_team.team.n_pes(), 1)),
        m_team(on_team.team),
        m_me(symm::my_pe()) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION RowOfPe find(std::size_t i) const {
    auto const place = m_rows.find(i);
    return {m_team.world_pe(place.pe), place.row};
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t global_index(Pe pe,
                                                         std::size_t k) const {
    Pe const number = member(pe);
    return number < 0 ? 0 : m_rows.global_index(number, k);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t count(Pe pe) const {
    Pe const number = member(pe);
    return number < 0 ? 0 : m_rows.count(number);
  }
  [[nodiscard]] std::size_t most() const { return m_rows.most(); }
  [[nodiscard]] std::size_t n_series(Pe pe) const {
    return m_rows.n_series(member(pe));
  }
  [[nodiscard]] RowSeries series(Pe pe, std::size_t s) const {
    return m_rows.series(member(pe), s);
  }
  [[nodiscard]] PeTeam const& team() const { return m_team; }

 private:
  /// PE `pe`'s number in the PE team; -1 if it is not a member.
  [[nodiscard]] KOKKOS_FUNCTION Pe member(Pe pe) const {
    if (pe == m_me) return m_team.my_pe();
    for (Pe k = 0; k < m_team.n_pes(); ++k)
      if (m_team.world_pe(k) == pe) return k;
    return -1;
  }

  RowMap<Distribution> m_rows;
  PeTeam m_team;
  Pe m_me = -1;
};

/// The PE team whose PEs hold rows: OnTeam's PE team, or the world.
template <class Distribution>
[[nodiscard]] PeTeam const& team_of(RowMap<OnTeam<Distribution>> const& rows) {
  return rows.team();
}
template <class Distribution>
[[nodiscard]] PeTeam team_of(RowMap<Distribution> const&) {
  return team_world();
}

/// The block size, which must be the same on all PEs; 0 if the distribution has
/// none.
[[nodiscard]] inline std::size_t block_of_distribution(Blocks const&) {
  return 0;
}
[[nodiscard]] inline std::size_t block_of_distribution(Cyclic const&) {
  return 0;
}
[[nodiscard]] inline std::size_t block_of_distribution(
    BlockCyclic const& distribution) {
  return distribution.block;
}
template <class Distribution>
[[nodiscard]] std::size_t block_of_distribution(
    OnTeam<Distribution> const& on_team) {
  return block_of_distribution(on_team.distribution);
}

template <class Distribution>
inline constexpr bool has_block_v = std::is_same_v<Distribution, BlockCyclic>;
template <class Distribution>
inline constexpr bool has_block_v<OnTeam<Distribution>> =
    has_block_v<Distribution>;
/// Whether each PE's rows are consecutive.
template <class Distribution>
inline constexpr bool has_runs_v = std::is_same_v<Distribution, Blocks>;
template <class Distribution>
inline constexpr bool has_runs_v<OnTeam<Distribution>> =
    has_runs_v<Distribution>;

/// The PE team that the distribution specifies; null if it specifies none.
template <class Distribution>
[[nodiscard]] PeTeam const* named_team(Distribution const&) {
  return nullptr;
}
template <class Distribution>
[[nodiscard]] PeTeam const* named_team(OnTeam<Distribution> const& on_team) {
  return &on_team.team;
}

}  // namespace Impl

}  // namespace symm

#endif

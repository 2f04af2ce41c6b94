// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PE_TEAM_MEMORY_HPP
#define SYMM_PE_TEAM_MEMORY_HPP

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "../base/Types.hpp"
#include "../bootstrap/Bootstrap.hpp"
#include "../bootstrap/FdExchange.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/SymmetricRange.hpp"
#include "PeTeamWords.hpp"

namespace symm::Impl {

/// All PE teams' words in one kind of memory.
class PeTeamMemory {
 public:
  /// The number of slots. Each PE team to which a PE belongs occupies one slot.
  /// The PE teams for the world, the node and the memory pools always occupy
  /// the first three slots.
  static constexpr int max_teams     = 64;
  static constexpr int n_fixed_teams = 3;
  /// An extra slot for exchanges between two PEs without a PE team
  /// (PairExchange).
  static constexpr int slot_of_pairs = max_teams;
  /// Each of the first slots contains either rooms, which take up half a
  /// megabyte on every PE, or many packets, which take up one megabyte. This
  /// memory must be available even if it is never used, so only a few slots
  /// contain such buffers. With these numbers, all slots on a GPU together take
  /// up 4 MiB.
  static constexpr int n_teams_with_rooms        = 8;
  static constexpr int n_teams_with_many_packets = 2;

  /// Collective: uses the bootstrap.
  /// \param buffers The kind of buffers that follow each PE team's words.
  /// \throws OutOfMemory, SystemError on every PE.
  PeTeamMemory(Bootstrap& bootstrap, FdExchange& exchange,
               MemoryProvider& provider, PeTeamWords::Buffers buffers);

  /// \param slot 0 to max_teams - 1, or slot_of_pairs.
  [[nodiscard]] PeTeamWords words(int slot) const {
    return {m_range->map(), offset_of(slot),
            PeTeamWords::n_packets_of(m_buffers, slot < m_n_first)};
  }

  /// Prepares this PE's words for a new PE team: clears the epoch, flags, gates
  /// and packets, and stores `members`, the world PE numbers in PE-team order.
  /// Local. From the time that the slot's previous PE team is destroyed until
  /// this call returns, no other PE may use this PE's slot.
  /// \throws SystemError on this PE.
  void begin(int slot, std::span<Pe const> members);

 private:
  [[nodiscard]] std::size_t offset_of(int slot) const {
    int const first = std::min(slot, m_n_first);
    return static_cast<std::size_t>(first) * m_slot_bytes +
           static_cast<std::size_t>(slot - first) * m_later_slot_bytes;
  }
  void copy(std::uint64_t* to, std::vector<std::uint64_t> const& words) const;

  CopyQueue& m_queue;
  PeTeamWords::Buffers m_buffers;
  int m_n_first;
  std::size_t m_slot_bytes;        // size of each of the first slots
  std::size_t m_later_slot_bytes;  // size of each other slot
  std::optional<SymmetricRange> m_range;
};

/// Tracks which slots contain PE teams to which this PE belongs. Each new PE
/// team is assigned a number that no earlier PE team in this process had (until
/// 2^32 PE teams have been created). The number shows whether a copy of a
/// PeTeam refers to a destroyed PE team. Local.
class PeTeamSlots {
 public:
  /// Assigns numbers to the fixed PE teams.
  PeTeamSlots();

  /// Assigns a number to a new PE team in a free slot.
  void begin(int slot);
  void end(int slot) { m_numbers[index_of(slot)] = 0; }
  /// The number of the PE team in `slot`; 0 if there is none.
  [[nodiscard]] std::uint32_t number(int slot) const {
    return m_numbers[index_of(slot)];
  }
  /// One bit per slot, set if the slot contains a PE team.
  [[nodiscard]] std::uint64_t in_use() const;

 private:
  std::array<std::uint32_t, PeTeamMemory::max_teams> m_numbers{};
};

}  // namespace symm::Impl

#endif

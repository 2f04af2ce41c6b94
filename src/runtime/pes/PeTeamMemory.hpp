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

/// The words of all PE teams in one kind of memory.
class PeTeamMemory {
 public:
  /// Slots, one for each team that a PE is in. The first three are the world's,
  /// the node's and the memory pools' from the start to the end.
  static constexpr int max_teams     = 64;
  static constexpr int n_fixed_teams = 3;
  /// Of which the first have rooms, if any has: half a megabyte each of every
  /// PE, which the node must have, used or not.
  static constexpr int n_teams_with_rooms = 8;

  /// Collective, through the bootstrap.
  /// \param behind what is behind the words of a team; of rooms, behind those
  ///        of the first.
  /// \throws OutOfMemory, SystemError on every PE.
  PeTeamMemory(Bootstrap& bootstrap, FdExchange& exchange,
               MemoryProvider& provider, PeTeamWords::Behind behind);

  /// \param slot 0 to max_teams - 1.
  [[nodiscard]] PeTeamWords words(int slot) const {
    return {m_range->map(), offset_of(slot)};
  }

  /// Sets this PE's words of a team that begins: no epoch, flags, packets;
  /// these members (of the world, in the order of the team). Local; no other PE
  /// may use the slot of this PE before it returns, nor after the end of its
  /// last team. \throws SystemError on this PE.
  void begin(int slot, std::span<Pe const> members);

 private:
  [[nodiscard]] std::size_t offset_of(int slot) const {
    int const first = std::min(slot, n_teams_with_rooms);
    return static_cast<std::size_t>(first) * m_slot_bytes +
           static_cast<std::size_t>(slot - first) * m_later_slot_bytes;
  }
  void copy(std::uint64_t* to, std::vector<std::uint64_t> const& words) const;

  CopyQueue& m_queue;
  PeTeamWords::Behind m_behind;
  std::size_t m_slot_bytes;
  std::size_t m_later_slot_bytes;  // of those without rooms
  std::optional<SymmetricRange> m_range;
};

/// Which slots the teams of this PE have. A team that begins gets a number that
/// no team of this process has had (before 2^32 others), so that a copy of one
/// that has ended is known as such in whatever slot and heap. Local.
class PeTeamSlots {
 public:
  /// The fixed teams begin.
  PeTeamSlots();

  /// A team begins in a free slot.
  void begin(int slot);
  void end(int slot) { m_numbers[index(slot)] = 0; }
  /// The number of the team in `slot`; 0, if there is none.
  [[nodiscard]] std::uint32_t number(int slot) const {
    return m_numbers[index(slot)];
  }
  /// A bit for every slot that has a team.
  [[nodiscard]] std::uint64_t in_use() const;

 private:
  static std::size_t index(int slot) { return static_cast<std::size_t>(slot); }

  std::array<std::uint32_t, PeTeamMemory::max_teams> m_numbers{};
};

}  // namespace symm::Impl

#endif

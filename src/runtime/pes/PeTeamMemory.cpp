// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "PeTeamMemory.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

namespace symm::Impl {

namespace {

/// Two cache lines, because processors often prefetch cache lines in pairs.
constexpr std::size_t slot_alignment = 128;

std::size_t slot_bytes(int n_pes, PeTeamWords::Buffers buffers, bool is_first) {
  return round_up(PeTeamWords::bytes(n_pes, buffers, is_first), slot_alignment);
}

}  // namespace

PeTeamMemory::PeTeamMemory(Bootstrap& bootstrap, FdExchange& exchange,
                           MemoryProvider& provider,
                           PeTeamWords::Buffers buffers)
    : m_queue(provider),
      m_buffers(buffers),
      m_n_first(buffers == PeTeamWords::Buffers::rooms
                    ? n_teams_with_rooms
                    : n_teams_with_many_packets),
      m_slot_bytes(slot_bytes(bootstrap.n_pes(), buffers, true)),
      m_later_slot_bytes(slot_bytes(bootstrap.n_pes(), buffers, false)) {
  auto const agree = agree_through(bootstrap);
  // Every PE's part must have the same size, regardless of the PE's device.
  auto const units =
      allgather(bootstrap, provider.granularity(Vmm::Granularity::minimum));
  auto const bytes = round_up(offset_of(slot_of_pairs + 1),
                              *std::max_element(units.begin(), units.end()));
  all_or_none(agree, "reserving addresses for PE teams", [&] {
    m_range.emplace(provider, exchange, bootstrap.my_pe(), bootstrap.n_pes(),
                    bytes, 0);
  });
  m_range->add_chunk(0, bytes, agree);
  // New GPU memory has indeterminate contents. New host memory is already zero,
  // and clearing it would allocate pages that may never be used.
  all_or_none(agree, "clearing the memory of PE teams", [&] {
    if (provider.creates_zeros()) return;
    m_queue.zero(m_range->map().part(bootstrap.my_pe()), bytes);
  });
}

void PeTeamMemory::begin(int slot, std::span<Pe const> members) {
  // Clear the epoch, flags and gates that the slot's previous PE team left
  // behind. Exchanged words need not be cleared, because a word is read only
  // after the corresponding flag.
  auto const team_words = words(slot);
  std::vector<std::uint64_t> const zeros(
      PeTeamWords::n_fixed + index_of(team_words.map.n_pes) + members.size(),
      0);
  copy(team_words.epoch(), zeros);
  if (team_words.n_packets != 0) {
    // A packet from the previous PE team may contain an epoch that the new PE
    // team has not reached yet.
    m_queue.zero(
        reinterpret_cast<char*>(team_words.packets(team_words.map.my_pe, 0)),
        2 * team_words.n_packets * sizeof(PeTeamWords::Packet));
  }
  std::vector<std::uint64_t> const numbers(members.begin(), members.end());
  copy(team_words.member(0), numbers);
}

void PeTeamMemory::copy(std::uint64_t* to,
                        std::vector<std::uint64_t> const& words) const {
  m_queue.copy(to, words.data(), words.size() * sizeof(std::uint64_t));
}

PeTeamSlots::PeTeamSlots() {
  for (int slot = 0; slot < PeTeamMemory::n_fixed_teams; ++slot) begin(slot);
}

void PeTeamSlots::begin(int slot) {
  static std::atomic<std::uint32_t> s_n_teams{0};
  auto& number = m_numbers[index_of(slot)];
  do {
    number = ++s_n_teams;
  } while (number == 0);  // 0: no PE team
}

std::uint64_t PeTeamSlots::in_use() const {
  static_assert(PeTeamMemory::max_teams == 64, "one bit per PE team");
  std::uint64_t bits = 0;
  for (std::size_t slot = 0; slot < m_numbers.size(); ++slot) {
    if (m_numbers[slot] != 0) bits |= std::uint64_t{1} << slot;
  }
  return bits;
}

}  // namespace symm::Impl

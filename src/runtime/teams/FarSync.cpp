// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "HostSync.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "../base/Types.hpp"
#include "../job/Runtime.hpp"
#include "../pes/PeTeamMemory.hpp"
#include "../pes/PeTeamWords.hpp"
#include "DisseminationRounds.hpp"
#include "FarTeam.hpp"

namespace symm::Impl {

namespace {

constexpr std::size_t pair_bytes = sizeof(DisseminationRounds::Pair);

/// Broadcasts the root's block into each member's room. Members that already
/// have the block forward it.
class FromRoot {
 public:
  FromRoot(PeTeam const& team, std::byte* room, PassedBlock const& block)
      : m_bytes(block.bytes),
        m_n(team.n_pes()),
        m_distance((team.my_pe() - block.root + m_n) % m_n) {
    if (m_distance == 0 && m_bytes != 0)
      std::memcpy(room + pair_bytes, block.source, m_bytes);
  }
  [[nodiscard]] RoundData data(int step) const {
    // Members that are fewer than `step` positions after the root already have
    // the block.
    bool const gives = m_distance < step && m_distance + step < m_n;
    bool const takes = m_distance >= step && m_distance < 2 * step;
    return {pair_bytes, gives ? m_bytes : 0, pair_bytes, takes ? m_bytes : 0};
  }
  void arrive(int) const {}

 private:
  std::size_t m_bytes;
  int m_n;
  int m_distance;  // number of positions after the root
};

/// Gathers all members' blocks. Block i comes from member me - i (modulo n), so
/// new blocks follow the blocks that have already been received.
class ToAll {
 public:
  ToAll(PeTeam const& team, std::byte* room, PassedBlock const& block)
      : m_bytes(block.bytes), m_n(team.n_pes()) {
    if (block.source_bytes != 0)
      std::memcpy(room + pair_bytes, block.source, block.source_bytes);
  }
  [[nodiscard]] RoundData data(int step) const {
    auto const known = static_cast<std::size_t>(step);
    auto const bytes =
        static_cast<std::size_t>(std::min(step, m_n - step)) * m_bytes;
    return {pair_bytes, bytes, pair_bytes + known * m_bytes, bytes};
  }
  void arrive(int) const {}

 private:
  std::size_t m_bytes;
  int m_n;
};

/// Sends a block from each member to every other member (Bruck's all-to-all).
/// Block i moves forward by i members: in round r, it moves by 2^r members if
/// bit r of i is set. At the end, block i is the block from member me - i
/// (modulo n). The areas for outgoing and incoming blocks follow the n blocks.
class ToEach {
 public:
  ToEach(PeTeam const& team, std::byte* room, PassedBlock const& block)
      : m_blocks(room + pair_bytes), m_bytes(block.bytes), m_n(team.n_pes()) {
    if (m_bytes == 0) return;
    auto const* const source = static_cast<std::byte const*>(block.source);
    for (int i = 0; i < m_n; ++i) {
      auto const begin = index_of((team.my_pe() + i) % m_n) * m_bytes;
      if (begin >= block.source_bytes) continue;
      std::memcpy(block_at(i), source + begin,
                  std::min(m_bytes, block.source_bytes - begin));
    }
  }
  [[nodiscard]] RoundData data(int step) const {
    auto* const out = out_area();
    std::size_t n   = 0;
    for_each_that_goes(step, [&](std::byte* block) {
      std::memcpy(out + n++ * m_bytes, block, m_bytes);
    });
    auto const bytes = n * m_bytes;
    return {offset_of(out), bytes, offset_of(in_area(step)), bytes};
  }
  void arrive(int step) const {
    auto* const in = in_area(step);
    std::size_t n  = 0;
    for_each_that_goes(step, [&](std::byte* block) {
      std::memcpy(block, in + n++ * m_bytes, m_bytes);
    });
  }

  /// The number of blocks that must fit in a room if there are n members.
  static constexpr std::size_t n_blocks(std::size_t n) {
    auto const rounds = static_cast<std::size_t>(std::bit_width(n - 1));
    return n + (1 + rounds) * (n / 2);
  }

 private:
  [[nodiscard]] std::byte* block_at(int i) const {
    return m_blocks + index_of(i) * m_bytes;
  }
  [[nodiscard]] std::byte* out_area() const {
    return block_at(m_n) + pair_bytes;
  }
  /// Each round has a separate area, because a near member may be one round
  /// ahead.
  [[nodiscard]] std::byte* in_area(int step) const {
    // Round r has step 2^r, and its area follows the areas of the r earlier
    // rounds.
    auto const place = static_cast<std::size_t>(std::bit_width(index_of(step)));
    return out_area() + place * index_of(m_n / 2) * m_bytes;
  }
  [[nodiscard]] std::size_t offset_of(std::byte const* in_room) const {
    return pair_bytes + static_cast<std::size_t>(in_room - m_blocks);
  }
  template <class Body>
  void for_each_that_goes(int step, Body const& body) const {
    if (m_bytes == 0) return;
    for (int i = step; i < m_n; ++i) {
      if ((i & step) != 0) body(block_at(i));
    }
  }

  std::byte* m_blocks;
  std::size_t m_bytes;
  int m_n;
};

/// The number of blocks that must fit in a room if there are n members.
std::size_t n_blocks_in_room(Passing passing, std::size_t n) {
  switch (passing) {
    case Passing::by_root: return 1;
    case Passing::to_each: return ToEach::n_blocks(n);
    // The blocks may fill only half of the room so that the last message is at
    // most 64 KiB long. For larger sources, combining shares is faster (64 KiB
    // reduce on 4 nodes: 2.2 instead of 2.8 times MPI's time).
    case Passing::to_combine: return 2 * n;
    case Passing::to_all:
    case Passing::nothing: break;
  }
  return n;
}

struct NothingGoesAlong {
  [[nodiscard]] RoundData data(int) const { return {}; }
  void arrive(int) const {}
};

/// Synchronizes members on several nodes in ceil(log2(n)) rounds
/// (dissemination). In round r, each member sends everything that it has
/// received so far to the member 2^r positions after it.
class FarSync final : public HostSync {
 public:
  /// The last round's messages contain the words of half of the PE team.
  std::uint64_t exchange_words(PeTeam const& team, char const* call,
                               std::uint64_t first,
                               std::uint64_t second) const override {
    DisseminationRounds rounds(team, call);
    auto const n = static_cast<std::size_t>(team.n_pes());
    // Pair i comes from member me - i (modulo n), so a round's pairs arrive as
    // one block after the earlier pairs.
    rounds.set(0, {first, second});
    for (std::size_t n_known = 1; n_known < n; n_known *= 2) {
      rounds.run(static_cast<int>(n_known), std::min(n_known, n - n_known),
                 n_known);
    }
    // Reorder the pairs so that pair i is from member i.
    auto* const pairs = rounds.all();
    auto const me     = static_cast<std::ptrdiff_t>(team.my_pe());
    std::reverse(pairs, pairs + n);
    std::rotate(pairs, pairs + (static_cast<std::ptrdiff_t>(n) - 1 - me),
                pairs + n);
    return rounds.end();
  }

  /// Each message is 16 bytes long.
  bool compare_word(PeTeam const& team, char const* call, std::uint64_t word,
                    bool) const override {
    DisseminationRounds rounds(team, call);
    return compare_far(team, rounds, word, NothingGoesAlong{});
  }

  /// Only PE teams in the first slots have rooms.
  [[nodiscard]] bool can_pass(PeTeam const& team,
                              PassedBlock const& block) const override {
    if (team.slot() >= PeTeamMemory::n_teams_with_rooms) return false;
    auto const n = static_cast<std::size_t>(team.n_pes());
    // In addition to the blocks, the room has space for two pairs, one of which
    // precedes the data to send.
    return block.bytes <= (PeTeamWords::room_bytes - 2 * pair_bytes) /
                              n_blocks_in_room(block.passing, n);
  }

  bool pass(PeTeam const& team, char const* call, std::uint64_t word,
            PassedBlock const& block) const override {
    DisseminationRounds rounds(team, call);
    auto* const room = rounds.room();
    switch (block.passing) {
      case Passing::by_root:
        return compare_far(team, rounds, word, FromRoot(team, room, block));
      case Passing::to_each:
        return compare_far(team, rounds, word, ToEach(team, room, block));
      case Passing::to_all:
      case Passing::to_combine:
      case Passing::nothing: break;
    }
    return compare_far(team, rounds, word, ToAll(team, room, block));
  }

  [[nodiscard]] PassedSources passed(PeTeam const& team,
                                     PassedBlock const& block) const override {
    auto const words       = team.words();
    auto const* const room = words.room(words.map.my_pe, *words.epoch());
    if (block.passing == Passing::by_root)
      return PassedSources::in_order(room + pair_bytes, 0);
    return PassedSources::backwards(room + pair_bytes, block.bytes,
                                    team.my_pe(), team.n_pes());
  }
};

}  // namespace

HostSync const& HostSync::over_nodes() {
  static constexpr FarSync sync;
  return sync;
}

bool has_shared_nodes() {
  return Runtime::instance("symm::has_shared_nodes").nodes().max_near() > 1;
}

}  // namespace symm::Impl

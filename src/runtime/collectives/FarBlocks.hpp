// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_COLLECTIVES_FARBLOCKS_HPP
#define SYMM_COLLECTIVES_FARBLOCKS_HPP

#include <algorithm>
#include <cstddef>

#include "../base/Types.hpp"
#include "../groups/Group.hpp"
#include "../teams/FarTeam.hpp"
#include "../teams/PeTeam.hpp"
#include "../teams/TeamSync.hpp"

namespace symm::Impl {

/// This PE's position among the members on its node.
struct NearMembers {
  int n  = 0;  // number of members on this node
  int me = 0;  // this PE's position among them, 0 to n - 1

  explicit NearMembers(PeTeam const& team) {
    for_each_member<Members::of_this_node>(team, [&](Pe member) {
      if (member < team.my_pe()) ++me;
      ++n;
    });
  }
};

/// On the host, fetches blocks that all members of a multi-node PE team need.
/// Each byte is sent to a node only once: one member on the node fetches it,
/// and the other members on the node copy it from that member. A block is the
/// range [first, first + count) of `dest`, which has the same offset on all
/// PEs.
///
/// \tparam Fetch fetch(member, first, count) copies from the member's dest to
///        this PE's dest, like fetch_part().
template <Group Threads, class Fetch>
class FarBlocks {
 public:
  FarBlocks(Threads const& group, PeTeam const& team, char const* call,
            Fetch const& fetch)
      : m_group(group),
        m_team(team),
        m_near(team),
        m_call(call),
        m_fetch(fetch) {}

  /// Collective. At the start, block i is in member i's dest. After the PE
  /// team's next barrier, every member's dest contains all blocks.
  /// \param block_of block_of(i) returns the `first` and `count` of block i.
  /// \param has_all Whether this PE's dest already contains all blocks.
  template <class BlockOf>
  void share(BlockOf const& block_of, bool has_all = false) const {
    barrier_of(m_group, m_team, m_call);
    // Fetch this PE's part of every block.
    int const n = m_team.n_pes();
    for (int k = 1; k < n && !has_all; ++k) {
      Pe const from   = (m_team.my_pe() + k) % n;
      auto const part = part_of_block(block_of(from), m_near.me);
      m_fetch(from, part.first, part.count);
    }
    if (!has_shared_nodes()) return;  // each PE has all blocks now
    barrier_of(m_group, m_team, m_call);
    if (has_all) return;
    int next = 0;
    for_each_member<Members::of_this_node>(m_team, [&](Pe member) {
      int const near = next++;
      if (near == m_near.me) return;
      for (Pe from = 0; from < n; ++from) {
        if (from == m_team.my_pe()) continue;  // this PE has its own block
        auto const part = part_of_block(block_of(from), near);
        m_fetch(member, part.first, part.count);
      }
    });
  }

 private:
  struct Part {
    std::size_t first;
    std::size_t count;
  };

  template <class Block>
  [[nodiscard]] Part part_of_block(Block const& block, int near) const {
    auto const n    = static_cast<std::size_t>(m_near.n);
    auto const each = (block.count + n - 1) / n;
    auto const begin =
        std::min(block.count, each * static_cast<std::size_t>(near));
    return {block.first + begin, std::min(each, block.count - begin)};
  }

  Threads const& m_group;
  PeTeam const& m_team;
  NearMembers m_near;
  char const* m_call;
  Fetch const& m_fetch;
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Which blocks go by packets in kernels, as the host and kernels decide it.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>

#include <runtime/collectives/CollectiveWork.hpp>
#include <runtime/collectives/PacketExchange.hpp>
#include <runtime/pes/PeTeamWords.hpp>

namespace symm_test {
namespace {

using symm::Impl::BroadcastWork;
using symm::Impl::GatherWork;
using symm::Impl::PeTeamWords;

/// Whether there are packets enough for so many words on `n_pes` PEs, in an
/// operation with one sender and in others.
bool are_broadcast(std::size_t n_packets, int n_pes, std::size_t n_words) {
  BroadcastWork<std::uint64_t> const work{{}, nullptr, nullptr, n_words, 0};
  return are_enough_packets(n_packets, n_pes, work.call());
}
bool are_gathered(std::size_t n_packets, int n_pes, std::size_t n_words) {
  symm::Impl::CollectiveCall call{};
  call.n_words = n_words;
  return are_enough_packets(n_packets, n_pes, call);
}

TEST(PacketExchange, is_for_blocks_for_which_there_are_packets) {
  for (auto const all : {PeTeamWords::few_packets, PeTeamWords::many_packets}) {
    for (int const n_pes : {1, 3, 8, 64}) {
      auto const n = static_cast<std::size_t>(n_pes);
      EXPECT_TRUE(are_broadcast(all, n_pes, 1));
      auto const most =
          n_pes < 8 ? all - n : std::min(all - n, 90'000 / (n - 1));
      EXPECT_TRUE(are_broadcast(all, n_pes, most));
      EXPECT_FALSE(are_broadcast(all, n_pes, most + 1));
      EXPECT_TRUE(are_gathered(all, n_pes, 1));
      EXPECT_TRUE(are_gathered(all, n_pes, all / n));
      EXPECT_FALSE(are_gathered(all, n_pes, all / n + 1));
      // More bytes, and on 8 PEs more packets, than numbers can say.
      constexpr auto huge = std::numeric_limits<std::size_t>::max();
      for (std::size_t const n_words : {std::size_t{0}, huge / 8, huge}) {
        EXPECT_FALSE(are_broadcast(all, n_pes, n_words)) << n_words;
        EXPECT_FALSE(are_gathered(all, n_pes, n_words)) << n_words;
      }
    }
  }
}

TEST(PacketExchange, has_no_packets_for_more_pes_than_packets) {
  EXPECT_FALSE(are_broadcast(PeTeamWords::few_packets, 897, 1));
  EXPECT_FALSE(are_gathered(PeTeamWords::few_packets, 897, 1));
}

TEST(PacketExchange, is_not_for_pe_teams_without_packets) {
  EXPECT_FALSE(are_broadcast(0, 2, 1));
  EXPECT_FALSE(are_gathered(0, 2, 1));
}

}  // namespace
}  // namespace symm_test

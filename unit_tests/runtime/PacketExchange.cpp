// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Which blocks go by packets in kernels, as the host and kernels decide it.

#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

#include <runtime/collectives/CollectiveWork.hpp>
#include <runtime/collectives/PacketExchange.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/pes/PeTeamWords.hpp>
#include <runtime/symm_teams.hpp>

namespace symm_test {
namespace {

using symm::Impl::BroadcastWork;
using symm::Impl::GatherWork;
using symm::Impl::Runtime;

/// Whether so many words do, in an operation with one sender and in others.
bool are_broadcast(std::size_t n_words) {
  auto const team = symm::team_world();
  return go_by_packets(
      team,
      BroadcastWork<std::uint64_t>{team, nullptr, nullptr, n_words, 0}.call());
}
bool are_gathered(std::size_t n_words) {
  auto const team = symm::team_world();
  return go_by_packets(
      team,
      GatherWork<std::uint64_t, false>{team, nullptr, nullptr, n_words}.call());
}

TEST(PacketExchange, is_for_blocks_for_which_there_are_packets) {
  for (int const n_pes : {1, 3, 8}) {
    expect_on_pes(n_pes, [](ForkedBootstrap& bootstrap) {
      Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
      constexpr std::size_t all = symm::Impl::PeTeamWords::n_packets;
      auto const n              = static_cast<std::size_t>(bootstrap.n_pes());
      EXPECT_TRUE(are_broadcast(1));
      EXPECT_TRUE(are_broadcast(all - n));
      EXPECT_FALSE(are_broadcast(all - n + 1));
      EXPECT_TRUE(are_gathered(1));
      EXPECT_TRUE(are_gathered(all / n));
      EXPECT_FALSE(are_gathered(all / n + 1));
      // More bytes, and on 8 PEs more packets, than numbers can say.
      constexpr auto most = std::numeric_limits<std::size_t>::max();
      for (std::size_t const n_words : {std::size_t{0}, most / 8, most}) {
        EXPECT_FALSE(are_broadcast(n_words)) << n_words;
        EXPECT_FALSE(are_gathered(n_words)) << n_words;
      }
      Runtime::finalize();
    });
  }
}

}  // namespace
}  // namespace symm_test

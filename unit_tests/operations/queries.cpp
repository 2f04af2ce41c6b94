// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a program asks the library (OpenSHMEM 1.5, setup, exit and query; 1.6,
// team_ptr), and malloc_with_hints.

#include <climits>
#include <cstddef>
#include <cstdint>
#include <string>

#include <support/memory.hpp>
#include "team_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::PeTeam;
using testing::HasSubstr;

using Words = Kokkos::View<std::uint64_t*, Space>;

TEST(Queries, all_PEs_of_the_job_and_no_others_are_accessible) {
  for (Pe pe = 0; pe < symm::n_pes(); ++pe)
    EXPECT_TRUE(symm::pe_accessible(pe)) << pe;
  for (Pe const pe : {-1, symm::n_pes(), INT_MAX, INT_MIN})
    EXPECT_FALSE(symm::pe_accessible(pe)) << pe;
}

TEST(Queries, symmetric_addresses_and_no_others_are_accessible) {
  Words const words("words", 100);
  auto* const plain = symm::malloc(1000);
  Kokkos::View<int*, symm::SymmetricHostSpace> const on_host("on host", 7);
  int mine = 0;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_TRUE(symm::addr_accessible(words.data(), pe));
    EXPECT_TRUE(symm::addr_accessible(words.data() + 99, pe));
    EXPECT_TRUE(symm::addr_accessible(plain, pe));
    EXPECT_TRUE(symm::addr_accessible(on_host.data(), pe));
    EXPECT_FALSE(symm::addr_accessible(&mine, pe));
    EXPECT_FALSE(symm::addr_accessible(nullptr, pe));
  }
  for (Pe const pe : {-1, symm::n_pes()})
    EXPECT_FALSE(symm::addr_accessible(words.data(), pe));
  // The address of a peer's copy is no symmetric address.
  if (symm::n_pes() > 1 && symm::is_near(right())) {
    EXPECT_FALSE(symm::addr_accessible(symm::ptr(plain, right()), 0));
  }
  symm::free(plain);
}

TEST(Queries, team_ptr_is_ptr_of_the_member) {
  Words const words("words", 2);
  auto* const address = words.data() + 1;
  auto const node     = symm::team_node();
  // Backwards, so that numbers in the team differ from those in the world.
  PeTeam reversed = symm::team_split(world(), 0, -symm::my_pe());
  for (auto const& team : {world(), node, reversed}) {
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      std::uint64_t* const its = symm::team_ptr(team, address, pe);
      EXPECT_EQ(its, symm::ptr(address, team.world_pe(pe)));
      EXPECT_EQ(its != nullptr, symm::is_near(team.world_pe(pe)));
    }
    for (Pe const pe : {-1, team.n_pes()})
      EXPECT_EQ(symm::team_ptr(team, address, pe), nullptr);
  }
  EXPECT_EQ(symm::team_ptr(PeTeam(), address, 0), nullptr);
  int mine = 0;
  EXPECT_EQ(symm::team_ptr(world(), &mine, symm::my_pe()), nullptr);
  symm::team_destroy(reversed);
}

TEST(Queries, programs_have_all_threads_they_like) {
  EXPECT_EQ(symm::query_thread(), symm::ThreadLevel::multiple);
  EXPECT_GT(symm::ThreadLevel::multiple, symm::ThreadLevel::serialized);
  EXPECT_GT(symm::ThreadLevel::serialized, symm::ThreadLevel::funneled);
  EXPECT_GT(symm::ThreadLevel::funneled, symm::ThreadLevel::single);
}

TEST(Queries, the_library_says_its_name_and_the_version_of_OpenSHMEM) {
  int major = 0;
  int minor = 0;
  symm::info_get_version(&major, &minor);
  EXPECT_EQ(major, 1);
  EXPECT_EQ(minor, 5);
  EXPECT_THAT(std::string(symm::info_get_name()),
              testing::MatchesRegex("Kokkos SymmetricSpace [0-9.]+"));
}

TEST(Queries, malloc_with_hints_is_malloc_whatever_the_hints) {
  constexpr long hints[] = {
      0, symm::malloc_atomics_remote, symm::malloc_signal_remote,
      symm::malloc_atomics_remote | symm::malloc_signal_remote};
  for (long const hint : hints) {
    // Hints may differ between PEs.
    auto* const block = symm::malloc_with_hints(4096, hint ^ symm::my_pe() % 2);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(symm::addr_accessible(block, 0));
    set_value(static_cast<int*>(block), symm::my_pe());
    symm::barrier_all();
    EXPECT_EQ(symm::g(static_cast<int*>(block), right()), right());
    symm::barrier_all();
    symm::free(block);
  }
  EXPECT_EQ(symm::malloc_with_hints(0, symm::malloc_signal_remote), nullptr);
}

}  // namespace

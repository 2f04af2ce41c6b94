// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// DistributedViews of PE teams: each team has a whole of its own.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>

#include <Kokkos_SymmetricContainers.hpp>

#include "distributed_cases.hpp"
#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using symm::OnTeam;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using View2 = Kokkos::View<int**, Kokkos::LayoutRight, Space>;
template <class Distribution>
using OfTeam = symm::DistributedView<View2, OnTeam<Distribution>>;

/// Odd and even PEs, numbered from the last one on; the world's first PE has no
/// team if there are more than two.
template <class Distribution>
class DistributedTeams : public testing::Test {
 protected:
  DistributedTeams()
      : m_team(symm::team_split(symm::team_world(),
                                n > 2 && me == 0 ? -1 : me % 2, n - me)) {}
  ~DistributedTeams() override {
    if (m_team.is_valid()) symm::team_destroy(m_team);
  }

  static Distribution distribution() {
    if constexpr (std::is_same_v<Distribution, symm::BlockCyclic>) {
      return symm::BlockCyclic(4);
    } else {
      return {};
    }
  }
  OfTeam<Distribution> make(std::size_t rows) const {
    return OfTeam<Distribution>("rows of a team",
                                OnTeam(m_team, distribution()), rows, 3);
  }
  /// Rows of this PE's team, which differ between teams.
  [[nodiscard]] std::size_t rows_of(std::size_t extent) const {
    return m_team.is_valid() ? extent + static_cast<std::size_t>(me % 2) : 7;
  }

  int const n = symm::n_pes(), me = symm::my_pe();
  symm::PeTeam m_team;
};
using DealtToTeams =
    testing::Types<symm::Blocks, symm::Cyclic, symm::BlockCyclic>;
TYPED_TEST_SUITE(DistributedTeams, DealtToTeams);

template <class View>
std::size_t count_wrong(View const& view, int round) {
  std::size_t n_wrong = 0;
  Kokkos::parallel_reduce(
      "count_wrong",
      Kokkos::RangePolicy<typename View::execution_space>(0, view.extent(0)),
      CountWrong<View>{view, round}, n_wrong);
  return n_wrong;
}

TYPED_TEST(DistributedTeams, have_each_row_on_one_PE_of_the_team) {
  int round = 10 * (this->me % 2);
  for (auto const extent : global_extents) {
    auto const rows = this->rows_of(extent);
    auto const view = this->make(rows);
    if (!this->m_team.is_valid()) {
      EXPECT_EQ(view.extent(0), 0U);
      EXPECT_EQ(view.local().extent(0), 0U);
      continue;
    }
    EXPECT_EQ(view.extent(0), rows);
    std::size_t n_mine = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      EXPECT_EQ(view.owner(i) % 2, this->me % 2);
      EXPECT_EQ(view.global_index(view.owner(i), view.local_index(i)), i);
      if (view.owner(i) == this->me) {
        EXPECT_EQ(view.global_index(n_mine), i);
        ++n_mine;
      }
    }
    EXPECT_EQ(view.local().extent(0), n_mine);
    set_mine(view, ++round);
    symm::barrier(this->m_team);
    EXPECT_EQ(count_wrong(view, round), 0U);
    if (rows > 0) {
      auto const pe = view.owner(rows - 1);
      EXPECT_EQ(symm::remote_view(view).peer(pe).extent(0),
                view.local_index(rows - 1) + 1);
    }
    symm::barrier(this->m_team);
  }
}

TYPED_TEST(DistributedTeams, are_copied_by_the_team_alone) {
  // Teams copy different numbers of times.
  auto const rows = this->rows_of(37);
  auto const view = this->make(rows);
  if (!this->m_team.is_valid()) return;
  Kokkos::View<int**, Kokkos::LayoutLeft, Kokkos::HostSpace> whole("whole",
                                                                   rows, 3);
  for (int round = 1; round < 3 + this->me % 2; ++round) {
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        whole(i, j) = global_value(round, i, j);
    Pe const root = this->m_team.world_pe(this->m_team.n_pes() - 1);
    symm::scatter(view, whole, root);
    EXPECT_EQ(count_wrong_of_mine(view, round), 0U);
    Kokkos::deep_copy(whole, 0);
    if (round % 2 == 0) {
      Kokkos::deep_copy(whole, view);
    } else {
      symm::gather(whole, view, root);
    }
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < rows; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        n_wrong += whole(i, j) == global_value(round, i, j) ? 0U : 1U;
    EXPECT_EQ(n_wrong, round % 2 == 0 || this->me == root ? 0U : 3 * rows);
    symm::barrier(this->m_team);
  }
}

TYPED_TEST(DistributedTeams, are_no_DistributedViews_of_the_world) {
  if (this->n == 1) GTEST_SKIP() << "needs two PEs";
  using View1   = Kokkos::View<int*, Space>;
  using OfWorld = symm::DistributedView<View1>;
  using OfTeam1 = symm::DistributedView<View1, OnTeam<TypeParam>>;
  OnTeam const on_team(this->m_team, this->distribution());
  auto const make = [&] {
    if (this->me == 0) {
      OfWorld("one", 12);
    } else {
      OfTeam1("one", on_team, 12);
    }
  };
  EXPECT_THROW(make(), UsageError);
}

TYPED_TEST(DistributedTeams, fail_together) {
  // On all PEs, also of the other team.
  auto const odd_one         = this->n - 1;
  std::size_t const rows     = this->me == odd_one ? 8 : 7;
  auto const pes_of_its_team = this->n / 2;
  if (pes_of_its_team > 1) {
    EXPECT_THAT(message_of<UsageError>([&] { this->make(rows); }),
                AllOf(HasSubstr("symm::DistributedView"),
                      HasSubstr("extent 0 is"), HasSubstr("on PE")));
  }
  // One passes the world's team in place of its own.
  if (this->n > 2) {
    auto const team = this->me == odd_one ? symm::team_world() : this->m_team;
    EXPECT_THAT(message_of<UsageError>([&] {
                  OfTeam<TypeParam>("x", OnTeam(team, this->distribution()), 7,
                                    3);
                }),
                HasSubstr("PE teams do not match"));
  }
  auto const view = this->make(7);
  if (!this->m_team.is_valid()) return;
  // No PE of it has rows.
  Pe const other = this->n > 2 ? 0 : 1 - this->me;
  Kokkos::View<int**, Kokkos::HostSpace> const whole("whole", 7, 3);
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::gather(whole, view, other); }),
      this->n == 1 ? HasSubstr("invalid PE") : HasSubstr("cannot be the root"));
  // The view is as it was.
  set_mine(view, 1);
  symm::barrier(this->m_team);
  EXPECT_EQ(count_wrong(view, 1), 0U);
  symm::barrier(this->m_team);
}

}  // namespace

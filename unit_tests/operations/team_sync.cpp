// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Barriers of PE teams (OpenSHMEM 1.5, 9.11), on the host, enqueued and in
// kernels.

#include <array>
#include <random>
#include <utility>

#include "team_helpers.hpp"
#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::PeTeam;

/// Not in an arithmetic sequence from three PEs on: 2 0 1, 2 0 3 1.
PeTeam shuffled() {
  constexpr std::array keys{1, 3, 0, 2};
  return symm::team_split(world(), 0,
                          keys[static_cast<std::size_t>(symm::my_pe() % 4)]);
}
/// Even or odd PEs, backwards.
PeTeam half() {
  return symm::team_split(world(), symm::my_pe() % 2, -symm::my_pe());
}

// On the host.

TEST(TeamSync, what_a_member_has_stored_is_there_after_a_barrier) {
  Mail mail;
  auto random   = random_of_this_pe(1);
  auto its_half = half();
  auto all      = shuffled();
  for (int round = 0; round < rounds_of_all(5000); ++round) {
    if (round % 32 == 0) random_pause(random);
    EXPECT_EQ(mail.count_wrong(all), 0);
    EXPECT_EQ(mail.count_wrong(its_half), 0);
    if (round % 3 == 0) {
      EXPECT_EQ(mail.count_wrong(world()), 0);
    }
  }
  end(all);
  end(its_half);
  symm::barrier_all();
}

TEST(TeamSync, teams_that_share_no_PE_do_not_wait_for_each_other) {
  Mail mail;
  auto its_half  = half();
  int const many = symm::my_pe() % 2 == 0 ? rounds_of_all(3000) : 10;
  for (int round = 0; round < many; ++round) {
    EXPECT_EQ(mail.count_wrong(its_half), 0);
    symm::sync(its_half);
  }
  auto quarter = symm::team_split(its_half, its_half.my_pe() / 2, 0);
  for (int round = 0; round < many; ++round) {
    EXPECT_EQ(mail.count_wrong(quarter), 0);
  }
  end(quarter);
  end(its_half);
  symm::barrier_all();
}

TEST(TeamSync, rows_and_columns_take_turns) {
  Mail mail;
  auto random        = random_of_this_pe(2);
  auto [row, column] = symm::team_split_2d(world(), 2);
  for (int round = 0; round < rounds_of_all(3000); ++round) {
    if (round % 16 == 0) random_pause(random);
    EXPECT_EQ(mail.count_wrong(row), 0);
    EXPECT_EQ(mail.count_wrong(column), 0);
    if (round % 5 == 0) symm::sync(column);
  }
  end(row);
  end(column);
  symm::barrier_all();
}

TEST(TeamSync, sync_waits_for_all_members) {
  auto all = shuffled();
  Kokkos::View<int*, symm::SymmetricHostSpace> const counts(
      "counts", static_cast<std::size_t>(symm::n_pes()));
  auto const me = symm::my_pe();
  auto random   = random_of_this_pe(3);
  symm::barrier_all();
  for (int round = 1; round <= rounds_of_all(2000); ++round) {
    if (round % 16 == 0) random_pause(random);
    for (auto const pe : members_of(all)) {
      symm::p(&counts(me), round, pe);
    }
    symm::quiet();  // which sync() is not
    symm::sync(all);
    for (auto const pe : members_of(all)) {
      EXPECT_GE(symm::load_relaxed(&counts(pe)), round);
    }
  }
  symm::sync_all();
  end(all);
  symm::barrier_all();
}

TEST(TeamSync, a_word_that_is_passed_stays_until_the_next_is) {
  auto all      = shuffled();
  auto random   = random_of_this_pe(4);
  auto const me = symm::my_pe();
  auto const at = [&](Pe pe, int round) {
    return pattern({pe, 0, static_cast<unsigned>(round)}, 0);
  };
  for (int round = 0; round < rounds_of_all(3000); ++round) {
    auto const epoch = symm::Impl::exchange_word(symm::Impl::OneThread(), all,
                                                 "test", at(me, round));
    if (round % 16 == 0) random_pause(random);
    for (Pe pe = 0; pe < all.n_pes(); ++pe) {
      EXPECT_EQ(*all.words().passed(me, pe, epoch),
                at(all.world_pe(pe), round));
    }
  }
  end(all);
  symm::barrier_all();
}

// Enqueued, and in kernels.

template <class Exec>
class TeamSyncOf : public testing::Test {};
TYPED_TEST_SUITE(TeamSyncOf, Execs);

constexpr std::size_t n_data = 193;

KOKKOS_FUNCTION constexpr int value_in(int round, Pe from, Pe to,
                                       std::size_t i) {
  return value(from, to, i + n_data * static_cast<std::size_t>(round));
}

/// To the next member, and from the one before.
struct Exchange {
  symm::HeapMap heap;
  Array<int> data;
  PeTeam team;
  Errors errors;

  [[nodiscard]] KOKKOS_FUNCTION Pe member(int distance) const {
    return team.world_pe((team.my_pe() + distance + team.n_pes()) %
                         team.n_pes());
  }
  KOKKOS_FUNCTION void send(int round, std::size_t i) const {
    store_at(heap, member(1), &data(i),
             value_in(round, heap.my_pe, member(1), i));
  }
  KOKKOS_FUNCTION void check(int round, std::size_t i) const {
    if (data(i) != value_in(round, member(-1), heap.my_pe, i)) {
      Kokkos::atomic_inc(&errors());
    }
  }
};

struct Send {
  Exchange exchange;
  int round;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    exchange.send(round, i);
  }
};
struct Check {
  Exchange exchange;
  int round;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    exchange.check(round, i);
  }
};

TYPED_TEST(TeamSyncOf, an_enqueued_barrier_is_between_the_kernels_of_members) {
  using Range = Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::size_t>>;
  Array<int> const data("data", n_data);
  Errors const errors("errors");
  TypeParam const exec;
  auto its_half = half();
  auto all      = shuffled();
  symm::barrier_all(exec);
  int round = 0;
  for (int turn = 0; turn < turns<TypeParam>(1000); turn += 2) {
    for (auto const& team : {all, its_half, world()}) {
      Exchange const exchange{symm::heap_map(Space::memory_kind), data, team,
                              errors};
      ++round;
      Kokkos::parallel_for(Range(exec, 0, n_data), Send{exchange, round});
      symm::barrier(exec, team);
      Kokkos::parallel_for(Range(exec, 0, n_data), Check{exchange, round});
      symm::barrier(exec, world());  // for the next team
    }
  }
  exec.fence();
  EXPECT_EQ(get(errors), 0);
  end(all);
  end(its_half);
  symm::barrier_all();
}

struct BarrierInKernel {
  PeTeam team;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    symm::barrier(member, team);
  }
};

TYPED_TEST(TeamSyncOf, an_enqueued_barrier_and_one_in_a_kernel_meet) {
  using Range = Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::size_t>>;
  Array<int> const data("data", n_data);
  Errors const errors("errors");
  TypeParam const exec;
  Exchange const exchange{symm::heap_map(Space::memory_kind), data, world(),
                          errors};
  symm::barrier_all(exec);
  auto const barrier = [&](int n) {
    if ((symm::my_pe() + n) % 2 == 0) {
      symm::barrier(exec, world());
    } else {
      Kokkos::parallel_for(Kokkos::TeamPolicy<TypeParam>(exec, 1, 1),
                           BarrierInKernel{world()});
    }
  };
  for (int round = 0; round < turns<TypeParam>(1000); ++round) {
    Kokkos::parallel_for(Range(exec, 0, n_data), Send{exchange, round});
    barrier(round / 2);
    Kokkos::parallel_for(Range(exec, 0, n_data), Check{exchange, round});
    barrier(round / 3);
  }
  exec.fence();
  EXPECT_EQ(get(errors), 0);
  symm::barrier_all();
}

/// All rounds in one kernel.
struct ExchangeInKernel {
  Exchange exchange;
  int first_round;
  int n_rounds;
  bool is_by_lanes;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    for (int i = 0; i < n_rounds; ++i) {
      int const round = first_round + i;
      if (is_by_lanes) {
        by_lanes(member, round);
      } else {
        by_team(member, round);
      }
    }
  }
  template <class Member>
  KOKKOS_FUNCTION void by_team(Member const& member, int round) const {
    std::size_t const count = n_data;  // nvcc would take its address
    auto const range        = Kokkos::TeamVectorRange(member, count);
    Kokkos::parallel_for(range,
                         [&](std::size_t i) { exchange.send(round, i); });
    symm::barrier(member, exchange.team);
    Kokkos::parallel_for(range,
                         [&](std::size_t i) { exchange.check(round, i); });
    symm::sync(member, exchange.team);
  }
  template <class Member>
  KOKKOS_FUNCTION void by_lanes(Member const& member, int round) const {
    if (member.team_rank() != 0) return;
    std::size_t const count = n_data;
    auto const range        = Kokkos::ThreadVectorRange(member, count);
    auto const lanes        = symm::lanes(member);
    Kokkos::parallel_for(range,
                         [&](std::size_t i) { exchange.send(round, i); });
    symm::barrier(lanes, exchange.team);
    Kokkos::parallel_for(range,
                         [&](std::size_t i) { exchange.check(round, i); });
    symm::sync(lanes, exchange.team);
  }
};

template <class Exec>
void expect_barriers_in_kernels(int team_size, bool is_by_lanes) {
  Array<int> const data("data", n_data);
  Errors const errors("errors");
  auto its_half      = half();
  auto all           = shuffled();
  int const n_rounds = turns<Exec>(2000);
  symm::barrier_all(Exec());
  for (int i = 0; i < 2; ++i) {
    for (auto const& team : {all, its_half, world()}) {
      Kokkos::parallel_for(
          Kokkos::TeamPolicy<Exec>(1, team_size, is_by_lanes ? 8 : 1),
          ExchangeInKernel{
              {symm::heap_map(Space::memory_kind), data, team, errors},
              i * n_rounds,
              n_rounds,
              is_by_lanes});
      Exec().fence();
      symm::barrier(world());  // of the host, between those of kernels
    }
  }
  EXPECT_EQ(get(errors), 0);
  end(all);
  end(its_half);
  symm::barrier_all();
}

TYPED_TEST(TeamSyncOf, a_barrier_in_a_kernel_of_one_thread) {
  expect_barriers_in_kernels<TypeParam>(1, false);
}

TYPED_TEST(TeamSyncOf, a_barrier_in_a_kernel_of_a_warp) {
  if (is_host_exec<TypeParam>) GTEST_SKIP() << "needs a GPU";
  expect_barriers_in_kernels<TypeParam>(32, false);
}

TYPED_TEST(TeamSyncOf, a_barrier_in_a_kernel_of_several_warps) {
  if (is_host_exec<TypeParam>) GTEST_SKIP() << "needs a GPU";
  expect_barriers_in_kernels<TypeParam>(128, false);
}

TYPED_TEST(TeamSyncOf, a_barrier_in_a_kernel_by_lanes) {
  expect_barriers_in_kernels<TypeParam>(1, true);
}

/// What a team is, as a kernel sees it.
struct LookAtTeam {
  PeTeam team;
  Array<int> numbers;
  KOKKOS_FUNCTION void operator()() const {
    numbers(0) = team.is_valid() ? team.n_pes() : -1;
    numbers(1) = team.my_pe();
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      numbers(static_cast<std::size_t>(2 + pe)) = team.world_pe(pe);
    }
  }
};

TYPED_TEST(TeamSyncOf, a_kernel_finds_the_members_of_a_team) {
  Array<int> const numbers("numbers",
                           2 + static_cast<std::size_t>(symm::n_pes()));
  auto its_half = half();
  auto all      = shuffled();
  for (auto const& team : {world(), its_half, all}) {
    run<TypeParam>(LookAtTeam{team, numbers});
    EXPECT_EQ(get(numbers, 0), team.n_pes());
    EXPECT_EQ(get(numbers, 1), team.my_pe());
    for (Pe pe = 0; pe < team.n_pes(); ++pe) {
      EXPECT_EQ(get(numbers, 2 + pe), team.world_pe(pe));
    }
  }
  run<TypeParam>(LookAtTeam{PeTeam(), numbers});
  EXPECT_EQ(get(numbers, 0), -1);
  EXPECT_EQ(get(numbers, 1), -1);
  end(all);
  end(its_half);
  symm::barrier_all();
}

}  // namespace

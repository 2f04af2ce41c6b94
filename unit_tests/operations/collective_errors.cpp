// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Wrong collective calls: UsageError on every PE of the team, which goes on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <runtime/job/Runtime.hpp>

#include "collective_forms.hpp"
#include "collective_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

/// Blocks for calls that go wrong, and a look at whether the team goes on.
class CollectiveErrors : public testing::Test {
 protected:
  /// Collective: what the team does next is right, and all PEs have got here.
  void expect_that_the_team_works() {
    bench.run(Reduce<symm::Sum>{}, world, 100, {0, 1}, OnHost());
    bench.run(Collect{0}, world, 100, {0, 1}, OnHost());
  }
  /// The last PE is the one that is wrong.
  [[nodiscard]] bool is_wrong() const {
    return symm::my_pe() == symm::n_pes() - 1;
  }
  /// Every PE throws; the one that is wrong says `what`.
  template <class Call>
  void expect_errors(char const* what, Call const& call) {
    auto const message = message_of<UsageError>(call);
    EXPECT_THAT(message,
                HasSubstr(is_wrong() ? what : "has failed on another PE"));
    EXPECT_THAT(message, HasSubstr("symm::"));
    expect_that_the_team_works();
  }
  /// The same if nobody can tell who is wrong: with one PE, nobody is.
  template <class Call>
  void expect_difference(Call const& call) {
    EXPECT_THAT(
        message_of<UsageError>(call),
        HasSubstr(symm::n_pes() == 1 ? "no exception" : "different calls"));
    expect_that_the_team_works();
  }

  Teams const teams;
  Team const& world       = teams.teams[0];
  symm::PeTeam const team = world.team;
  Bench<int> bench{1000};
  Kokkos::View<int*, Space> const a{"a", 1000};
  Kokkos::View<int*, Space> const b{"b", 1000};
};

TEST_F(CollectiveErrors, a_root_that_is_not_there) {
  for (Pe const root : {-1, symm::n_pes()}) {
    expect_errors("invalid PE", [&] {
      symm::broadcast(team, b.data(), a.data(), 10, is_wrong() ? root : 0);
    });
  }
}

TEST_F(CollectiveErrors, a_root_that_differs) {
  expect_difference([&] {
    symm::broadcast(team, b.data(), a.data(), 10,
                    is_wrong() ? team.my_pe() : 0);
  });
}

TEST_F(CollectiveErrors, a_count_that_differs) {
  std::size_t const count = is_wrong() ? 11 : 10;
  expect_difference(
      [&] { symm::broadcast(team, b.data(), a.data(), count, 0); });
  expect_difference([&] { symm::fcollect(team, b.data(), a.data(), count); });
  expect_difference([&] { symm::alltoall(team, b.data(), a.data(), count); });
  expect_difference(
      [&] { symm::reduce(team, b.data(), a.data(), count, symm::Sum{}); });
  expect_difference([&] {
    symm::reduce(team, b.data(), a.data(), is_wrong() ? 0U : 10U, symm::Sum{});
  });
  // Small sources go along with the checks between nodes, large ones do not.
  std::size_t const large = is_wrong() ? 100'000 : 10;
  auto const blocks       = 100'000 * static_cast<std::size_t>(symm::n_pes());
  Kokkos::View<int*, Space> const from("from", blocks);
  Kokkos::View<int*, Space> const to("to", blocks);
  expect_difference(
      [&] { symm::broadcast(team, to.data(), from.data(), large, 0); });
  expect_difference(
      [&] { symm::fcollect(team, to.data(), from.data(), large); });
  expect_difference(
      [&] { symm::alltoall(team, to.data(), from.data(), large); });
  // As many bytes, with other strides.
  auto const n = static_cast<std::size_t>(symm::n_pes());
  if (n > 1) {
    std::size_t const stride = is_wrong() ? n - 1 : 2 * n - 1;
    expect_difference([&] {
      symm::alltoalls(team, b.data(), a.data(), stride, stride,
                      is_wrong() ? 2 : 1);
    });
  }
}

TEST_F(CollectiveErrors, an_address_that_differs) {
  expect_difference([&] {
    symm::fcollect(team, b.data() + (is_wrong() ? 1 : 0), a.data(), 10);
  });
  expect_difference([&] {
    symm::reduce(team, b.data(), a.data() + (is_wrong() ? 1 : 0), 10,
                 symm::Sum{});
  });
  expect_difference([&] {
    symm::collect(team, b.data(), a.data() + (is_wrong() ? 1 : 0),
                  is_wrong() ? 0 : 10);
  });
}

TEST_F(CollectiveErrors, a_private_address) {
  std::vector<int> mine(100);
  int* const null = nullptr;
  for (int* const address : {mine.data(), null}) {
    int* const dest         = is_wrong() ? address : b.data();
    int const* const source = is_wrong() ? address : a.data();
    expect_errors("not in this PE's part",
                  [&] { symm::broadcast(team, dest, a.data(), 10, 0); });
    expect_errors("not in this PE's part",
                  [&] { symm::alltoall(team, b.data(), source, 10); });
    expect_errors("not in this PE's part",
                  [&] { symm::reduce(team, dest, a.data(), 10, symm::Sum{}); });
    // Also of a PE that has no elements for the others.
    std::size_t const count = is_wrong() && symm::n_pes() > 1 ? 0 : 10;
    expect_errors("not in this PE's part",
                  [&] { symm::collect(team, b.data(), source, count); });
    expect_errors("not in this PE's part",
                  [&] { symm::collect(team, dest, a.data(), count); });
  }
}

TEST_F(CollectiveErrors, a_count_that_is_in_no_heap) {
  std::size_t const count = is_wrong() ? ~std::size_t{0} / 2 : 10;
  expect_errors("not in this PE's part",
                [&] { symm::fcollect(team, b.data(), a.data(), count); });
  expect_errors("not in this PE's part", [&] {
    symm::alltoalls(team, b.data(), a.data(), 3, 2, count);
  });
  expect_errors("not in this PE's part",
                [&] { symm::collect(team, b.data(), a.data(), count); });
}

TEST_F(CollectiveErrors, counts_of_collect_that_have_no_memory_together) {
  auto const& heap = symm::Impl::Runtime::instance("test").heap_of(a.data());
  std::size_t most = a.size();
  while (heap.is_mapped(a.data(), 2 * most * sizeof(int))) most *= 2;
  // Each of them has memory; one of more counts is beyond it.
  std::size_t const count = symm::n_pes() == 1 ? 2 * most : most;
  auto const message      = message_of<UsageError>(
      [&] { symm::collect(team, a.data(), a.data(), count); });
  EXPECT_THAT(message, HasSubstr(symm::n_pes() == 1
                                     ? "not in this PE's part"
                                     : "do not fit into the memory at dest"));
  expect_that_the_team_works();
}

TEST_F(CollectiveErrors, blocks_that_overlap) {
  int* const dest = is_wrong() ? a.data() + 9 : b.data();
  expect_errors("overlap",
                [&] { symm::broadcast(team, dest, a.data(), 10, 0); });
  expect_errors("overlap",
                [&] { symm::reduce(team, dest, a.data(), 10, symm::Sum{}); });
  int* const same = is_wrong() ? a.data() : b.data();
  expect_errors("pass a copy of the source",
                [&] { symm::alltoall(team, same, a.data(), 10); });
  // Next to each other.
  symm::broadcast(team, a.data() + 10, a.data(), 10, 0);
  symm::broadcast(team, a.data(), a.data() + 10, 10, 0);
}

TEST_F(CollectiveErrors, a_stride_of_0) {
  std::size_t const stride = is_wrong() ? 0 : 2;
  expect_errors("stride", [&] {
    symm::alltoalls(team, b.data(), a.data(), stride, 1, 5);
  });
  expect_errors("stride", [&] {
    symm::alltoalls(team, b.data(), a.data(), 1, stride, 5);
  });
}

TEST_F(CollectiveErrors, another_operation) {
  expect_difference([&] {
    if (is_wrong()) {
      symm::reduce(team, b.data(), a.data(), 10, symm::Max{});
    } else {
      symm::reduce(team, b.data(), a.data(), 10, symm::Sum{});
    }
  });
  expect_difference([&] {
    if (is_wrong()) {
      symm::broadcast(team, b.data(), a.data(), 10, 0);
    } else {
      symm::reduce(team, b.data(), a.data(), 10, symm::Sum{});
    }
  });
}

TEST_F(CollectiveErrors, a_barrier_in_its_place) {
  auto const call = [&] {
    symm::reduce(team, b.data(), a.data(), 10, symm::Sum{});
  };
  // What PEs have passed in the two calls before is not taken for this one's.
  call();
  call();
  auto const message = message_of<UsageError>([&] {
    if (is_wrong()) {
      symm::barrier(team);
    } else {
      call();
    }
  });
  EXPECT_THAT(message, HasSubstr(symm::n_pes() == 1 ? "no exception"
                                 : is_wrong()       ? "symm::barrier of"
                                                    : "symm::reduce: "));
  EXPECT_THAT(message, HasSubstr(symm::n_pes() == 1 ? "" : "different calls"));
  expect_that_the_team_works();
}

// What goes along with the checks of one has the size, and looks like, what the
// other one's members tell each other.
TEST_F(CollectiveErrors, a_split_in_its_place) {
  using Words = Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace>;
  Words const source("source", 1);
  Words const dest("dest", 1);
  for (std::uint64_t const high : {1U, 2U, 3U, 4U, 5U}) {
    source(0) = high << 32U;
    for (bool const is_first_split : {false, true}) {
      expect_difference([&] {
        if ((symm::my_pe() == 0) == is_first_split && symm::n_pes() > 1) {
          static_cast<void>(symm::team_split(team, 0, symm::my_pe()));
        } else {
          symm::reduce(team, dest.data(), source.data(), 1, symm::Sum{});
        }
      });
    }
  }
}

TEST_F(CollectiveErrors, another_scan) {
  using symm::exscan;
  using symm::inscan;
  using symm::Sum;
  expect_difference([&] {
    if (is_wrong()) {
      inscan(team, b.data(), a.data(), 10, Sum{});
    } else {
      exscan(team, b.data(), a.data(), 10, Sum{});
    }
  });
  expect_difference(
      [&] { inscan(team, b.data(), a.data(), is_wrong() ? 11 : 10, Sum{}); });
  int* const inside = is_wrong() ? a.data() + 1 : b.data() + 1;
  expect_errors("overlap", [&] { inscan(team, inside, a.data(), 10, Sum{}); });
  int* const same = is_wrong() ? a.data() : b.data();
  expect_difference([&] { inscan(team, same, a.data(), 10, Sum{}); });
  expect_difference([&] {
    (void)(is_wrong() ? inscan(team, 1, Sum{}) : exscan(team, 1, Sum{}));
  });
  expect_difference([&] {
    (void)(is_wrong() ? symm::reduce(team, 1, Sum{}) : inscan(team, 1, Sum{}));
  });
  expect_difference([&] {
    if (is_wrong()) {
      (void)exscan(team, 1.5, Sum{});
    } else {
      (void)exscan(team, std::int64_t{1}, Sum{});
    }
  });
}

TEST_F(CollectiveErrors, another_value) {
  using symm::reduce;
  using symm::Sum;
  expect_difference([&] {
    if (is_wrong()) {
      (void)reduce(team, 1.5, Sum{});
    } else {
      (void)reduce(team, std::int64_t{1}, Sum{});
    }
  });
  expect_difference([&] {
    if (is_wrong()) {
      (void)reduce(team, 1, symm::Max{});
    } else {
      (void)reduce(team, 1, Sum{});
    }
  });
  // Of two words.
  expect_difference([&] {
    if (is_wrong()) {
      (void)reduce(team, Kokkos::complex<double>(1, 2), Sum{});
    } else {
      (void)reduce(team, 1.5, Sum{});
    }
  });
  expect_difference([&] {
    if (is_wrong()) {
      (void)reduce(team, 1, Sum{});
    } else {
      reduce(team, b.data(), a.data(), 1, Sum{});
    }
  });
  auto const message = message_of<UsageError>([&] {
    if (is_wrong()) {
      symm::barrier(team);
    } else {
      (void)reduce(team, 1, Sum{});
    }
  });
  EXPECT_THAT(message, HasSubstr(symm::n_pes() == 1 ? "no exception"
                                                    : "different calls"));
  expect_that_the_team_works();
  EXPECT_THAT(
      message_of<UsageError>([&] { (void)reduce(symm::PeTeam(), 1, Sum{}); }),
      HasSubstr("symm::reduce: this PE is not in the team"));
}

TEST_F(CollectiveErrors, counts_of_nothing_need_no_address) {
  int* const null = nullptr;
  symm::broadcast(team, null, null, 0, 0);
  symm::fcollect(team, null, null, 0);
  symm::alltoall(team, null, null, 0);
  symm::reduce(team, null, null, 0, symm::Sum{});
  symm::exscan(SpaceExec(), team, null, null, 0, symm::Max{}, 1);
  for (int* const address : {null, is_wrong() ? null : a.data()}) {
    symm::collect(team, address, address, 0);
    symm::collect(SpaceExec(), team, address, address, 0);
  }
  SpaceExec().fence();
  expect_that_the_team_works();
}

TEST_F(CollectiveErrors, no_team) {
  symm::PeTeam const none;
  EXPECT_THAT(message_of<UsageError>(
                  [&] { symm::broadcast(none, b.data(), a.data(), 10, 0); }),
              HasSubstr("symm::broadcast: this PE is not in the team"));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::alltoall(SpaceExec(), none, b.data(), a.data(), 10);
              }),
              HasSubstr("symm::alltoall: this PE is not in the team"));
  expect_that_the_team_works();
}

TEST_F(CollectiveErrors, an_enqueued_call_throws_and_the_team_works) {
  int* const null = nullptr;
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::reduce(SpaceExec(), team, null, a.data(), 10,
                             symm::Sum{});
              }),
              HasSubstr("not in this PE's part"));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::broadcast(SpaceExec(), team, b.data(), a.data(), 10,
                                symm::n_pes());
              }),
              HasSubstr("invalid PE"));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::inscan(SpaceExec(), team, a.data(), a.data() + 9, 10,
                             symm::Sum{});
              }),
              AllOf(HasSubstr("symm::inscan"), HasSubstr("overlap")));
  expect_that_the_team_works();
}

TEST_F(CollectiveErrors, blocks_in_different_kinds_of_memory) {
  Kokkos::View<int*, symm::SymmetricHostSpace> const on_host("on host", 100);
  Kokkos::View<int*, symm::SymmetricSpace> const by_default("default", 100);
  if constexpr (!is_on_host<symm::SymmetricSpace>) {
    int const* const source = is_wrong() ? on_host.data() : by_default.data();
    expect_errors("same kind of memory", [&] {
      symm::broadcast(team, by_default.data(), source, 10, 0);
    });
    // Of one kind each, at maybe equal offsets.
    expect_difference([&] {
      int* const base = is_wrong() ? on_host.data() : by_default.data();
      symm::broadcast(team, base + 50, base, 10, 0);
    });
  }
  expect_that_the_team_works();
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// put, get and their relatives by thread teams, and by the vector lanes of one
// thread of a team.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/pes.hpp>

#include "rma_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;

/// How many threads and vector lanes; 0 threads: Kokkos decides.
struct TeamShape {
  int threads;
  int lanes;
};

template <class Exec>
std::vector<TeamShape> team_shapes() {
  if constexpr (is_gpu<Exec>) {
    return {{1, 1},  {1, 32},  {0, 1},  {3, 4},  {32, 1},
            {8, 32}, {128, 4}, {64, 1}, {512, 1}};
  } else {
    return {{1, 1}, {0, 1}};
  }
}

template <class Exec, class Body>
void launch_teams(TeamShape const& shape, int league, Body const& body) {
  using Policy = Kokkos::TeamPolicy<Exec>;
  Policy const by_kokkos(league, Kokkos::AUTO, shape.lanes);
  int threads = shape.threads;
  if (threads == 0) {
    threads = by_kokkos.team_size_recommended(body, Kokkos::ParallelForTag());
  }
  threads = std::min(threads,
                     by_kokkos.team_size_max(body, Kokkos::ParallelForTag()));
  Kokkos::parallel_for("teams", Policy(league, threads, shape.lanes), body);
  Exec().fence("launch_teams");
}

/// The teams of the league take the copies in turn.
template <class Form>
struct ByTeams {
  Copies<Form> copies;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const step = static_cast<std::size_t>(member.league_size());
    for (auto k = static_cast<std::size_t>(member.league_rank()); k < copies.n;
         k += step) {
      copies.copy(k, member, copies.heap);
    }
  }
};

/// The threads of a team take its copies in turn.
template <class Form>
struct ByLanes {
  Copies<Form> copies;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const league = static_cast<std::size_t>(member.league_size());
    auto const rank   = static_cast<std::size_t>(member.league_rank());
    auto const mine   = (copies.n + league - 1 - rank) / league;
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, mine), [&](std::size_t i) {
          copies.copy(i * league + rank, symm::lanes(member), copies.heap);
        });
  }
};

template <class Form>
class TeamRma : public testing::Test {};
TYPED_TEST_SUITE(TeamRma, TeamForms);
template <class Form>
class LaneRma : public testing::Test {};
TYPED_TEST_SUITE(LaneRma, LaneForms);

TYPED_TEST(TeamRma, copies_exactly_the_elements) {
  Exchange<TypeParam> const exchange;
  for_each_exec<Space>([&]<class Exec>() {
    exchange.run_all([](auto const& copies) {
      launch_teams<Exec>({0, 1}, 7, ByTeams<TypeParam>{copies});
    });
  });
}

TYPED_TEST(LaneRma, copies_exactly_the_elements) {
  Exchange<TypeParam> const exchange;
  for_each_exec<Space>([&]<class Exec>() {
    exchange.run_all([](auto const& copies) {
      launch_teams<Exec>({is_gpu<Exec> ? 4 : 1, is_gpu<Exec> ? 8 : 1}, 7,
                         ByLanes<TypeParam>{copies});
    });
  });
}

template <class Form>
void exchange_by_all_team_shapes() {
  using T = typename Form::Element;
  Exchange<Form> const exchange;
  for_each_exec<Space>([&]<class Exec>() {
    for (auto const& team : team_shapes<Exec>()) {
      SCOPED_TRACE(testing::Message()
                   << "teams of " << team.threads << " threads of "
                   << team.lanes << " lanes");
      for (std::size_t const bytes : Sizes{48, 4112, 20'000}) {
        if (is_gpu<Exec> && bytes == 4112) continue;  // PEs share it
        symm_test::Shape shape{sizeof(T), alignof(T), bytes / sizeof(T)};
        if (Form::Operation::is_strided) shape.dest_stride = 3;
        exchange.run(shape, [&](auto const& copies) {
          launch_teams<Exec>(team, 5, ByTeams<Form>{copies});
        });
        exchange.run(shape, [&](auto const& copies) {
          launch_teams<Exec>(team, 5, ByLanes<Form>{copies});
        });
      }
    }
  });
}

TEST(TeamShapes, a_put_is_right_for_every_number_of_threads_and_lanes) {
  exchange_by_all_team_shapes<Of<PutMem, unsigned char>>();
}

TEST(TeamShapes, a_get_is_right_for_every_number_of_threads_and_lanes) {
  exchange_by_all_team_shapes<Of<Get, double>>();
}

TEST(TeamShapes, an_iput_is_right_for_every_number_of_threads_and_lanes) {
  exchange_by_all_team_shapes<Of<Iput, int>>();
}

// The loops of a GPU, on the host.

template <class Form>
class GpuLoops : public testing::Test {
 protected:
  void SetUp() override {
    if (are_all_near()) return;
    GTEST_SKIP() << "there are PEs that loads and stores do not reach";
  }
};
using GpuForms = testing::Types<
    Of<PutByWords, unsigned char>, Of<PutByWords, short>, Of<PutByWords, int>,
    Of<PutByWords, double>, Of<PutByWords, Twelve>, Of<PutByWords, Sixteen>,
    Of<IputWithLoadsInFlight, char>, Of<IputWithLoadsInFlight, Twelve>>;
TYPED_TEST_SUITE(GpuLoops, GpuForms);

TYPED_TEST(GpuLoops, copy_exactly_the_elements) {
  if constexpr (!is_on_host<Space>) {
    GTEST_SKIP() << "the GPU does it";
  } else {
    Exchange<TypeParam> const exchange;
    exchange.run_all([](auto const& copies) {
      for (std::size_t k = 0; k < copies.n; ++k)
        copies.copy(k, ManyThreads(), copies.heap);
    });
    exchange.run_all([](auto const& copies) {
      for (std::size_t k = 0; k < copies.n; ++k)
        copies.copy(k, symm::Impl::OneThread(), copies.heap);
    });
  }
}

/// Teams put one long array together, each a part of its own.
struct PutParts {
  symm::HeapMap heap;
  int* dest;
  int const* source;
  std::size_t count;
  Pe pe;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const league = static_cast<std::size_t>(member.league_size());
    auto const rank   = static_cast<std::size_t>(member.league_rank());
    auto const first  = count * rank / league;
    auto const last   = count * (rank + 1) / league;
    symm::put(member, heap, dest + first, source + first, last - first, pe);
  }
};

TEST(Teams, of_a_league_put_parts_of_one_array) {
  constexpr std::size_t count = 300'007;
  Kokkos::View<int*, Space> const source("source", count);
  Kokkos::View<int*, Space> const dest("dest", count);
  GuardView const guard;
  for_each_exec<Space>([&]<class Exec>() {
    for (int const league : {1, 32, 77}) {
      fill(source, symm::my_pe(), right());
      Kokkos::deep_copy(dest, 0);
      symm::barrier_all();
      launch_teams<Exec>({0, 1}, league,
                         PutParts{symm::heap_map(Space::memory_kind),
                                  dest.data(), source.data(), count, right()});
      symm::barrier_all();
      EXPECT_EQ(count_wrong(dest, left(), symm::my_pe()), 0U);
      symm::barrier_all();
    }
  });
  EXPECT_TRUE(guard.is_intact());
}

// Completion, as one thread sees the others' part: of a team by its barrier, of
// lanes by theirs. `Range` has all threads or all lanes, and each looks at what
// another has copied.

template <class Member>
KOKKOS_FUNCTION auto whole(Member const& member, std::size_t count) {
  return Kokkos::TeamVectorRange(member, count);
}
template <class Member>
KOKKOS_FUNCTION auto whole(symm::Impl::Lanes<Member> const& lanes,
                           std::size_t count) {
  return Kokkos::ThreadVectorRange(lanes.member, count);
}

/// Gets `count` numbers, and at once stores them in reverse order to `result`;
/// puts them back from there, and at once destroys what was put.
struct GetAndPutBack {
  symm::HeapMap heap;
  int* source;
  int* copied;
  int* result;
  int* dest;
  std::size_t count;
  Pe pe;
  bool is_by_lanes;

  template <class Group>
  KOKKOS_FUNCTION void copy(Group const& group) const {
    symm::get(group, heap, copied, source, count, pe);
    Kokkos::parallel_for(whole(group, count), [&](std::size_t i) {
      result[i] = copied[count - 1 - i];
    });
    barrier(group);
    symm::put(group, heap, dest, result, count, pe);
    Kokkos::parallel_for(whole(group, count),
                         [&](std::size_t i) { result[count - 1 - i] = -1; });
  }
  template <class Member>
  KOKKOS_FUNCTION static void barrier(Member const& member) {
    member.team_barrier();
  }
  template <class Member>
  KOKKOS_FUNCTION static void barrier(symm::Impl::Lanes<Member> const&) {}

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    if (!is_by_lanes) {
      copy(member);
    } else if (member.team_rank() == 0) {
      copy(symm::lanes(member));
    }
  }
};

TEST(Teams, have_the_data_of_a_get_and_may_reuse_the_source_of_a_put) {
  for_each_exec<Space>([&]<class Exec>() {
    constexpr std::size_t count = 5003;
    Kokkos::View<int*, Space> const source("source", count);
    Kokkos::View<int*, Space> const copied("copied", count);
    Kokkos::View<int*, Space> const result("result", count);
    Kokkos::View<int*, Space> const dest("dest", count);
    fill(source, symm::my_pe(), symm::my_pe());
    for (auto const& team : team_shapes<Exec>()) {
      for (bool const is_by_lanes : {false, true}) {
        Kokkos::deep_copy(copied, 0);
        Kokkos::deep_copy(dest, 0);
        symm::barrier_all();
        launch_teams<Exec>(
            team, 1,
            GetAndPutBack{symm::heap_map(Space::memory_kind), source.data(),
                          copied.data(), result.data(), dest.data(), count,
                          right(), is_by_lanes});
        symm::barrier_all();
        // What this PE has, turned round by PE left(), and so here.
        std::vector<int> turned(count);
        symm::get(turned.data(), dest.data(), count, symm::my_pe());
        std::reverse(turned.begin(), turned.end());
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < count; ++i) {
          if (turned[i] != value(symm::my_pe(), symm::my_pe(), i)) ++wrong;
        }
        EXPECT_EQ(wrong, 0U) << team.threads << " threads of " << team.lanes
                             << " lanes" << (is_by_lanes ? ", one only" : "");
        symm::barrier_all();
      }
    }
  });
}

/// The source in scratch memory, written by the team.
struct PutFromScratch {
  using Exec = SpaceExec;
  using Scratch =
      Kokkos::View<int*, Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::size_t count = 301;

  symm::HeapMap heap;
  int* dest;
  Pe pe;

  KOKKOS_FUNCTION void operator()(
      Kokkos::TeamPolicy<Exec>::member_type const& member) const {
    std::size_t const n = count;  // nvcc: no reference to a static member
    Scratch const scratch(member.team_scratch(0), n);
    auto const first = static_cast<std::size_t>(member.league_rank()) * n;
    Kokkos::parallel_for(
        Kokkos::TeamVectorRange(member, n),
        [&](std::size_t i) { scratch(i) = value(heap.my_pe, pe, first + i); });
    member.team_barrier();
    symm::put(member, heap, dest + first, scratch.data(), n, pe);
  }
};

TEST(Teams, put_from_scratch_memory) {
  constexpr int league = 5;
  Kokkos::View<int*, Space> const dest("dest", league * PutFromScratch::count);
  symm::barrier_all();
  Kokkos::parallel_for(
      "put from scratch",
      Kokkos::TeamPolicy<SpaceExec>(league, Kokkos::AUTO)
          .set_scratch_size(0,
                            Kokkos::PerTeam(PutFromScratch::Scratch::shmem_size(
                                PutFromScratch::count))),
      PutFromScratch{symm::heap_map(Space::memory_kind), dest.data(), right()});
  symm::barrier_all(SpaceExec());
  EXPECT_EQ(count_wrong(dest, left(), symm::my_pe()), 0U);
}

}  // namespace

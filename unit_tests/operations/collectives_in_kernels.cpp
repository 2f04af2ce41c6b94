// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective operations of PE teams in kernels, by a Kokkos thread team or by
// the vector lanes of one of its threads.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/Sanitizers.hpp>

#include "collective_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;

template <class Op, class T, bool is_by_lanes>
struct CallInKernel {
  symm::HeapMap heap;
  Op op;
  symm::PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    if constexpr (!is_by_lanes) {
      op.call(dest, source, count, member, heap, team);
    } else if (member.team_rank() == 0) {
      op.call(dest, source, count, symm::lanes(member), heap, team);
    }
  }
};

template <class Exec, bool is_by_lanes>
struct InKernel {
  static constexpr bool is_slow = is_gpu<Exec>;
  int threads                   = 1;

  template <class Op, class T>
  void operator()(Op const& op, symm::PeTeam const& team, T* dest,
                  T const* source, std::size_t count) const {
    using Policy = Kokkos::TeamPolicy<Exec>;
    CallInKernel<Op, T, is_by_lanes> const call{
        symm::heap_map(Space::memory_kind), op, team, dest, source, count};
    int const lanes = is_by_lanes && is_gpu<Exec> ? 8 : 1;
    Kokkos::parallel_for("collective in a kernel", Policy(1, threads, lanes),
                         call);
    Exec().fence("InKernel");
  }
};

/// Who calls on a GPU; on the host both do.
enum class By { teams, lanes, both };

/// Calls body(form) for all forms in kernels.
template <By by, class Body>
void for_each_form(Body const& body) {
  for_each_exec<Space>([&]<class Exec>() {
    if constexpr (is_gpu<Exec>) {
      if constexpr (by != By::lanes) {
        body(InKernel<Exec, false>{128});
        body(InKernel<Exec, false>{1});
      }
      if constexpr (by != By::teams) body(InKernel<Exec, true>{4});
    } else {
      body(InKernel<Exec, false>{1});
      body(InKernel<Exec, true>{1});
    }
  });
}

template <class T, By by, class Ops>
void run_in_kernels(Ops const& ops, std::size_t factor = 1,
                    unsigned one_of = 13) {
  Bench<T> bench(factor * most<T>);
  Teams const teams;
  for_each_form<by>(
      [&](auto const& form) { run_all(bench, teams, ops, form, one_of); });
}

/// The types of elements of a typed test, and who calls.
template <By who, class Types>
struct Case : Types {
  static constexpr By by = who;
};

template <class Case>
class CollectivesInKernels : public testing::Test {};
using Complex = Kokkos::complex<double>;
#ifdef SYMM_TEST_FEW_TYPES
// Each operation is called by teams and by lanes, with different types, and
// each type by both, for different operations.
using Cases =
    testing::Types<Case<By::teams, ElementTypes<double, int, unsigned char,
                                                double, Complex, double>>,
                   Case<By::lanes, ElementTypes<unsigned char, Complex, double,
                                                int, unsigned char, int>>>;
#else
using Cases =
    testing::Types<Case<By::both, All<unsigned char>>, Case<By::both, All<int>>,
                   Case<By::both, All<double>>, Case<By::both, All<Complex>>>;
#endif
TYPED_TEST_SUITE(CollectivesInKernels, Cases);

TYPED_TEST(CollectivesInKernels, broadcast_copies_the_roots_block_to_all) {
  run_in_kernels<typename TypeParam::Broadcast, TypeParam::by>(
      [](auto const& run, Team const& team) {
        run(Broadcast{0});
        run(Broadcast{root_of(team)});
        run(Broadcast{0, true});
      });
}

TYPED_TEST(CollectivesInKernels, fcollect_has_the_blocks_of_all_in_order) {
  run_in_kernels<typename TypeParam::Fcollect, TypeParam::by>(
      [](auto const& run, Team const&) { run(Fcollect{}); });
}

TYPED_TEST(CollectivesInKernels,
           collect_has_the_blocks_of_all_some_of_them_empty) {
  run_in_kernels<typename TypeParam::Collect, TypeParam::by>(
      [](auto const& run, Team const&) {
        run(Collect{0});
        run(Collect{1});
      });
}

TYPED_TEST(CollectivesInKernels, alltoall_moves_block_n_to_member_n) {
  run_in_kernels<typename TypeParam::Alltoall, TypeParam::by>(
      [](auto const& run, Team const&) { run(Alltoall{}); });
}

TYPED_TEST(CollectivesInKernels,
           alltoalls_moves_elements_with_gaps_between_them) {
  run_in_kernels<typename TypeParam::Alltoalls, TypeParam::by>(
      [](auto const& run, Team const&) {
        run(Alltoalls{3, 2});
      },
      3);
}

TYPED_TEST(CollectivesInKernels, Sum_adds_in_the_order_of_the_PEs) {
  run_in_kernels<typename TypeParam::Reduce, TypeParam::by>(
      [](auto const& run, Team const&) {
        run(Reduce<symm::Sum>{});
        run(Reduce<symm::Sum>{{}, true});
      });
}

TEST(CollectivesInKernels, reduce_scatter_gives_each_PE_its_block) {
  run_in_kernels<int, By::both>([](auto const& run, Team const&) {
    run(ReduceScatter<symm::Sum>{});
    run(ReduceScatter<TwiceMinus>{});
  });
}

TEST(CollectivesInKernels, reduce_with_the_other_functions) {
  run_in_kernels<int, By::both>(
      [](auto const& run, Team const&) {
        for (auto const which : OneOf::all) run(Reduce<OneOf>{{which}});
      },
      1, 39);
}

template <class T, By by, class Op>
void scan_in_kernels() {
  run_in_kernels<T, by>(
      [](auto const& run, Team const&) {
        for (bool const is_in_place : {false, true}) {
          run(Scan<Op, true>{{}, is_in_place});
          run(Scan<Op, false>{{}, is_in_place});
        }
      },
      1, 39);
}

TEST(CollectivesInKernels, scans_combine_in_the_order_of_the_PEs_up_to_each) {
  scan_in_kernels<int, By::teams, symm::Sum>();
  scan_in_kernels<double, By::lanes, TwiceMinus>();
}

TEST(CollectivesInKernels, are_right_for_large_blocks) {
  Bench<double> bench(100'003);
  Teams const teams;
  std::size_t const n_each = 100'003 / static_cast<std::size_t>(symm::n_pes());
  for_each_form<By::teams>([&](auto const& form) {
    Some some(is_on_host<Space> ? 1 : 3);
    for (auto const& team : teams.teams) {
      if (!some.next()) continue;
      bench.run(Broadcast{0}, team, 100'003, {0, 0}, form);
      bench.run(Reduce<symm::Sum>{}, team, 100'003, {0, 0}, form);
      bench.run(Alltoall{}, team, n_each, {0, 0}, form);
    }
  });
}

// Calls that follow each other in one kernel: each reads at once what the one
// before has written on all PEs.

struct ManyCalls {
  symm::HeapMap heap;
  symm::PeTeam team;
  int* numbers;  // of n_pes() * 8
  int* other;    // as many
  int n_rounds;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    std::size_t const n = static_cast<std::size_t>(team.n_pes()) * 8;
    for (int round = 0; round < n_rounds; ++round) {
      symm::alltoall(member, heap, team, other, numbers, 8);
      Kokkos::parallel_for(Kokkos::TeamVectorRange(member, n),
                           [&](std::size_t i) { numbers[i] = -1; });
      symm::reduce(member, heap, team, numbers, other, n, symm::Sum{});
      symm::broadcast(member, heap, team, other, numbers, n,
                      round % team.n_pes());
      symm::fcollect(member, heap, team, numbers, other, 8);
      Kokkos::parallel_for(
          Kokkos::TeamVectorRange(member, n), [&](std::size_t i) {
            numbers[i] = numbers[i] % 1000 + team.my_pe() + static_cast<int>(i);
          });
      member.team_barrier();
    }
  }
};

/// The same, serially.
std::vector<std::vector<int>> after_many_calls(
    std::vector<std::vector<int>> numbers, int n_rounds) {
  std::size_t const n_pes = numbers.size();
  std::size_t const n     = n_pes * 8;
  for (int round = 0; round < n_rounds; ++round) {
    std::vector<int> sum(n, 0);
    for (std::size_t pe = 0; pe < n_pes; ++pe) {
      for (std::size_t i = 0; i < n; ++i) {
        sum[i] += numbers[i / 8][pe * 8 + i % 8];
      }
    }
    for (std::size_t pe = 0; pe < n_pes; ++pe) {
      for (std::size_t i = 0; i < n; ++i) {
        numbers[pe][i] = sum[i % 8] % 1000 + static_cast<int>(pe + i);
      }
    }
  }
  return numbers;
}

template <class Exec>
void launch_many_calls(ManyCalls const& calls) {
  Kokkos::parallel_for(
      "many calls", Kokkos::TeamPolicy<Exec>(1, is_gpu<Exec> ? 128 : 1), calls);
  Exec().fence("many calls");
}

TEST(CollectivesInKernels, follow_each_other_in_one_kernel) {
  auto const n_pes = static_cast<std::size_t>(symm::n_pes());
  auto const me    = static_cast<std::size_t>(symm::my_pe());
  Kokkos::View<int*, Space> const numbers("numbers", n_pes * 8);
  Kokkos::View<int*, Space> const other("other", n_pes * 8);
  for_each_exec<Space>([&]<class Exec>() {
    int const n_rounds = is_gpu<Exec> ? 8 : 200;
    std::vector<std::vector<int>> all(n_pes, std::vector<int>(n_pes * 8));
    for (std::size_t pe = 0; pe < n_pes; ++pe) {
      for (std::size_t i = 0; i < n_pes * 8; ++i) {
        all[pe][i] = value(static_cast<Pe>(pe), 0, i) % 1000;
      }
    }
    using Mine = Kokkos::View<int*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
    Kokkos::deep_copy(numbers, Mine(all[me].data(), n_pes * 8));
    launch_many_calls<Exec>({symm::heap_map(Space::memory_kind),
                             symm::team_world(), numbers.data(), other.data(),
                             n_rounds});
    std::vector<int> mine(n_pes * 8);
    Kokkos::deep_copy(Mine(mine.data(), mine.size()), numbers);
    EXPECT_EQ(mine, after_many_calls(all, n_rounds)[me]);
  });
}

}  // namespace

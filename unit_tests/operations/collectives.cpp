// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Collective operations of PE teams on the host and enqueued (OpenSHMEM 1.5,
// 9.11). collectives_in_kernels.cpp has those in kernels.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <typeinfo>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/Sanitizers.hpp>

#include "collective_forms.hpp"
#include "collective_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;

/// Calls body(form) for all forms on the host and enqueued.
template <class Body>
void for_each_form(Body const& body) {
  body(OnHost());
  for_each_exec<Space>([&]<class Exec>() { body(Enqueued<Exec>()); });
  if constexpr (is_on_host<Space>) body(InParts{3});
}

template <class T>
class Collectives : public testing::Test {};
using Complex = Kokkos::complex<double>;
#ifdef SYMM_TEST_GPU
constexpr bool is_gpu_build = true;
#else
constexpr bool is_gpu_build = false;
#endif
#ifdef SYMM_TEST_FEW_TYPES
// Two of them for each operation, and each size of an element at least once.
using MovedTypes =
    testing::Types<All<double>, ElementTypes<unsigned char, short, int, Complex,
                                             Twelve, unsigned char>>;
using ReducedTypes = testing::Types<unsigned char, float, double, Complex>;
#else
using MovedTypes = testing::Types<All<unsigned char>, All<short>, All<int>,
                                  All<double>, All<Twelve>, All<Complex>>;
using ReducedTypes =
    testing::Types<unsigned char, int, std::int64_t, float, double, Complex>;
#endif
TYPED_TEST_SUITE(Collectives, MovedTypes);

TYPED_TEST(Collectives, broadcast_copies_the_roots_block_to_all) {
  using T = typename TypeParam::Broadcast;
  Bench<T> bench(most<T>);
  Teams const teams;
  for_each_form([&](auto const& form) {
    run_all(
        bench, teams,
        [](auto const& run, Team const& team) {
          run(Broadcast{0});
          run(Broadcast{root_of(team)});
          run(Broadcast{root_of(team), true});
        },
        form);
  });
}

TYPED_TEST(Collectives, fcollect_has_the_blocks_of_all_in_order) {
  using T = typename TypeParam::Fcollect;
  Bench<T> bench(most<T>);
  Teams const teams;
  for_each_form([&](auto const& form) {
    run_all(
        bench, teams, [](auto const& run, Team const&) { run(Fcollect{}); },
        form);
  });
}

TYPED_TEST(Collectives, collect_has_the_blocks_of_all_some_of_them_empty) {
  using T = typename TypeParam::Collect;
  Bench<T> bench(most<T>);
  Teams const teams;
  for_each_form([&](auto const& form) {
    run_all(
        bench, teams,
        [](auto const& run, Team const&) {
          run(Collect{0});
          run(Collect{1});
          run(Collect{2});
        },
        form);
  });
}

TYPED_TEST(Collectives, alltoall_moves_block_n_to_member_n) {
  using T = typename TypeParam::Alltoall;
  Bench<T> bench(most<T>);
  Teams const teams;
  for_each_form([&](auto const& form) {
    run_all(
        bench, teams, [](auto const& run, Team const&) { run(Alltoall{}); },
        form);
  });
}

TYPED_TEST(Collectives, reduce_scatter_gives_each_PE_its_block_of_the_result) {
  using T = typename TypeParam::Alltoall;
  if constexpr (std::is_arithmetic_v<T>) {
    Bench<T> bench(most<T>);
    Teams const teams;
    for_each_form([&](auto const& form) {
      run_all(
          bench, teams,
          [](auto const& run, Team const&) {
            run(ReduceScatter<symm::Sum>{});
            run(ReduceScatter<TwiceMinus>{});
          },
          form);
    });
  }
}

TYPED_TEST(Collectives, alltoalls_moves_elements_with_gaps_between_them) {
  using T = typename TypeParam::Alltoalls;
  Bench<T> bench(3 * most<T>);
  Teams const teams;
  for_each_form([&](auto const& form) {
    run_all(
        bench, teams,
        [](auto const& run, Team const&) {
          run(Alltoalls{3, 2});
          run(Alltoalls{1, 3});
        },
        form);
  });
}

/// One block of a GPU, and many; some of the calls where every access is
/// checked. \tparam has_all or the broadcast only.
template <bool has_all, class T, class Form>
void run_large(Bench<T>& bench, Teams const& teams, Form const& form) {
  Some some(Form::is_slow || is_sanitized ? 5 : 1);
  for (auto const& team : teams.teams) {
    // On PEs that are not in it, run() only counts the calls.
    auto const n = static_cast<std::size_t>(std::max(1, team.team.n_pes()));
    for (auto const count : large_counts<T>()) {
      if (!some.next()) continue;
      bench.run(Broadcast{root_of(team)}, team, count, {0, 1}, form);
      if constexpr (has_all) {
        bench.run(Reduce<symm::Sum>{}, team, count, {0, 0}, form);
        bench.run(Reduce<symm::Sum>{{}, true}, team, count, {1, 1}, form);
        bench.run(Reduce<TwiceMinus>{}, team, count, {1, 0}, form);
        bench.run(Scan<symm::Sum, true>{}, team, count, {0, 1}, form);
        bench.run(Scan<symm::Max, false>{{}, true}, team, count, {1, 1}, form);
        bench.run(Fcollect{}, team, count / n, {0, 0}, form);
        bench.run(Fcollect{}, team, count / n + 1, {1, 0}, form);
        bench.run(Collect{1}, team, count / n, {0, 1}, form);
        bench.run(Alltoall{}, team, count / n, {1, 1}, form);
        bench.run(Alltoalls{2, 3}, team, count / n, {0, 1}, form);
        bench.run(ReduceScatter<symm::Sum>{}, team, count / n, {1, 0}, form);
        bench.run(ReduceScatter<TwiceMinus>{}, team, count / n, {0, 0}, form);
      }
    }
  }
}

TEST(Collectives, are_right_for_large_blocks) {
  Bench<double> doubles(500'000);
  Bench<unsigned char> bytes(500'000);
  Teams const teams;
  for_each_form([&](auto const& form) {
    run_large<true>(doubles, teams, form);
    run_large<!is_gpu_build>(bytes, teams, form);
  });
}

TEST(Collectives, put_no_barrier_between_those_who_are_not_in_the_team) {
  Teams const teams;
  Bench<int> bench(64);
  // As often as its number: a PE outside would hang.
  for (int round = 0; round < rounds(10) * (symm::my_pe() % 2 + 1); ++round) {
    bench.run(Reduce<symm::Sum>{}, teams.teams[4], 17, {0, 0}, OnHost());
  }
}

// Reductions.

enum class Forms { all, host };

template <class T, Forms forms = Forms::all, class Op>
void reduce_all(Op const& op) {
  Bench<T> bench(most<T>);
  Teams const teams;
  auto const ops = [&](auto const& run, Team const&) {
    run(Reduce<Op>{op});
    run(Reduce<Op>{op, true});
  };
  if constexpr (forms == Forms::all) {
    for_each_form(
        [&](auto const& form) { run_all(bench, teams, ops, form, 13); });
    // The loops of a GPU know loads and stores only.
    if constexpr (is_on_host<Space>) {
      if (!are_all_near()) return;
      run_all(bench, teams, ops, InGpuLoops<symm::Impl::OneThread>{1});
      run_all(bench, teams, ops, InGpuLoops<ManyThreads>{3});
    }
  } else {
    run_all(bench, teams, ops, OnHost(), 13);
  }
}

template <class T>
class Reductions : public testing::Test {};
TYPED_TEST_SUITE(Reductions, ReducedTypes);

TYPED_TEST(Reductions, Sum_adds_in_the_order_of_the_PEs) {
  reduce_all<TypeParam>(symm::Sum());
}

/// Reduces by symm::Op elements of types T; in a CUDA build by `which`, all of
/// which are one kernel there.
template <class Op, class... T>
void reduce_on_host(OneOf::Function which) {
  if constexpr (is_gpu_build) {
    reduce_all<std::int64_t, Forms::host>(OneOf{which});
  } else {
    (reduce_all<T, Forms::host>(Op()), ...);
  }
}

TEST(Reductions, Prod_multiplies) {
  reduce_on_host<symm::Prod, int, std::int64_t, double, Complex>(OneOf::prod);
}

TEST(Reductions, Min_and_Max_choose) {
  reduce_on_host<symm::Min, unsigned char, float>(OneOf::min);
  reduce_on_host<symm::Max, std::int64_t, double>(OneOf::max);
}

TEST(Reductions, And_Or_and_Xor_are_bit_by_bit) {
  reduce_on_host<symm::BAnd, unsigned char, std::uint64_t>(OneOf::bits_and);
  reduce_on_host<symm::BOr, unsigned, std::uint64_t>(OneOf::bits_or);
  reduce_on_host<symm::BXor, unsigned char, unsigned>(OneOf::bits_xor);
}

TEST(Reductions, a_function_object_of_the_user_combines_in_order) {
  reduce_all<double>(TwiceMinus());
  reduce_on_host<TwiceMinus, int>(OneOf::twice_minus);
}

/// Trivially copyable, and no more.
template <class T>
struct Measured {
  T value;
  Measured() = delete;
  KOKKOS_FUNCTION explicit Measured(T x) : value(x) {}
  KOKKOS_FUNCTION friend Measured operator+(Measured a, Measured b) {
    return Measured(static_cast<T>(a.value + b.value));
  }
};

template <class T, class Form>
void expect_sum_of_measured(std::size_t count, Form const& form) {
  Block<T> dest(count);
  Block<T> source(count);
  std::vector<T> mine(count);
  std::vector<T> sums(count, T{});
  for (std::size_t i = 0; i < count; ++i) {
    mine[i] = element_of<T>(symm::my_pe(), 3, i);
    for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
      sums[i] = pe == 0 ? element_of<T>(pe, 3, i)
                        : static_cast<T>(sums[i] + element_of<T>(pe, 3, i));
    }
  }
  auto* const to   = reinterpret_cast<Measured<T>*>(dest.set(mine, 0));
  auto* const from = reinterpret_cast<Measured<T> const*>(source.set(mine, 0));
  form(Reduce<symm::Sum>{}, symm::team_world(), to, from, count);
  EXPECT_EQ(dest.difference(sums), "") << count << " elements";
}

TEST(Reductions, need_no_default_constructor) {
  for (std::size_t const count : {1U, 7U, 1'000U}) {
    expect_sum_of_measured<short>(count, OnHost());
    for_each_form(
        [&](auto const& form) { expect_sum_of_measured<double>(count, form); });
    if constexpr (is_on_host<Space>) {
      if (!are_all_near()) continue;
      expect_sum_of_measured<double>(count, InGpuLoops<ManyThreads>{3});
    }
  }
  symm::barrier_all();
}

TEST(Reductions, tell_types_apart_by_a_hash_that_all_processes_share) {
  // Those of FNV-1a's authors.
  EXPECT_EQ(symm::Impl::hash_of_name(""), 0xcbf2'9ce4'8422'2325U);
  EXPECT_EQ(symm::Impl::hash_of_name("a"), 0xaf63'dc4c'8601'ec8cU);
  EXPECT_EQ(symm::Impl::hash_of_name("foobar"), 0x8594'4171'f739'67e8U);
}

/// The sums of numbers of all PEs.
std::vector<double> sum_of(Block<double>& dest, Block<double>& source,
                           std::size_t count) {
  std::vector<double> mine(count);
  for (std::size_t i = 0; i < count; ++i) {
    mine[i] = element_of<double>(symm::my_pe(), 5, i);
  }
  std::vector<double> result(count, 0.0);
  source.set(mine, 0);
  dest.set(result, 0);
  symm::reduce(symm::team_world(), dest.data(), source.data(), count,
               symm::Sum{});
  Kokkos::deep_copy(
      Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
          result.data(), count),
      Kokkos::View<double*, Space, Kokkos::MemoryUnmanaged>(dest.data(),
                                                            count));
  return result;
}

TEST(Reductions, give_the_same_bits_on_every_PE_and_every_time) {
  constexpr std::size_t count = 1'001;
  Block<double> dest(count);
  Block<double> source(count);
  auto const first   = sum_of(dest, source, count);
  std::uint64_t hash = 0;
  for (double const x : first) {
    hash = hash * 31 + Kokkos::bit_cast<std::uint64_t>(x);
  }
  EXPECT_TRUE(is_equal_on_all_pes(hash));
  for (int round = 0; round < rounds(20); ++round) {
    auto const again = sum_of(dest, source, count);
    EXPECT_TRUE(std::equal(again.begin(), again.end(), first.begin(),
                           are_same_bits<double>));
  }
}

// Reductions of a value.

/// What reduce() of each member's element `i` gives, in the order of the team.
template <class T, class Op>
T expected_of_values(Team const& team, unsigned i, Op const& op) {
  T result = element_of<T>(team.members[0], 11, i);
  for (std::size_t n = 1; n < team.members.size(); ++n) {
    result = static_cast<T>(op(result, element_of<T>(team.members[n], 11, i)));
  }
  return result;
}

template <class T, class Op>
void reduce_values(Teams const& teams, Op const& op) {
  for (auto const& team : teams.teams) {
    if (!team.team.is_valid()) continue;
    for (unsigned i = 0; i < 3; ++i) {
      auto const mine = element_of<T>(symm::my_pe(), 11, i);
      EXPECT_TRUE(are_same_bits(symm::reduce(team.team, mine, op),
                                expected_of_values<T>(team, i, op)))
          << "team '" << team.name << "', value " << i << ", "
          << typeid(T).name() << ", " << typeid(Op).name();
    }
  }
}

// Scans.

template <class T, class Op>
void scan_all(Op const& op) {
  Bench<T> bench(most<T>);
  Teams const teams;
  auto const ops = [&](auto const& run, Team const&) {
    for (bool const is_in_place : {false, true}) {
      run(Scan<Op, true>{op, is_in_place});
      run(Scan<Op, false>{op, is_in_place});
    }
  };
  for_each_form(
      [&](auto const& form) { run_all(bench, teams, ops, form, 13); });
}

TEST(Scans, combine_in_the_order_of_the_PEs_up_to_each) {
  scan_all<int>(symm::Sum());
  scan_all<double>(TwiceMinus());
  scan_all<unsigned char>(symm::Max());
}

/// What a member gets of each member's element `i` up to its own, or before it.
template <class T, class Op>
void scan_values(Teams const& teams, Op const& op) {
  for (auto const& team : teams.teams) {
    if (!team.team.is_valid()) continue;
    for (unsigned i = 0; i < 3; ++i) {
      auto const mine = element_of<T>(symm::my_pe(), 11, i);
      auto const init = element_of<T>(7, 11, i);
      T before        = init;
      T up_to_mine    = element_of<T>(team.members[0], 11, i);
      for (Pe pe = 0; pe < team.team.my_pe(); ++pe) {
        auto const at = static_cast<std::size_t>(pe);
        before        = op(before, element_of<T>(team.members[at], 11, i));
        up_to_mine = op(up_to_mine, element_of<T>(team.members[at + 1], 11, i));
      }
      EXPECT_TRUE(
          are_same_bits(symm::exscan(team.team, mine, op, init), before))
          << "team '" << team.name << "', value " << i;
      EXPECT_TRUE(are_same_bits(symm::inscan(team.team, mine, op), up_to_mine))
          << "team '" << team.name << "', value " << i;
    }
  }
}

TEST(Values, are_scanned_in_the_order_of_the_PEs_without_symmetric_memory) {
  Teams const teams;
  auto const before = symm::heap_stats();
  scan_values<std::int64_t>(teams, symm::Sum());
  scan_values<double>(teams, TwiceMinus());
  scan_values<Complex>(teams, symm::Sum());  // of two words
  int const me = symm::my_pe();
  EXPECT_EQ(symm::exscan(symm::team_world(), me + 1, symm::Sum()),
            me * (me + 1) / 2)
      << "OpenSHMEM's";
  EXPECT_TRUE(symm::heap_stats() == before);
  symm::barrier_all();
}

/// Several numbers in one reduction: no multiple of 8 bytes.
struct Three {
  std::int32_t sum;
  float product;
  std::int32_t largest;

  Three()                             = delete;
  bool operator==(Three const&) const = default;
  Three(std::int32_t a, float b, std::int32_t c)
      : sum(a), product(b), largest(c) {}
};

TEST(Values, are_reduced_in_the_order_of_the_PEs_without_symmetric_memory) {
  Teams const teams;
  auto const before = symm::heap_stats();
  [&]<class... T>(std::tuple<T...>) {
    (reduce_values<T>(teams, symm::Sum{}), ...);
    (reduce_values<T>(teams, symm::Prod{}), ...);
    (reduce_values<T>(teams, TwiceMinus{}), ...);
  }(std::tuple<unsigned char, short, int, std::int64_t, float, double,
               Complex>());
  [&]<class... T>(std::tuple<T...>) {
    (reduce_values<T>(teams, symm::Min{}), ...);
    (reduce_values<T>(teams, symm::Max{}), ...);
  }(std::tuple<unsigned char, int, std::uint64_t, float, double>());
  [&]<class... T>(std::tuple<T...>) {
    (reduce_values<T>(teams, symm::BAnd{}), ...);
    (reduce_values<T>(teams, symm::BOr{}), ...);
    (reduce_values<T>(teams, symm::BXor{}), ...);
  }(std::tuple<unsigned char, unsigned, std::uint64_t>());
  EXPECT_TRUE(symm::heap_stats() == before);
  symm::barrier_all();
}

TEST(Values, of_several_numbers_are_reduced_at_once) {
  int const n        = symm::n_pes();
  Pe const me        = symm::my_pe();
  auto const combine = [](Three const& a, Three const& b) {
    return Three(a.sum + b.sum, a.product * b.product,
                 std::max(a.largest, b.largest));
  };
  EXPECT_EQ(symm::reduce(symm::team_world(), Three(me + 1, 2, -me), combine),
            Three(n * (n + 1) / 2, std::ldexp(1.0F, n), 0));
  symm::barrier_all();
}

}  // namespace

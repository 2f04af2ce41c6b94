// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Calls of plans in another order on each PE, with other Views on each PE, and
// between the halves of an exchange: right data or an error.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using symm::UsageError;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

// (Kernels of a GPU end the job where the host throws.)
constexpr bool waits_on_host = is_on_host<Memory>;

/// Copies of elements 0 to `count` - 1 of the PE to the right, after 4 owned.
ExchangePlan plan_of_right(int count = 3) {
  std::vector<int> indices, pes;
  for (int k = 0; k < count; ++k) {
    indices.push_back(k);
    pes.push_back(right());
  }
  return ExchangePlan::from_imports(4, ints(indices), ints(pes));
}

template <class View>
void fill_owned(View const& x, int round) {
  fill(x, [&](std::size_t i, std::size_t c) {
    return i < 4 ? number_of(symm::my_pe(), i, c, round) : -1;
  });
}
template <class View>
std::size_t n_wrong(View const& x, int round) {
  return count_wrong(x, [&](std::size_t i, std::size_t c) {
    return i < 4 ? number_of(symm::my_pe(), i, c, round)
                 : number_of(right(), i - 4, c, round);
  });
}

template <class View>
void expect_own_data_of_two_plans(ExchangePlan& a, ExchangePlan& b,
                                  View const& x, View const& y) {
  bool const is_even = symm::my_pe() % 2 == 0;
  for (int round = 0; round < 4; ++round) {
    fill_owned(x, round);
    fill_owned(y, round + 50);
    if (is_even) {
      a.begin_gather(Exec(), x);
      b.begin_gather(Exec(), y);
    } else {
      b.begin_gather(Exec(), y);
      a.begin_gather(Exec(), x);
    }
    a.end_gather(Exec(), x);
    b.end_gather(Exec(), y);
    Exec().fence();
    EXPECT_EQ(n_wrong(x, round), 0U);
    EXPECT_EQ(n_wrong(y, round + 50), 0U);
  }
}

TEST(PlanCalls, plans_that_PEs_begin_in_another_order_keep_their_data) {
  auto a = plan_of_right();
  auto b = plan_of_right();
  Kokkos::View<double*, Memory> const x("x", 7), y("y", 7);
  expect_own_data_of_two_plans(a, b, x, y);
  symm::barrier_all();
}

TEST(PlanCalls, plans_that_make_room_in_another_order_are_an_error_on_all_PEs) {
  auto a = plan_of_right();
  auto b = plan_of_right();
  Kokkos::View<double*[3], Memory> const x("x", 7), y("y", 7);
  auto const text = message_of<UsageError>([&] {
    auto& first = symm::my_pe() % 2 == 0 ? a : b;
    first.gather(Exec(), x);
  });
  if (symm::n_pes() > 1) {
    EXPECT_THAT(text, AllOf(HasSubstr("symm::ExchangePlan::gather"),
                            HasSubstr("room for elements of 24 bytes in plan "),
                            HasSubstr("Nothing was changed")));
  }
  // Both are as before, and room that is made in one order serves any.
  a.reserve(24);
  b.reserve(24);
  expect_own_data_of_two_plans(a, b, x, y);
  symm::barrier_all();
}

TEST(PlanCalls, a_PE_that_reserves_another_size_is_an_error_on_all_PEs) {
  if (symm::n_pes() == 1) GTEST_SKIP();
  auto plan       = plan_of_right();
  auto const text = message_of<UsageError>(
      [&] { plan.reserve(symm::my_pe() == 0 ? 16 : 32); });
  EXPECT_THAT(text, AllOf(HasSubstr("elements of 16 bytes"),
                          HasSubstr("elements of 32 bytes")));
  plan.reserve(32);
  symm::barrier_all();
}

// No View has bytes: nothing to move, but the exchange goes on.
TEST(PlanCalls, Views_without_components_are_exchanged) {
  Kokkos::View<double**, Memory> none("none", 7, 0);
  Kokkos::View<double*, Memory> x("x", 7);
  auto plan = plan_of_right();
  plan.gather(Exec(), none);
  plan.scatter(Exec(), symm::Sum{}, none);
  plan.begin_gather(Exec(), none);
  plan.end_gather(Exec(), none);
  fill_owned(x, 1);
  plan.gather(Exec(), none, x);
  Exec().fence();
  EXPECT_EQ(n_wrong(x, 1), 0U);

  symm::Migration migration;
  Kokkos::View<double**, Memory> moved("moved", 3, 0);
  auto const to_right = ints({right(), right(), right()});
  EXPECT_EQ(migration.migrate(Exec(), to_right, moved), 3U);
  Kokkos::View<int*, Memory> id("id", 3);
  fill(id, [](auto k, auto) { return number_of(symm::my_pe(), k, 0, 0); });
  EXPECT_EQ(migration.migrate(Exec(), to_right, moved, id), 3U);
  EXPECT_EQ(
      count_wrong(id, [](auto k, auto) { return number_of(left(), k, 0, 0); }),
      0U);
  Kokkos::View<int*, Memory> keys("keys", 3);
  Kokkos::View<double**, Memory> values("values", 3, 0);
  EXPECT_EQ(symm::sort(Exec(), keys, values), 3U);
  symm::barrier_all();
}

TEST(PlanCalls, reserve_within_an_exchange_is_an_error_on_all_PEs) {
  auto plan = plan_of_right();
  Kokkos::View<double*, Memory> const x("x", 7);
  fill_owned(x, 2);
  Exec().fence();
  plan.begin_gather(Exec(), x);
  EXPECT_THAT(message_of<UsageError>([&] { plan.reserve(4096); }),
              AllOf(HasSubstr("symm::ExchangePlan::reserve"),
                    HasSubstr("gather of this plan has begun but not ended")));
  plan.end_gather(Exec(), x);  // has lost nothing
  Exec().fence();
  EXPECT_EQ(n_wrong(x, 2), 0U);
  plan.reserve(4096);
  symm::barrier_all();
}

TEST(PlanCalls, targets_of_larger_elements_within_an_exchange_are_an_error) {
  int const n = symm::n_pes();
  symm::BoxDecomposition box;
  box.owned    = {4};
  box.pe_grid  = {n, 1, 1};
  box.periodic = {true, false, false};
  auto plan    = ExchangePlan::from_box(box);
  Kokkos::View<float*, Memory> const u("u", 6);
  Kokkos::View<Kokkos::complex<double>*, symm::SymmetricSpace> const large(
      "large", 6);
  fill(u, [](auto i, auto) {
    return i == 0 || i == 5 ? -1 : number_of(symm::my_pe(), i, 0, 0);
  });
  plan.begin_gather(Exec(), u);
  EXPECT_THAT(message_of<UsageError>([&] { (void)plan.targets(large); }),
              HasSubstr("gather of this plan has begun but not ended"));
  plan.end_gather(Exec(), u);
  Exec().fence();
  EXPECT_EQ(count_wrong(u,
                        [](std::size_t i, auto) {
                          return i == 0   ? number_of(left(), 4, 0, 0)
                                 : i == 5 ? number_of(right(), 1, 0, 0)
                                          : number_of(symm::my_pe(), i, 0, 0);
                        }),
            0U);
  symm::barrier_all();
}

TEST(PlanCalls, an_exchange_ends_with_the_Views_that_it_has_begun_with) {
  auto plan = plan_of_right();
  Kokkos::View<double*, Memory> const x("x", 7);
  Kokkos::View<float* [5], Memory> const other("other", 7);
  Kokkos::View<float*, Memory> const half("half", 7);
  fill_owned(x, 3);
  Exec().fence();
  plan.begin_gather(Exec(), x);
  EXPECT_THAT(message_of<UsageError>([&] { plan.end_gather(Exec(), other); }),
              AllOf(HasSubstr("begun with Views of 8 bytes"),
                    HasSubstr("these have 20 bytes")));
  // As many bytes in other parts.
  EXPECT_THAT(
      message_of<UsageError>([&] { plan.end_gather(Exec(), half, half); }),
      HasSubstr("or other parts"));
  plan.end_gather(Exec(), x);
  Exec().fence();
  EXPECT_EQ(n_wrong(x, 3), 0U);
  symm::barrier_all();
}

TEST(PlanCalls, other_bytes_on_a_PE_are_an_error_of_its_neighbors) {
  if (!waits_on_host || symm::n_pes() == 1) GTEST_SKIP();
  auto plan = plan_of_right();
  Kokkos::View<double*, Memory> const x("x", 7);
  Kokkos::View<float*, Memory> const half("half", 7);
  bool const is_odd    = symm::my_pe() == 1;
  bool const has_other = is_odd || left() == 1 || right() == 1;
  for (int round = 0; round < 3; ++round) {
    auto const text = message_of<UsageError>([&] {
      if (round == 2 && is_odd) {
        plan.gather(Exec(), half, half);  // as many bytes in other parts
      } else if (is_odd) {
        plan.gather(Exec(), half);
      } else {
        plan.gather(Exec(), x);
      }
    });
    if (has_other) {
      EXPECT_THAT(text, AllOf(HasSubstr("symm::ExchangePlan::gather"),
                              HasSubstr("pass Views with equal bytes")));
    } else {
      EXPECT_EQ(text, "no exception");
    }
    // All have ended that exchange.
    fill_owned(x, round);
    plan.gather(Exec(), x);
    Exec().fence();
    EXPECT_EQ(n_wrong(x, round), 0U);
  }
  symm::barrier_all();
}

// The one makes room, which is collective, and the other waits for its data.
TEST(PlanCalls, larger_elements_on_one_PE_are_an_error_on_all_PEs) {
  if (!waits_on_host || symm::n_pes() == 1) GTEST_SKIP();
  auto plan = plan_of_right();
  Kokkos::View<double*, Memory> const x("x", 7);
  Kokkos::View<double* [4], Memory> const larger("larger", 7);
  bool const is_odd = symm::my_pe() % 2 == 1;
  auto const text   = message_of<UsageError>([&] {
    if (is_odd) {
      plan.gather(Exec(), larger);
    } else {
      plan.gather(Exec(), x);
    }
    symm::barrier_all();
  });
  if (is_odd) {
    EXPECT_THAT(text, AllOf(HasSubstr("elements of 32 bytes"),
                            HasSubstr("called symm::barrier_all()")));
  } else {
    EXPECT_THAT(text,
                AnyOf(HasSubstr("8 bytes here, but more than there is room"),
                      HasSubstr("called symm::barrier_all()")));
  }
  // (PEs that have thrown in gather() meet the others here.)
  while (message_of<UsageError>([] { symm::barrier_all(); }) !=
         "no exception") {
  }
}

TEST(PlanCalls, a_plan_that_was_moved_from_is_empty) {
  auto plan = plan_of_right();
  Kokkos::View<double*, Memory> const x("x", 7);
  ExchangePlan other(std::move(plan));
  EXPECT_EQ(plan.n_ghosts(), 0U);  // NOLINT: that is what is asked
  plan.gather(Exec(), x);          // moves nothing
  fill_owned(x, 4);
  other.gather(Exec(), x);
  plan = std::move(other);
  EXPECT_EQ(other.n_ghosts(), 0U);  // NOLINT
  plan.gather(Exec(), x);
  Exec().fence();
  EXPECT_EQ(n_wrong(x, 4), 0U);

  symm::Migration migration;
  Kokkos::View<int*, Memory> id("id", 2);
  EXPECT_EQ(migration.migrate(Exec(), ints({right(), right()}), id), 2U);
  symm::Migration next(std::move(migration));
  EXPECT_EQ(next.migrate(Exec(), ints({right(), right()}), id), 2U);
  EXPECT_EQ(migration.migrate(Exec(), ints({right(), right()}), id),  // NOLINT
            2U);
  symm::barrier_all();
}

TEST(PlanCalls, counts_that_no_View_has_are_an_error_on_all_PEs) {
  auto const all = static_cast<std::size_t>(-1);
  EXPECT_THAT(message_of<UsageError>([&] {
                (void)ExchangePlan::from_imports(all, ints({0}),
                                                 ints({right()}));
              }),
              HasSubstr("at most"));
  EXPECT_THAT(message_of<UsageError>([&] {
                (void)ExchangePlan::from_exports(all, ints({0}),
                                                 ints({right()}));
              }),
              HasSubstr("at most"));
  symm::BoxDecomposition box;
  box.pe_grid     = {symm::n_pes(), 1, 1};
  box.ghost_width = 0;
  auto const text = [&](auto const& its) {
    return message_of<UsageError>([&] { (void)ExchangePlan::from_box(its); });
  };
  box.owned = {std::size_t{1} << 32U, std::size_t{1} << 31U, 4};  // 0, mod 2^64
  EXPECT_THAT(text(box), HasSubstr("at most"));
  box.owned       = {4};
  box.ghost_width = all;
  EXPECT_THAT(text(box), HasSubstr("at most"));
  box.ghost_width = 1;
  box.owned       = {4, 4};
  box.pe_grid     = {-1, -symm::n_pes(), 1};
  EXPECT_THAT(text(box), HasSubstr("pass positive numbers"));
  box.owned   = {4, 4, 4};
  box.pe_grid = {1 << 16, 1 << 16, symm::n_pes()};
  EXPECT_THAT(text(box), HasSubstr("the PE grid is 65536 x 65536 x "));
  symm::barrier_all();
}

TEST(PlanCalls, boxes_that_are_no_grid_are_an_error_on_all_PEs) {
  int const n     = symm::n_pes();
  auto const text = [&](auto const& its) {
    return message_of<UsageError>([&] { (void)ExchangePlan::from_box(its); });
  };
  symm::BoxDecomposition box;
  box.owned   = {8, symm::my_pe() == n - 1 ? 0U : 1U, 5};
  box.pe_grid = {1, n, 1};
  EXPECT_THAT(
      text(box),
      AllOf(HasSubstr("symm::ExchangePlan::from_box failed: on PE " +
                      std::to_string(n - 1)),
            HasSubstr("no cells along axis 1"), HasSubstr("from_boxes")));
  box.owned = {1, 1, 5};
  box.depth = 2;
  EXPECT_THAT(
      text(box),
      HasSubstr("depth is 2, but must be at most ghost_width, which is 1"));
  box.depth = 0;
  if (n == 1) return;
  // Faces of as many cells, 2 x 6 and 3 x 4.
  box.pe_grid = {n, 1, 1};
  box.owned   = {4, 2, 6};
  if (symm::my_pe() == 1) box.owned = {4, 3, 4};
  EXPECT_THAT(text(box), AllOf(HasSubstr("do not fit together"),
                               HasSubstr("cells along axis 1")));
  box.owned = {4, 2, 6};
  EXPECT_EQ(text(box), "no exception");
  if (symm::my_pe() == 1) box.periodic = {true, false, false};
  EXPECT_THAT(text(box), HasSubstr("passes a different box"));
  box.periodic = {};
  if (symm::my_pe() == 1) box.ghost_width = 2;
  EXPECT_THAT(text(box), HasSubstr("passes a different box"));
  symm::barrier_all();
}

TEST(MigrationCalls, Views_that_cannot_grow_are_an_error_on_all_PEs) {
  using Unmanaged =
      Kokkos::View<int*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  int const n = symm::n_pes(), me = symm::my_pe();
  symm::Migration migration;
  Kokkos::View<int*, Memory> memory("memory", 4);
  fill(memory, [&](auto k, auto) { return number_of(me, k, 0, 0); });
  Unmanaged view(memory.data(), 4);
  auto const is_mine = [&](auto k, auto) { return number_of(me, k, 0, 0); };
  // There is room.
  EXPECT_EQ(migration.migrate(Exec(), ints({right(), right(), me, me}), view),
            4U);
  fill(memory, is_mine);
  if (n == 1) return;
  Kokkos::View<int*, Memory> other("other", 4);
  fill(other, is_mine);
  EXPECT_THAT(message_of<UsageError>([&] {
                migration.migrate(Exec(), ints({0, 0, 0, 0}), other, view);
              }),
              AllOf(HasSubstr("on PE 0"), HasSubstr("is unmanaged")));
  EXPECT_EQ(count_wrong(memory, is_mine), 0U);
  for (std::size_t k = 0; k < 4; ++k) {
    auto const its = Kokkos::subview(other, k);
    int value      = 0;
    Kokkos::deep_copy(value, its);
    EXPECT_EQ(value, number_of(me, k, 0, 0));
  }
}

TEST(MigrationCalls, parts_of_symmetric_Views_are_an_error_on_all_PEs) {
  int const n = symm::n_pes(), me = symm::my_pe();
  if (n == 1) GTEST_SKIP();
  symm::Migration migration;
  Kokkos::View<int*, symm::SymmetricSpace> whole("whole", 8);
  auto part = Kokkos::subview(whole, std::pair(0, me == 0 ? 3 : 4));
  auto const to_right =
      ints(me == 0 ? std::vector<int>(3, right()) : std::vector(4, right()));
  EXPECT_THAT(message_of<UsageError>(
                  [&] { migration.migrate(Exec(), to_right, part); }),
              HasSubstr("symmetric Views"));
  EXPECT_EQ(migration.migrate(Exec(), to_right, whole), left() == 0 ? 3U : 4U);
  symm::barrier_all();
}

}  // namespace

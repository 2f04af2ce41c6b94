// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Exchanges and migrations of Views whose number is chosen at run time.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using symm::Pe;
using symm::UsageError;
using testing::HasSubstr;

using Vectors = Kokkos::View<double* [3], Memory>;
using Numbers = Kokkos::View<short*, Memory>;

/// Views of two types, each with elements of this PE and its ghosts.
class FieldsOfPlan : public testing::Test {
 protected:
  FieldsOfPlan()
      : m_lists(random_lists(7, me, symm::n_pes())),
        m_plan(ExchangePlan::from_imports(
            m_lists.n_owned, ints(m_lists.indices), ints(m_lists.pes))),
        m_n(m_lists.n_owned + m_plan.n_ghosts()) {}

  void make(std::size_t n_vectors, std::size_t n_numbers) {
    m_vectors.clear();
    m_numbers.clear();
    for (std::size_t f = 0; f < n_vectors; ++f)
      m_vectors.emplace_back("vectors", m_n);
    // (Some are parts of longer ones.)
    for (std::size_t f = 0; f < n_numbers; ++f) {
      m_numbers.push_back(Kokkos::subview(Numbers("numbers", m_n + f),
                                          std::pair(std::size_t{0}, m_n)));
    }
  }
  /// Of this PE's element or ghost, in field `f` of a round.
  [[nodiscard]] int number(std::size_t i, std::size_t c, std::size_t f,
                           int round) const {
    auto const salt = round + 13 * static_cast<int>(f);
    if (i < m_lists.n_owned) return number_of(me, i, c, salt);
    auto const k = i - m_lists.n_owned;
    return number_of(m_lists.pes[k],
                     static_cast<std::size_t>(m_lists.indices[k]), c, salt);
  }
  /// Sets what this PE owns; ghosts become 0.
  void set(int round) const {
    for_each([&](auto const& view, std::size_t f) {
      fill(view, [&](std::size_t i, std::size_t c) {
        return i < m_lists.n_owned ? number(i, c, f, round) : 0;
      });
    });
  }
  [[nodiscard]] std::size_t count_wrong_of_all(int round) const {
    std::size_t n_wrong = 0;
    for_each([&](auto const& view, std::size_t f) {
      n_wrong += count_wrong(view, [&](std::size_t i, std::size_t c) {
        return number(i, c, f, round);
      });
    });
    return n_wrong;
  }
  /// Calls f(view, number) for all.
  template <class F>
  void for_each(F const& f) const {
    std::size_t k = 0;
    for (auto const& view : m_vectors) f(view, k++);
    for (auto const& view : m_numbers) f(view, k++);
  }

  Pe const me = symm::my_pe();
  Exec const m_exec{};
  Lists m_lists;
  ExchangePlan m_plan;
  std::size_t m_n;
  std::vector<Vectors> m_vectors;
  std::vector<Numbers> m_numbers;
};

TEST_F(FieldsOfPlan, any_number_of_them_is_gathered) {
  int round = 0;
  for (std::size_t const n_vectors : {0U, 1U, 2U, 4U, 5U, 16U, 17U, 40U})
    for (std::size_t const n_numbers : {0U, 1U, 3U}) {
      make(n_vectors, n_numbers);
      set(++round);
      m_plan.gather(m_exec, m_vectors, m_numbers);
      m_exec.fence();
      EXPECT_EQ(count_wrong_of_all(round), 0U) << n_vectors << " " << n_numbers;
      set(++round);
      m_plan.begin_gather(m_exec, m_vectors, std::span<Numbers>(m_numbers));
      m_plan.end_gather(m_exec, m_vectors, m_numbers);
      m_exec.fence();
      EXPECT_EQ(count_wrong_of_all(round), 0U) << n_vectors << " " << n_numbers;
    }
}

TEST_F(FieldsOfPlan, they_are_the_same_to_other_PEs_as_Views_one_by_one) {
  make(3, 2);
  auto const& v = m_vectors;
  auto const& n = m_numbers;
  for (int round = 1; round < 6; ++round) {
    set(round);
    switch ((round + me) % 5) {
      case 0: m_plan.gather(m_exec, v, n); break;
      case 1: m_plan.gather(m_exec, v[0], v[1], v[2], n[0], n[1]); break;
      case 2: m_plan.gather(m_exec, v[0], std::array{v[1], v[2]}, n); break;
      case 3: m_plan.gather(m_exec, v, n[0], n[1]); break;
      default:
        m_plan.gather(m_exec, std::span(v).first(2), v[2], n[0],
                      std::span(n).last(1));
    }
    m_exec.fence();
    EXPECT_EQ(count_wrong_of_all(round), 0U) << round;
  }
}

TEST_F(FieldsOfPlan, are_scattered_as_Views_one_by_one) {
  make(6, 3);
  set(1);
  m_plan.gather(m_exec, m_vectors, m_numbers);
  std::vector<Vectors> vectors;
  std::vector<Numbers> numbers;
  for (auto const& its : m_vectors) {
    vectors.emplace_back("copy", m_n);
    Kokkos::deep_copy(vectors.back(), its);
  }
  for (auto const& its : m_numbers) {
    numbers.emplace_back("copy", m_n);
    Kokkos::deep_copy(numbers.back(), its);
  }
  m_plan.scatter(m_exec, symm::Max{}, m_vectors, m_numbers);
  m_plan.begin_scatter(m_exec, m_vectors, m_numbers);
  m_plan.end_scatter(m_exec, symm::Sum{}, m_vectors, m_numbers);
  for (auto const& its : vectors) {
    m_plan.scatter(m_exec, symm::Max{}, its);
    m_plan.scatter(m_exec, symm::Sum{}, its);
  }
  for (auto const& its : numbers) {
    m_plan.scatter(m_exec, symm::Max{}, its);
    m_plan.scatter(m_exec, symm::Sum{}, its);
  }
  m_exec.fence();
  for (std::size_t f = 0; f < vectors.size(); ++f) {
    auto const expected = copy_on_host(vectors[f]);
    EXPECT_EQ(count_wrong(m_vectors[f],
                          [&](auto i, auto c) { return expected(i, c); }),
              0U);
  }
  for (std::size_t f = 0; f < numbers.size(); ++f) {
    auto const expected = copy_on_host(numbers[f]);
    EXPECT_EQ(
        count_wrong(m_numbers[f], [&](auto i, auto) { return expected(i); }),
        0U);
  }
}

TEST_F(FieldsOfPlan,
       one_that_is_too_small_is_an_error_before_anything_is_sent) {
  make(5, 0);
  set(1);
  if (m_plan.n_ghosts() > 0) {  // or it needs less of the View
    auto const whole = m_vectors[3];
    m_vectors[3]     = Vectors("too short", m_n - 1);
    EXPECT_THAT(
        message_of<UsageError>([&] { m_plan.gather(m_exec, m_vectors); }),
        HasSubstr("\"too short\" is too small"));
    m_vectors[3] = whole;
  }
  m_plan.gather(m_exec, m_vectors);
  m_exec.fence();
  EXPECT_EQ(count_wrong_of_all(1), 0U);
  symm::barrier_all();
}

TEST(FieldsOfMigration, move_and_grow_as_Views_one_by_one) {
  int const n = symm::n_pes(), me = symm::my_pe();
  Exec const exec;
  symm::Migration migration;
  auto const dest_of = [&](std::size_t k) {
    return k % 7 == 3 ? symm::no_pe : static_cast<int>(k * 5) % n;
  };
  for (std::size_t const n_fields : {1U, 3U, 6U, 18U}) {
    std::size_t const count = 200 + 10 * static_cast<std::size_t>(me);
    std::vector<int> dest(count);
    for (std::size_t k = 0; k < count; ++k) dest[k] = dest_of(k);
    // (Some must grow.)
    Numbers alone("alone", count);
    std::vector<Vectors> vectors;
    for (std::size_t f = 0; f < n_fields; ++f)
      vectors.emplace_back("vectors", count);
    std::vector<Numbers> none;
    fill(alone, [&](auto k, auto) { return me * 1000 + static_cast<int>(k); });
    for (std::size_t f = 0; f < n_fields; ++f) {
      fill(vectors[f], [&](auto k, auto c) {
        return number_of(me, k, c, static_cast<int>(f));
      });
    }
    auto const n_now =
        migration.migrate(exec, ints(dest), alone, vectors, none);
    std::size_t expected = 0;
    for (Pe pe = 0; pe < n; ++pe)
      for (std::size_t k = 0; k < 200 + 10 * static_cast<std::size_t>(pe); ++k)
        expected += dest_of(k) == me ? 1U : 0U;
    ASSERT_TRUE(is_equal_on_all_pes(n_now == expected ? 1 : 0));
    EXPECT_EQ(n_now, expected);
    auto const who = copy_on_host(alone);
    for (std::size_t f = 0; f < n_fields; ++f) {
      auto const its      = copy_on_host(vectors[f]);
      std::size_t n_wrong = 0;
      for (std::size_t k = 0; k < n_now; ++k)
        for (std::size_t c = 0; c < 3; ++c) {
          auto const element = static_cast<std::size_t>(who(k) % 1000);
          n_wrong += its(k, c) !=
                     number_of(who(k) / 1000, element, c, static_cast<int>(f));
        }
      EXPECT_EQ(n_wrong, 0U) << f;
    }
  }
}

// (The bytes of an element are equal.)
TEST(FieldsOfMigration, in_another_order_are_an_error_on_all_PEs) {
  if (symm::n_pes() == 1) GTEST_SKIP() << "needs two PEs";
  Exec const exec;
  symm::Migration migration;
  int const me = symm::my_pe();
  using View   = Kokkos::View<double**, Memory>;
  std::vector<View> views;
  views.emplace_back("first", 3, me == 0 ? 1 : 2);
  views.emplace_back("second", 3, me == 0 ? 2 : 1);
  EXPECT_THAT(message_of<UsageError>([&] {
                migration.migrate(exec, ints({0, 0, 0}), views);
              }),
              HasSubstr("among the Views"));
}

}  // namespace

// A function of a program that has the name of one of the library.
namespace symm_test_of_program {

struct Particle {
  double x;
  int id;
};
template <class Any, class F>
void for_each_group(Any&&, F&&) {
  ADD_FAILURE() << "the library calls what the program has";
}
template <class Any, class F>
void for_each_view(Any&&, F&&) {
  ADD_FAILURE() << "the library calls what the program has";
}
template <class... Any>
void run(Any&&...) {
  ADD_FAILURE() << "the library calls what the program has";
}

}  // namespace symm_test_of_program

namespace {

TEST(NamesOfPrograms, are_not_those_of_the_library) {
  using symm_test_of_program::Particle;
  Exec const exec;
  int const n = symm::n_pes(), me = symm::my_pe();
  Kokkos::View<Particle*, Memory> particles("particles", 4);
  auto const on_host = Kokkos::create_mirror_view(particles);
  for (int k = 0; k < 4; ++k)
    on_host(static_cast<std::size_t>(k)) = {0.5 * k, 4 * me + k};
  Kokkos::deep_copy(particles, on_host);
  symm::Migration migration;
  int const next = (me + 1) % n;
  EXPECT_EQ(migration.migrate(exec, ints({next, next, next, next}), particles),
            4U);
  auto plan = ExchangePlan::from_imports(3, ints({0}), ints({next}));
  plan.gather(exec, particles);
  exec.fence();
  auto const now =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), particles);
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(now(k).id, 4 * ((me + n - 1) % n) + static_cast<int>(k));
  EXPECT_EQ(now(3).id, 4 * me);
  symm::barrier_all();
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::Min and symm::Max of numbers, some of which are NaNs: of the host,
// enqueued and in kernels.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

#include "collective_forms.hpp"
#include "collective_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;

template <class T>
constexpr T nan_of = std::numeric_limits<T>::quiet_NaN();

template <class T, class Op>
void expect_NaNs_of(Op const& op) {
  T const nan = nan_of<T>;
  for (T const number : {T(3), T(0), -std::numeric_limits<T>::infinity(),
                         std::numeric_limits<T>::infinity()}) {
    EXPECT_TRUE(std::isnan(op(nan, number))) << number;
    EXPECT_TRUE(std::isnan(op(number, nan))) << number;
    EXPECT_EQ(op(number, number), number);
  }
  EXPECT_TRUE(std::isnan(op(nan, nan)));
}

/// It can be ordered, and no more.
struct Version {
  int number;
  SYMM_FUNCTION bool operator<(Version other) const {
    return number < other.number;
  }
};

TEST(Extremes, of_two_are_NaN_if_one_of_them_is) {
  expect_NaNs_of<double>(symm::Min());
  expect_NaNs_of<double>(symm::Max());
  expect_NaNs_of<float>(symm::Min());
  expect_NaNs_of<float>(symm::Max());
  EXPECT_EQ(symm::Min()(2.0, 3.0) + symm::Max()(2.0, 3.0), 5.0);
  EXPECT_EQ(symm::Min()(3.0, 2.0), 2.0);
  EXPECT_EQ(symm::Max()(Version{1}, Version{2}).number, 2);
  EXPECT_EQ(symm::Min()(Version{1}, Version{2}).number, 1);
}

/// Element i is a NaN of member i % (n + 1); if that is n, of none.
template <class T>
T element_or_NaN(Pe member, std::size_t i) {
  auto const n = static_cast<std::size_t>(symm::n_pes());
  return i % (n + 1) == static_cast<std::size_t>(member)
             ? nan_of<T>
             : element_of<T>(member, 5, i);
}

/// The extreme of members `first` to `end` - 1, and of `init`, if not null.
template <class Op, class T>
T expected_of(Op const& op, std::size_t i, Pe end, T const* init = nullptr) {
  bool is_nan = false;
  T extreme   = init != nullptr ? *init : element_of<T>(0, 5, i);
  for (Pe pe = 0; pe < end; ++pe) {
    T const its = element_or_NaN<T>(pe, i);
    if (std::isnan(its)) {
      is_nan = true;
    } else if ((pe == 0 && init == nullptr) || std::isnan(extreme)) {
      extreme = its;
    } else {
      extreme = op(extreme, its);
    }
  }
  return is_nan ? nan_of<T> : extreme;
}

template <class T>
bool are_same(T a, T b) {
  return a == b || (std::isnan(a) && std::isnan(b));
}

template <class T>
class Numbers {
 public:
  explicit Numbers(std::size_t count) : m_dest(count), m_source(count) {
    std::vector<T> mine(count);
    for (std::size_t i = 0; i < count; ++i)
      mine[i] = element_or_NaN<T>(symm::my_pe(), i);
    m_source.set(mine, 0);
    m_dest.set(mine, 0);
  }
  /// \param expected expected(i) of element i of dest.
  template <class Op, class Form, class Expected>
  void run(Op const& op, std::size_t count, Form const& form,
           Expected const& expected) {
    form(op, symm::team_world(), m_dest.data(), m_source.data(), count);
    Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged> const dest(m_dest.data(),
                                                                count);
    auto const here =
        Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), dest);
    std::size_t n_wrong = 0;
    for (std::size_t i = 0; i < count; ++i)
      n_wrong += are_same(here(i), expected(i)) ? 0U : 1U;
    EXPECT_EQ(n_wrong, 0U) << "of " << count;
  }

 private:
  Block<T> m_dest;
  Block<T> m_source;
};

// By packets or with the checks; by shares; each PE its part, in blocks.
constexpr std::size_t counts[] = {1, 13, 3'000, 40'001};

template <class T, class Op, class Form>
void expect_NaNs_of_reduce(Form const& form) {
  for (auto const count : counts) {
    Numbers<T>(count).run(Reduce<Op>{}, count, form, [&](std::size_t i) {
      return expected_of<Op, T>({}, i, symm::n_pes());
    });
  }
}

template <class T, class Op, class Form>
void expect_NaNs(Form const& form) {
  expect_NaNs_of_reduce<T, Op>(form);
  int const n = symm::n_pes();
  Pe const me = symm::my_pe();
  for (auto const count : counts) {
    Numbers<T> numbers(static_cast<std::size_t>(n) * count);
    numbers.run(ReduceScatter<Op>{}, count, form, [&](std::size_t i) {
      auto const first = static_cast<std::size_t>(me) * count;
      return expected_of<Op, T>({}, first + i, n);
    });
    numbers.run(Scan<Op, true>{}, count, form, [&](std::size_t i) {
      return expected_of<Op, T>({}, i, me + 1);
    });
    numbers.run(Scan<Op, false>{}, count, form, [&](std::size_t i) {
      T const init = Scan<Op, false>::init;
      return expected_of<Op, T>({}, i, me, &init);
    });
  }
}

TEST(Extremes, of_all_PEs_are_NaN_whichever_PE_has_it) {
  expect_NaNs<double, symm::Max>(OnHost());
  expect_NaNs<float, symm::Min>(OnHost());
  for_each_exec<Space>(
      [&]<class Exec>() { expect_NaNs<double, symm::Min>(Enqueued<Exec>()); });
  if constexpr (is_on_host<Space>) {
    if (are_all_near())
      expect_NaNs_of_reduce<float, symm::Max>(InGpuLoops<ManyThreads>{3});
  }
  symm::barrier_all();
}

template <class T>
struct ReduceInKernel {
  symm::HeapMap heap;
  symm::PeTeam team;
  T* dest;
  T const* source;
  std::size_t count;

  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    symm::reduce(member, heap, team, dest, source, count, symm::Max());
  }
};

TEST(Extremes, in_kernels_are_NaN_whichever_PE_has_it) {
  for_each_exec<Space>([&]<class Exec>() {
    auto const form = [](auto const&, auto const& team, double* dest,
                         double const* source, std::size_t count) {
      Kokkos::parallel_for(
          "reduce in a kernel",
          Kokkos::TeamPolicy<Exec>(1, is_gpu<Exec> ? 128 : 1),
          ReduceInKernel<double>{symm::heap_map(Space::memory_kind), team, dest,
                                 source, count});
      Exec().fence("ReduceInKernel");
    };
    for (std::size_t const count : {13UL, 3'000UL}) {
      Numbers<double>(count).run(
          Reduce<symm::Max>{}, count, form, [&](std::size_t i) {
            return expected_of<symm::Max, double>({}, i, symm::n_pes());
          });
    }
  });
  symm::barrier_all();
}

TEST(Extremes, of_one_value_a_PE_are_NaN_whichever_PE_has_it) {
  auto const& team = symm::team_world();
  Pe const me      = symm::my_pe();
  for (Pe who = 0; who < symm::n_pes(); ++who) {
    double const mine = me == who ? nan_of<double> : 1e-3;
    EXPECT_TRUE(std::isnan(symm::reduce(team, mine, symm::Max()))) << who;
    EXPECT_TRUE(std::isnan(symm::reduce(team, mine, symm::Min()))) << who;
    EXPECT_EQ(std::isnan(symm::inscan(team, mine, symm::Max())), who <= me);
    EXPECT_EQ(std::isnan(symm::exscan(team, mine, symm::Min(), 7.0)), who < me);
  }
  symm::barrier_all();
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// DistributedView: elements by global indices, on near and far PEs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

#include "distributed_cases.hpp"
#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using Exec  = Space::execution_space;
using View1 = Kokkos::View<int*, Space>;
using View2 = Kokkos::View<int**, Kokkos::LayoutRight, Space>;

static_assert(symm::DistributedView<View2>::rank() == 2);
static_assert(std::is_same_v<symm::DistributedView<View1>::distribution_type,
                             symm::Blocks>);
static_assert(
    !std::is_constructible_v<symm::DistributedView<View1, symm::BlockCyclic>,
                             char const*, int>);

template <class T>
class DistributedViews : public testing::Test {};
TYPED_TEST_SUITE(DistributedViews, DistributedCases);

TYPED_TEST(DistributedViews, have_each_row_on_one_PE) {
  for (auto const n : global_extents) {
    auto const view = TypeParam::make(n);
    SCOPED_TRACE(testing::Message() << n << " rows");
    EXPECT_EQ(view.label(), "whole");
    EXPECT_EQ(view.extent(0), n);
    EXPECT_EQ(view.size(), TypeParam::rank == 1 ? n : 3 * n);
    EXPECT_EQ(count_equal(view.local(), 0), view.local().size())
        << "it is filled with zeros";
    std::size_t n_mine = 0;
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_EQ(view.global_index(view.owner(i), view.local_index(i)), i);
      if (view.owner(i) != symm::my_pe()) continue;
      EXPECT_EQ(view.local_index(i), n_mine);
      EXPECT_EQ(view.global_index(n_mine), i);
      ++n_mine;
    }
    EXPECT_EQ(view.local().extent(0), n_mine);
    EXPECT_EQ(symm::reduce(symm::team_world(), n_mine, symm::Sum{}), n);
  }
}

TYPED_TEST(DistributedViews, are_read_by_every_PE_on_the_host_and_in_kernels) {
  int round = 0;
  for (auto const n : global_extents) {
    auto const view = TypeParam::make(n);
    set_mine(view, ++round);
    symm::barrier_all();
    CountWrong<typename TypeParam::Type> const count{view, round};
    std::size_t wrong = 0;
    if constexpr (is_on_host<Space>) {
      for (std::size_t i = 0; i < std::min(n, std::size_t{50}); ++i)
        count(i, wrong);
    }
    EXPECT_EQ(wrong, 0U) << n << " rows, host";
    Kokkos::parallel_reduce(
        "read", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0, n),
        count, wrong);
    EXPECT_EQ(wrong, 0U) << n << " rows, kernel";
    symm::barrier_all();
  }
}

/// Writes the rows of a list.
template <class View>
struct WriteRows {
  View view;
  Kokkos::View<std::size_t*, Exec::memory_space> rows;
  int round;
  KOKKOS_FUNCTION void operator()(std::size_t n) const {
    auto const i = rows(n);
    if constexpr (View::rank() == 1) {
      view(i) = global_value(round, i);
    } else {
      for (std::size_t j = 0; j < 3; ++j)
        view(i, j) = global_value(round, i, j);
    }
  }
};

TYPED_TEST(DistributedViews, are_written_at_random_rows_by_all_PEs_together) {
  using View = typename TypeParam::Type;
  int round  = 100;
  for (auto const n : global_extents) {
    auto const view = TypeParam::make(n);
    // The same order on all PEs, each of which takes its part.
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), std::mt19937(7));
    auto const me  = static_cast<std::size_t>(symm::my_pe());
    auto const pes = static_cast<std::size_t>(symm::n_pes());
    std::vector<std::size_t> its;
    for (auto k = me; k < n; k += pes) its.push_back(order[k]);
    Kokkos::View<std::size_t*, Exec::memory_space> const rows("rows",
                                                              its.size());
    Kokkos::deep_copy(rows, Kokkos::View<std::size_t*, Kokkos::HostSpace>(
                                its.data(), its.size()));
    Exec const exec;
    Kokkos::parallel_for("write",
                         Kokkos::RangePolicy<Exec>(exec, 0, its.size()),
                         WriteRows<View>{view, rows, ++round});
    symm::barrier_all(exec);
    EXPECT_EQ(count_wrong_of_mine(view, round), 0U) << n << " rows";
    symm::barrier_all();
  }
}

TYPED_TEST(DistributedViews, are_parts_of_PEs_to_what_takes_an_UnevenView) {
  auto const view = TypeParam::make(37);
  set_mine(view, 5);
  symm::barrier_all();
  auto const remote = symm::remote_view(view);
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto const peer = remote.peer(pe);
    auto const part =
        Kokkos::create_mirror_view(Kokkos::HostSpace(), peer.local());
    Kokkos::deep_copy(part, peer);
    EXPECT_EQ(remote.extent(pe, 0), part.extent(0));
    for (std::size_t k = 0; k < part.extent(0); ++k) {
      auto const i = view.global_index(pe, k);
      EXPECT_EQ(view.owner(i), pe);
      if constexpr (TypeParam::rank == 1) {
        EXPECT_EQ(part(k), global_value(5, i));
      } else {
        EXPECT_EQ(part(k, 2), global_value(5, i, 2));
      }
    }
    if (!symm::is_near(pe)) continue;
    auto const near = symm::peer_view(view, pe);
    EXPECT_EQ(near.extent(0), part.extent(0));
    EXPECT_EQ(near.data(), symm::heap_map(view).peer_ptr(view.data(), pe));
    EXPECT_EQ(symm::global_view(view).peer(pe).size(), part.size());
  }
  symm::barrier_all();
}

TEST(DistributedView, has_a_range_of_global_indices_with_Blocks) {
  for (auto const n : global_extents) {
    symm::DistributedView<View1> const view("whole", n);
    EXPECT_EQ(view.end() - view.first(), view.local().extent(0));
    for (auto i = view.first(); i < view.end(); ++i) {
      EXPECT_EQ(view.owner(i), symm::my_pe());
      EXPECT_EQ(view.local_index(i), i - view.first());
    }
    EXPECT_EQ(symm::my_pe() == 0 ? view.first() : 0, 0U);
    EXPECT_EQ(symm::my_pe() == symm::n_pes() - 1 ? view.end() : n, n);
  }
}

template <class View>
struct AddToAll {
  View view;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    view(k % view.extent(0)) += static_cast<long>(1 + k % view.extent(0));
  }
};

TEST(DistributedView, of_an_Atomic_View_adds_atomically) {
  using View = symm::DistributedView<
      Kokkos::View<long*, Space, Kokkos::MemoryTraits<Kokkos::Atomic>>,
      symm::Cyclic>;
  View const view("sums", 11);
  constexpr std::size_t rounds = 40;
  Exec const exec;
  Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(exec, 0, 11 * rounds),
                       AddToAll<View>{view});
  symm::barrier_all(exec);
  for (std::size_t i = 0; i < 11; ++i) {
    EXPECT_EQ(read_element(view, i),
              static_cast<long>((i + 1) * rounds) * symm::n_pes());
  }
  symm::barrier_all();
}

template <class View>
struct AddToNear {
  View view;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    if (!view.is_near(i)) return;
    symm::atomic_add(&view.near(i), static_cast<int>(i));
  }
};

TEST(DistributedView, has_references_to_elements_of_near_PEs) {
  using View = symm::DistributedView<View1>;
  View const view("sums", 50);
  Exec const exec;
  Kokkos::parallel_for("add", Kokkos::RangePolicy<Exec>(exec, 0, 50),
                       AddToNear<View>{view});
  symm::barrier_all(exec);
  int const n_near = symm::team_node().n_pes();
  for (std::size_t i = 0; i < 50; ++i) {
    if (view.is_near(i)) {
      EXPECT_EQ(read_element(view, i), static_cast<int>(i) * n_near);
    }
  }
  symm::barrier_all();
}

TEST(DistributedView, is_gathered_by_PEs_and_indices) {
  symm::DistributedView<View1, symm::Cyclic> const view("whole", 100);
  set_mine(view, 9);
  symm::barrier_all();
  using OnHost = Kokkos::View<int*, Kokkos::HostSpace>;
  OnHost const pes("pes", 100), indices("indices", 100), copies("copies", 100);
  for (std::size_t i = 0; i < 100; ++i) {
    pes(i)     = view.owner(i);
    indices(i) = static_cast<int>(view.local_index(i));
  }
  if constexpr (is_on_host<Space>) {
    Exec const exec;
    symm::gather(exec, copies, view, pes, indices);
    exec.fence();
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_EQ(copies(i), global_value(9, i));
  }
  symm::barrier_all();
}

TEST(DistributedView, without_construction_has_no_elements) {
  symm::DistributedView<View1> const view;
  EXPECT_EQ(view.extent(0), 0U);
  EXPECT_EQ(view.size(), 0U);
  EXPECT_EQ(view.local().extent(0), 0U);
}

TEST(DistributedView, shares_its_memory_between_copies) {
  symm::DistributedView<View1> a("a", 10);
  auto const b = a;
  set_mine(a, 3);
  a = {};
  EXPECT_EQ(count_wrong_of_mine(b, 3), 0U);
  symm::barrier_all();
  EXPECT_EQ(read_element(b, 9), global_value(3, 9));
  symm::barrier_all();
}

TEST(DistributedView, of_other_extents_on_a_PE_throws_on_all) {
  if (symm::n_pes() == 1) return;
  bool const differs  = symm::my_pe() == symm::n_pes() - 1;
  std::size_t const n = differs ? 10 : 9;  // 5 at most on each of 2 PEs
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::DistributedView<View1>("whole", n); }),
      AllOf(HasSubstr("symm::DistributedView: extent 0 is 9 on PE 0, "
                      "but 10 on PE "),
            HasSubstr("pass the same value on all PEs")));
  EXPECT_THAT(message_of<UsageError>(
                  [&] { symm::DistributedView<View2>("whole", 4, n); }),
              HasSubstr("extent 1 is 9 on PE 0, but 10 on PE "));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::DistributedView<View1, symm::BlockCyclic>(
                    "whole", symm::BlockCyclic(n), 100);
              }),
              HasSubstr("the block of symm::BlockCyclic is 9 on PE 0, but 10"));
  EXPECT_THAT(message_of<UsageError>([&] {
                if (differs) {
                  symm::DistributedView<View1>("whole", 9);
                } else {
                  symm::DistributedView<View1, symm::Cyclic>("whole", 9);
                }
              }),
              HasSubstr("different types"));
  symm::barrier_all();
}

TEST(DistributedView, of_sizes_that_cannot_be_throws_on_all_PEs) {
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::DistributedView<View1, symm::BlockCyclic>(
                    "whole", symm::BlockCyclic(0), 100);
              }),
              HasSubstr("the block of symm::BlockCyclic is 0"));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::DistributedView<View1>("whole", ~std::size_t{0});
              }),
              HasSubstr("2^62 / n_pes()"));
  EXPECT_NE(message_of<symm::OutOfMemory>([&] {
              symm::DistributedView<View1>("whole", std::size_t{1} << 50);
            }),
            "no exception");
  symm::barrier_all();
}

}  // namespace

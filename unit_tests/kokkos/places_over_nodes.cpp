// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// places() in jobs of one node and of several.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <new>
#include <random>
#include <string>

#include <Kokkos_SymmetricContainers.hpp>
#include <support/FakeTransport.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

TEST(Places, stand_for_elements_of_near_PEs_and_are_refused_for_others) {
  Kokkos::View<int*, Space> const view("temperature", 5);
  Kokkos::deep_copy(view, symm::my_pe());
  symm::barrier_all();
  using OnHost = Kokkos::View<int*, Kokkos::HostSpace>;
  OnHost const pe("pe", 1);
  OnHost const index("index", 1);
  OnHost const copy("copy", 1);
  index(0) = 4;
  for (pe(0) = 0; pe(0) < symm::n_pes(); ++pe(0)) {
    if (symm::is_near(pe(0))) {
      Space::execution_space const exec;
      symm::gather(exec, copy, view, symm::places(view, pe, index));
      exec.fence();
      EXPECT_EQ(copy(0), pe(0));
      symm::gather(exec, copy, view,
                   symm::places<symm::Place32>(view, pe, index));
      exec.fence();
      EXPECT_EQ(copy(0), pe(0));
    } else {
      EXPECT_THAT(
          message_of<UsageError>([&] { (void)symm::places(view, pe, index); }),
          AllOf(HasSubstr("symm::places of \"temperature\": place 0: PE " +
                          std::to_string(pe(0)) + " is on another node"),
                HasSubstr("symm::get_nbi")));
    }
  }
  symm::barrier_all();
}

/// As many reads of each PE as take several messages.
TEST(Gather, by_PEs_and_indices_copies_elements_of_all_PEs) {
  constexpr int n = 700;
  using OnHost    = Kokkos::View<int*, Kokkos::HostSpace>;
  Kokkos::View<long*, Space> const view("temperature", n);
  for (int i = 0; i < n; ++i) view(i) = 1000 * symm::my_pe() + i;
  symm::barrier_all();
  auto const n_reads =
      static_cast<std::size_t>(symm::n_pes()) * std::size_t{5 * n};
  OnHost const pes("pes", n_reads);
  OnHost const indices("indices", n_reads);
  std::mt19937 numbers(static_cast<unsigned>(5 + symm::my_pe()));
  for (std::size_t k = 0; k < n_reads; ++k) {
    pes(k) = static_cast<int>(numbers() % static_cast<unsigned>(symm::n_pes()));
    indices(k) = static_cast<int>(numbers() % n);
  }
  Kokkos::View<long*, Kokkos::HostSpace> const copies("copies", n_reads);
  Space::execution_space const exec;
  symm::gather(exec, copies, view, pes, indices);
  exec.fence();
  std::size_t wrong = 0;
  for (std::size_t k = 0; k < n_reads; ++k)
    wrong += copies(k) == 1000 * pes(k) + indices(k) ? 0U : 1U;
  EXPECT_EQ(wrong, 0U);
  EXPECT_THAT(
      message_of<UsageError>(
          [&] { symm::gather(exec, copies, view, OnHost("few", 2), indices); }),
      HasSubstr("symm::gather of \"temperature\": \"copies\" (" +
                std::to_string(n_reads) + ") and the list of PEs (2) must"));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::gather(exec, copies, view, pes, OnHost("few", 3));
              }),
              HasSubstr("and the list of indices (3) must"));
  symm::barrier_all();
}

template <class T>
using HostList = Kokkos::View<T*, Kokkos::HostSpace>;

/// What gather() says of lists of right PEs and indices, but for the last. It
/// must not have begun: quiet() brings nothing to the destination.
template <class View, class Pe, class Index>
std::string message_of_gather(View const& view, std::size_t n, Pe pe,
                              Index index) {
  HostList<Pe> const pes("pes", n);
  HostList<Index> const indices("indices", n);
  for (std::size_t k = 0; k + 1 < n; ++k)
    pes(k) = static_cast<Pe>(k % static_cast<std::size_t>(symm::n_pes()));
  pes(n - 1)     = pe;
  indices(n - 1) = index;
  HostList<long> const copies("copies", n);
  Kokkos::deep_copy(copies, -7);
  auto const message = message_of<UsageError>([&] {
    symm::gather(Kokkos::DefaultHostExecutionSpace(), copies, view, pes,
                 indices);
  });
  symm::quiet();
  EXPECT_EQ(count_equal(copies, -7), message == "no exception" ? 0 : n);
  return message;
}

TEST(Gather, refuses_PEs_that_are_not_there_before_it_begins) {
  Kokkos::View<long*, Space> const view("temperature", 5);
  symm::barrier_all();
  int const n_pes = symm::n_pes();
  auto const none = [&](std::size_t n, auto pe) {
    return AllOf(
        HasSubstr("symm::gather of \"temperature\": entry " +
                  std::to_string(n - 1) + ": invalid PE " + std::to_string(pe)),
        HasSubstr("PEs are 0 to " + std::to_string(n_pes - 1)));
  };
  // As many as a thread looks at, more, and so few that no loop is unrolled.
  for (std::size_t const n : {1UL, 3UL, 900UL, 70'001UL}) {
    EXPECT_EQ(message_of_gather(view, n, n_pes - 1, 4), "no exception");
    EXPECT_THAT(message_of_gather(view, n, n_pes, 0), none(n, n_pes));
    EXPECT_THAT(message_of_gather(view, n, -1, 0), none(n, -1));
    EXPECT_THAT(message_of_gather(view, n, 1L << 32U, 0), none(n, 1L << 32U));
  }
  short const negative = -1;
  EXPECT_THAT(message_of_gather(view, 9, negative, 0), none(9, -1));
  EXPECT_THAT(message_of_gather(view, 9, 1U << 31U, 0), none(9, 1U << 31U));
  symm::barrier_all();
}

TEST(Gather, refuses_indices_past_the_end_before_it_begins) {
  Kokkos::View<long*, Space> const view("temperature", 5);
  symm::barrier_all();
  symm::Pe const last = symm::n_pes() - 1;
  auto const outside  = [&](auto index, std::size_t extent = 5) {
    return AllOf(
         HasSubstr("symm::gather of \"temperature\": entry 8: element (" +
                   std::to_string(index) + ") on PE " + std::to_string(last) +
                   " is out of bounds"),
         HasSubstr("the extents are (" + std::to_string(extent) + ")"));
  };
  for (int const index : {5, -1, 1 << 30})
    EXPECT_THAT(message_of_gather(view, 9, last, index), outside(index));
  for (long const index : {5L, -1L, 1L << 32U})
    EXPECT_THAT(message_of_gather(view, 9, last, index), outside(index));
  EXPECT_THAT(message_of_gather(view, 9, last, 1U << 31U), outside(1U << 31U));
  unsigned char const byte = 255;
  EXPECT_THAT(message_of_gather(view, 9, last, byte), outside(255));
  auto const part = Kokkos::subview(view, std::pair(1, 3));
  EXPECT_THAT(message_of_gather(part, 9, last, 2), outside(2, 2));
  Kokkos::View<long*, Space> const empty("temperature", 0);
  EXPECT_THAT(message_of_gather(empty, 9, last, 0),
              HasSubstr("on PE 0 is out of bounds; the extents are (0)"));
  symm::gather(Kokkos::DefaultHostExecutionSpace(), HostList<long>(), empty,
               HostList<int>(), HostList<int>());
  symm::barrier_all();
}

/// (An exception that left a kernel of OpenMP would end the program.)
TEST(Gather, that_throws_has_nothing_under_way) {
  if (symm::Impl::Runtime::find_transport() != nullptr || symm::n_pes() == 1) {
    GTEST_SKIP() << "PEs of one node stand for far ones";
  }
  Kokkos::View<long*, Space> const view("temperature", 5);
  Kokkos::deep_copy(view, 3);
  symm::barrier_all();
  HostList<int> const pes("pes", 90), indices("indices", 90);
  HostList<long> const copies("copies", 90);
  Kokkos::deep_copy(pes, right());
  auto map   = symm::heap_map(view);
  map.n_near = 0;
  symm::RemoteView<Kokkos::View<long*, Space>> const remote(view, map);
  {
    // The memory of a PE of this node has its address here.
    FakeTransport transport([](symm::Pe) -> char* { return nullptr; });
    auto const gather = [&] {
      symm::Impl::gather_on_host(Kokkos::DefaultHostExecutionSpace(), copies,
                                 view, remote, false, pes, indices);
    };
    gather();
    EXPECT_EQ(count_equal(copies, 3), 90U);
    transport.fail_at(40);
    EXPECT_THROW(gather(), std::bad_alloc);
    Kokkos::deep_copy(copies, -7);
    symm::quiet();
    EXPECT_EQ(count_equal(copies, -7), 90U);
  }
  symm::barrier_all();
}

TEST(Gather, knows_the_extents_of_each_PE) {
  using View = Kokkos::View<long*, Space>;
  symm::UnevenView<View> const uneven("temperature", 3 + symm::my_pe());
  // The first PE has one more.
  symm::DistributedView<View> const whole("temperature", 3 * symm::n_pes() + 1);
  symm::barrier_all();
  symm::Pe const last = symm::n_pes() - 1;
  EXPECT_EQ(message_of_gather(uneven, 9, last, 2 + last), "no exception");
  EXPECT_THAT(message_of_gather(uneven, 9, last, 3 + last),
              HasSubstr("the extents are (" + std::to_string(3 + last) + ")"));
  EXPECT_EQ(message_of_gather(whole, 9, 0, 3), "no exception");
  EXPECT_THAT(message_of_gather(whole, 9, last, 3),
              HasSubstr("element (3) on PE " + std::to_string(last) +
                        " is out of bounds; the extents are (3)"));
  EXPECT_THAT(message_of_gather(uneven, 9, -1, 0), HasSubstr("invalid PE -1"));
  symm::barrier_all();
}

}  // namespace

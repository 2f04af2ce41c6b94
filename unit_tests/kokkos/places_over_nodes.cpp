// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// places() in jobs of one node and of several.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <random>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>

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
      HasSubstr("symm::gather of \"temperature\": 2 PEs for \"copies\""));
  EXPECT_THAT(message_of<UsageError>([&] {
                symm::gather(exec, copies, view, pes, OnHost("few", 3));
              }),
              HasSubstr("3 indices for \"copies\""));
  symm::barrier_all();
}

}  // namespace

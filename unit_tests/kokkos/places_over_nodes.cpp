// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// places() in jobs of one node and of several.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
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

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a process has one of.
#include <gtest/gtest.h>
#include <support/FakeTransport.hpp>

#include "Instances_Hidden.hpp"

namespace symm_test {
namespace {

using symm::Pe;

class FakeRequests final : public symm::Impl::KernelRequests {
 public:
  void drain(char const*) override { are_drained = true; }

  bool are_drained = false;
};

TEST(Instances, are_the_process_s_in_a_library_whose_symbols_are_hidden) {
  FakeTransport transport([](Pe) -> char* { return nullptr; });
  FakeRequests requests;
  transport.set_kernel_requests(&requests);
  auto const theirs = instances_of_hidden_library(requests.are_drained);
  EXPECT_EQ(theirs.transport, &transport);
  EXPECT_TRUE(theirs.has_drained);
  EXPECT_TRUE(theirs == Instances::here(requests.are_drained));
}

}  // namespace
}  // namespace symm_test

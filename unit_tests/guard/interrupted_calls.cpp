// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Signals interrupt every second call of a system function on one PE: the job
// goes on as without.

#include <gtest/gtest.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/Shared.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <guard/Faults.hpp>
#include <guard/FaultyJob.hpp>
#include <guard/GuardOptions.hpp>
#include <optional>
#include <string>
#include <vector>

#include <runtime/bootstrap/Bootstrap_Tcp.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm_job.hpp>

namespace symm_test {
namespace {

using symm::Pe;

TEST(InterruptedCalls, are_made_again_in_every_collective_call) {
  if (guard_case()) GTEST_SKIP() << "another case is asked for";
  int n_interrupted = 0;
  for (auto const& call : attacked_calls()) {
    for (Pe const pe : {0, 1}) {
      auto const run = run_faulty({&call, pe, {}, true});
      EXPECT_EQ(run.complaint, std::nullopt) << call.name << " on PE " << pe;
      if (!call.is_wrong) {
        EXPECT_EQ(run.error, "") << call.name;
      }
      n_interrupted += run.count.n_failed;
    }
  }
  EXPECT_GT(n_interrupted, 100);
}

}  // namespace
}  // namespace symm_test

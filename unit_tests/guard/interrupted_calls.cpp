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

TEST(InterruptedCalls, are_made_again_by_a_start_by_TCP) {
  if (guard_case()) GTEST_SKIP() << "another case is asked for";
  for (Pe const interrupted : {0, 1}) {
    auto const file = std::filesystem::temp_directory_path() /
                      ("symm_interrupted." + std::to_string(getpid()) + "." +
                       std::to_string(interrupted));
    Shared<FaultCount> const count;
    expect_on_pes(3, [&](ForkedBootstrap& forked) {
      setenv("SYMM_ROOT", ("file:" + file.string()).c_str(), 1);
      setenv("SYMM_PE", std::to_string(forked.my_pe()).c_str(), 1);
      setenv("SYMM_PES", "3", 1);
      setenv("SYMM_START_TIMEOUT", "5", 1);
      auto& start = symm::Impl::start_by_tcp();
      EXPECT_FALSE(start.begin(nullptr, nullptr, {}));
      if (forked.my_pe() == interrupted) interrupt_calls(*count);
      symm::Impl::Runtime::initialize(start.make_pes({}).bootstrap);
      symm::barrier_all();
      symm::Impl::Runtime::finalize();
      disarm();
    });
    EXPECT_GT(count->n_failed, 30);
    std::vector<std::string> wanted{"poll", "recv", "send", "open",
                                    "getrandom"};
    wanted.push_back(interrupted == 0 ? "accept4" : "connect");
    wanted.push_back(interrupted == 0 ? "write" : "read");
    auto const names = faulty_functions();
    for (std::size_t i = 0; i < names.size(); ++i) {
      bool const is_wanted =
          std::find(wanted.begin(), wanted.end(), names[i]) != wanted.end();
      EXPECT_TRUE(count->called[i] || !is_wanted) << names[i];
    }
  }
}

}  // namespace
}  // namespace symm_test

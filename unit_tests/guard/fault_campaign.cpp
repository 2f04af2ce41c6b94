// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Every call of a system function, and every `new`, that a collective call
// reaches fails on one PE: all PEs get the same error and go on with equal
// heaps, or the job ends with a message that names the PE.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <guard/Faults.hpp>
#include <guard/FaultyJob.hpp>
#include <guard/GuardOptions.hpp>
#include <map>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace symm_test {
namespace {

using symm::Pe;

/// A hang takes seconds: more of the same are not waited for.
constexpr int max_complaints = 5;

/// As SYMM_GUARD_CASE and --case take it.
std::string text_of(FaultyCase const& one) {
  auto const& fault = one.fault;
  return std::string(one.call->name) + " " + fault.function + " " +
         std::to_string(one.pe) + " " + std::to_string(fault.call) + " " +
         std::to_string(fault.times);
}

FaultCount expect_no_complaint(FaultyCase const& one) {
  auto const run = run_faulty(one);
  if (run.complaint) {
    ADD_FAILURE() << *run.complaint << "\n  where " << one.fault.function
                  << " fails in " << one.call->name << " on PE " << one.pe
                  << "; again: scripts/guard.sh --case \"" << text_of(one)
                  << "\"";
  }
  return run.count;
}

/// Returns whether the function was called so often.
bool has_failed_well(FaultyCase const& one) {
  return expect_no_complaint(one).n_failed > 0;
}

/// The functions that a call without a fault calls on that PE.
std::vector<std::string> functions_of(AttackedCall const& call, Pe pe) {
  auto const called = expect_no_complaint({&call, pe, {}}).called;
  auto names        = faulty_functions();
  std::size_t i     = 0;
  names.erase(std::remove_if(names.begin(), names.end(),
                             [&](auto const&) { return !called[i++]; }),
              names.end());
  return names;
}

class FaultCampaign : public testing::TestWithParam<AttackedCall> {
 protected:
  /// The only case that is asked for, or none: true.
  static bool has_run_wanted_case() {
    auto const wanted = guard_case();
    if (!wanted) return false;
    FaultyCase one{&GetParam(), 0, {}};
    std::string call;
    std::istringstream(*wanted) >> call >> one.fault.function >> one.pe >>
        one.fault.call >> one.fault.times;
    if (call == GetParam().name) {
      EXPECT_TRUE(has_failed_well(one)) << "there is no such call";
    }
    return true;
  }
};

TEST_P(FaultCampaign, a_fault_is_everybodys_error_or_the_end_of_the_job) {
  if (has_run_wanted_case()) return;
  for (Pe const pe : {0, 1}) {
    for (auto const& function : functions_of(GetParam(), pe)) {
      FaultyCase one{&GetParam(), pe, {function, 1, 1}};
      while (has_failed_well(one)) ++one.fault.call;
      auto const* const result =
          testing::UnitTest::GetInstance()->current_test_info()->result();
      if (result->total_part_count() >= max_complaints) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Calls, FaultCampaign,
                         testing::ValuesIn(attacked_calls()),
                         [](auto const& call) {
                           return std::string(call.param.name);
                         });

// Without this the campaign takes the first fault that ends the job for the
// last call of the function.
TEST(FaultCount, tells_of_a_fault_that_ends_the_job) {
  auto const& initialize = attacked_calls().front();
  ASSERT_STREQ(initialize.name, "initialize");
  auto const run = run_faulty({&initialize, 1, {"new", 1, 1}});
  EXPECT_EQ(run.complaint, std::nullopt);
  EXPECT_EQ(run.count.n_failed, 1);
}

// Several calls in a row, any PE.
TEST(RandomFaults, are_everybodys_error_or_the_end_of_the_job) {
  auto const& calls = attacked_calls();
  if (auto const wanted = guard_case()) {
    EXPECT_TRUE(std::any_of(calls.begin(), calls.end(),
                            [&](auto const& call) {
                              return wanted->rfind(std::string(call.name) + " ",
                                                   0) == 0;
                            }))
        << "no call has the name in \"" << *wanted << "\"";
    return;
  }
  std::mt19937_64 random(guard_seed());
  auto const below = [&](std::size_t n) { return random() % n; };
  constexpr std::array times{1, 2, 3, 1'000'000};
  std::map<std::pair<std::size_t, Pe>, std::vector<std::string>> functions;
  int n_runs = 0;
  int n_hits = 0;
  GuardClock clock(4);
  while (clock.has_time_left(std::to_string(n_runs) + " jobs, " +
                             std::to_string(n_hits) + " with a fault") &&
         !HasFailure()) {
    auto const call = below(calls.size());
    auto const pe   = static_cast<Pe>(below(n_faulty_pes));
    auto& names     = functions[{call, pe}];
    if (names.empty()) names = functions_of(calls[call], pe);
    if (names.empty()) continue;
    FaultyCase const one{
        &calls[call],
        pe,
        {names[below(names.size())],
         1 + static_cast<int>(below(std::size_t{1} << below(7))),
         times[below(times.size())]}};
    ++n_runs;
    if (has_failed_well(one)) ++n_hits;
  }
}

}  // namespace
}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Whether the detector of races judges each of some two hundred small programs
// as docs/memory_model.md does. Their subjects follow RMARaceBench
// (S. Schwitanski and others, Correctness 2023), whose cases for OpenSHMEM have
// these kinds: pairs of operations, synchronization, atomic operations, hybrid
// and miscellaneous. In an ordinary build the programs only run.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <symm_check.hpp>

#include "cases.hpp"
#include "support/pes.hpp"

namespace {

using namespace symm_test;

/// A case that the detector judges wrong, and why. One that it judges right is
/// to be taken off the list.
struct KnownMiss {
  char const* name;
  char const* reason;
};
constexpr KnownMiss known_misses[] = {
    {"enqueued_put_then_store_to_its_source",
     "streams of the host run at once"},
    {"put_signal_enqueued_wait_load_of_the_host",
     "streams of the host run at once"},
    {"store_barrier_without_the_stream_load",
     "streams of the host run at once"},
    {"put_to_a_View_that_has_ended", "the end of a View is no access"},
};

KnownMiss const* known_miss(std::string const& name) {
  auto const* const found =
      std::find_if(std::begin(known_misses), std::end(known_misses),
                   [&](KnownMiss const& miss) { return miss.name == name; });
  return found == std::end(known_misses) ? nullptr : found;
}

/// Prints the table when all cases have run.
class Table : public testing::Environment {
 public:
  static void add(Case const& what, std::size_t reported) {
    bool const is_right = (reported > 0) == (what.expected == Expected::race);
    s_right += is_right ? 1 : 0;
    char line[160];
    std::snprintf(line, sizeof line, "%-58s %-8s %8zu  %s", what.name,
                  what.expected == Expected::race ? "race" : "none", reported,
                  is_right                ? "right"
                  : known_miss(what.name) ? "known to be wrong"
                                          : "WRONG");
    s_lines.emplace_back(line);
  }

 private:
  void TearDown() override {
    if (symm::my_pe() != 0 || s_lines.empty()) return;
    std::printf("%-58s %-8s %8s\n", "case", "expected", "reported");
    for (auto const& line : s_lines) std::printf("%s\n", line.c_str());
    std::printf("cases: %zu of %zu are judged right\n", s_right,
                s_lines.size());
  }

  inline static std::vector<std::string> s_lines;
  inline static std::size_t s_right = 0;
};

[[maybe_unused]] auto const* const table =
    testing::AddGlobalTestEnvironment(new Table);

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto const& some :
       {local_cases(), conflict_cases(), order_cases(), context_cases(),
        signal_cases(), lock_cases(), kernel_cases(), placement_cases(),
        view_cases(), exchange_cases()})
    all.insert(all.end(), some.begin(), some.end());
#ifndef SYMM_WITHOUT_MPI
  for (auto const& some :
       {mpi_message_cases(), mpi_request_cases(), mpi_collective_cases()})
    all.insert(all.end(), some.begin(), some.end());
#endif
  return all;
}

class Cases : public testing::TestWithParam<Case> {};

TEST_P(Cases, are_judged_as_the_memory_model_does) {
  auto const& what = GetParam();
  if (symm::n_pes() < what.n_pes) GTEST_SKIP() << "needs more PEs";
  if (what.is_near && !are_all_near()) GTEST_SKIP() << "needs near PEs";
  symm::barrier_all();
  auto const before = symm::check::races();
  bool is_wrong     = false;
  {
    Bed const bed(what.name);
    what.body(bed);
    symm::barrier_all();
    is_wrong = bed.is_wrong();
  }
  symm::barrier_all();
  auto const reported = symm::check::races() - before;
  EXPECT_FALSE(is_wrong) << what.name << ": other data than expected";
  if (!symm::check::enabled()) return;
  Table::add(what, reported);
  auto const* const miss = known_miss(what.name);
  if (miss != nullptr) {
    bool const is_right = (reported > 0) == (what.expected == Expected::race);
    if (is_right && symm::my_pe() == 0)
      std::printf("%s is judged right: take it off the known misses\n",
                  what.name);
  } else if (what.expected == Expected::race) {
    EXPECT_GT(reported, 0U) << what.name << ": no race is reported";
  } else {
    EXPECT_EQ(reported, 0U) << what.name << ": a false alarm";
  }
}

INSTANTIATE_TEST_SUITE_P(Race, Cases, testing::ValuesIn(all_cases()),
                         [](auto const& its) {
                           return std::string(its.param.name);
                         });

TEST(RaceCases, have_names_of_their_own) {
  auto all           = all_cases();
  auto const by_name = [](Case const& a, Case const& b) {
    return std::string(a.name) < b.name;
  };
  std::sort(all.begin(), all.end(), by_name);
  auto const twice = std::adjacent_find(all.begin(), all.end(),
                                        [](Case const& a, Case const& b) {
                                          return std::string(a.name) == b.name;
                                        });
  EXPECT_TRUE(twice == all.end()) << twice->name;
  EXPECT_GE(all.size(), 200U);
}

}  // namespace

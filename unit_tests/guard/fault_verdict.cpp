// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the verdict on a job with a fault lets pass, and what it refuses: each
// defect that the campaign is to find, once.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <guard/FaultyJob.hpp>
#include <optional>
#include <string>
#include <vector>

namespace symm_test {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr std::size_t faulty = 1;
constexpr int has_aborted    = aborted_status << 8;

class FaultVerdict : public testing::Test {
 protected:
  void all_throw(char const* message) {
    for (auto& report : m_reports) throw_in(report, message);
  }
  static void throw_in(PeReport& report, std::string const& message) {
    report.has_thrown = true;
    std::copy(message.begin(), message.end(), report.message.begin());
  }
  void all_end_the_job(char const* message) {
    for (auto& result : m_results) result.wait_status = has_aborted;
    m_results[0].output = message;
  }
  [[nodiscard]] std::optional<std::string> verdict() const {
    AttackedCall const call{"malloc", {}, {}};
    return complaint_about({&call, faulty, {"mmap", 1, 1}}, m_results,
                           m_reports);
  }

  FaultVerdict() { m_reports[faulty].count.n_failed = 1; }

  std::vector<PeResult> m_results = std::vector<PeResult>(n_faulty_pes);
  PeReports m_reports{};
};

TEST_F(FaultVerdict, success_on_all_pes_passes) {
  EXPECT_EQ(verdict(), std::nullopt);
}

TEST_F(FaultVerdict, the_same_error_on_all_pes_passes) {
  all_throw("symm::malloc: PE 1 failed: mmap");
  EXPECT_EQ(verdict(), std::nullopt);
}

TEST_F(FaultVerdict, an_end_of_the_job_that_names_the_pe_passes) {
  all_end_the_job("symm: PE 1: no message was sent; ending the job");
  EXPECT_EQ(verdict(), std::nullopt);
}

TEST_F(FaultVerdict, an_error_on_one_pe_is_refused) {
  throw_in(m_reports[faulty], "PE 1 failed");
  EXPECT_THAT(verdict(), Optional(HasSubstr("PE 1 has \"PE 1 failed\"")));
}

TEST_F(FaultVerdict, different_errors_are_refused) {
  all_throw("PE 1 failed");
  throw_in(m_reports[2], "PE 1 failed too");
  EXPECT_THAT(verdict(), Optional(HasSubstr("PE 2 has \"PE 1 failed too\"")));
}

TEST_F(FaultVerdict, an_error_that_names_no_pe_is_refused) {
  all_throw("something failed");
  EXPECT_THAT(verdict(), Optional(HasSubstr("does not name PE 1")));
}

TEST_F(FaultVerdict, an_error_without_a_fault_is_refused) {
  all_throw("PE 1 failed");
  m_reports[faulty].count.n_failed = 0;
  EXPECT_THAT(verdict(), Optional(HasSubstr("nothing has failed")));
}

TEST_F(FaultVerdict, other_blocks_after_an_error_are_refused) {
  all_throw("PE 1 failed");
  m_reports[2].has_changed = true;
  EXPECT_THAT(verdict(), Optional(HasSubstr("PE 2 has other blocks")));
}

TEST_F(FaultVerdict, different_heaps_are_refused) {
  m_reports[2].stats.mapped_bytes = 1;
  EXPECT_THAT(verdict(), Optional(HasSubstr("PE 2 has another heap")));
}

TEST_F(FaultVerdict, blocks_in_different_places_are_refused) {
  m_reports[0].new_offsets[1] = 64;
  EXPECT_THAT(verdict(), Optional(HasSubstr("given other places")));
}

TEST_F(FaultVerdict, a_hang_is_refused) {
  m_results[2].is_timed_out = true;
  m_results[2].wait_status  = SIGKILL;
  EXPECT_THAT(verdict(), Optional(HasSubstr("PE 2, in nothing yet, hangs")));
}

TEST_F(FaultVerdict, a_crash_is_refused) {
  all_end_the_job("the process of PE 1 is gone; ending the job");
  m_results[faulty].wait_status = SIGSEGV;
  EXPECT_THAT(verdict(), Optional(HasSubstr("ended by signal 11")));
}

TEST_F(FaultVerdict, a_heap_that_is_not_usable_is_refused) {
  m_results[0].wait_status = exception_status << 8;
  EXPECT_THAT(verdict(), Optional(HasSubstr("PE 0, in nothing yet, cannot")));
}

TEST_F(FaultVerdict, an_end_of_the_job_that_names_nobody_is_refused) {
  all_end_the_job("ending the job");
  EXPECT_THAT(verdict(), Optional(HasSubstr("without the name of PE 1")));
}

TEST_F(FaultVerdict, a_pe_that_goes_on_alone_is_refused) {
  all_end_the_job("PE 1: ending the job");
  m_results[2].wait_status = 0;
  EXPECT_THAT(verdict(), Optional(HasSubstr("PE 2 goes on")));
}

}  // namespace
}  // namespace symm_test

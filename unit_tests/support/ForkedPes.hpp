// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_FORKED_PES_HPP
#define SYMM_TEST_FORKED_PES_HPP

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <runtime/base/Types.hpp>
#include <runtime/bootstrap/Bootstrap.hpp>

/// PEs without MPI: processes that a test forks.
namespace symm_test {

/// Exit statuses of a PE besides 0.
constexpr int expectation_failed_status = 1;
constexpr int exception_status          = 70;  // left its function
constexpr int aborted_status            = 71;  // abort(EXIT_FAILURE)

struct ForkedJob;

/// Bootstrap of one forked PE. abort() ends that process, and also those that
/// wait in the bootstrap, now or later. Other processes go on, so that a test
/// sees what each PE does. Copies refer to the same PE.
class ForkedBootstrap final : public symm::Impl::Bootstrap {
 public:
  ForkedBootstrap(ForkedJob& job, symm::Pe my_pe) : m_job(&job), m_pe(my_pe) {}

  [[nodiscard]] symm::Pe my_pe() const override { return m_pe; }
  [[nodiscard]] int n_pes() const override;
  [[nodiscard]] int node() const override { return 0; }
  void barrier() override;
  void allgather(void const* mine, void* all, std::size_t bytes) override;
  [[nodiscard]] int min(int mine) override;
  void broadcast(void* data, std::size_t bytes, symm::Pe from) override;
  void close() override {}
  using Bootstrap::abort;
  [[noreturn]] void abort(int status) noexcept override;

 private:
  ForkedJob* m_job;
  symm::Pe m_pe;
};

/// How a PE ended.
struct PeResult {
  int wait_status   = 0;
  bool is_timed_out = false;  // it had to be killed
  std::chrono::steady_clock::time_point ended_at;
  std::string output;  // what it wrote to stdout and stderr

  [[nodiscard]] bool has_succeeded() const;
  [[nodiscard]] bool has_exited_with(int status) const;
  [[nodiscard]] bool was_killed_by(int signal) const;
};

using PeFunction = std::function<void(ForkedBootstrap&)>;

/// How long the PEs of a job may take before they are killed.
struct JobLimits {
  std::chrono::milliseconds all           = std::chrono::seconds(45);
  std::chrono::milliseconds after_bad_end = std::chrono::seconds(10);
};

/// Runs `body` in `n_pes` forked processes and returns how each process ended.
/// A PE exits with 0 if `body` returned and no expectation failed in it. This
/// function expects nothing of the PEs: the caller judges the results.
std::vector<PeResult> try_pes(int n_pes, JobLimits const& limits,
                              PeFunction const& body);

/// The same with the usual limits; the test fails if a PE had to be killed.
std::vector<PeResult> run_pes(int n_pes, PeFunction const& body);

/// The same, but all PEs must succeed. A failed expectation on a PE fails the
/// test, and the message contains the PE's output.
void expect_on_pes(int n_pes, PeFunction const& body);

}  // namespace symm_test

#endif

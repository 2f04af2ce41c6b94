// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ForkedPes.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <support/Shared.hpp>
#include <thread>
#include <vector>

#include <runtime/base/UniqueFd.hpp>
#include <runtime/heap/Poison.hpp>
#include <runtime/symm_errors.hpp>

namespace symm_test {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t max_pes        = 72;
constexpr std::size_t max_slot_bytes = 4096;

}  // namespace

#ifdef SYMM_HAS_ASAN
/// Asked by the address sanitizer when a program starts. Where libraries are
/// opened at run time (UCX), GCC 12's takes a block of thread-local variables
/// at 16 bytes behind a page's start for one of an old C library and looks for
/// leaks at a wild address: "Tracer caught signal 11", in 1 of 32 programs.
/// Such blocks are of those libraries only: the leaks that tests find are found
/// without them.
extern "C" __attribute__((visibility("default"))) char const*
__asan_default_options() {  // NOLINT: this is its name
  return "intercept_tls_get_addr=0";
}
#endif

/// What the PEs of a job share.
struct ForkedJob {
  int n_pes = 0;
  std::atomic<int> n_arrived{0};  // at the barrier
  std::atomic<unsigned> n_barriers{0};
  std::atomic<bool> is_aborted{false};
  std::array<std::array<char, max_slot_bytes>, max_pes> slots{};
};

int ForkedBootstrap::n_pes() const { return m_job->n_pes; }

void ForkedBootstrap::barrier() {
  auto const turn = m_job->n_barriers.load();
  if (m_job->n_arrived.fetch_add(1) + 1 == n_pes()) {
    m_job->n_arrived = 0;
    m_job->n_barriers.fetch_add(1);
    return;
  }
  for (int spins = 0; m_job->n_barriers.load() == turn; ++spins) {
    if (m_job->is_aborted) abort();
    std::this_thread::sleep_for(
        std::chrono::microseconds(spins < 50 ? 0 : 200));
  }
}

void ForkedBootstrap::allgather(void const* mine, void* all,
                                std::size_t bytes) {
  if (bytes > max_slot_bytes) {
    throw symm::UsageError("ForkedBootstrap::allgather: " +
                           std::to_string(bytes) + " bytes are too many");
  }
  auto const my_slot = static_cast<std::size_t>(m_pe);
  std::memcpy(m_job->slots.at(my_slot).data(), mine, bytes);
  barrier();
  for (std::size_t pe = 0; pe < static_cast<std::size_t>(n_pes()); ++pe) {
    std::memcpy(static_cast<char*>(all) + pe * bytes,
                m_job->slots.at(pe).data(), bytes);
  }
  barrier();  // nobody overwrites what others still read
}

int ForkedBootstrap::min(int mine) {
  std::vector<int> all(static_cast<std::size_t>(n_pes()));
  allgather(&mine, all.data(), sizeof mine);
  return *std::min_element(all.begin(), all.end());
}

void ForkedBootstrap::broadcast(void* data, std::size_t bytes, symm::Pe from) {
  std::vector<char> all(static_cast<std::size_t>(n_pes()) * bytes);
  allgather(data, all.data(), bytes);
  std::memcpy(data, all.data() + static_cast<std::size_t>(from) * bytes, bytes);
}

void ForkedBootstrap::abort(int status) noexcept {
  m_job->is_aborted = true;
  static_cast<void>(std::fflush(nullptr));
  // A failed expectation has EXIT_FAILURE.
  ::_exit(status == EXIT_FAILURE ? aborted_status : status);
}

bool PeResult::has_exited_with(int status) const {
  return !is_timed_out && WIFEXITED(wait_status) &&
         WEXITSTATUS(wait_status) == status;
}

bool PeResult::has_succeeded() const { return has_exited_with(0); }

bool PeResult::was_killed_by(int signal) const {
  return !is_timed_out && WIFSIGNALED(wait_status) &&
         WTERMSIG(wait_status) == signal;
}

namespace {

int n_failed_expectations() {
  auto const& result =
      *testing::UnitTest::GetInstance()->current_test_info()->result();
  int count = 0;
  for (int i = 0; i < result.total_part_count(); ++i) {
    if (result.GetTestPartResult(i).failed()) ++count;
  }
  return count;
}

int status_of(PeFunction const& body, ForkedBootstrap& bootstrap) {
  int const failed_before = n_failed_expectations();
  try {
    body(bootstrap);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "PE %d: uncaught exception: %s\n", bootstrap.my_pe(),
                 error.what());
    return exception_status;
  }
  return n_failed_expectations() > failed_before ? expectation_failed_status
                                                 : 0;
}

struct Process {
  pid_t pid = -1;
  symm::Impl::UniqueFd output;
};

Process fork_pe(ForkedJob& job, symm::Pe pe, PeFunction const& body) {
  Process process;
  process.output =
      symm::Impl::UniqueFd(::memfd_create("pe_output", MFD_CLOEXEC));
  if (!process.output) {
    throw symm::SystemError("ForkedPes", "memfd_create", errno);
  }
  static_cast<void>(std::fflush(nullptr));  // or it would be printed twice
  pid_t const parent = ::getpid();
  process.pid        = ::fork();
  if (process.pid < 0) throw symm::SystemError("ForkedPes", "fork", errno);
  if (process.pid > 0) return process;
  // The child. When the test is killed, so are its PEs.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || ::getppid() != parent ||
      ::dup2(process.output.get(), STDOUT_FILENO) < 0 ||
      ::dup2(process.output.get(), STDERR_FILENO) < 0) {
    ::_exit(exception_status);
  }
  ForkedBootstrap bootstrap(job, pe);
  std::exit(status_of(body, bootstrap));
}

std::string text_of(symm::Impl::UniqueFd const& file) {
  std::string text;
  std::array<char, 4096> part;
  while (true) {
    auto const got = ::pread(file.get(), part.data(), part.size(),
                             static_cast<off_t>(text.size()));
    if (got <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
}

/// Waits for the processes; kills those that take too long.
std::vector<PeResult> results_of(std::vector<Process> const& processes,
                                 JobLimits const& limits) {
  std::vector<PeResult> results(processes.size());
  std::vector<bool> has_ended(processes.size());
  auto deadline       = Clock::now() + limits.all;
  std::size_t n_ended = 0;
  bool is_late        = false;
  while (n_ended < processes.size()) {
    if (!is_late && Clock::now() > deadline) {
      is_late = true;
      for (std::size_t i = 0; i < processes.size(); ++i) {
        if (has_ended[i]) continue;
        results[i].is_timed_out = true;
        ::kill(processes[i].pid, SIGKILL);
      }
    }
    for (std::size_t i = 0; i < processes.size(); ++i) {
      auto& result = results[i];
      if (has_ended[i] ||
          ::waitpid(processes[i].pid, &result.wait_status, WNOHANG) == 0) {
        continue;
      }
      has_ended[i]    = true;
      result.ended_at = Clock::now();
      result.output   = text_of(processes[i].output);
      ++n_ended;
      if (!result.has_succeeded()) {
        deadline = std::min(deadline, result.ended_at + limits.after_bad_end);
      }
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return results;
}

}  // namespace

std::vector<PeResult> try_pes(int n_pes, JobLimits const& limits,
                              PeFunction const& body) {
  if (n_pes < 1 || static_cast<std::size_t>(n_pes) > max_pes) {
    throw symm::UsageError("run_pes: 1 to " + std::to_string(max_pes) + " PEs");
  }
  Shared<ForkedJob> const job;
  job->n_pes = n_pes;
  std::vector<Process> processes;
  for (symm::Pe pe = 0; pe < n_pes; ++pe) {
    processes.push_back(fork_pe(*job, pe, body));
  }
  return results_of(processes, limits);
}

std::vector<PeResult> run_pes(int n_pes, PeFunction const& body) {
  auto results = try_pes(n_pes, {}, body);
  for (std::size_t pe = 0; pe < results.size(); ++pe) {
    EXPECT_FALSE(results[pe].is_timed_out)
        << "PE " << pe << " hangs; its output:\n"
        << results[pe].output;
  }
  return results;
}

void expect_on_pes(int n_pes, PeFunction const& body) {
  auto const results = run_pes(n_pes, body);
  for (std::size_t pe = 0; pe < results.size(); ++pe) {
    EXPECT_TRUE(results[pe].has_succeeded())
        << "PE " << pe << " of " << n_pes << " ended with wait status "
        << results[pe].wait_status << "; its output:\n"
        << results[pe].output;
  }
}

}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A job that MPI does not start.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <runtime/base/Failure.hpp>
#include <runtime/job/Job.hpp>
#include <runtime/symm_errors.hpp>
#include <runtime/symm_job.hpp>
#include <runtime/symm_memory.hpp>

namespace symm_test::job {
namespace {

using symm::Communicator;
using symm::Impl::begin_job;
using symm::Impl::failure_of;
using symm::Impl::JobPes;
using symm::Impl::JobStart;
using symm::Impl::LibraryHooks;
using testing::HasSubstr;

constexpr int start_aborted_status       = 72;
constexpr int ended_start_aborted_status = 73;

/// A job that cannot be closed.
class OpenBootstrap final : public symm::Impl::Bootstrap {
 public:
  explicit OpenBootstrap(ForkedBootstrap const& forked) : m_forked(forked) {}

  [[nodiscard]] symm::Pe my_pe() const override { return m_forked.my_pe(); }
  [[nodiscard]] int n_pes() const override { return m_forked.n_pes(); }
  [[nodiscard]] int node() const override { return m_forked.node(); }
  void barrier() override { m_forked.barrier(); }
  void allgather(void const* mine, void* all, std::size_t bytes) override {
    m_forked.allgather(mine, all, bytes);
  }
  [[nodiscard]] int min(int mine) override { return m_forked.min(mine); }
  void broadcast(void* data, std::size_t bytes, symm::Pe from) override {
    m_forked.broadcast(data, bytes, from);
  }
  void close() override { throw symm::SystemError("a link that is gone"); }
  using Bootstrap::abort;
  [[noreturn]] void abort(int status) noexcept override {
    m_forked.abort(status);
  }

 private:
  ForkedBootstrap m_forked;
};

/// Starts a job of forked PEs, and notes the calls.
class ForkedStart final : public JobStart {
 public:
  ForkedStart(ForkedBootstrap& bootstrap, std::string& calls)
      : m_bootstrap(bootstrap), m_calls(calls) {}

  [[nodiscard]] char const* name() const override { return "fork()"; }
  [[nodiscard]] bool begin(int*, char***, Communicator const&) override {
    m_calls += "begin ";
    return begins;
  }
  [[nodiscard]] JobPes make_pes(Communicator const&) override {
    m_calls += "make_pes ";
    std::unique_ptr<symm::Impl::Bootstrap> bootstrap;
    if (closes) {
      bootstrap = std::make_unique<ForkedBootstrap>(m_bootstrap);
    } else {
      bootstrap = std::make_unique<OpenBootstrap>(m_bootstrap);
    }
    return {std::move(bootstrap), m_bootstrap.my_pe(), true};
  }
  void end() override { m_calls += "end "; }
  [[noreturn]] void abort(int) noexcept override {
    ::_exit(m_calls.ends_with("end ") ? ended_start_aborted_status
                                      : start_aborted_status);
  }

  bool begins = true;
  bool closes = true;

 private:
  ForkedBootstrap& m_bootstrap;
  std::string& m_calls;
};

class NotedHooks final : public LibraryHooks {
 public:
  explicit NotedHooks(std::string& calls, bool fails = false)
      : m_calls(calls), m_fails(fails) {}

  void check() const override {}
  void begin(int number_on_node) override {
    m_calls += "hooks " + std::to_string(number_on_node) + " ";
    if (m_fails) throw symm::SystemError("no hooks");
  }
  [[nodiscard]] std::optional<int> gpu() const override { return {}; }
  void end() override { m_calls += "hooks_end "; }

 private:
  std::string& m_calls;
  bool m_fails;
};

/// A PE with what begins its job.
struct Begun {
  explicit Begun(ForkedBootstrap& bootstrap, bool fails = false)
      : start(bootstrap, calls),
        hooks(std::make_unique<NotedHooks>(calls, fails)) {}

  void begin() {
    begin_job(nullptr, nullptr, Communicator(), std::move(hooks), start);
  }

  std::string calls;
  ForkedStart start;
  std::unique_ptr<LibraryHooks> hooks;
};

TEST(Job, is_started_and_ended_by_what_is_not_MPI) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    Begun job(bootstrap);
    job.begin();
    EXPECT_EQ(symm::my_pe(), bootstrap.my_pe());
    EXPECT_EQ(symm::n_pes(), 3);
    symm::free(symm::malloc(100));
    symm::finalize();
    EXPECT_EQ(job.calls, "begin make_pes hooks " +
                             std::to_string(bootstrap.my_pe()) +
                             " hooks_end end ");
  });
}

TEST(Job, does_not_end_what_the_program_has_begun) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    Begun job(bootstrap);
    job.start.begins = false;
    job.begin();
    symm::finalize();
    EXPECT_THAT(job.calls, testing::EndsWith("hooks_end "));
  });
}

TEST(Job, that_cannot_begin_on_a_PE_fails_on_all_and_ends_what_it_has_begun) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    Begun job(bootstrap, bootstrap.my_pe() == 1);
    auto const failure = failure_of([&] { job.begin(); });
    ASSERT_TRUE(failure);
    EXPECT_THAT(failure->message.c_str(), HasSubstr("PE 1: no hooks"));
    EXPECT_FALSE(symm::is_initialized());
    EXPECT_THAT(job.calls, testing::EndsWith("hooks_end end "));
  });
}

TEST(Job, that_cannot_be_closed_ends_what_it_has_begun) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    Begun job(bootstrap);
    job.start.closes = bootstrap.my_pe() != 1;
    job.begin();
    auto const failure = failure_of([] { symm::finalize(); });
    EXPECT_EQ(failure.has_value(), bootstrap.my_pe() == 1);
    if (failure) {
      EXPECT_THAT(failure->message.c_str(), HasSubstr("a link that is gone"));
    }
    EXPECT_FALSE(symm::is_initialized());
    EXPECT_THAT(job.calls, testing::EndsWith("hooks_end end "));
  });
}

TEST(Job, that_is_called_wrongly_at_its_end_goes_on) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    Begun job(bootstrap);
    job.begin();
    auto const failure = failure_of([&] {
      bootstrap.my_pe() == 0 ? symm::finalize() : symm::barrier_all();
    });
    EXPECT_TRUE(failure.has_value());
    EXPECT_TRUE(symm::is_initialized());
    EXPECT_THAT(job.calls, testing::Not(HasSubstr("end")));
    symm::finalize();
    EXPECT_THAT(job.calls, testing::EndsWith("hooks_end end "));
  });
}

TEST(Job, whose_guard_ends_too_early_is_aborted_by_what_has_started_it) {
  auto const results = run_pes(2, [](ForkedBootstrap& bootstrap) {
    Begun job(bootstrap);
    job.begin();
    if (bootstrap.my_pe() == 0) {
      EXPECT_THROW(symm::barrier_all(), symm::UsageError);
    } else {
      symm::Impl::end_scope("Guard");
    }
    ::_exit(testing::Test::HasFailure() ? expectation_failed_status : 0);
  });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
  EXPECT_TRUE(results[1].has_exited_with(start_aborted_status));
  EXPECT_THAT(results[1].output, HasSubstr("the end of a Guard: "));
}

/// MPI, for one, cannot abort a job once it has been finalized.
TEST(Job, whose_guard_cannot_close_it_is_aborted_before_its_start_ends) {
  auto const results = run_pes(2, [](ForkedBootstrap& bootstrap) {
    Begun job(bootstrap);
    job.start.closes = bootstrap.my_pe() != 1;
    job.begin();
    symm::Impl::end_scope("Guard");
    ::_exit(job.calls.ends_with("hooks_end end ") ? 0
                                                  : expectation_failed_status);
  });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
  EXPECT_TRUE(results[1].has_exited_with(start_aborted_status));
  EXPECT_THAT(results[1].output, HasSubstr("a link that is gone"));
}

}  // namespace
}  // namespace symm_test::job

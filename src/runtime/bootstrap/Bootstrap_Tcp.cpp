// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap_Tcp.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "../base/Deadline.hpp"
#include "../base/Env.hpp"
#include "../base/EnvironmentTable.hpp"
#include "../base/Interrupted.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "JobWatch.hpp"
#include "TcpLinks.hpp"
#include "TcpSockets.hpp"

namespace symm::Impl {

namespace {

enum class Step : std::uint32_t { barrier, allgather, min, broadcast };

struct StepHead {
  Step step                                                = Step::barrier;
  std::uint32_t from                                       = 0;
  std::uint64_t bytes                                      = 0;
  friend bool operator==(StepHead const&, StepHead const&) = default;
};

/// PE 0's answer to a PE's contribution to a step. The answer is followed by
/// the result or by a StepFailure.
enum class StepEnd : char { done, failed };
using StepFailure = std::array<char, 512>;

class Bootstrap_Tcp final : public Bootstrap {
 public:
  explicit Bootstrap_Tcp(TcpJob const& job) : m_job(job) {
    auto links = connect_by_tcp(job);
    m_steps    = std::move(links.steps);
    m_watch    = std::make_unique<JobWatch>(std::move(links.lives), job.my_pe);
    find_node();
  }
  Bootstrap_Tcp(Bootstrap_Tcp const&)            = delete;
  Bootstrap_Tcp& operator=(Bootstrap_Tcp const&) = delete;
  ~Bootstrap_Tcp() override                      = default;

  [[nodiscard]] Pe my_pe() const override { return m_job.my_pe; }
  [[nodiscard]] int n_pes() const override { return m_job.n_pes; }
  [[nodiscard]] int node() const override { return m_node; }
  [[nodiscard]] int number_on_node() const { return m_number_on_node; }
  [[nodiscard]] bool is_one_node() const { return m_is_one_node; }

  void barrier() override {
    run(
        {Step::barrier, 0, 0}, nullptr, [](Pe, char const*) {}, nullptr, 0);
  }

  void allgather(void const* mine, void* all, std::size_t bytes) override {
    auto* const to = static_cast<char*>(all);
    std::memcpy(to + index_of(my_pe()) * bytes, mine, bytes);
    run(
        {Step::allgather, 0, bytes}, mine,
        [&](Pe pe, char const* part) {
          std::memcpy(to + index_of(pe) * bytes, part, bytes);
        },
        all, index_of(n_pes()) * bytes);
  }

  [[nodiscard]] int min(int mine) override {
    int lowest = mine;
    run(
        {Step::min, 0, sizeof mine}, &mine,
        [&](Pe, char const* part) {
          int number = 0;
          std::memcpy(&number, part, sizeof number);
          lowest = std::min(lowest, number);
        },
        &lowest, sizeof lowest);
    return lowest;
  }

  void broadcast(void* data, std::size_t bytes, Pe from) override {
    run(
        {Step::broadcast, static_cast<std::uint32_t>(from), bytes}, data,
        [&](Pe pe, char const* part) {
          if (pe == from) std::memcpy(data, part, bytes);
        },
        data, bytes);
  }

  /// Other PEs may exit as soon as they have passed the barrier, so first tell
  /// the watch that PEs may exit.
  void close() override {
    m_watch->expect_ends();
    auto const failure =
        m_gate.has_failed() ? std::nullopt : failure_of([&] { barrier(); });
    m_watch.reset();
    m_steps.clear();
    if (failure) throw_failure(*failure);
  }

  using Bootstrap::abort;
  [[noreturn]] void abort(int status) noexcept override {
    abort_tcp_job(status);
  }

 private:
  /// A PE's host; equal for all PEs on a node.
  struct Host {
    std::array<char, 64> name{};
    std::array<char, 40> boot{};
    friend bool operator==(Host const&, Host const&) = default;
  };

  /// Runs a collective step: every PE except PE 0 sends its contribution to PE
  /// 0 and receives the result.
  /// \param take PE 0 calls take(pe, data) with every other PE's contribution.
  template <class Take>
  void run(StepHead const& head, void const* mine, Take const& take,
           void* result, std::size_t result_bytes) {
    m_gate.run([&] {
      try {
        if (my_pe() == 0) {
          try {
            gather(head, take);
          } catch (...) {
            // If a PE has exited, name that PE, because a PE that is merely
            // late may be waiting for it.
            throw_if_one_has_ended(m_steps);
            throw;
          }
          distribute(result, result_bytes);
        } else {
          take_part(head, mine, result, result_bytes);
        }
      } catch (...) {
        end_steps(current_failure().message);
        throw;
      }
    });
  }

  template <class Take>
  void gather(StepHead const& head, Take const& take) {
    Deadline const deadline(m_job.timeout);
    std::vector<char> part(head.bytes);
    for (Pe pe = 1; pe < n_pes(); ++pe) {
      auto const& socket = m_steps[index_of(pe)];
      StepHead of_pe;
      receive_all(socket, &of_pe, sizeof of_pe, pe, deadline);
      if (of_pe != head) {
        throw SystemError(
            Text("PE ", pe,
                 " is in a different step of the start than PE 0; "
                 "start the same program on all PEs"));
      }
      receive_all(socket, part.data(), part.size(), pe, deadline);
      take(pe, part.data());
    }
  }
  void distribute(void const* result, std::size_t bytes) {
    Deadline const deadline(m_job.timeout);
    auto const end = StepEnd::done;
    for (Pe pe = 1; pe < n_pes(); ++pe) {
      auto const& socket = m_steps[index_of(pe)];
      try {
        send_all(socket, &end, sizeof end, pe, deadline);
        send_all(socket, result, bytes, pe, deadline);
      } catch (SystemError const&) {
        // The PE may have received only part of the result, so close the
        // connection.
        m_steps[index_of(pe)].reset();
        throw;
      }
    }
  }
  void take_part(StepHead const& head, void const* mine, void* result,
                 std::size_t bytes) {
    // Wait for twice the timeout: PE 0 may begin the step up to one timeout
    // later, and may take another timeout to report which PE is missing.
    Deadline const deadline(2 * m_job.timeout);
    auto const& socket = m_steps[0];
    send_all(socket, &head, sizeof head, 0, deadline);
    send_all(socket, mine, head.bytes, 0, deadline);
    auto end = StepEnd::done;
    receive_all(socket, &end, sizeof end, 0, deadline);
    if (end == StepEnd::done)
      return receive_all(socket, result, bytes, 0, deadline);
    StepFailure failure{};
    receive_all(socket, failure.data(), failure.size(), 0, deadline);
    failure.back() = '\0';
    throw SystemError(failure.data());
  }

  /// Called after a step has failed on this PE. PE 0 sends the reason to all
  /// other PEs instead of the next result.
  void end_steps(std::string_view why) noexcept {
    if (my_pe() == 0) {
      struct {
        StepEnd end = StepEnd::failed;
        StepFailure why{};
      } message;
      why.copy(message.why.data(), message.why.size() - 1);
      for (auto const& socket : m_steps) {
        // The send may fail, because the other process may have ended.
        static_cast<void>(uninterrupted([&] {
          return ::send(socket.get(), &message, sizeof message,
                        MSG_NOSIGNAL | MSG_DONTWAIT);
        }));
      }
    }
    for (auto const& socket : m_steps)
      static_cast<void>(::shutdown(socket.get(), SHUT_WR));
    if (m_watch->expects_ends()) return;
    // If a process has ended, JobWatch prints the reason and ends this process
    // during the sleep.
    std::this_thread::sleep_for(2 * JobWatch::time_to_report);
    m_watch->expect_ends();
  }

  /// A node's number is the lowest PE number on that node.
  void find_node() {
    Host mine;
    if (::gethostname(mine.name.data(), mine.name.size() - 1) != 0)
      throw SystemError("cannot get the name of this host", "gethostname",
                        errno);
    std::string boot;
    // This file may not exist.
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
    boot.copy(mine.boot.data(), mine.boot.size() - 1);
    auto const all = Impl::allgather(*this, mine);
    m_node         = n_pes();
    for (Pe pe = 0; pe < n_pes(); ++pe) {
      bool const is_here = all[index_of(pe)] == mine;
      if (is_here) m_node = std::min(m_node, pe);
      if (is_here && pe < my_pe()) ++m_number_on_node;
      m_is_one_node = m_is_one_node && all[index_of(pe)] == all[0];
    }
  }

  TcpJob m_job;
  std::vector<UniqueFd> m_steps;
  std::unique_ptr<JobWatch> m_watch;
  StepGate m_gate;
  int m_node           = 0;
  int m_number_on_node = 0;
  bool m_is_one_node   = true;
};

/// \throws UsageError on this PE.
TcpJob job_of_environment() {
  TcpJob job;
  auto const root = setting_of(environment::root);
  if (!root) {
    throw UsageError(
        "symm::initialize: SYMM_START=tcp requires SYMM_ROOT, the host:port "
        "or file:path by which PE 0 is found");
  }
  job.root       = root->text;
  auto const pe  = env_count(environment::pe);
  auto const pes = env_count(environment::pes);
  if (!pe || !pes) {
    throw UsageError(Text(
        "symm::initialize: SYMM_ROOT is set, so the job starts over TCP; set ",
        pes ? "" : "SYMM_PES (the number of PEs), ",
        pe ? "" : "SYMM_PE (the number of this PE, from 0), ",
        "or start the program with srun, which sets them"));
  }
  if (*pe >= *pes) {
    throw UsageError(Text("symm::initialize: SYMM_PE=", *pe,
                          " is invalid with SYMM_PES=", *pes,
                          "; PEs are 0 to SYMM_PES - 1"));
  }
  job.my_pe   = *pe;
  job.n_pes   = *pes;
  job.timeout = start_timeout();
  return job;
}

class StartByTcp final : public JobStart {
 public:
  [[nodiscard]] char const* name() const override { return "TCP"; }

  [[nodiscard]] bool begin(int* /*argc*/, char*** /*argv*/,
                           Communicator const& communicator) override {
    refuse_communicator(communicator, "over TCP (SYMM_ROOT)");
    m_job = job_of_environment();
    return false;
  }

  [[nodiscard]] JobPes make_pes(Communicator const& /*all*/) override {
    return make_tcp_pes(m_job);
  }

  void end() override {}

  [[noreturn]] void abort(int status) noexcept override {
    abort_tcp_job(status);
  }

 private:
  TcpJob m_job;
};

}  // namespace

JobPes make_tcp_pes(TcpJob const& job) {
  auto bootstrap           = std::make_unique<Bootstrap_Tcp>(job);
  int const number_on_node = bootstrap->number_on_node();
  bool const is_one_node   = bootstrap->is_one_node();
  return {std::move(bootstrap), number_on_node, is_one_node};
}

void abort_tcp_job(int status) noexcept {
  JobWatch::end_job_of_process(status);
}

void refuse_communicator(Communicator const& communicator, char const* why) {
  if (!communicator.handle()) return;
  throw UsageError(Text("symm::initialize: the job starts ", why,
                        ", without MPI; do not pass a communicator"));
}

std::chrono::duration<double> start_timeout() {
  return std::chrono::duration<double>(
      env_seconds(environment::start_timeout).value());
}

bool is_tcp_asked_for() { return setting_of(environment::root).has_value(); }

JobStart& start_by_tcp() {
  static StartByTcp start;
  return start;
}

}  // namespace symm::Impl

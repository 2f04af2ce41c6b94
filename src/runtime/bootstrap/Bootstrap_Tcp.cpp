// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "Bootstrap_Tcp.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "../base/Env.hpp"
#include "../base/EnvironmentTable.hpp"
#include "../base/LibraryThread.hpp"
#include "../base/Text.hpp"
#include "../symm_errors.hpp"
#include "TcpLinks.hpp"

namespace symm::Impl {

namespace {

/// How long a PE that sees another one end leaves it to the library to say so.
constexpr auto time_to_report = std::chrono::milliseconds(500);

/// Ends a job when one of its processes has ended: every PE watches PE 0, which
/// watches all.
class JobWatch {
 public:
  /// \throws SystemError on this PE.
  JobWatch(std::vector<UniqueFd> lives, Pe my_pe)
      : m_lives(std::move(lives)),
        m_my_pe(my_pe),
        m_wake(::eventfd(0, EFD_CLOEXEC)) {
    if (!m_wake) throw SystemError("watching PEs", "eventfd", errno);
    m_thread =
        make_library_thread("watching PEs", "symm_job", [this] { watch(); });
  }
  JobWatch(JobWatch const&)            = delete;
  JobWatch& operator=(JobWatch const&) = delete;
  ~JobWatch() { stop(); }

  /// Other PEs may end from now on.
  void expect_ends() noexcept { m_is_over = true; }
  void stop() noexcept {
    expect_ends();
    std::uint64_t const one = 1;
    // Cannot fail: the counter is 0 or 1.
    static_cast<void>(::write(m_wake.get(), &one, sizeof one));
    if (m_thread.joinable()) m_thread.join();
  }

  /// Tells the other PEs, by way of PE 0, and ends this one.
  [[noreturn]] void end_job(int status) noexcept {
    for (auto const& life : m_lives) {
      if (!life) continue;
      // It may have ended, too.
      static_cast<void>(::send(life.get(), &status, sizeof status,
                               MSG_NOSIGNAL | MSG_DONTWAIT));
    }
    ::_exit(status);
  }

 private:
  void watch() noexcept {
    std::vector<pollfd> entries{{m_wake.get(), POLLIN, 0}};
    for (auto const& life : m_lives)
      entries.push_back({life.get(), POLLIN, 0});  // none: poll() leaves it out
    for (;;) {
      if (::poll(entries.data(), entries.size(), -1) < 0) continue;
      if (m_is_over) return;
      for (std::size_t i = 1; i < entries.size(); ++i) {
        if (entries[i].revents != 0) see_end(i - 1);
      }
    }
  }

  void see_end(std::size_t which) noexcept {
    int status       = EXIT_FAILURE;
    auto const bytes = ::recv(m_lives[which].get(), &status, sizeof status, 0);
    if (bytes < 0 && (errno == EAGAIN || errno == EINTR)) return;  // not ended
    bool const is_told = bytes == static_cast<ssize_t>(sizeof status);
    if (!is_told) {
      std::this_thread::sleep_for(time_to_report);
      if (m_is_over) return;
      std::fprintf(stderr,
                   "symm: PE %zu has ended without symm::finalize(); ending "
                   "the job\n",
                   m_my_pe == 0 ? which : 0);
      status = EXIT_FAILURE;
    }
    end_job(status);
  }

  std::vector<UniqueFd> m_lives;
  Pe m_my_pe;
  UniqueFd m_wake;
  std::atomic<bool> m_is_over = false;
  std::thread m_thread;
};

/// Of the running job, for JobStart::abort().
std::atomic<JobWatch*> s_watch = nullptr;

enum class Step : std::uint32_t { barrier, allgather, min, broadcast };

struct StepHead {
  Step step                                                = Step::barrier;
  std::uint32_t from                                       = 0;
  std::uint64_t bytes                                      = 0;
  friend bool operator==(StepHead const&, StepHead const&) = default;
};

class Bootstrap_Tcp final : public Bootstrap {
 public:
  explicit Bootstrap_Tcp(TcpJob const& job) : m_job(job) {
    auto links = connect_by_tcp(job);
    m_steps    = std::move(links.steps);
    m_watch    = std::make_unique<JobWatch>(std::move(links.lives), job.my_pe);
    s_watch    = m_watch.get();
    find_node();
  }
  Bootstrap_Tcp(Bootstrap_Tcp const&)            = delete;
  Bootstrap_Tcp& operator=(Bootstrap_Tcp const&) = delete;
  ~Bootstrap_Tcp() override { s_watch = nullptr; }

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
        [&](Pe pe, char const* its) {
          std::memcpy(to + index_of(pe) * bytes, its, bytes);
        },
        all, index_of(n_pes()) * bytes);
  }

  [[nodiscard]] int min(int mine) override {
    int lowest = mine;
    run(
        {Step::min, 0, sizeof mine}, &mine,
        [&](Pe, char const* its) {
          int number = 0;
          std::memcpy(&number, its, sizeof number);
          lowest = std::min(lowest, number);
        },
        &lowest, sizeof lowest);
    return lowest;
  }

  void broadcast(void* data, std::size_t bytes, Pe from) override {
    run(
        {Step::broadcast, static_cast<std::uint32_t>(from), bytes}, data,
        [&](Pe pe, char const* its) {
          if (pe == from) std::memcpy(data, its, bytes);
        },
        data, bytes);
  }

  /// (Others may end as soon as they are behind this barrier.)
  void close() override {
    m_watch->expect_ends();
    barrier();
    m_watch->stop();
    s_watch = nullptr;
    m_watch.reset();
    m_steps.clear();
  }

  using Bootstrap::abort;
  [[noreturn]] void abort(int status) noexcept override {
    abort_tcp_job(status);
  }

 private:
  /// What PEs of a node have in common.
  struct Host {
    std::array<char, 64> name{};
    std::array<char, 40> boot{};
    friend bool operator==(Host const&, Host const&) = default;
  };

  /// A collective step: every PE but PE 0 sends its part to that, and gets the
  /// result.
  /// \param take take(pe, data) on PE 0, of every other PE's part.
  template <class Take>
  void run(StepHead const& head, void const* mine, Take const& take,
           void* result, std::size_t result_bytes) {
    try {
      begin(head, mine, take);
      end(result, result_bytes);
    } catch (SystemError const&) {
      // If a process has ended, JobWatch ends this one, too, and says why.
      std::this_thread::sleep_for(2 * time_to_report);
      throw;
    }
  }
  template <class Take>
  void begin(StepHead const& head, void const* mine, Take const& take) {
    if (my_pe() != 0) {
      send_all(m_steps[0], &head, sizeof head, 0);
      send_all(m_steps[0], mine, head.bytes, 0);
      return;
    }
    std::vector<char> its(head.bytes);
    for (Pe pe = 1; pe < n_pes(); ++pe) {
      auto const& socket = m_steps[index_of(pe)];
      StepHead of_pe;
      receive_all(socket, &of_pe, sizeof of_pe, pe);
      if (of_pe != head) {
        throw SystemError(Text("PE ", pe,
                               " makes another step of the start "
                               "than PE 0: start the same program on all PEs"));
      }
      receive_all(socket, its.data(), its.size(), pe);
      take(pe, its.data());
    }
  }
  void end(void* result, std::size_t bytes) {
    char done = 0;
    if (my_pe() != 0) {
      receive_all(m_steps[0], &done, 1, 0);
      receive_all(m_steps[0], result, bytes, 0);
      return;
    }
    for (Pe pe = 1; pe < n_pes(); ++pe) {
      send_all(m_steps[index_of(pe)], &done, 1, pe);
      send_all(m_steps[index_of(pe)], result, bytes, pe);
    }
  }

  /// The number of a node is its lowest PE.
  void find_node() {
    Host mine;
    if (::gethostname(mine.name.data(), mine.name.size() - 1) != 0)
      throw SystemError("cannot name this host", "gethostname", errno);
    std::string boot;
    std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;  // maybe none
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
        "symm::initialize: SYMM_START=tcp: set SYMM_ROOT, too, host:port or "
        "file:path, where PE 0 is found");
  }
  job.root       = root->text;
  auto const pe  = env_count(environment::pe);
  auto const pes = env_count(environment::pes);
  if (!pe || !pes) {
    throw UsageError(Text(
        "symm::initialize: SYMM_ROOT is set, so the job starts by TCP: set ",
        pes ? "" : "SYMM_PES, the number of PEs, ",
        pe ? "" : "SYMM_PE, the number of this PE, from 0, ",
        "or start the program by srun, which does"));
  }
  if (*pe >= *pes) {
    throw UsageError(Text("symm::initialize: there is no PE SYMM_PE=", *pe,
                          " among SYMM_PES=", *pes,
                          "; PEs are 0 to SYMM_PES "
                          "- 1"));
  }
  job.my_pe   = *pe;
  job.n_pes   = *pes;
  job.timeout = std::chrono::duration<double>(start_timeout());
  return job;
}

class StartByTcp final : public JobStart {
 public:
  [[nodiscard]] char const* name() const override { return "TCP"; }

  [[nodiscard]] bool begin(int* /*argc*/, char*** /*argv*/,
                           Communicator const& communicator) override {
    refuse_communicator(communicator, "by TCP, as SYMM_ROOT says");
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
  if (auto* const watch = s_watch.load()) watch->end_job(status);
  ::_exit(status);
}

void refuse_communicator(Communicator const& communicator, char const* why) {
  if (!communicator.handle()) return;
  throw UsageError(Text("symm::initialize: the job starts ", why,
                        ", without MPI: pass no communicator"));
}

double start_timeout() {
  return env_seconds(environment::start_timeout).value();
}

bool is_tcp_asked_for() { return setting_of(environment::root).has_value(); }

JobStart& start_by_tcp() {
  static StartByTcp start;
  return start;
}

}  // namespace symm::Impl

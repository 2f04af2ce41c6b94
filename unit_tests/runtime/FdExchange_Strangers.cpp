// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Who may not join the mesh of sockets: a process that is none of the job's,
// and a PE in another network namespace. Who may: a PE in another PID
// namespace.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/ForwardingBootstrap.hpp>
#include <support/ProcessResources.hpp>
#include <support/Shared.hpp>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/bootstrap/FdExchange.hpp>

namespace symm_test {
namespace {

using symm::Impl::Bootstrap;
using symm::Impl::FdExchange;
using symm::Impl::UniqueFd;

/// Calls a function before each step of the bootstrap.
class WatchedBootstrap final : public ForwardingBootstrap {
 public:
  WatchedBootstrap(Bootstrap& bootstrap, std::function<void()> before_step)
      : ForwardingBootstrap(bootstrap), m_before_step(std::move(before_step)) {}

  void allgather(void const* mine, void* all, std::size_t bytes) override {
    m_before_step();
    ForwardingBootstrap::allgather(mine, all, bytes);
  }
  [[nodiscard]] int min(int mine) override {
    m_before_step();
    return ForwardingBootstrap::min(mine);
  }

 private:
  std::function<void()> m_before_step;
};

/// The abstract name ("symm-...") of a listening socket of this process, or "".
std::string name_of_listener() {
  for (auto const& entry :
       std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code is_gone;
    auto link = std::filesystem::read_symlink(entry, is_gone).string();
    if (link.rfind("socket:[", 0) != 0) continue;
    auto const inode = link.substr(8, link.size() - 9);
    std::ifstream table("/proc/net/unix");
    std::string line;
    while (std::getline(table, line)) {
      bool const is_this      = line.find(" " + inode + " @symm-") != line.npos;
      bool const is_listening = line.find(" 00010000 ") != line.npos;
      if (!is_this || !is_listening) continue;
      return line.substr(line.find('@') + 1);
    }
  }
  return "";
}

/// Connects to an abstract name; no socket if the queue is full or the listener
/// gone.
UniqueFd connect_to(std::string const& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof(address.sun_path) - 1);
  UniqueFd result(
      ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  auto const bytes = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  if (::connect(result.get(), reinterpret_cast<sockaddr*>(&address),
                static_cast<socklen_t>(bytes)) != 0) {
    return {};
  }
  return result;
}

/// What a stranger sends who takes himself for a PE. The first half of the
/// greeting of a PE is secret; the number in the name, which every process of
/// the machine can read, is not.
struct Greeting {
  std::array<unsigned long long, 2> key{};
  std::int64_t pe = 1;
};

Greeting greeting_of(std::string const& name) {
  Greeting greeting;
  EXPECT_EQ(std::sscanf(name.c_str(), "symm-%16llx%16llx-", &greeting.key[0],
                        &greeting.key[1]),
            2);
  return greeting;
}

/// Strangers of the same user connect to PE 0 as soon as that listens, before
/// PE 0's peers can, and send the first bytes of a greeting. The start
/// succeeds, and they are hung up on.
void expect_dropped(std::size_t n_strangers, std::size_t bytes) {
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    auto const before = n_open_descriptors();
    std::vector<UniqueFd> strangers;
    WatchedBootstrap watched(bootstrap, [&] {
      if (bootstrap.my_pe() != 0 || !strangers.empty()) return;
      auto const name = name_of_listener();
      if (name.empty()) return;
      auto const greeting = greeting_of(name);
      for (std::size_t i = 0; i < n_strangers; ++i) {
        auto stranger = connect_to(name);
        if (!stranger) break;  // as many as the system lets wait
        strangers.push_back(std::move(stranger));
        if (bytes == 0) continue;
        EXPECT_EQ(::send(strangers.back().get(), &greeting, bytes, 0),
                  static_cast<ssize_t>(bytes));
      }
    });
    {
      FdExchange exchange(watched);
      EXPECT_EQ(strangers.empty(), bootstrap.my_pe() != 0);
      for (auto const& stranger : strangers) {
        char answer = 0;
        if (::recv(stranger.get(), &answer, 1, MSG_DONTWAIT) != 0) {
          EXPECT_EQ(errno, ECONNRESET) << "hung up on";
        }
      }
      strangers.clear();
      EXPECT_EQ(exchange.exchange(STDERR_FILENO).size(), 3U);
    }
    EXPECT_EQ(n_open_descriptors(), before);
  });
}

TEST(FdExchangeStrangers, one_who_knows_the_name_only_is_dropped) {
  expect_dropped(1, sizeof(Greeting));
}

TEST(FdExchangeStrangers, one_who_never_says_anything_is_dropped) {
  expect_dropped(1, 0);
  expect_dropped(400, 0);
}

TEST(FdExchangeStrangers, one_who_does_not_say_enough_is_dropped) {
  expect_dropped(1, 2);
}

/// What a test and the strangers that it starts know.
struct FloodedJob {
  std::atomic<bool> is_over  = false;
  std::atomic<bool> has_name = false;  // of listeners of the job
  std::array<char, 64> name{};         // without the number of the PE
};

/// Connects to the listeners of a job and hangs up, as often as it can.
void flood(FloodedJob const& job, int n_pes) {
  while (!job.is_over) {
    if (!job.has_name) continue;
    for (int pe = 0; pe < n_pes; ++pe) {
      for (int i = 0; i < 50; ++i) {
        if (!connect_to(job.name.data() + std::to_string(pe))) break;
      }
    }
  }
}

TEST(FdExchangeStrangers, a_flood_of_another_user_does_not_hold_up_the_start) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs leave to be another user";
  constexpr int n_pes    = 3;
  constexpr int n_starts = 5;
  Shared<FloodedJob> const job;
  std::vector<pid_t> strangers;
  for (int i = 0; i < 2; ++i) {
    pid_t const stranger = ::fork();
    if (stranger == 0) {
      constexpr uid_t nobody = 65534;
      if (::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::setuid(nobody) == 0) {
        flood(*job, n_pes);
      }
      ::_exit(0);
    }
    strangers.push_back(stranger);
  }
  expect_on_pes(n_pes, [&](Bootstrap& bootstrap) {
    WatchedBootstrap watched(bootstrap, [&] {
      if (bootstrap.my_pe() != 0 || job->has_name) return;
      auto const name = name_of_listener();
      if (name.empty()) return;
      job->name = {};
      name.copy(job->name.data(), name.rfind('-') + 1);
      job->has_name = true;
      // They are there before the peers.
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });
    for (int start = 0; start < n_starts; ++start) {
      auto const before = std::chrono::steady_clock::now();
      FdExchange exchange(watched);
      EXPECT_LT(std::chrono::steady_clock::now() - before,
                std::chrono::seconds(5));
      EXPECT_EQ(exchange.exchange(STDERR_FILENO).size(), 3U);
      job->has_name = false;
    }
  });
  job->is_over = true;
  for (pid_t const stranger : strangers) ::waitpid(stranger, nullptr, 0);
}

TEST(FdExchangeStrangers, do_not_use_up_the_descriptors_of_a_PE) {
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    std::vector<UniqueFd> strangers;
    WatchedBootstrap watched(bootstrap, [&] {
      if (bootstrap.my_pe() != 2 || !strangers.empty()) return;
      auto name = name_of_listener();
      if (name.empty()) return;
      name.back() = '0';
      while (strangers.size() < 100) {  // PE 0 listens soon
        if (auto stranger = connect_to(name))
          strangers.push_back(std::move(stranger));
      }
    });
    if (bootstrap.my_pe() == 0) limit_descriptors(20);
    FdExchange exchange(watched);
    EXPECT_EQ(strangers.empty(), bootstrap.my_pe() != 2);
    EXPECT_EQ(exchange.exchange(STDERR_FILENO).size(), 3U);
  });
}

TEST(FdExchangeStrangers, the_listening_sockets_are_gone_after_the_start) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    FdExchange const exchange(bootstrap);
    EXPECT_EQ(name_of_listener(), "");
  });
}

TEST(FdExchangeStrangers, a_pe_in_another_network_namespace_is_far) {
  Shared<std::atomic<bool>> const is_separated;
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    // Sockets of one network namespace do not reach another.
    bool const is_far = bootstrap.my_pe() == 2;
    if (is_far) {
      *is_separated = ::unshare(CLONE_NEWNET) == 0 ||
                      ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    }
    bootstrap.barrier();
    if (!*is_separated) return;
    auto const nodes = symm::Impl::find_nodes(bootstrap);
    EXPECT_THAT(nodes.first, testing::ElementsAre(0, 2, 3));
    FdExchange exchange(bootstrap, nodes, {});
    EXPECT_EQ(exchange.exchange(STDERR_FILENO).size(), is_far ? 1U : 2U);
  });
  if (!*is_separated) GTEST_SKIP() << "needs leave to make a namespace";
}

/// Goes on in a new PID namespace, which a process can only be born in: the
/// first one waits for the second, and ends as that does.
bool enter_pid_namespace() {
  if (::unshare(CLONE_NEWPID) != 0) return false;
  pid_t const inside = ::fork();
  if (inside == 0) return ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0;
  int status = 0;
  ::waitpid(inside, &status, 0);
  ::_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128);
}

TEST(FdExchangeStrangers, a_pe_in_another_PID_namespace_is_no_stranger) {
  Shared<std::atomic<bool>> const is_separated;
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    symm::Pe const me = bootstrap.my_pe();
    if (me == 2) *is_separated = enter_pid_namespace();
    bootstrap.barrier();
    if (!*is_separated) return;
    FdExchange exchange(bootstrap);
    EXPECT_EQ(exchange.exchange(STDERR_FILENO).size(), 3U);
    if (me == 2) {
      EXPECT_EQ(exchange.process_of(0), 0) << "it cannot be seen from here";
      EXPECT_EQ(exchange.process_of(2), 1);
    } else {
      EXPECT_GT(exchange.process_of(2), 1) << "its number out here";
    }
    for (symm::Pe pe = 0; pe < 3; ++pe) EXPECT_FALSE(exchange.is_gone(pe));
    bootstrap.barrier();
    if (me == 0) return;
    while (!exchange.is_gone(0)) std::this_thread::yield();
  });
  if (!*is_separated) GTEST_SKIP() << "needs leave to make a namespace";
}

}  // namespace
}  // namespace symm_test

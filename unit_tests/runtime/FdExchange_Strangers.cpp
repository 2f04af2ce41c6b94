// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Who may not join the mesh of sockets: a process that does not know the job's
// id, and a PE on another node.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>
#include <support/Shared.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <utility>

#include <runtime/Error.hpp>
#include <runtime/FdExchange.hpp>

namespace symm_test {
namespace {

using symm::Bootstrap;
using symm::FdExchange;
using symm::UniqueFd;
using testing::AllOf;
using testing::HasSubstr;

/// Calls a function before each step of the bootstrap.
class WatchedBootstrap final : public Bootstrap {
 public:
  WatchedBootstrap(Bootstrap& bootstrap, std::function<void()> before_step)
      : m_bootstrap(bootstrap), m_before_step(std::move(before_step)) {}

  [[nodiscard]] symm::Pe my_pe() const override { return m_bootstrap.my_pe(); }
  [[nodiscard]] int n_pes() const override { return m_bootstrap.n_pes(); }
  void barrier() override { m_bootstrap.barrier(); }
  void allgather(void const* mine, void* all, std::size_t bytes) override {
    m_before_step();
    m_bootstrap.allgather(mine, all, bytes);
  }
  void close() override { m_bootstrap.close(); }
  [[noreturn]] void abort() noexcept override {
    m_bootstrap.abort();
    std::abort();  // for the compiler
  }

 private:
  Bootstrap& m_bootstrap;
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

UniqueFd connect_to(std::string const& name) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  name.copy(address.sun_path + 1, sizeof(address.sun_path) - 1);
  UniqueFd result(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  auto const bytes = offsetof(sockaddr_un, sun_path) + 1 + name.size();
  EXPECT_EQ(::connect(result.get(), reinterpret_cast<sockaddr*>(&address),
                      static_cast<socklen_t>(bytes)),
            0);
  return result;
}

/// What a PE sends when it has connected.
struct Greeting {
  std::array<unsigned long long, 2> job_id{};
  std::int32_t pe = 0;
};

/// The job id is part of the name, which every process of the machine can read.
Greeting greeting_of(std::string const& name, std::int32_t pe) {
  Greeting greeting;
  greeting.pe = pe;
  EXPECT_EQ(std::sscanf(name.c_str(), "symm-%16llx%16llx-", &greeting.job_id[0],
                        &greeting.job_id[1]),
            2);
  return greeting;
}

/// A stranger connects to PE 0 as soon as that listens, before PE 0's peers
/// can, and sends what `forge` makes of PE 1's greeting. All PEs must refuse.
void expect_refused(std::function<void(Greeting&)> const& forge,
                    testing::Matcher<std::string const&> const& message) {
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    auto const before = n_open_descriptors();
    UniqueFd stranger;
    WatchedBootstrap watched(bootstrap, [&] {
      if (bootstrap.my_pe() != 0 || stranger) return;
      auto const name = name_of_listener();
      if (name.empty()) return;
      auto greeting = greeting_of(name, 1);
      forge(greeting);
      stranger = connect_to(name);
      EXPECT_EQ(::send(stranger.get(), &greeting, sizeof greeting, 0),
                static_cast<ssize_t>(sizeof greeting));
    });
    auto const connection =
        symm::failure_of([&] { return FdExchange(watched); });
    ASSERT_TRUE(connection) << "on every PE";
    EXPECT_EQ(connection->kind, symm::ErrorKind::system);
    EXPECT_THAT(connection->message, AllOf(HasSubstr("PE 0 failed"), message));
    EXPECT_EQ(static_cast<bool>(stranger), bootstrap.my_pe() == 0);
    stranger.reset();
    EXPECT_EQ(n_open_descriptors(), before);
    FdExchange const works_without(bootstrap);
  });
}

TEST(FdExchangeStrangers, a_process_without_the_job_id_is_refused) {
  expect_refused([](Greeting& greeting) { greeting.job_id[1] ^= 1; },
                 HasSubstr("a stranger connected to PE 0"));
}

TEST(FdExchangeStrangers, a_pe_that_cannot_be_is_refused) {
  for (std::int32_t const pe : {-1, 0, 3}) {
    expect_refused([pe](Greeting& greeting) { greeting.pe = pe; },
                   HasSubstr("a stranger connected to PE 0"));
  }
}

TEST(FdExchangeStrangers, another_process_that_knows_the_job_id_is_refused) {
  expect_refused([](Greeting&) {}, HasSubstr("calls itself PE 1 is process"));
}

TEST(FdExchangeStrangers, the_listening_sockets_are_gone_after_the_start) {
  expect_on_pes(2, [](Bootstrap& bootstrap) {
    FdExchange const exchange(bootstrap);
    EXPECT_EQ(name_of_listener(), "");
  });
}

TEST(FdExchangeStrangers, a_pe_on_another_node_is_named_with_its_host) {
  Shared<std::atomic<bool>> const is_separated;
  expect_on_pes(3, [&](Bootstrap& bootstrap) {
    // Sockets of one network namespace do not reach another.
    if (bootstrap.my_pe() == 2) {
      *is_separated = ::unshare(CLONE_NEWNET) == 0 ||
                      ::unshare(CLONE_NEWUSER | CLONE_NEWNET) == 0;
    }
    bootstrap.barrier();
    if (!*is_separated) return;
    auto const connection =
        symm::failure_of([&] { return FdExchange(bootstrap); });
    ASSERT_TRUE(connection) << "on every PE";
    EXPECT_THAT(connection->message,
                AllOf(HasSubstr("PE 0 runs on"), HasSubstr("PE 2 on"),
                      HasSubstr("one node")));
  });
  if (!*is_separated) GTEST_SKIP() << "needs leave to make a namespace";
}

}  // namespace
}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A start by TCP among strangers: connections that are no PE's, and files that
// PE 0 has not written.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/ProcessResources.hpp>
#include <support/Shared.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <runtime/base/UniqueFd.hpp>
#include <runtime/symm_errors.hpp>

#include "StartByTcp.hpp"

namespace symm_test {
namespace {

using symm::SystemError;
using symm::UsageError;
using symm::Impl::UniqueFd;
using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

TEST(StartByTcp, drops_strangers) {
  int const port  = free_port();
  auto const root = "localhost:" + std::to_string(port);
  Shared<std::atomic<bool>> strangers_are_there;
  expect_on_pes(3, [&](ForkedBootstrap& forked) {
    if (forked.my_pe() < 2) {
      tell(root, forked.my_pe(), 2);
      while (forked.my_pe() == 1 && !*strangers_are_there) yield();
      auto const pes = start_told();
      expect_steps(*pes.bootstrap);
      pes.bootstrap->close();
      forked.barrier();
      return;
    }
    // One is silent, one leaves, one sends too little and one something else.
    auto const silent = connect_to(port);
    connect_to(port).reset();
    auto const half = connect_to(port), web = connect_to(port);
    EXPECT_EQ(::send(half.get(), "symm", 4, MSG_NOSIGNAL), 4);
    std::string const request =
        "GET / HTTP/1.1\r\nHost: a\r\n\r\n" + std::string(100, 'x');
    EXPECT_GT(::send(web.get(), request.data(), request.size(), MSG_NOSIGNAL),
              0);
    *strangers_are_there = true;
    forked.barrier();
  });
}

TEST(StartByTcp, strangers_do_not_use_up_the_descriptors_of_PE_0) {
  int const port  = free_port();
  auto const root = "localhost:" + std::to_string(port);
  Shared<std::atomic<bool>> strangers_are_there;
  expect_on_pes(3, [&](ForkedBootstrap& forked) {
    if (forked.my_pe() < 2) {
      tell(root, forked.my_pe(), 2);
      if (forked.my_pe() == 0) limit_descriptors(20);
      while (forked.my_pe() == 1 && !*strangers_are_there) yield();
      auto const pes = start_told();
      expect_steps(*pes.bootstrap);
      pes.bootstrap->close();
      forked.barrier();
      return;
    }
    std::vector<UniqueFd> strangers;
    for (int i = 0; i < 300; ++i) strangers.push_back(connect_to(port));
    *strangers_are_there = true;
    forked.barrier();
  });
}

/// Of another process of this user: the same in the place of PE 0.
class FalseFirst {
 public:
  explicit FalseFirst(int port)
      : m_listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in name{};
    name.sin_family      = AF_INET;
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    name.sin_port        = htons(static_cast<std::uint16_t>(port));
    EXPECT_EQ(::bind(m_listener.get(), reinterpret_cast<sockaddr*>(&name),
                     sizeof name),
              0);
    EXPECT_EQ(::listen(m_listener.get(), 10), 0);
    timeval const patience{5, 0};
    EXPECT_EQ(::setsockopt(m_listener.get(), SOL_SOCKET, SO_RCVTIMEO, &patience,
                           sizeof patience),
              0);
  }

  [[nodiscard]] bool has_callers() const {
    pollfd listener{m_listener.get(), POLLIN, 0};
    return ::poll(&listener, 1, 0) > 0;
  }
  /// The connections of a PE: for steps, and its life.
  [[nodiscard]] std::array<UniqueFd, 2> accept_pe() const {
    std::array<UniqueFd, 2> links;
    for (int i = 0; i < 2; ++i) {
      UniqueFd socket(::accept4(m_listener.get(), nullptr, nullptr, 0));
      EXPECT_TRUE(socket) << "no PE connects";
      std::array<char, 40> hello{};
      EXPECT_EQ(::recv(socket.get(), hello.data(), hello.size(), MSG_WAITALL),
                static_cast<ssize_t>(hello.size()));
      std::uint32_t purpose = 0;
      std::memcpy(&purpose, hello.data() + 32, sizeof purpose);
      EXPECT_LT(purpose, 2U);
      links.at(purpose) = std::move(socket);
    }
    return links;
  }

 private:
  UniqueFd m_listener;
};

TEST(StartByTcp, a_PE_whose_connection_PE_0_has_dropped_connects_again) {
  for (std::size_t const dropped : {0U, 1U}) {
    int const port = free_port();
    expect_on_pes(2, [&](ForkedBootstrap& forked) {
      if (forked.my_pe() == 0) {
        FalseFirst const first(port);
        auto links = first.accept_pe();
        links.at(dropped).reset();
        auto const again = first.accept_pe();
        std::array<char, 512> const answer{1, 0, 0, 0, 'e', 'n', 'd'};
        EXPECT_EQ(::send(again[0].get(), answer.data(), answer.size(), 0),
                  static_cast<ssize_t>(answer.size()));
        forked.barrier();
        return;
      }
      tell("127.0.0.1:" + std::to_string(port), 1, 2, "10");
      EXPECT_THAT([] { auto const pes = start_told(); },
                  ThrowsMessage<UsageError>(HasSubstr("was rejected: end")));
      forked.barrier();
    });
  }
}

/// A file in the place of PE 0's, which names a port that this process has.
struct FalseFile {
  std::string root = file_root();
  std::string path = root.substr(5);
  int port         = free_port();
  FalseFirst first{port};

  FalseFile() { std::ofstream(path) << "17 " << port << " 127.0.0.1\n"; }
  FalseFile(FalseFile const&)            = delete;
  FalseFile& operator=(FalseFile const&) = delete;
  ~FalseFile() { ::unlink(path.c_str()); }

  /// PE 1 finds no PE 0 in it, and says why.
  void expect_refused(std::string const& why) const {
    auto const results =
        try_pes(1, {std::chrono::seconds(10)}, [&](ForkedBootstrap&) {
          tell(root, 1, 2, "0.3");
          EXPECT_THAT(
              [] { auto const pes = start_told(); },
              ThrowsMessage<SystemError>(AllOf(
                  HasSubstr("PE 1 has not found PE 0 by the file of SYMM_ROOT"),
                  HasSubstr(why))));
        });
    EXPECT_FALSE(results[0].is_timed_out);
    EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
    EXPECT_FALSE(first.has_callers());
  }
};

TEST(StartByTcp, trusts_no_file_that_others_can_write) {
  FalseFile const file;
  ASSERT_EQ(::chmod(file.path.c_str(), 0620), 0);
  file.expect_refused("other users may write to it");
  ASSERT_EQ(::chmod(file.path.c_str(), 0602), 0);
  file.expect_refused("other users may write to it");
}

TEST(StartByTcp, trusts_no_file_of_another_user) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs leave to give a file away";
  FalseFile const file;
  ASSERT_EQ(::chmod(file.path.c_str(), 0600), 0);
  ASSERT_EQ(::chown(file.path.c_str(), 65534, 65534), 0);
  file.expect_refused("it belongs to user 65534");
}

TEST(StartByTcp, reads_regular_files_only_and_no_more_than_PE_0_writes) {
  FalseFile file;
  std::ofstream(file.path) << std::string(std::size_t{1} << 20U, ' ') << "17 "
                           << file.port << " 127.0.0.1\n";
  file.expect_refused("");
  ASSERT_EQ(::unlink(file.path.c_str()), 0);
  ASSERT_EQ(::mkfifo(file.path.c_str(), 0600), 0);
  file.expect_refused("it is not a regular file");
  file.root = "file:/dev/zero";
  file.expect_refused("it is not a regular file");
}

TEST(StartByTcp, PE_0_replaces_regular_files_only) {
  FalseFile const file;
  ASSERT_EQ(::unlink(file.path.c_str()), 0);
  ASSERT_EQ(::mkfifo(file.path.c_str(), 0600), 0);
  tell(file.root, 0, 2, "0.1");
  EXPECT_THAT([] { auto const pes = start_told(); },
              ThrowsMessage<UsageError>(HasSubstr("it is not a regular file")));
  EXPECT_TRUE(std::filesystem::is_fifo(file.path));
}

}  // namespace
}  // namespace symm_test

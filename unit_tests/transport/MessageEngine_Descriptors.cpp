// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// Engines of all network libraries: what programs that a PE starts get of them.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <set>

#include <runtime/base/UniqueFd.hpp>

#include "network_test.hpp"

namespace {

using namespace symm_test;
using namespace std::chrono_literals;
using symm::Impl::UniqueFd;

class MessageEngineDescriptors : public NetworkTest {};

SYMM_TEST_FOR_ALL_NETWORKS(MessageEngineDescriptors);

/// The descriptors that a program would get.
std::set<int> inheritable_descriptors() {
  std::set<int> found;
  for (int fd = 0; fd < 1024; ++fd) {
    int const flags = ::fcntl(fd, F_GETFD);
    if (flags >= 0 && (flags & FD_CLOEXEC) == 0) found.insert(fd);
  }
  return found;
}

/// Soon: UCX's thread accepts connections at any time.
void expect_inheritable(std::set<int> const& expected, char const* which) {
  auto const end = Clock::now() + 1s;
  auto found     = inheritable_descriptors();
  while (found != expected && Clock::now() < end) {
    std::this_thread::sleep_for(1ms);
    found = inheritable_descriptors();
  }
  EXPECT_EQ(found, expected) << which;
}

TEST_P(MessageEngineDescriptors, programs_that_a_pe_starts_get_none) {
  expect_on_pes(4, [](ForkedBootstrap& bootstrap) {
    auto const before = inheritable_descriptors();
    TestEngine test(bootstrap);
    expect_inheritable(before, "before the first message");
    bootstrap.barrier();
    // The program's own stay as they are.
    UniqueFd const mine(::socket(AF_INET, SOCK_STREAM, 0));
    auto with_mine = before;
    with_mine.insert(mine.get());
    // Some connect themselves, to some the others do.
    EXPECT_TRUE(test.me != 0 || test.ask(1, 1));
    bootstrap.barrier();
    expect_inheritable(with_mine, "of who connects, or does not");
    bootstrap.barrier();
    // And all at once.
    for (Pe to = 0; to < 4; ++to) EXPECT_TRUE(to == test.me || test.ask(to, 2));
    bootstrap.barrier();
    expect_inheritable(with_mine, "of who connects while others do");
    // Large payloads may have connections of their own.
    auto const payload = test.payload_to((test.me + 1) % 4, 1, 1U << 20U);
    for (std::size_t id = 1; id <= 3; ++id) {
      test.send((test.me + 1) % 4, id, payload, TestHead::data, id);
      EXPECT_TRUE(test.poll_until([&] { return test.receiver.n_sent == id; }));
    }
    bootstrap.barrier();
    expect_inheritable(with_mine, "of large payloads");
    bootstrap.barrier();
    test.engine->close();
  });
}

}  // namespace

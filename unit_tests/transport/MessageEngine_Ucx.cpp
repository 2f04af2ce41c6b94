// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
// MessageEngine_Ucx: how it sets UCX up.
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdlib>
#include <set>

#include "ucx_test.hpp"

namespace {

using namespace symm_test;

class MessageEngineUcx : public UcxTest {};

/// Of the connections of this process.
std::set<int> send_buffers() {
  std::set<int> found;
  for (int fd = 0; fd < 256; ++fd) {
    sockaddr_in peer{};
    socklen_t bytes = sizeof peer;
    if (::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &bytes) != 0 ||
        peer.sin_family != AF_INET) {
      continue;
    }
    int buffer = 0;
    bytes      = sizeof buffer;
    EXPECT_EQ(::getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, &bytes), 0);
    found.insert(buffer);
  }
  return found;
}

TEST_F(MessageEngineUcx, send_buffers_are_small_between_nodes_of_one_machine) {
  struct Case {
    bool is_one_machine;
    char const* chosen;
    int taken;  // in KiB; 0: neither of the others
  };
  for (Case const& its : {Case{true, nullptr, 128}, Case{false, nullptr, 0},
                          Case{true, "200k", 200}}) {
    expect_on_pes(2, [&](ForkedBootstrap& bootstrap) {
      ::setenv("UCX_TLS", "tcp,self", 1);
      ::unsetenv("UCX_TCP_SNDBUF");
      if (its.chosen != nullptr) ::setenv("UCX_TCP_SNDBUF", its.chosen, 1);
      auto nodes          = nodes_of(bootstrap);
      nodes.are_simulated = its.is_one_machine;
      EngineParts parts(bootstrap, nodes);
      auto const engine = parts.make({});
      TestReceiver receiver(*engine, bootstrap.my_pe());
      engine->set_receiver(receiver);
      TestHead const head{1, 0, TestHead::question, bootstrap.my_pe()};
      engine->send(1 - bootstrap.my_pe(), head.span());
      auto const deadline = Clock::now() + std::chrono::seconds(20);
      while (receiver.n_answers == 0 && Clock::now() < deadline) engine->poll();
      auto const buffers = send_buffers();  // Linux doubles what it is asked
      EXPECT_FALSE(buffers.empty());
      for (int const kib : {128, 200}) {
        EXPECT_EQ(buffers.contains(2 * kib << 10), kib == its.taken) << kib;
      }
      engine->close();
    });
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_START_BY_TCP_HPP
#define SYMM_TEST_START_BY_TCP_HPP

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include <runtime/base/UniqueFd.hpp>
#include <runtime/bootstrap/Bootstrap_Tcp.hpp>

/// For tests of a start by TCP.
namespace symm_test {

/// What a launcher tells a process.
inline void tell(std::string const& root, int pe, int n_pes,
                 std::string const& timeout = "20") {
  setenv("SYMM_ROOT", root.c_str(), 1);
  setenv("SYMM_PE", std::to_string(pe).c_str(), 1);
  setenv("SYMM_PES", std::to_string(n_pes).c_str(), 1);
  setenv("SYMM_START_TIMEOUT", timeout.c_str(), 1);
}

inline symm::Impl::JobPes start_told() {
  auto& start = symm::Impl::start_by_tcp();
  EXPECT_FALSE(start.begin(nullptr, nullptr, {}));
  return start.make_pes({});
}

inline std::string file_root() {
  static int count = 0;
  return "file:" + (std::filesystem::temp_directory_path() /
                    ("symm_tcp." + std::to_string(getpid()) + "." +
                     std::to_string(++count)))
                       .string();
}

/// A port that was free a moment ago.
inline int free_port() {
  symm::Impl::UniqueFd const socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in name{};
  name.sin_family      = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t bytes      = sizeof name;
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&name), bytes), 0);
  EXPECT_EQ(
      ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&name), &bytes),
      0);
  return ntohs(name.sin_port);
}
inline std::string port_root() {
  return "localhost:" + std::to_string(free_port());
}

inline symm::Impl::UniqueFd connect_to(int port) {
  sockaddr_in name{};
  name.sin_family      = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  name.sin_port        = htons(static_cast<std::uint16_t>(port));
  for (int i = 0; i < 1000; ++i) {
    symm::Impl::UniqueFd socket(::socket(AF_INET, SOCK_STREAM, 0));
    if (::connect(socket.get(), reinterpret_cast<sockaddr*>(&name),
                  sizeof name) == 0)
      return socket;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "nobody listens";
  return {};
}

inline void yield() {
  std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

inline void expect_steps(symm::Impl::Bootstrap& pes) {
  int const n = pes.n_pes(), me = pes.my_pe();
  for (int round = 0; round < 50; ++round) {
    std::vector<long> all(static_cast<std::size_t>(n), -1);
    long const mine = 100 * round + me;
    pes.allgather(&mine, all.data(), sizeof mine);
    std::vector<long> expected(all.size());
    std::iota(expected.begin(), expected.end(), 100L * round);
    EXPECT_EQ(all, expected);
    pes.barrier();
    EXPECT_EQ(pes.min((me + round) % n), 0);
    std::vector<int> data(1000, me);
    symm::Pe const from = round % n;
    pes.broadcast(data.data(), data.size() * sizeof(int), from);
    EXPECT_EQ(data, std::vector<int>(1000, from));
  }
  EXPECT_EQ(pes.node(), 0) << "all are on this machine";
}

}  // namespace symm_test

#endif

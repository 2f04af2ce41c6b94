// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// A start by TCP: PEs that find each other by a file or a port, and others that
// are not let in. A process that ends, and what it ends.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <support/ForkedPes.hpp>
#include <support/Shared.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <runtime/bootstrap/TcpPlace.hpp>
#include <runtime/symm_errors.hpp>

#include "StartByTcp.hpp"

namespace symm_test {
namespace {

using symm::Pe;
using symm::SystemError;
using symm::UsageError;
using symm::Impl::Bootstrap;
using testing::AllOf;
using testing::HasSubstr;

TEST(StartByTcp, connects_PEs_by_a_file_or_a_port_again_and_again) {
  for (int const n : {1, 2, 5}) {
    for (auto const& root : {file_root(), port_root()}) {
      expect_on_pes(n, [&](ForkedBootstrap& forked) {
        // The first PEs come last.
        std::this_thread::sleep_for(
            std::chrono::milliseconds(30 * (n - forked.my_pe())));
        for (int job = 0; job < 3; ++job) {
          tell(root, forked.my_pe(), n);
          auto const pes = start_told();
          EXPECT_EQ(pes.bootstrap->my_pe(), forked.my_pe());
          EXPECT_EQ(pes.bootstrap->n_pes(), n);
          EXPECT_EQ(pes.number_on_node, forked.my_pe());
          EXPECT_TRUE(pes.is_one_node);
          expect_steps(*pes.bootstrap);
          pes.bootstrap->close();
        }
      });
      EXPECT_FALSE(std::filesystem::exists(root.substr(5))) << root;
    }
  }
}

TEST(StartByTcp, connects_PEs_by_IPv6) {
  auto const here = symm::Impl::tcp_place_here("80");
  bool const is_v6 =
      std::count(here.hosts.begin(), here.hosts.end(), "::1") > 0;
  if (!is_v6) GTEST_SKIP() << "no IPv6 on this machine";
  auto const root = "[::1]:" + std::to_string(free_port());
  expect_on_pes(2, [&](ForkedBootstrap& forked) {
    tell(root, forked.my_pe(), 2);
    auto const pes = start_told();
    expect_steps(*pes.bootstrap);
    pes.bootstrap->close();
  });
}

TEST(StartByTcp, has_all_addresses_of_a_host_but_those_of_one_link) {
  auto const here = symm::Impl::tcp_place_here("80");
  EXPECT_THAT(here.hosts, testing::Contains("127.0.0.1"));
  EXPECT_THAT(here.hosts, testing::Each(testing::Not(HasSubstr("fe80"))));
  symm::Impl::TcpPlace const place{{"10.0.0.1", "fd00::1", "::1"}, "80", 17};
  auto const text = symm::Impl::text_of(place);
  EXPECT_EQ(text, "17 80 10.0.0.1 fd00::1 ::1");
  auto const same = symm::Impl::place_of_text(text);
  ASSERT_TRUE(same);
  EXPECT_EQ(same->hosts, place.hosts);
  EXPECT_EQ(same->port, place.port);
  EXPECT_EQ(same->key, place.key);
  EXPECT_FALSE(symm::Impl::place_of_text("no place"));
}

TEST(StartByTcp, ignores_a_file_of_a_job_that_is_over) {
  auto const root = file_root();
  std::ofstream(root.substr(5)) << "17 " << free_port() << " 127.0.0.1\n";
  expect_on_pes(2, [&](ForkedBootstrap& forked) {
    if (forked.my_pe() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
    tell(root, forked.my_pe(), 2);
    auto const pes = start_told();
    expect_steps(*pes.bootstrap);
    pes.bootstrap->close();
  });
}

TEST(StartByTcp, is_refused_to_a_second_PE_and_to_one_of_another_job) {
  auto const root = file_root();
  Shared<std::atomic<int>> n_refused;
  expect_on_pes(5, [&](ForkedBootstrap& forked) {
    int const me = forked.my_pe();
    // Processes 1 and 3 are both PE 1; process 4 is of a job of 7.
    bool const is_alien = me == 4;
    tell(root, me == 3 ? 1 : is_alien ? 2 : me, is_alien ? 7 : 3);
    while (me == 2 && *n_refused < 2) yield();
    bool is_refused = false;
    try {
      auto const pes = start_told();
      expect_steps(*pes.bootstrap);
      pes.bootstrap->close();
    } catch (UsageError const& error) {
      is_refused = true;
      ++*n_refused;
      EXPECT_THAT(error.what(),
                  AllOf(HasSubstr("was rejected: "),
                        HasSubstr(is_alien ? "PE 0 has a job of 3 PEs, but "
                                             "this process is PE 2 of 7"
                                           : "PE 1 has already connected")));
    }
    std::vector<char> all(5);
    char const mine = is_refused ? 1 : 0;
    forked.allgather(&mine, all.data(), 1);
    EXPECT_EQ(all[0] + all[2], 0);
    EXPECT_EQ(all[1] + all[3], 1);
    EXPECT_EQ(all[4], 1);
  });
}

TEST(StartByTcp, without_a_PE_names_it_on_all_PEs) {
  for (auto const& root : {file_root(), port_root()}) {
    expect_on_pes(3, [&](ForkedBootstrap& forked) {
      if (forked.my_pe() == 1) return;
      tell(root, forked.my_pe(), 3, "3");
      EXPECT_THAT([] { auto const pes = start_told(); },
                  ThrowsMessage<SystemError>(HasSubstr(
                      "PE 1 has not connected to PE 0 (SYMM_ROOT=" + root +
                      ") within SYMM_START_TIMEOUT")));
    });
  }
  tell(file_root(), 0, 4, "0.2");
  EXPECT_THAT(
      [] { auto const pes = start_told(); },
      testing::ThrowsMessage<SystemError>(HasSubstr("PEs 1, 2, 3 have not")));
  tell(file_root(), 0, 20, "0.2");
  EXPECT_THAT([] { auto const pes = start_told(); },
              testing::ThrowsMessage<SystemError>(
                  HasSubstr("PEs 1, 2, 3, 4, 5, 6, 7, 8 and others have not")));
  tell(file_root(), 1, 2, "0.2");
  EXPECT_THAT([] { auto const pes = start_told(); },
              testing::ThrowsMessage<SystemError>(
                  HasSubstr("PE 1 has not found PE 0 by the file")));
}

/// A job of 3 PEs of which PE `which` ends in its own way.
std::vector<PeResult> job_with_end(Pe which,
                                   std::function<void(Bootstrap&)> const& end) {
  auto const root = file_root();
  return try_pes(3, {}, [&](ForkedBootstrap& forked) {
    tell(root, forked.my_pe(), 3);
    auto const pes = start_told();
    pes.bootstrap->barrier();
    if (forked.my_pe() == which) end(*pes.bootstrap);
    for (;;) pause();
  });
}

TEST(StartByTcp, a_process_that_is_killed_ends_the_job) {
  for (Pe const which : {0, 2}) {
    auto const results =
        job_with_end(which, [](Bootstrap&) { raise(SIGKILL); });
    for (Pe pe = 0; pe < 3; ++pe) {
      auto const& its = results[static_cast<std::size_t>(pe)];
      if (pe == which) continue;
      EXPECT_TRUE(its.has_exited_with(EXIT_FAILURE)) << its.output;
      if (pe == 0 || which == 0) {
        EXPECT_THAT(its.output, HasSubstr("PE " + std::to_string(which) +
                                          " has ended without"));
      }
    }
  }
}

TEST(StartByTcp, abort_ends_all_with_its_status) {
  for (Pe const which : {0, 1}) {
    auto const results =
        job_with_end(which, [](Bootstrap& pes) { pes.abort(7); });
    for (auto const& its : results) {
      EXPECT_TRUE(its.has_exited_with(7)) << its.output;
      EXPECT_EQ(its.output, "");
    }
  }
}

TEST(StartByTcp, says_what_the_environment_lacks) {
  auto const message = [](std::string const& text) {
    EXPECT_THAT([] { auto const pes = start_told(); },
                testing::ThrowsMessage<UsageError>(HasSubstr(text)));
  };
  for (auto const* const root :
       {"nowhere", "host:", "host:0", "host:70000", ":80", "host:http"}) {
    tell(root, 0, 2);
    message("must be host:port of PE 0");
  }
  tell("host:80", 2, 2);
  message("SYMM_PE=2 is invalid with SYMM_PES=2");
  for (auto const* const missing : {"SYMM_PE", "SYMM_PES"}) {
    tell("host:80", 0, 2);
    unsetenv(missing);
    message(std::string("set ") + missing + " (the number of");
  }
  for (auto const* const name :
       {"SYMM_ROOT", "SYMM_PE", "SYMM_PES", "SYMM_START_TIMEOUT"})
    unsetenv(name);
  EXPECT_FALSE(symm::Impl::is_tcp_asked_for());
}

}  // namespace
}  // namespace symm_test

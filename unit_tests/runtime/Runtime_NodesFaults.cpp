// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Jobs of several nodes, which SYMM_PES_PER_NODE simulates, that go wrong: PEs
// that are killed, leave, are stopped or call something else, and strangers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <support/ForkedPes.hpp>
#include <support/MissingEngine.hpp>
#include <support/Sanitizers.hpp>
#include <support/Shared.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <runtime/base/Failure.hpp>
#include <runtime/bootstrap/Nodes.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/memory/Vmm_HostMemfd.hpp>
#include <runtime/symm.hpp>

namespace symm_test::runtime_nodes_faults {
#ifdef SYMM_HAS_ASAN
/// A forked process has UCX's memory, and not the threads that know of it.
// NOLINTNEXTLINE(bugprone-reserved-identifier)
extern "C" char const* __lsan_default_suppressions() { return "leak:ucs_"; }
#endif

namespace {

using namespace std::chrono_literals;
using symm::Compare;
using symm::Pe;
using symm::Impl::Runtime;
using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

void set(char const* variable, char const* value) {
  ASSERT_EQ(::setenv(variable, value, 1), 0);
}

/// Nodes of two PEs.
class FaultyNodes : public testing::Test {
 protected:
  void SetUp() override {
    set("SYMM_PES_PER_NODE", "2");
    set("SYMM_PEER_TIMEOUT", "2");
    if (!missing_engine().empty()) GTEST_SKIP() << missing_engine();
  }
  void TearDown() override {
    for (char const* variable :
         {"SYMM_PES_PER_NODE", "SYMM_PEER_TIMEOUT", "SYMM_TIMEOUT"}) {
      ASSERT_EQ(::unsetenv(variable), 0);
    }
  }
};

using Body = std::function<void(Pe me, long* words)>;

/// Runs `body` on PEs that have a block of 64 words each, and have all put to
/// each other.
std::vector<PeResult> run_job(int n_pes, Body const& body) {
  return try_pes(n_pes, {}, [&](ForkedBootstrap& bootstrap) {
    Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
    auto* const words = static_cast<long*>(symm::calloc(64, sizeof(long)));
    for (Pe pe = 0; pe < n_pes; ++pe) symm::p(words + 63, 1L, pe);
    symm::barrier_all();
    body(bootstrap.my_pe(), words);
    Runtime::finalize();
  });
}

/// All but `lost` have ended themselves, and said `text`.
void expect_others_say(std::vector<PeResult> const& results, Pe lost,
                       std::string const& text) {
  for (std::size_t pe = 0; pe < results.size(); ++pe) {
    if (static_cast<Pe>(pe) == lost) continue;
    EXPECT_TRUE(results[pe].has_exited_with(aborted_status))
        << "PE " << pe << ": " << results[pe].output;
    EXPECT_FALSE(results[pe].is_timed_out) << "PE " << pe;
    EXPECT_THAT(results[pe].output, ContainsRegex(text)) << "PE " << pe;
  }
}

TEST_F(FaultyNodes, all_name_the_PE_that_was_killed_and_not_who_ends_for_it) {
  auto const results = run_job(6, [](Pe me, long*) {
    if (me == 3) static_cast<void>(std::raise(SIGKILL));
    symm::barrier_all();
  });
  EXPECT_TRUE(results[3].was_killed_by(SIGKILL));
  expect_others_say(results, 3,
                    "PE 3 .host .*(is lost|is gone).*symm::barrier_all|"
                    "symm::barrier_all.*PE 3 .host .* is gone");
}

TEST_F(FaultyNodes, a_PE_that_exits_without_finalize_is_lost) {
  auto const results = run_job(4, [](Pe me, long*) {
    if (me == 0) ::_exit(0);
    symm::barrier(symm::team_world());
  });
  expect_others_say(results, 0, "PE 0 .host .*(is lost|is gone)");
  for (std::size_t pe = 1; pe < 4; ++pe) {
    EXPECT_THAT(results[pe].output, HasSubstr("symm::barrier")) << pe;
  }
}

TEST_F(FaultyNodes, messages_name_the_call_of_the_user) {
  using Call = std::function<void(long*)>;
  std::vector<std::pair<std::string, Call>> const calls{
      {"symm::g", [](long* words) { static_cast<void>(symm::g(words, 2)); }},
      {"symm::(p|quiet)",
       [](long* words) {
         symm::p(words, 1L, 2);
         symm::quiet();
       }},
      {"symm::wait_until",
       [](long* words) { symm::wait_until(words, Compare::eq, 77L); }},
      {"symm::malloc", [](long*) { static_cast<void>(symm::malloc(8)); }},
      {"symm::sync", [](long*) { symm::sync(symm::team_world()); }},
  };
  for (auto const& [name, call] : calls) {
    auto const results = run_job(3, [&call = call](Pe me, long* words) {
      if (me == 2) {
        std::this_thread::sleep_for(100ms);
        static_cast<void>(std::raise(SIGKILL));
      }
      while (true) call(words);
    });
    SCOPED_TRACE(name);
    expect_others_say(results, 2, "PE 2 .host .* is lost.*in " + name);
  }
}

struct Stopped {
  std::atomic<int> process{0};
};

/// A process that does something meanwhile. (PEs are forked, and whoever forks
/// should have one thread.)
template <class Body>
pid_t fork_helper(Body const& body) {
  pid_t const helper = ::fork();
  EXPECT_GE(helper, 0);
  if (helper == 0) {
    body();
    ::_exit(0);
  }
  return helper;
}

TEST_F(FaultyNodes, a_PE_that_is_stopped_for_longer_is_lost_and_hears_of_it) {
  Shared<Stopped> const stopped;
  pid_t const continuer = fork_helper([&] {
    std::this_thread::sleep_for(4s);
    if (stopped->process != 0) ::kill(stopped->process, SIGCONT);
  });
  // Who waits for a variable does not know for whom.
  auto const results = run_job(4, [&](Pe me, long* words) {
    if (me == 3) {
      stopped->process = ::getpid();
      static_cast<void>(std::raise(SIGSTOP));
    }
    symm::wait_until(words, Compare::eq, 77L);
  });
  EXPECT_EQ(::waitpid(continuer, nullptr, 0), continuer);
  expect_others_say(
      results, 3,
      "PE 3 .host .* is lost.*has not responded for.*symm::wait_until");
  expect_others_say({results[3]}, -1, "given up|is lost|is gone");
}

/// PE 3 is stopped for `time`; the others meet it in a barrier.
std::vector<PeResult> stop_for(std::chrono::milliseconds time,
                               Shared<Stopped> const& stopped) {
  return run_job(4, [&](Pe me, long* words) {
    if (me == 3) {
      stopped->process = ::getpid();
      static_cast<void>(std::raise(SIGSTOP));
    } else if (me == 2) {
      // (Who does not wait ends nothing.)
      while (stopped->process == 0) std::this_thread::sleep_for(1ms);
      std::thread([&, time] {
        std::this_thread::sleep_for(time);
        ::kill(stopped->process, SIGCONT);
      }).detach();
    }
    symm::p(words + me, 7L, 3);
    symm::barrier_all();
    if (me != 3) return;
    for (Pe from = 0; from < 4; ++from) EXPECT_EQ(words[from], 7);
  });
}

TEST_F(FaultyNodes, a_PE_that_is_stopped_for_less_than_the_timeout_goes_on) {
  Shared<Stopped> const stopped;
  for (auto const& result : stop_for(800ms, stopped)) {
    EXPECT_TRUE(result.has_succeeded()) << result.output;
  }
}

// PEs wait for each other's finalize().

TEST_F(FaultyNodes, a_barrier_notices_that_a_far_PE_waits_in_finalize) {
  auto const results = run_job(3, [](Pe me, long*) {
    if (me != 2) symm::barrier(symm::team_world());
  });
  expect_others_say(results, -1, "PE [0-2]");
  EXPECT_THAT(results[0].output + results[1].output,
              AllOf(HasSubstr("waits in symm::barrier"),
                    HasSubstr("PE 2 waits in symm::finalize()")));
}

TEST_F(FaultyNodes, a_wait_notices_that_all_others_wait_in_finalize) {
  set("SYMM_TIMEOUT", "0.3");
  auto const results = run_job(3, [](Pe me, long* words) {
    if (me == 0) symm::wait_until(words, Compare::eq, 77L);
  });
  expect_others_say(results, -1, "PE 0");
  EXPECT_THAT(results[0].output,
              AllOf(HasSubstr("waits in symm::wait_until"),
                    HasSubstr("all other PEs wait in symm::finalize()")));
}

TEST_F(FaultyNodes, what_is_put_before_finalize_ends_a_wait) {
  set("SYMM_TIMEOUT", "0.2");
  auto const results = run_job(4, [](Pe me, long* words) {
    if (me == 0) symm::wait_until(words, Compare::eq, 3L);
    if (me == 3) {
      std::this_thread::sleep_for(700ms);
      symm::put_nbi(words, &(words[1] = 3L), 1, 0);
    }
  });
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded()) << result.output;
  }
  // Reports while PE 3 sleeps say where the others are.
  EXPECT_THAT(results[0].output, HasSubstr("has waited"));
}

TEST_F(FaultyNodes, who_is_late_is_reported_with_its_last_call) {
  set("SYMM_TIMEOUT", "0.2");
  auto const results = run_job(3, [](Pe me, long* words) {
    if (me == 2) std::this_thread::sleep_for(700ms);
    symm::barrier(symm::team_world());
    symm::free(words);
  });
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded()) << result.output;
  }
  EXPECT_THAT(results[0].output + results[1].output,
              ContainsRegex("has waited .*PE 2 of another node .host .*, whose "
                            "last collective call was #[0-9]+ "
                            "symm::barrier_all"));
}

// Processes that end without finalize().

/// How it has ended; -1: it had to be killed.
int status_of(pid_t process) {
  int status = 0;
  for (int i = 0; i < 500; ++i) {
    if (::waitpid(process, &status, WNOHANG) == process) return status;
    std::this_thread::sleep_for(10ms);
  }
  ::kill(process, SIGKILL);
  ::waitpid(process, nullptr, 0);
  return -1;
}

TEST_F(FaultyNodes, a_process_that_a_PE_forks_is_none_and_may_exit) {
  set("SYMM_PES_PER_NODE", "1");
  auto const results = run_job(2, [](Pe me, long* words) {
    Pe const other = 1 - me;
    if (me == 0) {
      pid_t const child = ::fork();
      EXPECT_GE(child, 0);
      if (child == 0) {
        bool const is_pe  = symm::is_initialized();
        auto const failed = symm::Impl::failure_of([&] {
          words[1] = 5;  // the memory is there
          symm::p(words, 7L, other);
        });
        bool const says_why =
            failed &&
            std::string(failed->message).find("forked") != std::string::npos;
        std::exit(!is_pe && says_why ? 0 : 1);
      }
      EXPECT_EQ(status_of(child), 0);
      EXPECT_EQ(words[1], 5);
    }
    symm::p(words + 2, 3L, other);
    symm::barrier_all();
    EXPECT_EQ(words[0], 0);
    EXPECT_EQ(words[2], 3);
  });
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded()) << result.output;
  }
}

TEST_F(FaultyNodes, exit_ends_the_network_before_the_memory_that_it_writes_to) {
  set("SYMM_PES_PER_NODE", "1");
  auto const results = run_job(2, [](Pe me, long*) {
    constexpr std::size_t bytes = std::size_t{256} << 20U;  // takes its time
    constexpr std::size_t part  = 4096;
    auto* const block           = static_cast<char*>(symm::malloc(bytes));
    std::fill_n(block, me == 1 ? bytes : 0, 'x');
    std::vector<char> const source(part);
    symm::barrier_all();
    if (me == 1) {
      std::this_thread::sleep_for(100ms);
      std::exit(3);
    }
    for (std::size_t i = 0;; ++i) {
      symm::put_nbi(block + i * part % bytes, source.data(), part, 1);
    }
  });
  EXPECT_TRUE(results[1].has_exited_with(3))
      << results[1].wait_status << ' ' << results[1].output;
  expect_others_say(results, 1, "PE 1 .host .*(is lost|is gone)");
}

// Errors that all PEs hear of.

TEST_F(FaultyNodes, different_calls_name_the_far_PE_its_host_and_its_call) {
  for (int const n_pes : {3, 5}) {
    expect_on_pes(n_pes, [&](ForkedBootstrap& bootstrap) {
      Runtime::initialize(std::make_unique<ForkedBootstrap>(bootstrap));
      Pe const odd      = n_pes - 1;
      bool const is_odd = bootstrap.my_pe() == odd;
      auto const name   = "PE " + std::to_string(odd);
      EXPECT_EQ(symm::malloc(is_odd ? 1025 : 1024), nullptr);
      EXPECT_THAT(symm::last_error(),
                  AllOf(HasSubstr(name + " called symm::malloc(bytes = 1025)"),
                        HasSubstr("symm::malloc(bytes = 1024)"),
                        HasSubstr(name + " is on host ")));
      auto const failure = symm::Impl::failure_of([&] {
        if (is_odd) {
          static_cast<void>(symm::heap_trim());
        } else {
          symm::barrier_all();
        }
      });
      ASSERT_TRUE(failure);
      EXPECT_THAT(failure->message,
                  AllOf(HasSubstr(name + " called symm::heap_trim()"),
                        HasSubstr("symm::barrier_all()"), HasSubstr("host ")));
      // More than there is, on one PE: all hear why.
      EXPECT_EQ(symm::align(is_odd ? 3 : 64, 64), nullptr);
      EXPECT_THAT(symm::last_error(), HasSubstr(name));
      auto* const block = symm::malloc(64);
      EXPECT_NE(block, nullptr) << symm::last_error();
      symm::free(block);
      Runtime::finalize();
    });
  }
}

// Strangers.

/// Ports on which this process listens.
std::vector<std::uint16_t> listening_ports() {
  std::vector<std::string> sockets;
  for (int fd = 0; fd < 1024; ++fd) {
    std::array<char, 64> link{};
    auto const path = "/proc/self/fd/" + std::to_string(fd);
    if (::readlink(path.c_str(), link.data(), link.size() - 1) <= 0) continue;
    std::string const text = link.data();
    if (text.rfind("socket:[", 0) == 0) {
      sockets.push_back(text.substr(8, text.size() - 9));
    }
  }
  std::vector<std::uint16_t> ports;
  std::ifstream in("/proc/self/net/tcp");
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::array<std::string, 10> word;
    for (auto& w : word) words >> w;
    bool const is_listening = word[3] == "0A";
    if (!is_listening) continue;
    if (std::find(sockets.begin(), sockets.end(), word[9]) == sockets.end()) {
      continue;
    }
    auto const port = word[1].substr(word[1].find(':') + 1);
    ports.push_back(
        static_cast<std::uint16_t>(std::strtoul(port.c_str(), nullptr, 16)));
  }
  return ports;
}

struct Connection {
  explicit Connection(std::uint16_t port)
      : fd(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0)) {
    sockaddr_in address{};
    address.sin_family      = AF_INET;
    address.sin_port        = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    static_cast<void>(
        ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address));
  }
  Connection(Connection const&)            = delete;
  Connection& operator=(Connection const&) = delete;
  ~Connection() { ::close(fd); }

  void write(std::vector<std::uint8_t> const& bytes) const {
    static_cast<void>(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL));
  }
  int fd;
};

struct Ports {
  std::array<std::atomic<int>, 2> ports{};
  std::atomic<bool> is_over{false};
  std::atomic<int> n_connections{0};
};

/// Connects, says anything or nothing, and leaves or stays.
void harass(Ports& ports) {
  std::mt19937 random(7);
  std::vector<std::unique_ptr<Connection>> silent;
  auto& n = ports.n_connections;
  while (!ports.is_over) {
    for (auto const& port : ports.ports) {
      if (port == 0) continue;
      auto made =
          std::make_unique<Connection>(static_cast<std::uint16_t>(port.load()));
      std::this_thread::sleep_for(1ms);
      std::vector<std::uint8_t> bytes(random() % 5000);
      for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
      if (n % 4 == 1) bytes.assign({'G', 'E', 'T', ' ', '/', '\n', '\n'});
      if (n % 4 == 2) bytes.resize(3);
      if (n % 4 != 3) made->write(bytes);
      if (silent.size() < 16) silent.push_back(std::move(made));
      ++n;
    }
  }
}

TEST_F(FaultyNodes, bytes_of_strangers_change_nothing) {
  set("SYMM_PES_PER_NODE", "1");
  Shared<Ports> const ports;
  pid_t const stranger = fork_helper([&] { harass(*ports); });
  auto const results   = run_job(2, [&](Pe me, long* words) {
    auto const mine = listening_ports();
    EXPECT_FALSE(mine.empty()) << "the test shows nothing";
    if (!mine.empty()) ports->ports.at(static_cast<std::size_t>(me)) = mine[0];
    std::vector<long> data(100'000);
    auto* const block =
        static_cast<long*>(symm::malloc(data.size() * sizeof(long)));
    Pe const other = 1 - me;
    auto const end = std::chrono::steady_clock::now() + 700ms;
    // The same number of rounds on both: they look between two barriers.
    bool is_last = false;
    for (long round = 1; !is_last; ++round) {
      for (std::size_t i = 0; i < data.size(); ++i) {
        data[i] = round * 1000 + static_cast<long>(i) + other;
      }
      symm::put(block, data.data(), data.size(), other);
      symm::p(words + 9, round, other);
      if (me == 0 && std::chrono::steady_clock::now() > end) {
        for (Pe pe = 0; pe < 2; ++pe) symm::p(words + 8, 1L, pe);
      }
      symm::barrier_all();
      is_last = words[8] != 0;
      EXPECT_EQ(words[9], round);
      std::size_t n_wrong = 0;
      for (std::size_t i = 0; i < data.size(); ++i) {
        if (block[i] != round * 1000 + static_cast<long>(i) + me) ++n_wrong;
      }
      EXPECT_EQ(n_wrong, 0U);
      symm::barrier_all();
    }
    symm::free(block);
  });
  ports->is_over       = true;
  EXPECT_EQ(::waitpid(stranger, nullptr, 0), stranger);
  for (auto const& result : results) {
    EXPECT_TRUE(result.has_succeeded()) << result.output;
    EXPECT_THAT(result.output, Not(HasSubstr("lost")));
  }
  EXPECT_GT(ports->n_connections, 20);
}

}  // namespace
}  // namespace symm_test::runtime_nodes_faults

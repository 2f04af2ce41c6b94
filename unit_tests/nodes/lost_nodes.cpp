// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Jobs of several nodes that lose a PE or a link. check_lost_nodes.sh starts
// them on a cluster and looks at what every PE says, which is in a file of its
// own: the link may be the one that mpiexec's output takes.
//
//   test_nodes_lost <way> <folder>

#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <symm.hpp>

namespace {

using namespace std::chrono_literals;

constexpr std::size_t bytes = std::size_t{1} << 20U;

std::string folder;
char* target = nullptr;  // a symmetric block
int number   = 0;        // nobody changes it

bool is_last() { return symm::my_pe() == symm::n_pes() - 1; }

/// For the script, which counts seconds from here.
void say_that_it_happens() { std::ofstream(folder + "/happened") << "now\n"; }

/// "cut" or "heal" the cable of this PE's node.
void cable(std::string const& action) {
  std::array<char, 64> host{};  // "n1" is node 1
  if (::gethostname(host.data(), host.size() - 1) != 0) {
    throw std::runtime_error("gethostname failed");
  }
  std::string const command = std::string(std::getenv("SYMM_TEST_CLUSTER")) +
                              " " + action + " " + &host.at(1);
  if (std::system(command.c_str()) != 0) {
    throw std::runtime_error("failed: " + command);
  }
}

void cut() {
  cable("cut");
  say_that_it_happens();
}

symm::Pe on_the_next_node() {
  return (symm::my_pe() + symm::n_pes() / 2) % symm::n_pes();
}

void put_for_ever() {
  static std::vector<char> const source(bytes, 'x');
  for (;;) {
    symm::put(target, source.data(), bytes, on_the_next_node());
    symm::quiet();
  }
}

void get_for_ever() {
  for (;;) static_cast<void>(symm::g(target, symm::n_pes() - 1));
}

void be_killed() {
  std::this_thread::sleep_for(500ms);
  say_that_it_happens();
  static_cast<void>(std::raise(SIGKILL));
}

/// What the last PE does, and what the others do; and the last one before it
/// starts the library.
struct Way {
  std::function<void()> last;
  std::function<void()> others;
  std::function<void()> before_start = [] {};
};

std::map<std::string, Way> const ways = {
    {"killed_in_a_barrier", {be_killed, [] { symm::barrier_all(); }}},
    {"killed_while_others_get", {be_killed, get_for_ever}},
    {"killed_while_others_put", {be_killed, put_for_ever}},
    {"killed_before_its_start", {[] {}, [] {}, be_killed}},
    {"late_for_its_start",
     {[] {}, [] {},
      [] {
        say_that_it_happens();
        std::this_thread::sleep_for(2s);
      }}},
    {"cut_while_idle",
     {[] {
        std::this_thread::sleep_for(500ms);
        cut();
        symm::barrier_all();
      },
      [] {
        std::this_thread::sleep_for(1500ms);
        symm::barrier_all();
      }}},
    {"cut_while_in_a_team_barrier",
     {[] {
        cut();
        symm::barrier(symm::team_world());
      },
      [] { symm::barrier(symm::team_world()); }}},
    // Whoever it is that is to change the variable.
    {"cut_while_waiting",
     {[] {
        cut();
        symm::wait_until(&number, symm::Compare::eq, 1);
      },
      [] { symm::wait_until(&number, symm::Compare::eq, 1); }}},
    {"cut_while_busy",
     {[] {
        std::thread([] {
          std::this_thread::sleep_for(500ms);
          cut();
        }).detach();
        put_for_ever();
      },
      put_for_ever}},
    // In 2x2, PEs 1 and 3 have had nothing to say to each other.
    {"cut_before_the_first_contact",
     {[] {
        cut();
        put_for_ever();
      },
      [] {
        std::this_thread::sleep_for(1s);
        put_for_ever();
      }}},
    {"cut_and_healed",
     {[] {
        cut();
        std::this_thread::sleep_for(1s);
        cable("heal");
        symm::barrier_all();
      },
      [] { symm::barrier_all(); }}},
};

/// A number that mpirun tells each process.
int told(char const* variable) {
  char const* const text = std::getenv(variable);
  if (text == nullptr) throw std::runtime_error(variable);
  return std::atoi(text);
}

void write_errors_to_file(int pe) {
  std::string const name = folder + "/PE" + std::to_string(pe) + ".log";
  std::ofstream(folder + "/PE" + std::to_string(pe) + ".pid")
      << ::getpid() << "\n";
  if (std::freopen(name.c_str(), "w", stderr) == nullptr) {
    throw std::runtime_error("no file " + name);
  }
  std::setvbuf(stderr, nullptr, _IONBF, 0);
}

int run(Way const& way) {
  int const pe = told("OMPI_COMM_WORLD_RANK");
  write_errors_to_file(pe);
  if (pe + 1 == told("OMPI_COMM_WORLD_SIZE")) way.before_start();
  symm::RuntimeGuard const guard;
  target = static_cast<char*>(symm::malloc(bytes));
  if (target == nullptr) throw std::runtime_error(symm::last_error());
  symm::barrier_all();
  is_last() ? way.last() : way.others();
  symm::barrier_all();
  std::fprintf(stderr, "all is well\n");
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char* argv[]) {
  auto const way = ways.find(argc == 3 ? argv[1] : "");
  if (way == ways.end()) {
    std::fprintf(stderr, "usage: test_nodes_lost <way> <folder>\n");
    return EXIT_FAILURE;
  }
  folder = argv[2];
  try {
    return run(way->second);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "main() caught: %s\n", error.what());
    return EXIT_FAILURE;
  }
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Jobs in which one PE fails while the others wait for it: they must end, and
// say why. One way to fail per run:
//
//   test_kokkos_failures <way>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>

namespace {

using View1 = Kokkos::View<int*, symm::SymmetricSpace>;

#ifdef SYMM_TEST_GPU
constexpr int n_views = 100;
#else
constexpr int n_views = 1000;
#endif

bool is_failing() { return symm::my_pe() == symm::n_pes() - 1; }

void collective_calls() {
  for (int i = 0; i < n_views; ++i) View1("v", 1000);
  symm::barrier_all();
}

[[noreturn, maybe_unused]] void say_that_nothing_is_checked() {
  std::fprintf(stderr, "not checked in this build\n");
  throw std::runtime_error("not checked in this build");
}

void use_a_PE_that_is_not_there() {
#ifndef SYMM_CHECKS_IN_KERNELS
  say_that_nothing_is_checked();
#else
  View1 const view("v", 3);
  symm::global_view(view)(symm::n_pes(), 0) = 1;
#endif
}

void use_an_index_that_is_not_there() {
#ifndef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
  say_that_nothing_is_checked();
#else
  Kokkos::View<int**, symm::SymmetricSpace> const view("temperature", 3, 4);
  auto const everywhere = symm::global_view(view);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<View1::execution_space>(0, 1),
      KOKKOS_LAMBDA(int) { everywhere(0, 2, 5) = 1; });
  Kokkos::fence();
#endif
}

/// Of 2 elements on PE 0, 3 on PE 1, ...
symm::UnevenView<View1> uneven_temperature() {
  return symm::UnevenView<View1>("temperature", 2 + symm::my_pe());
}

void use_a_remote_view_of_a_View_that_was_resized() {
#ifndef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
  if (is_failing()) say_that_nothing_is_checked();
#else
  View1 view("temperature", 1000);
  auto const remote = symm::remote_view(view);
  remote(0, 5)      = 1;
  Kokkos::resize(view, 2000);
  symm::remote_view(view)(0, 5) = 2;
  View1 const next("where it was", 1000);
  symm::barrier_all();
  if (is_failing()) remote(0, 5) = 3;
#endif
  symm::barrier_all();
}

symm::DistributedView<
    Kokkos::View<int**, Kokkos::LayoutRight, symm::SymmetricSpace>>
distributed_temperature() {
  return {"temperature", symm::Blocks{}, 5, 2};
}

void use_a_global_index_that_is_not_there() {
#ifndef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
  say_that_nothing_is_checked();
#else
  auto const view = distributed_temperature();
  Kokkos::parallel_for(
      Kokkos::RangePolicy<View1::execution_space>(0, 1), KOKKOS_LAMBDA(int) {
        view(4, 1) = 1;
        view(5, 1) = 1;
      });
  Kokkos::fence();
#endif
}

void use_an_index_that_another_PE_does_not_have() {
#ifndef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
  say_that_nothing_is_checked();
#else
  auto const view       = uneven_temperature();
  auto const everywhere = symm::global_view(view);
  Kokkos::parallel_for(
      Kokkos::RangePolicy<View1::execution_space>(0, 1), KOKKOS_LAMBDA(int) {
        everywhere(1, 2) = 1;
        everywhere(0, 2) = 1;
      });
  Kokkos::fence();
#endif
}

void use_the_map_of_another_heap() {
#ifndef SYMM_CHECKS_IN_KERNELS
  say_that_nothing_is_checked();
#else
  View1 const view("v", 3);
  symm::HeapMap map = symm::heap_map(view);
  map.base          = map.part(map.n_pes);
  symm::p(map, view.data(), 1, 0);
#endif
}

void change_a_misaligned_word_by_the_map() {
#ifndef SYMM_CHECKS_IN_KERNELS
  say_that_nothing_is_checked();
#else
  View1 const view("v", 3);
  auto* const bytes = reinterpret_cast<char*>(view.data());
  symm::atomic_add(symm::heap_map(view), reinterpret_cast<int*>(bytes + 2), 1,
                   0);
#endif
}

/// Its process is gone for the other PEs, but not for mpiexec, which would end
/// the job at once.
[[noreturn]] void become_another_program() {
  ::execlp("sleep", "sleep", "60", nullptr);
  throw std::runtime_error("execlp(\"sleep\") failed");
}

void wait_for_what_never_comes() {
  int ivar = 7;
  symm::wait_until(&ivar, symm::Compare::ge, 42);
}

using LockView = Kokkos::View<symm::Lock, symm::SymmetricHostSpace>;

void be_gone_with_a_lock() {
  LockView const lock("lock");
  symm::set_lock(lock.data());
  symm::barrier_all();
  become_another_program();
}

void wait_for_a_lock() {
  LockView const lock("lock");
  symm::barrier_all();
  symm::set_lock(lock.data());
}

/// What the PE that fails does, after some collective calls of all PEs, and
/// what the others do meanwhile.
struct Way {
  std::function<void()> fail;
  std::function<void()> wait;
};

Way in_a_team(std::function<void(symm::PeTeam const&)> const& wait) {
  return {[] {}, [wait] { wait(symm::team_world()); }};
}

std::map<std::string, Way> const ways = {
    {"throws_while_others_are_in_a_barrier",
     {[] { throw std::runtime_error("of one PE"); },
      [] { symm::barrier_all(); }}},
    {"throws_while_others_construct_a_View",
     {[] { throw std::runtime_error("of one PE"); },
      [] { View1("waiting", 1000); }}},
    {"returns_while_others_are_in_a_barrier",
     {[] {}, [] { symm::barrier_all(); }}},
    {"returns_while_others_are_in_a_barrier_of_a_team",
     in_a_team([](auto const& team) { symm::barrier(team); })},
    {"returns_while_others_reduce", in_a_team([](auto const& team) {
       Kokkos::View<int*, symm::SymmetricSpace> const none;
       symm::reduce(team, none, none, symm::Sum{});
     })},
    {"returns_while_others_split_a_team", in_a_team([](auto const& team) {
       static_cast<void>(symm::team_split(team, 0, 0));
     })},
    {"returns_while_others_split_members", in_a_team([](auto const& team) {
       std::vector<symm::Pe> all;
       for (symm::Pe pe = 0; pe < team.n_pes(); ++pe) all.push_back(pe);
       static_cast<void>(symm::team_split_members(team, all));
     })},
    {"returns_while_PE_0_waits_until",
     {[] {},
      [] {
        if (symm::my_pe() == 0) wait_for_what_never_comes();
      }}},
    {"is_killed_while_others_are_in_a_barrier",
     {[] { static_cast<void>(std::raise(SIGKILL)); },
      [] { symm::barrier_all(); }}},
    {"is_killed_while_others_construct_a_View",
     {[] { static_cast<void>(std::raise(SIGKILL)); },
      [] { View1("waiting", 1000); }}},
    {"is_killed_while_others_finalize",
     {[] { static_cast<void>(std::raise(SIGKILL)); }, [] {}}},
    {"exits_while_others_are_in_a_barrier",
     {[] { std::_Exit(EXIT_SUCCESS); }, [] { symm::barrier_all(); }}},
    {"exits_the_job_while_others_are_in_a_barrier",
     {[] {
        std::printf("flushed");
        symm::global_exit(42);
      },
      [] { symm::barrier_all(); }}},
    {"is_gone_while_others_wait_until",
     {become_another_program, wait_for_what_never_comes}},
    {"is_gone_with_a_lock_that_others_wait_for",
     {be_gone_with_a_lock, wait_for_a_lock}},
    {"uses_a_PE_that_is_not_there",
     {use_a_PE_that_is_not_there, [] { View1("v", 3); }}},
    {"uses_an_index_that_is_not_there",
     {use_an_index_that_is_not_there,
      [] { Kokkos::View<int**, symm::SymmetricSpace>("temperature", 3, 4); }}},
    {"uses_a_remote_view_of_a_View_that_was_resized",
     {use_a_remote_view_of_a_View_that_was_resized,
      use_a_remote_view_of_a_View_that_was_resized}},
    {"uses_a_global_index_that_is_not_there",
     {use_a_global_index_that_is_not_there, [] { distributed_temperature(); }}},
    {"uses_an_index_that_another_PE_does_not_have",
     {use_an_index_that_another_PE_does_not_have,
      [] { uneven_temperature(); }}},
    {"uses_the_map_of_another_heap",
     {use_the_map_of_another_heap, [] { View1("v", 3); }}},
    {"changes_a_misaligned_word_by_the_map",
     {change_a_misaligned_word_by_the_map, [] { View1("v", 3); }}},
    {"allocates_too_much_and_nobody_catches_it",
     {[] { View1("too much", std::size_t{1} << 50U); },
      [] { View1("too much", std::size_t{1} << 50U); }}},
};

int run(int argc, char* argv[], Way const& way) {
  if (::setenv("SYMM_TIMEOUT", "2", 1) != 0) {
    throw std::runtime_error("setenv failed");
  }
  symm::ScopeGuard const guard(argc, argv);
  View1 const live("live", 1000);
  collective_calls();
  is_failing() ? way.fail() : way.wait();
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char* argv[]) {
  auto const way = ways.find(argc > 1 ? argv[1] : "");
  if (way == ways.end()) {
    std::fprintf(stderr, "usage: test_kokkos_failures <way>, one of\n");
    for (auto const& [name, unused] : ways) {
      std::fprintf(stderr, "  %s\n", name.c_str());
    }
    return EXIT_SUCCESS;  // which the tests take for a failure
  }
  int status = EXIT_FAILURE;
  try {
    status = run(argc, argv, way->second);
  } catch (std::exception const& error) {
    std::fprintf(stderr, "main() caught: %s\n", error.what());
  }
  // A guard that has not ended the job leaves the others waiting, for as long
  // as this program goes on.
  while (symm::is_initialized()) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
  }
  return status;
}

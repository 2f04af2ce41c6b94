// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// random_operations.cpp on the network itself: two threads of each PE, and
// barriers between.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <guard/GuardOptions.hpp>
#include <guard/RandomOperations.hpp>
#include <string>
#include <thread>
#include <vector>

#include <runtime/access/Access.hpp>
#include <runtime/job/Runtime.hpp>
#include <runtime/symm.hpp>

namespace symm_test {
namespace {

using symm::Pe;

TEST(RandomOperationsOverNodes, leave_what_the_model_says) {
  constexpr std::size_t n_threads = 2;
  constexpr int n_steps           = 200;
  auto const me                   = symm::my_pe();
  auto const world                = symm::team_world();
  auto const seed =
      symm::reduce(world, me == 0 ? guard_seed() : 0, symm::Sum{});
  SCOPED_TRACE("again: scripts/guard.sh --seed " + std::to_string(seed));
  auto const n_bytes = static_cast<std::size_t>(symm::n_pes()) * n_threads *
                       RandomOperations::region_bytes;
  std::vector<Pe> far_pes;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    if (!symm::is_near(pe)) far_pes.push_back(pe);
  }
  if (far_pes.empty()) GTEST_SKIP() << "needs several nodes";
  auto* const memory = static_cast<std::byte*>(symm::calloc(1, n_bytes));
  std::vector<RandomOperations> threads;
  for (std::size_t i = 0; i < n_threads; ++i) {
    auto const number        = static_cast<std::size_t>(me) * n_threads + i;
    auto const* const region = memory + number * RandomOperations::region_bytes;
    auto const there         = symm::Impl::resolve(
                region, RandomOperations::region_bytes, far_pes[0], "test");
    threads.emplace_back(
        RandomOperations::Job{*symm::Impl::Runtime::find_transport(),
                              far_pes,
                              there.offset(),
                              seed + number,
                              {}});
  }
  bool is_right = true;
  for (GuardClock clock(3); is_right;) {
    std::array<std::thread, n_threads> running;
    for (std::size_t i = 0; i < n_threads; ++i) {
      running[i] = std::thread([&, i] {
        for (int step = 0; step < n_steps; ++step) threads[i].step();
        threads[i].check_all();
      });
    }
    for (auto& thread : running) thread.join();
    symm::barrier_all();
    int const go_on = !HasFailure() && clock.has_time_left("rounds") ? 1 : 0;
    is_right        = symm::reduce(world, go_on, symm::Min{}) == 1;
  }
  symm::free(memory);
}

}  // namespace
}  // namespace symm_test

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Exchanges that were captured into a graph, launched again and again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <stdexcept>

#include <Kokkos_SymmetricContainers.hpp>
#include <support/gpu.hpp>

#include "../../examples/common/recording.hpp"

namespace {

using namespace symm_test;
using symm::ExchangePlan;
using View = Kokkos::View<long*, GpuSpace>;

constexpr std::size_t n = 1000;

/// Every PE imports all elements of the next one.
ExchangePlan plan_of_ring() {
  Kokkos::View<int*, Kokkos::HostSpace> const indices("indices", n);
  Kokkos::View<int*, Kokkos::HostSpace> const pes("pes", n);
  for (std::size_t i = 0; i < n; ++i) {
    indices(i) = static_cast<int>(i);
    pes(i)     = (symm::my_pe() + 1) % symm::n_pes();
  }
  return ExchangePlan::from_imports(n, indices, pes);
}

// (nvcc takes no lambdas of kernels in the body of a TEST.)

/// Owned elements get the numbers 1000 * `me` + i and 0, ghosts -1 and 1.
void fill(Gpu const& exec, View const& x, View const& count, long me) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Gpu>(exec, 0, 2 * n), KOKKOS_LAMBDA(std::size_t i) {
        x(i)     = i < n ? 1000 * me + static_cast<long>(i) : -1;
        count(i) = i < n ? 0 : 1;
      });
}
void copy_ghosts_to_owned(Gpu const& exec, View const& x) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Gpu>(exec, 0, n),
      KOKKOS_LAMBDA(std::size_t i) { x(i) = x(n + i); });
}

struct Graph {
  /// Captures body().
  template <class Body>
  Graph(gpuStream_t stream, Body const& body) {
    gpuGraph_t graph = nullptr;
    EXPECT_EQ(gpuStreamBeginCapture(stream, gpuStreamCaptureModeThreadLocal),
              gpuSuccess);
    body();
    EXPECT_EQ(gpuStreamEndCapture(stream, &graph), gpuSuccess);
    EXPECT_EQ(gpuGraphInstantiateWithFlags(&exec, graph, 0), gpuSuccess);
    EXPECT_EQ(gpuGraphDestroy(graph), gpuSuccess);
  }
  Graph(Graph const&)            = delete;
  Graph& operator=(Graph const&) = delete;
  ~Graph() { EXPECT_EQ(gpuGraphExecDestroy(exec), gpuSuccess); }

  gpuGraphExec_t exec = nullptr;
};

TEST(ExchangePlanGraphs, replays_gather_and_scatter) {
  constexpr int n_replays = 100;
  auto plan               = plan_of_ring();
  plan.reserve(2 * sizeof(long));
  auto const exec = Kokkos::Experimental::partition_space(Gpu(), 1)[0];
  View const x("x", 2 * n);
  View const count("count", 2 * n);
  long const me = symm::my_pe();
  fill(exec, x, count, me);
  auto const step = [&] {
    plan.gather(exec, x);
    copy_ghosts_to_owned(exec, x);
    plan.scatter(exec, symm::Sum{}, count);
  };
  step();  // kernels are loaded, the list of contributions is made
  exec.fence();
  Graph const graph(stream_of(exec), step);
  // Exchanges outside of the graph come in between.
  for (int replay = 1; replay <= n_replays; ++replay) {
    ASSERT_EQ(gpuGraphLaunch(graph.exec, stream_of(exec)), gpuSuccess);
    if (replay % 10 == 0) step();
  }
  exec.fence();
  long const n_steps = 1 + n_replays + n_replays / 10;
  long const from    = (me + n_steps) % symm::n_pes();
  auto const values =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  auto const counts =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), count);
  int n_wrong = 0;
  for (std::size_t i = 0; i < n; ++i) {
    bool const is_right =
        values(i) == 1000 * from + static_cast<long>(i) && counts(i) == n_steps;
    n_wrong += is_right ? 0 : 1;
  }
  EXPECT_EQ(n_wrong, 0);
  symm::barrier_all();
}

#ifdef KOKKOS_ENABLE_CUDA  // HIP's graphs have no loops
/// What a loop of a graph counts.
struct Loop {
  long n_iterations;
  long sum;  // of all PEs' numbers of iterations
  bool is_over;
};
using LoopView = Kokkos::View<Loop, GpuSpace>;
using Sum      = Kokkos::View<long, symm::SymmetricSpace>;

void count_iteration(Gpu const& exec, LoopView const& loop, Sum const& sum) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Gpu>(exec, 0, 1),
      KOKKOS_LAMBDA(int) { sum() = ++loop().n_iterations; });
}
/// Every `n_each` iterations are a loop.
void look_at_sum(Gpu const& exec, LoopView const& loop, Sum const& sum,
                 long n_each) {
  long const n_pes = symm::n_pes();
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Gpu>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        loop().sum     = sum();
        loop().is_over = sum() % (n_pes * n_each) == 0;
      });
}

TEST(ExchangePlanGraphs, are_repeated_by_the_GPU_until_a_sum_of_all_PEs_says) {
  constexpr long n_each = 50, n_launches = 4;
  auto plan = plan_of_ring();
  plan.reserve(sizeof(long));
  auto const exec = Kokkos::Experimental::partition_space(Gpu(), 1)[0];
  View const x("x", 2 * n), unused("unused", 2 * n);
  LoopView const loop("loop");
  Sum const sum("sum");
  auto const iteration = [&] {
    plan.gather(exec, x);
    copy_ghosts_to_owned(exec, x);
    count_iteration(exec, loop, sum);
    symm::reduce(exec, symm::team_world(), sum, sum, symm::Sum{});
    look_at_sum(exec, loop, sum, n_each);
    symm::barrier(exec, symm::team_world());
  };
  iteration();  // kernels are loaded
  long const me = symm::my_pe();
  fill(exec, x, unused, me);
  Kokkos::deep_copy(exec, loop, Loop{});
  exec.fence();

  auto const record = [&] {
    return examples::Recording::of_loop(exec, iteration, &loop.data()->is_over);
  };
  constexpr long n_iterations = n_each * n_launches;
  if (symm::team_world().has_gates()) {
    // Queues wait, which a loop cannot have. Nothing has been enqueued.
    EXPECT_THAT([&] { auto const recording = record(); },
                testing::ThrowsMessage<std::runtime_error>(
                    testing::HasSubstr("CUDA graph")));
    for (long k = 0; k < n_iterations; ++k) iteration();
  } else {
    auto const recording = record();
    for (int launch = 0; launch < n_launches; ++launch) recording.launch();
  }
  exec.fence();
  Loop state{};
  Kokkos::deep_copy(state, loop);
  EXPECT_EQ(state.n_iterations, n_iterations);
  EXPECT_EQ(state.sum, n_iterations * symm::n_pes());
  EXPECT_TRUE(state.is_over);
  long const from = (me + n_iterations) % symm::n_pes();
  auto const values =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  int n_wrong = 0;
  for (std::size_t i = 0; i < n; ++i)
    n_wrong += values(i) == 1000 * from + static_cast<long>(i) ? 0 : 1;
  EXPECT_EQ(n_wrong, 0);
  symm::barrier_all();
}
#endif

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views of pools on streams of GPUs, and pools and graphs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Graph.hpp>
#include <Kokkos_SymmetricSpace.hpp>

#include <string>
#include <thread>
#include <type_traits>

#include "gpu_streams.hpp"

namespace symm_test::gpu_pool_views {
namespace {

using symm::MemoryKind;
using symm::Status;
using testing::HasSubstr;

template <class Space>
class CudaPoolViews : public testing::Test {
 protected:
  using View = Kokkos::View<int*, Space>;

  CudaPoolViews() {
    // The first launch of a kernel loads it, and the pool gets its memory.
    View const view = make("first");
    store_late(m_exec, view.data(), 0);
    m_wrong.check_for(m_exec, view.data(), 0);
    m_exec.fence();
  }
  ~CudaPoolViews() override { end_pool(m_pool); }

  template <class... Properties>
  View make(std::string const& label, Properties const&... properties) {
    return View(Kokkos::view_alloc(m_exec, Space(m_pool), label, properties...),
                pool_ints);
  }

  symm::MemPool m_pool       = make_pool({.memory = Space::memory_kind});
  std::vector<Gpu> m_streams = make_streams(1);
  Gpu const& m_exec          = m_streams[0];
  WrongElements m_wrong;
};
using Spaces = testing::Types<SymmetricGpuSpace, symm::SymmetricHostSpace>;
TYPED_TEST_SUITE(CudaPoolViews, Spaces);

TYPED_TEST(CudaPoolViews, are_made_filled_and_freed_in_the_streams_order) {
  int* address = nullptr;
  symm::barrier_all();
  for (int round = 0; round < 4; ++round) {
    symm::barrier(this->m_exec, symm::team_world());
    auto view = this->make("view");
    if (round == 0) address = view.data();
    EXPECT_EQ(view.data(), address);
    this->m_wrong.check_for(this->m_exec, view.data(), 0);
    store_late(this->m_exec, view.data(), 5, late_ms);
    NoWait const no_wait;  // at the end
    view = {};
  }
  EXPECT_EQ(this->m_wrong.count(), 0);
}

TYPED_TEST(CudaPoolViews, P01_construction_waits_for_no_kernel) {
  // Kokkos writes the header of a View in host memory on the host.
  if constexpr (std::is_same_v<TypeParam, symm::SymmetricHostSpace>) {
    GTEST_SKIP() << "waits for its stream";
  } else {
    symm::barrier_all();
    auto first = this->make("first");
    store_late(this->m_exec, first.data(), 1, late_ms);
    {
      NoWait const no_wait;
      first            = {};
      auto const empty = this->make("second", Kokkos::WithoutInitializing);
      auto const zeros = this->make("third");
      this->m_wrong.check_for(this->m_exec, zeros.data(), 0);
    }
    EXPECT_EQ(this->m_wrong.count(), 0);
  }
}

TYPED_TEST(CudaPoolViews, have_a_header_that_kernels_of_earlier_ones_leave) {
  symm::barrier_all();
  for (int round = 0; round < 3; ++round) {
    symm::barrier(this->m_exec, symm::team_world());
    // One that overlaps with the header of a smaller one behind another.
    auto large = this->make("large");
    store_late(this->m_exec, large.data(), -1, late_ms / 2);
    large = {};
    symm::barrier(this->m_exec, symm::team_world());
    using Small = Kokkos::View<int*, TypeParam>;
    auto const alloc =
        Kokkos::view_alloc(this->m_exec, TypeParam(this->m_pool), "small");
    Small const one(alloc, 100);
    Small const two(alloc, 100);
    this->m_exec.fence();
    EXPECT_EQ(two.label(), "small");
    // Kokkos finds a View by its data, too.
    auto* const record =
        Kokkos::Impl::SharedAllocationRecord<TypeParam, void>::get_record(
            two.data());
    EXPECT_EQ(record->data(), two.data());
  }
  EXPECT_EQ(this->m_wrong.count(), 0);
}

TYPED_TEST(CudaPoolViews, are_found_by_their_data_while_they_live) {
  auto const find = [](void* data) {
    return Kokkos::Impl::SharedAllocationRecord<TypeParam, void>::get_record(
        data);
  };
  symm::barrier_all();
  auto view        = this->make("first");
  auto* const data = view.data();
  view             = {};
  for (int round = 0; round < 3; ++round) {
    symm::barrier(this->m_exec, symm::team_world());
    // Another thread makes one where the one before was, and destroys it.
    std::thread([&] { view = this->make("second"); }).join();
    EXPECT_EQ(view.data(), data);
    this->m_exec.fence();
    auto* const record = find(view.data());
    EXPECT_EQ(record, view.impl_track().template get_record<TypeParam>());
    EXPECT_EQ(record->get_label(), "second");
    std::thread([&] { view = {}; }).join();
    symm::barrier(this->m_exec, symm::team_world());
    view = this->make("third");
    EXPECT_EQ(find(view.data()),
              view.impl_track().template get_record<TypeParam>());
    view = {};
  }
  this->m_exec.fence();
}

TEST(CudaPoolViewsOfTwoSpaces, are_in_a_pool_of_memory_of_their_space) {
  symm::MemPool pool;
  ASSERT_EQ(symm::device_get_default_mem_pool(&pool, symm::MemoryKind::device),
            symm::Status::success);
  EXPECT_THROW(
      (Kokkos::View<int*, symm::SymmetricHostSpace>(
          Kokkos::view_alloc("view", symm::SymmetricHostSpace(pool)), 1)),
      symm::UsageError);
  symm::barrier_all();
}

TYPED_TEST(CudaPoolViews, P03_peers_read_them_behind_a_barrier) {
  auto const me    = symm::my_pe();
  auto const world = symm::team_world();
  symm::barrier_all();
  for (int round = 0; round < 4; ++round) {
    auto const view = this->make("view", Kokkos::WithoutInitializing);
    store_late(this->m_exec, view.data(), 10 * me + round,
               (me + round) % 2 * late_ms / 2);
    symm::barrier(this->m_exec, world);
    this->m_wrong.check_for(this->m_exec, symm::peer_view(view, right()).data(),
                            10 * right() + round);
    symm::barrier(this->m_exec, world);
  }
  EXPECT_EQ(this->m_wrong.count(), 0);
}

/// A capture of the stream of an instance.
class Capture {
 public:
  explicit Capture(Gpu const& exec) : m_stream(stream_of(exec)) {
    EXPECT_EQ(gpuStreamBeginCapture(m_stream, gpuStreamCaptureModeThreadLocal),
              gpuSuccess);
  }
  /// What it has recorded, which is valid.
  [[nodiscard]] gpuGraph_t end() {
    gpuGraph_t graph = nullptr;
    EXPECT_EQ(gpuStreamEndCapture(m_stream, &graph), gpuSuccess);
    EXPECT_NE(graph, nullptr);
    return graph;
  }

 private:
  gpuStream_t m_stream;
};

using CudaPoolGraphs = CudaPoolViews<SymmetricGpuSpace>;

TEST_F(CudaPoolGraphs, H16_H23_calls_on_a_captured_stream_are_refused) {
  auto* const block = allocate(m_pool, m_exec);
  auto const others = make_streams(1);
  Capture capture(m_exec);
  void* none = block;
  EXPECT_EQ(symm::malloc_from_pool_async(&none, 64, m_pool, m_exec),
            Status::not_supported);
  EXPECT_EQ(none, nullptr);
  EXPECT_THAT(symm::last_error(), HasSubstr("captured"));
  EXPECT_EQ(symm::free_async(block, m_exec), Status::not_supported);
  EXPECT_EQ(symm::order_after(m_exec, others[0]), Status::not_supported);
  EXPECT_EQ(symm::order_after(others[0], m_exec), Status::not_supported);
  EXPECT_THROW(static_cast<void>(make("view")), symm::UsageError);
  // Other streams are not captured.
  auto* const other = allocate(m_pool, others[0]);
  release(other, others[0]);
  EXPECT_EQ(gpuMemsetAsync(block, 0, pool_bytes, stream_of(m_exec)),
            gpuSuccess);
  EXPECT_EQ(gpuGraphDestroy(capture.end()), gpuSuccess);
  release(block, m_exec);
}

TEST_F(CudaPoolGraphs, P03_a_barrier_in_a_graph_frees_nothing) {
  set_policy(m_pool, true, false, false);
  auto* const block = allocate(m_pool, m_exec);
  release(block, m_exec);
  Capture capture(m_exec);
  symm::barrier(m_exec, symm::team_world());
  EXPECT_EQ(gpuGraphDestroy(capture.end()), gpuSuccess);
  auto* const other = allocate(m_pool, m_exec);
  if (symm::n_pes() > 1) {
    EXPECT_NE(other, block);
  }
  release(other, m_exec);
}

TEST_F(CudaPoolGraphs, a_captured_loop_uses_views_of_before) {
  auto const me   = symm::my_pe();
  auto const view = make("view");
  symm::barrier(m_exec, symm::team_world());
  m_exec.fence();
  Capture capture(m_exec);
  store_late(m_exec, view.data(), 1 + me, me % 2 * 5);
  symm::barrier(m_exec, symm::team_world());
  m_wrong.check_for(m_exec, symm::peer_view(view, right()).data(), 1 + right());
  symm::barrier(m_exec, symm::team_world());
  store_late(m_exec, view.data(), 0);
  auto* const graph       = capture.end();
  gpuGraphExec_t instance = nullptr;
  EXPECT_EQ(gpuGraphInstantiateWithFlags(&instance, graph, 0), gpuSuccess);
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(gpuGraphLaunch(instance, stream_of(m_exec)), gpuSuccess);
  }
  EXPECT_EQ(m_wrong.count(), 0);
  EXPECT_EQ(gpuGraphExecDestroy(instance), gpuSuccess);
  EXPECT_EQ(gpuGraphDestroy(graph), gpuSuccess);
}

struct Increment {
  Kokkos::View<int*, SymmetricGpuSpace> view;
  KOKKOS_FUNCTION void operator()(int i) const { ++view(i); }
};

TEST_F(CudaPoolGraphs, graphs_of_Kokkos_are_launched_repeatedly) {
  auto view  = make("view");
  auto graph = Kokkos::Experimental::create_graph(m_exec, [&](auto root) {
    root.then_parallel_for(Kokkos::RangePolicy<Gpu>(m_exec, 0, int{pool_ints}),
                           Increment{view});
  });
  graph.instantiate();
  for (int i = 0; i < 5; ++i) graph.submit(m_exec);
  m_wrong.check_for(m_exec, view.data(), 5);
  EXPECT_EQ(m_wrong.count(), 0);
}

}  // namespace
}  // namespace symm_test::gpu_pool_views

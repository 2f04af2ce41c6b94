// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// The runtime with a GPU for every PE: both heaps do all that a heap does.

#include <array>
#include <string>
#include <tuple>

#include "CudaRuntime.hpp"
#include "GpuNames.hpp"

namespace symm_test {
namespace {

using symm::MemoryKind;
using symm::Pe;
using symm::Impl::Runtime;
using symm::Impl::SymmetricHeap;
using testing::AllOf;

constexpr std::array kinds{MemoryKind::device, MemoryKind::host};

/// PEs, and GPUs that they take in turn.
struct Layout {
  int n_pes;
  int n_gpus;
  [[nodiscard]] int gpu_of(Pe pe) const { return pe % n_gpus; }
  [[nodiscard]] std::size_t n_pes_on(int gpu) const {
    std::size_t count = 0;
    for (Pe pe = 0; pe < n_pes; ++pe) {
      if (gpu_of(pe) == gpu) ++count;
    }
    return count;
  }
};

class CudaRuntimeLayouts : public CudaRuntime,
                           public testing::WithParamInterface<Layout> {};

INSTANTIATE_TEST_SUITE_P(Layouts, CudaRuntimeLayouts,
                         testing::Values(Layout{1, 1}, Layout{2, 1},
                                         Layout{3, 1}, Layout{4, 1},
                                         Layout{2, 2}, Layout{3, 2},
                                         Layout{4, 2}),
                         [](auto const& test) {
                           return std::to_string(test.param.n_pes) + "_on_" +
                                  std::to_string(test.param.n_gpus);
                         });

void expect_zero(void const* block, std::size_t bytes) {
  auto const* const data = static_cast<char const*>(block);
  std::size_t n_wrong    = 0;
  for (std::size_t i = 0; i < bytes; ++i) n_wrong += data[i] != 0 ? 1 : 0;
  EXPECT_EQ(n_wrong, 0U) << "of " << bytes;
}

/// Collective: every call of a heap once, with data that arrives.
void use(SymmetricHeap& heap) {
  constexpr std::size_t bytes = 100'003;
  void* block                 = heap.malloc(bytes);
  expect_data_arrives(heap, block, bytes);
  heap.free(block);
  block = heap.calloc(bytes, 1);  // the same memory, with data in it
  expect_zero(block, bytes);
  symm::barrier_all();
  expect_data_arrives(heap, block, bytes);
  auto* const moved   = static_cast<char*>(heap.realloc(block, 5 * mib));
  Pe const me         = heap.map().my_pe;
  Pe const from       = (me + heap.map().n_pes - 1) % heap.map().n_pes;
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < bytes; ++i) {
    if (moved[i] != value(from, me, i)) ++n_wrong;
  }
  EXPECT_EQ(n_wrong, 0U) << "S02: contents are kept";
  symm::barrier_all();
  expect_data_arrives(heap, moved, 5 * mib);
  void* const aligned = heap.align(1U << 20U, 3 * mib);
  EXPECT_EQ(reinterpret_cast<std::size_t>(aligned) % mib, 0U);
  expect_data_arrives(heap, aligned, 3 * mib);
  void* const view = heap.allocate_view("flux", 4096, 256, 128);
  expect_data_arrives(heap, view, 4096);
  heap.retire(view);
  heap.free(moved);
  heap.free(aligned);
  EXPECT_GT(heap.trim(), 0U);
  EXPECT_EQ(heap.stats().mapped_bytes, 0U);
}

TEST_P(CudaRuntimeLayouts, M18_both_heaps_do_all_that_a_heap_does) {
  auto const layout = GetParam();
  expect_on_pes(layout.n_pes, [&](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, layout.gpu_of(bootstrap.my_pe()));
    for (auto const kind : kinds) use(heap(kind));
    for (auto const kind : kinds) use(heap(kind));
    Runtime::finalize();
    expect_nothing_in_use(bootstrap);
  });
}

TEST_P(CudaRuntimeLayouts, the_memory_is_where_it_is_said_to_be) {
  auto const layout = GetParam();
  expect_on_pes(layout.n_pes, [&](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, layout.gpu_of(bootstrap.my_pe()));
    expect_only_start_in_use(bootstrap, layout.n_pes_on(0), layout.n_pes_on(1));
    static_cast<void>(heap(MemoryKind::device).malloc(mib));
    auto const mapped = heap(MemoryKind::device).stats().mapped_bytes;
    auto const start  = start_bytes(layout.n_pes_on(0));
    for (int gpu = 0; gpu < layout.n_gpus; ++gpu) {
      EXPECT_EQ(fake().bytes_in_use("gpu" + std::to_string(gpu)),
                layout.n_pes_on(gpu) * (start + mapped));
    }
    EXPECT_EQ(fake().bytes_in_use("numa0"), 0U);
    symm::barrier_all();
    static_cast<void>(heap(MemoryKind::host).malloc(mib));
    EXPECT_EQ(fake().bytes_in_use("numa0"),
              static_cast<std::size_t>(layout.n_pes) *
                  heap(MemoryKind::host).stats().mapped_bytes);
    Runtime::finalize();
    expect_nothing_in_use(bootstrap);
  });
}

TEST_P(CudaRuntimeLayouts, R16_finalize_and_initialize_again_leaks_nothing) {
  auto const layout = GetParam();
  expect_on_pes(layout.n_pes, [&](ForkedBootstrap& bootstrap) {
    auto const before = held();
    for (int round = 0; round < 5; ++round) {
      initialize(bootstrap, layout.gpu_of(bootstrap.my_pe()));
      EXPECT_EQ(fake().counts().contexts > 0, !is_hip);
      for (auto const kind : kinds) {
        expect_data_arrives(heap(kind), heap(kind).malloc(3 * mib), 64);
        // Destroyed after the last call that could have told so.
        heap(kind).retire(heap(kind).allocate_view("late", 64, 256, 128));
      }
      EXPECT_GT(fake().counts().mappings, 0U);
      Runtime::finalize();
      EXPECT_EQ(held(), before) << "in round " << round;
    }
    expect_nothing_in_use(bootstrap);
  });
}

TEST_F(CudaRuntime, pes_may_number_the_gpus_differently) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    bool const is_swapped = bootstrap.my_pe() == 1;
    FakeCuda::set("CUDA_VISIBLE_DEVICES", is_swapped ? "1,0" : "0,1");
    initialize(bootstrap, 0);
    auto& gpu = heap(MemoryKind::device);
    expect_data_arrives(gpu, gpu.malloc(3 * mib), 3 * mib);
    for (char const* place : {"gpu0", "gpu1"}) {
      EXPECT_EQ(fake().bytes_in_use(place),
                start_bytes(1) + gpu.stats().mapped_bytes);
    }
    Runtime::finalize();
  });
}

// As job managers do it that give every process a GPU of its own.
TEST_F(CudaRuntime, pes_reach_gpus_that_are_hidden_from_them) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    FakeCuda::set("CUDA_VISIBLE_DEVICES", bootstrap.my_pe() == 1 ? "1" : "0");
    initialize(bootstrap, 0);
    auto& gpu = heap(MemoryKind::device);
    expect_data_arrives(gpu, gpu.malloc(3 * mib), 3 * mib);
    for (char const* place : {"gpu0", "gpu1"}) {
      EXPECT_EQ(fake().bytes_in_use(place),
                start_bytes(1) + gpu.stats().mapped_bytes);
    }
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, the_c_like_functions_use_the_gpus_heap_by_default) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe());
    for (void* const block :
         {symm::malloc(64), symm::calloc(4, 16), symm::align(4096, 64),
          symm::realloc(nullptr, 64)}) {
      EXPECT_TRUE(heap(MemoryKind::device).contains(block));
    }
    EXPECT_EQ(symm::heap_stats().live_blocks, 4U);
    EXPECT_EQ(symm::heap_stats(MemoryKind::device).live_blocks, 4U);
    EXPECT_EQ(symm::heap_stats(MemoryKind::host).live_blocks, 0U);
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, ptr_realloc_and_free_find_the_heap_of_an_address) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe());
    Pe const other = 1 - bootstrap.my_pe();
    for (auto const kind : kinds) {
      auto& its     = heap(kind);
      auto& not_its = heap(kind == MemoryKind::host ? MemoryKind::device
                                                    : MemoryKind::host);
      auto* block   = static_cast<char*>(its.malloc(1000));
      EXPECT_EQ(symm::ptr(block, other), its.map().peer_ptr(block, other));
      EXPECT_EQ(symm::ptr(block, bootstrap.my_pe()), block);
      block[0] = 'x';
      block    = static_cast<char*>(symm::realloc(block, 4 * mib));
      ASSERT_TRUE(its.contains(block)) << symm::last_error();
      EXPECT_EQ(block[0], 'x');
      EXPECT_EQ(its.stats().live_blocks, 1U);
      EXPECT_EQ(not_its.stats().live_blocks, 0U);
      symm::free(block);
      EXPECT_STREQ(symm::last_error(), "");
      EXPECT_EQ(its.stats().live_blocks, 0U);
    }
    int somewhere = 0;
    EXPECT_EQ(symm::ptr(&somewhere, other), nullptr);
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, trim_trims_both_heaps) {
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    std::size_t mapped = 0;
    for (auto const kind : kinds) {
      heap(kind).free(heap(kind).malloc(4 * mib));
      mapped += heap(kind).stats().mapped_bytes;
    }
    EXPECT_EQ(symm::heap_trim(), mapped);
    expect_only_start_in_use(bootstrap, 2, 0);
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, M39_M41_the_variables_are_about_the_gpus_heap) {
  FakeCuda::set("SYMM_STATIC_HEAP", "1");
  FakeCuda::set("SYMM_SYMMETRIC_SIZE", "6M");
  expect_on_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    EXPECT_EQ(fake().bytes_in_use("gpu0"), 2 * (start_bytes(2) + 6 * mib));
    EXPECT_EQ(fake().bytes_in_use("numa0"), 0U);
    EXPECT_EQ(symm::malloc(6 * mib + 1), nullptr);
    EXPECT_THAT(symm::last_error(), HasSubstr("SYMM_SYMMETRIC_SIZE"));
    EXPECT_NE(symm::malloc(6 * mib), nullptr);
    EXPECT_NE(heap(MemoryKind::host).malloc(16 * mib), nullptr);
    Runtime::finalize();
  });
}

/// Makes one call on PE 1 and another on the rest: refused by all, with both
/// heaps as they were and usable.
void expect_mismatch(std::function<void()> const& on_pe_1,
                     std::function<void()> const& on_others, Pe me,
                     std::string const& name) {
  std::array<std::string, 2> before;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    before[i] = stats_of(heap(kinds[i]));
  }
  auto const failure = failure_text(me == 1 ? on_pe_1 : on_others);
  EXPECT_EQ(failure.kind, symm::Impl::ErrorKind::usage);
  EXPECT_THAT(failure.message, AllOf(HasSubstr("PE 1 called " + name),
                                     HasSubstr("PEs 0, 2 called " + name),
                                     HasSubstr("memory = GPU")));
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    EXPECT_EQ(stats_of(heap(kinds[i])), before[i]);
  }
}

TEST_F(CudaRuntime, M27_M30_calls_on_different_heaps_are_found_and_named) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    Pe const me        = bootstrap.my_pe();
    auto& gpu          = heap(MemoryKind::device);
    auto& host         = heap(MemoryKind::host);
    void* const on_gpu = gpu.malloc(4096);
    void* const there  = host.malloc(4096);
    expect_mismatch([&] { static_cast<void>(host.malloc(64)); },
                    [&] { static_cast<void>(gpu.malloc(64)); }, me,
                    "symm::malloc(bytes = 64");
    expect_mismatch([&] { gpu.free(on_gpu); }, [&] { host.free(there); }, me,
                    "symm::free(offset = 0");
    expect_mismatch(
        [&] { static_cast<void>(gpu.allocate_view("v", 64, 256, 128)); },
        [&] { static_cast<void>(host.allocate_view("v", 64, 256, 128)); }, me,
        "allocation of a View \"v\"");
    expect_mismatch([&] { gpu.trim(); }, [&] { host.trim(); }, me,
                    "symm::heap_trim(");
    expect_data_arrives(gpu, on_gpu, 4096);
    expect_data_arrives(host, there, 4096);
    gpu.free(on_gpu);
    host.free(there);
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, M24_views_retire_on_both_heaps_in_any_order) {
  expect_on_pes(3, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, bootstrap.my_pe() % 2);
    auto& gpu  = heap(MemoryKind::device);
    auto& host = heap(MemoryKind::host);
    std::array<void*, 20> on_gpu{};
    std::array<void*, 20> there{};
    for (std::size_t i = 0; i < on_gpu.size(); ++i) {
      on_gpu[i] = gpu.allocate_view("g", 10'000, 256, 128);
      there[i]  = host.allocate_view("h", 10'000, 256, 128);
    }
    for (std::size_t i = 0; i < on_gpu.size(); ++i) {
      auto const from_the_end = on_gpu.size() - 1 - i;
      bool const is_odd       = bootstrap.my_pe() % 2 == 1;
      gpu.retire(on_gpu[is_odd ? from_the_end : i]);
      host.retire(there[is_odd ? i : from_the_end]);
    }
    gpu.free(gpu.malloc(64));
    EXPECT_EQ(gpu.stats().live_blocks, 0U);
    EXPECT_EQ(host.stats().live_blocks, 20U) << "its calls have not told yet";
    host.free(host.malloc(64));
    EXPECT_EQ(host.stats().live_blocks, 0U);
    Runtime::finalize();
  });
}

TEST_F(CudaRuntime, finalize_names_live_views_and_keeps_their_memory) {
  auto const results = run_pes(2, [](ForkedBootstrap& bootstrap) {
    initialize(bootstrap, 0);
    auto& gpu = heap(MemoryKind::device);
    auto* const view =
        static_cast<char*>(gpu.allocate_view("on", 64 + 128, 256, 128));
    view[0] = 'x';
    if (bootstrap.my_pe() == 1) gpu.retire(view);
    Runtime::finalize();
    if (bootstrap.my_pe() == 0) {
      EXPECT_EQ(view[0], 'x');
    } else {
      EXPECT_EQ(fake().counts(), FakeCudaCounts{});
    }
  });
  EXPECT_TRUE(results[0].has_succeeded()) << results[0].output;
  EXPECT_TRUE(results[1].has_succeeded()) << results[1].output;
  EXPECT_THAT(results[0].output, HasSubstr("View \"on\" (64 bytes)"));
}

}  // namespace
}  // namespace symm_test

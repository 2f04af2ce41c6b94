// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What memory costs in the symmetric heap, over size.
//
// symm::malloc + symm::free is compared with shmem_malloc + shmem_free: both
// pairs contain two synchronizations of all PEs, ours also the comparison of
// what the PEs asked for. Nobody touches the memory. The pages are there: both
// heaps have grown during the warm-up.
//
// View create + destroy (without initialization) contains one synchronization:
// destruction is local. It is compared with a View in HostSpace and one
// barrier_all, which is what a program would write that keeps Views in step.
// For large blocks HostSpace may ask the operating system each time (mmap,
// page faults, munmap; glibc: above 32 MiB at the latest), and the ratio says
// more about that than about this project. So the sizes are reported one by
// one, and the figure is the worst of them.
//
// On GPUs the heap is in GPU memory and the others are NVSHMEM and a View in
// CudaSpace, as it is: no barrier beside it. There growth is measured, too: an
// allocation for which neither heap has physical memory. Ours gives the memory
// back before the next one; NVSHMEM cannot, so its blocks stay until the end.

#include <Kokkos_SymmetricSpace.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "Blocks.hpp"
#include "baselines/Nvshmem.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/Gpus.hpp"
#include "harness/Session.hpp"

namespace perf::allocate_benchmark {
namespace {

#ifdef KOKKOS_ENABLE_CUDA
constexpr char const* private_view = "CudaSpace View";
#else
constexpr char const* private_view = "HostSpace View + barrier_all";
#endif

void create_and_destroy_private_view(std::size_t bytes) {
  create_and_destroy_view<DeviceSpace>(bytes);
#ifndef KOKKOS_ENABLE_CUDA
  symm::barrier_all();
#endif
}

void compare_blocks(Session& session, Case const& measured, std::size_t bytes) {
  std::vector<Contestant> contestants{
      {"symm::malloc + free", "", [=](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) symm::free(allocate_block(bytes));
       }}};
  if (openshmem::available()) {
    contestants.push_back({"OpenSHMEM malloc + free", "", [=](std::int64_t n) {
                             for (std::int64_t i = 0; i < n; ++i)
                               openshmem::deallocate(
                                   openshmem::allocate(bytes));
                           }});
    contestants[0].baseline = contestants.back().name;
  }
  if (nvshmem::available()) {
    contestants.push_back({"NVSHMEM malloc + free", "", [=](std::int64_t n) {
                             for (std::int64_t i = 0; i < n; ++i)
                               nvshmem::deallocate(nvshmem::allocate(bytes));
                           }});
    contestants[0].baseline = contestants.back().name;
  }
  session.compare(measured, contestants);
}

void compare_views(Session& session, Case const& measured, std::size_t bytes) {
  session.compare(measured,
                  {{private_view, "",
                    [=](std::int64_t n) {
                      for (std::int64_t i = 0; i < n; ++i)
                        create_and_destroy_private_view(bytes);
                    }},
                   {"SymmetricSpace View", private_view,
                    [=](std::int64_t n) {
                      for (std::int64_t i = 0; i < n; ++i)
                        create_and_destroy_view<symm::SymmetricSpace>(bytes);
                    }},
                   {"barrier_all", "", [](std::int64_t n) {
                      for (std::int64_t i = 0; i < n; ++i) symm::barrier_all();
                    }}});
}

/// The heap has no memory yet: it grows, on all PEs.
void time_first_allocation(Session& session, std::size_t bytes) {
  symm::barrier_all();
  auto const start = std::chrono::steady_clock::now();
  void* const p    = allocate_block(bytes);
  std::chrono::duration<double> const elapsed =
      std::chrono::steady_clock::now() - start;
  symm::free(p);
  session.report().value("first malloc of " + std::to_string(bytes >> 20U) +
                             " MiB, the heap grows",
                         "us", elapsed.count() * 1e6);
}

/// Growth by one block, over and over.
void compare_growth(Session& session, std::size_t bytes) {
  SamplingPlan plan{.warm_up = 0, .samples = 10};
  std::size_t const room = gpu_share_bytes(session.gpus()) / 2 / bytes;
  if (room < static_cast<std::size_t>(plan.samples)) {
    session.report().note(
        "growth: fewer samples, because little memory is free");
    plan.samples = static_cast<int>(room);
  }
  if (plan.samples == 0) return;

  void* block       = nullptr;
  auto const shrink = [&] {
    symm::free(block);
    block = nullptr;
    static_cast<void>(symm::heap_trim());
  };
  std::vector<void*> nvshmem_blocks;
  nvshmem_blocks.reserve(static_cast<std::size_t>(plan.samples));
  std::vector<Contestant> contestants{
      {"symm::malloc, the heap grows", "",
       [&](std::int64_t) { block = allocate_block(bytes); }, 1, shrink}};
  if (nvshmem::available()) {
    contestants.push_back({"NVSHMEM malloc, the heap grows", "",
                           [&](std::int64_t) {
                             nvshmem_blocks.push_back(nvshmem::allocate(bytes));
                           },
                           1});
    contestants[0].baseline = contestants.back().name;
  }
  session.compare({{{"bytes", static_cast<std::int64_t>(bytes)}}}, contestants,
                  plan);
  shrink();
  for (void* p : nvshmem_blocks) nvshmem::deallocate(p);
}

void measure(Session& session) {
  auto const all_sizes = block_sizes(session);
  if (session.gpus().count > 0)
    compare_growth(session, session.quick() ? std::size_t{64} << 20U
                                            : std::size_t{4} << 30U);
  else
    time_first_allocation(session, all_sizes.back());
  for (std::size_t const bytes : all_sizes) {
    Case const measured{{{"bytes", static_cast<std::int64_t>(bytes)}}};
    compare_blocks(session, measured, bytes);
    if (!openshmem::available() && !nvshmem::available())
      compare_views(session, measured, bytes);
  }
  std::int64_t wrong = 0;
  for (std::size_t const bytes : all_sizes)
    wrong += count_wrong_in_block(session, bytes);
  session.verify("words in blocks", wrong);
}

Registered const registered{"allocate", measure};

}  // namespace
}  // namespace perf::allocate_benchmark

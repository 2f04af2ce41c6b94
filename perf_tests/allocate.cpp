// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What memory costs in the symmetric heap, over size.
//
// symm::malloc + symm::free is compared with shmem_malloc + shmem_free: both
// pairs contain two synchronisations of all PEs, ours also the comparison of
// what the PEs asked for. Nobody touches the memory. The pages are there: both
// heaps have grown during the warm-up.
//
// View create + destroy (without initialisation) contains one synchronisation:
// destruction is local. It is compared with a View in HostSpace and one
// barrier_all, which is what a program would write that keeps Views in step.
// For large blocks HostSpace may ask the operating system each time (mmap,
// page faults, munmap; glibc: above 32 MiB at the latest), and the ratio says
// more about that than about this project. So the sizes are reported one by
// one, and the figure is the worst of them.

#include <Kokkos_SymmetricSpace.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "Blocks.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/Session.hpp"

namespace perf {
namespace {

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
  session.compare(measured, contestants);
}

void compare_views(Session& session, Case const& measured, std::size_t bytes) {
  session.compare(measured,
                  {{"HostSpace View + barrier_all", "",
                    [=](std::int64_t n) {
                      for (std::int64_t i = 0; i < n; ++i) {
                        create_and_destroy_view<Kokkos::HostSpace>(bytes);
                        symm::barrier_all();
                      }
                    }},
                   {"SymmetricSpace View", "HostSpace View + barrier_all",
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

void measure(Session& session) {
  auto const all_sizes = block_sizes(session.quick());
  time_first_allocation(session, all_sizes.back());
  for (std::size_t const bytes : all_sizes) {
    Case const measured{{{"bytes", static_cast<std::int64_t>(bytes)}}};
    compare_blocks(session, measured, bytes);
    if (!openshmem::available()) compare_views(session, measured, bytes);
  }
  std::int64_t wrong = 0;
  for (std::size_t const bytes : all_sizes)
    wrong += count_wrong_in_block(session, bytes);
  session.verify("words in blocks", wrong);
}

}  // namespace
}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_benchmark(argc, argv, "allocate", perf::measure);
}

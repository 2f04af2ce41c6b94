// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What holes in the heap add to an allocation: a heap as a long run leaves it
// against an empty one.
//
// The heap is filled with holes and emptied again for every sample, so that
// samples with and without holes are neighbors in time. Filling is not timed.

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "Blocks.hpp"
#include "Holes.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/Session.hpp"

namespace perf::allocate_holes_benchmark {
namespace {

std::vector<Contestant> contestants_for(std::size_t bytes) {
  std::vector<Contestant> contestants{
      {"symm::malloc + free", "",
       [=](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i) symm::free(allocate_block(bytes));
       }},
      {"SymmetricSpace View", "", [=](std::int64_t n) {
         for (std::int64_t i = 0; i < n; ++i)
           create_and_destroy_view<symm::SymmetricSpace>(bytes);
       }}};
  if (openshmem::available())
    contestants.push_back({"OpenSHMEM malloc + free", "", [=](std::int64_t n) {
                             for (std::int64_t i = 0; i < n; ++i)
                               openshmem::deallocate(
                                   openshmem::allocate(bytes));
                           }});
  return contestants;
}

/// The series of one number of holes, one element per size.
struct Level {
  std::int64_t holes = 0;
  std::vector<std::vector<Series>> series_of_size;
};

/// One sample of everything, in a heap with the holes of that level.
void sample_level(Session& session, std::size_t round, Level& level,
                  std::vector<std::vector<Contestant>> const& contestants) {
  Holes const holes(level.holes, allocate_block,
                    [](void* block) { symm::free(block); });
  std::optional<Holes> shmem_holes;
  if (openshmem::available())
    shmem_holes.emplace(level.holes, openshmem::allocate,
                        openshmem::deallocate);
  for (std::size_t i = 0; i < contestants.size(); ++i) {
    // The first round chooses the iterations, and is thrown away.
    if (round == 0)
      level.series_of_size.push_back(
          choose_iterations(session.plan(), contestants[i]));
    else
      take_sample(contestants[i], round, level.series_of_size[i]);
  }
}

std::string name_at(std::string const& name, std::int64_t holes) {
  return name + ", " + std::to_string(holes) + " holes";
}

void report_size(Session& session, std::size_t bytes, std::size_t i,
                 std::vector<Level> const& levels) {
  std::vector<Series> all;
  for (Level const& level : levels)
    for (Series series : level.series_of_size[i]) {
      if (level.holes != 0) series.baseline = name_at(series.name, 0);
      series.name = name_at(series.name, level.holes);
      all.push_back(series);
    }
  session.report().comparison({{{"bytes", static_cast<std::int64_t>(bytes)}}},
                              all);
}

void measure(Session& session) {
  auto const sizes = block_sizes(session);
  std::vector<std::vector<Contestant>> contestants;
  contestants.reserve(sizes.size());
  for (std::size_t const bytes : sizes)
    contestants.push_back(contestants_for(bytes));

  std::vector<Level> levels{{0, {}}, {1000, {}}};
  if (!session.quick()) levels.push_back({100'000, {}});
  auto const rounds = static_cast<std::size_t>(session.plan().samples);
  for (std::size_t round = 0; round <= rounds; ++round)
    for (std::size_t turn = 0; turn < levels.size(); ++turn)
      sample_level(session, round, levels[(round + turn) % levels.size()],
                   contestants);

  for (std::size_t i = 0; i < sizes.size(); ++i)
    report_size(session, sizes[i], i, levels);
  Holes const holes(1000, allocate_block,
                    [](void* block) { symm::free(block); });
  std::int64_t wrong = 0;
  for (std::size_t const bytes : sizes)
    wrong += count_wrong_in_block(session, bytes);
  session.verify("words in blocks between holes", wrong);
}

Registered const registered{"allocate_holes", measure};

}  // namespace
}  // namespace perf::allocate_holes_benchmark

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random updates and reads of words of all PEs' tables, by the host: each PE
// adds 1 to random words, until all of all PEs have been added. "by hand" sends
// 65 536 indices at a time, which their PE adds without atomic operations; it
// needs all PEs to update as much, at the same time. "heap_map" is the form of
// atomic_add that is given the heap's map, "aggregate" that in a context with
// ContextOptions::aggregate. Reads are those of as many words
// by get_nbi, in the two.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "baselines/MpiWindow.hpp"
#include "exchange/Letters.hpp"
#include "exchange/Lists.hpp"
#include "harness/MpiCheck.hpp"
#include "harness/Session.hpp"

namespace perf::random_updates_benchmark {
namespace {

void measure_updates(Session& session, std::size_t count, std::size_t n_words) {
  Letters<Index> const letters(count, n_words);
  std::vector<std::uint32_t> indices(count);
  for (std::size_t k = 0; k < count; ++k)
    indices[k] = letters.messages[k].index;
  auto const window = MpiWindow::create(n_words * sizeof(std::uint64_t));
  Table const table("table", n_words);
  auto const heap   = symm::heap_map(table);
  auto* const words = table.data();
  HandSupersteps<Index> hand;
  symm::Context const context({.aggregate = true});

  auto const run_mpi = [&] {
    window->add_ones(letters.pes, indices);
    check_mpi(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  };
  auto const run_hand   = [&] { hand(letters, table); };
  auto const run_atomic = [&] {
    for (std::size_t k = 0; k < count; ++k)
      symm::atomic_add(words + indices[k], 1, letters.pes[k]);
    symm::barrier_all();
  };
  auto const run_with_map = [&] {
    for (std::size_t k = 0; k < count; ++k)
      symm::atomic_add(heap, words + indices[k], 1, letters.pes[k]);
    symm::barrier_all();
  };
  auto const run_aggregate = [&] {
    for (std::size_t k = 0; k < count; ++k)
      symm::atomic_add(context, words + indices[k], 1, letters.pes[k]);
    context.quiet();
    symm::barrier_all();
  };
  // Each of them once, with the same result.
  std::int64_t wrong = 0;
  std::vector<std::int64_t> expected;
  auto const check = [&](auto const& run) {
    Kokkos::deep_copy(table, 0);
    symm::barrier_all();
    run();
    symm::barrier_all();
    std::vector<std::int64_t> const now(words, words + n_words);
    if (expected.empty()) expected = now;
    wrong += now != expected ? 1 : 0;
  };
  check(run_hand);
  check(run_atomic);
  check(run_with_map);
  check(run_aggregate);
  std::vector<Contestant> contestants;
  std::string const first = window ? "MPI_Accumulate" : "";
  if (window) contestants.push_back({first, "", repeat(run_mpi)});
  contestants.push_back({"by hand", first, repeat(run_hand)});
  contestants.push_back({"atomic_add", first, repeat(run_atomic)});
  contestants.push_back(
      {"atomic_add, heap_map", "atomic_add", repeat(run_with_map)});
  contestants.push_back({"aggregate", first, repeat(run_aggregate)});
  contestants.push_back({"aggregate again", "by hand", repeat(run_aggregate)});
  contestants.push_back(
      {"aggregate once more", "atomic_add", repeat(run_aggregate)});
  session.compare(
      {{{"updates, words of a table", static_cast<std::int64_t>(n_words)},
        {"of a PE", static_cast<std::int64_t>(count)}}},
      contestants);

  for (std::size_t i = 0; i < n_words; ++i)
    table(i) = static_cast<std::int64_t>(i);
  symm::barrier_all();
  std::vector<std::int64_t> got(count);
  auto const run_nbi = [&] {
    for (std::size_t k = 0; k < count; ++k)
      symm::get_nbi(&got[k], words + indices[k], 1, letters.pes[k]);
    symm::quiet();
    symm::barrier_all();
  };
  auto const run_nbi_aggregate = [&] {
    for (std::size_t k = 0; k < count; ++k)
      symm::get_nbi(context, &got[k], words + indices[k], 1, letters.pes[k]);
    context.quiet();
    symm::barrier_all();
  };
  auto const check_reads = [&](auto const& run) {
    std::fill(got.begin(), got.end(), -1);
    run();
    for (std::size_t k = 0; k < count; ++k)
      wrong += got[k] != std::int64_t{indices[k]} ? 1 : 0;
  };
  check_reads(run_nbi);
  check_reads(run_nbi_aggregate);
  session.compare(
      {{{"reads, words of a table", static_cast<std::int64_t>(n_words)},
        {"of a PE", static_cast<std::int64_t>(count)}}},
      {{"get_nbi", "", repeat(run_nbi)},
       {"aggregate", "get_nbi", repeat(run_nbi_aggregate)}});
  session.verify("random updates and reads", wrong);
}

void measure(Session& session) {
  bool const quick        = session.quick();
  std::size_t const count = quick ? 20'000 : 1'000'000;
  measure_updates(session, count, std::size_t{1} << 12U);
  measure_updates(session, count, std::size_t{1} << 20U);
  if (!quick) measure_updates(session, count, std::size_t{1} << 23U);
}

Registered const registered{"random_updates", measure};

}  // namespace
}  // namespace perf::random_updates_benchmark

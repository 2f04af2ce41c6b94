// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What PE 0 does with the memory of PE 1, which is on its node, while all other
// PEs sleep: in a job of one node and in one of several, to see that the nodes
// cost those nothing that stay on theirs. run.py compares the two jobs.

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/Pattern.hpp"
#include "harness/PrivateBuffer.hpp"
#include "harness/Session.hpp"
#include "nodes/PairSampler.hpp"

namespace perf::inside_node_benchmark {
namespace {

using Words = Kokkos::View<std::uint64_t*, symm::SymmetricHostSpace>;
constexpr std::size_t block_words = 8192;

void measure(Session& session) {
  int const target = session.n_pes() > 1 ? 1 : 0;
  if (session.my_pe() == 0 && !symm::is_near(target))
    throw std::runtime_error(
        "inside_node: PE 0 and PE 1 must be on the same node");
  PairSampler const pairs(session, target);
  Words const words("words", block_words + 2);
  auto* const counter = words.data() + block_words;
  PrivateBuffer const mine(block_words * sizeof(std::uint64_t));
  PrivateBuffer const got(block_words * sizeof(std::uint64_t));
  fill_pattern(mine.words(), 0, 0);
  std::int64_t n_added = 0;

  std::vector<PairContestant> contestants;
  auto const add = [&](std::string name, auto run) {
    contestants.push_back(
        {std::move(name), "", std::move(run), [] {}, [](std::int64_t) {}});
  };
  add("put", [&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      symm::put(words.data(), mine.data(), 1, target);
    symm::quiet();
  });
  add("get", [&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      symm::get(got.data(), words.data(), 1, target);
  });
  add("fetch_add", [&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      keep(symm::atomic_fetch_add(counter, std::uint64_t{1}, target));
    n_added += n;
  });
  add("put of 64 KiB", [&](std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i)
      symm::put(words.data(), mine.data(), block_words, target);
    symm::quiet();
  });
  auto plan    = session.plan();
  plan.samples = session.quick() ? 10 : 51;
  pairs.compare({}, contestants, plan);

  symm::barrier_all();
  std::int64_t wrong = 0;
  if (pairs.is_target())
    wrong += count_wrong(
        std::span<std::uint64_t const>(words.data(), block_words), 0, 0);
  if (pairs.is_active()) {
    wrong += got.words()[0] != pattern(0, 0, 0) ? 1 : 0;
    wrong += symm::g(counter, target) != static_cast<std::uint64_t>(n_added);
  }
  session.verify("words", wrong);
}

Registered const registered{"inside_node", measure};

}  // namespace
}  // namespace perf::inside_node_benchmark

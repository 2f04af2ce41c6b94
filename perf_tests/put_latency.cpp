// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a put of 8 bytes costs.
//
// PE 0 stores words into PE 1's copy of a View, one after the other, and in a
// scattered order that it reads from a table. The same loop over private memory
// is the baseline; the ratio is what address translation adds, and the same
// over other private memory ("again") shows how exact that is. The 4 KiB
// written stay in the first-level cache of PE 0 in both, because PE 1 does not
// look at them meanwhile: round_trip.cpp measures the way to the other core.
// MPI and OpenSHMEM have a call that completes one word at a time; their lines
// compare what a user gets, not what the machine does.

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "baselines/MpiWindow.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/OneSided.hpp"
#include "harness/Pattern.hpp"
#include "harness/PrivateBuffer.hpp"
#include "harness/Session.hpp"

namespace perf::put_latency_benchmark {
namespace {

constexpr std::size_t slots = 512;

// A plain store instruction that the compiler neither merges with the next one
// nor moves out of the loop.
void store(std::uint64_t& word, std::uint64_t value) {
  std::atomic_ref<std::uint64_t>(word).store(value, std::memory_order_relaxed);
}

/// Stores pattern(from, to, i) in word(i) for all slots, round and round: one
/// store per iteration, but not less than one round. `word` is a copy of this
/// call's own: the compiler knows that the stores do not change it.
template <class Word>
[[gnu::noinline]] void put_in_order(std::int64_t iterations, int from, int to,
                                    Word word) {
  std::uint64_t const first = pattern(from, to, 0);
  for (std::int64_t left = iterations; left > 0; left -= std::int64_t{slots})
    for (std::size_t i = 0; i < slots; ++i) store(word(i), first + i);
}

/// The same in the order of a table.
template <class Word>
[[gnu::noinline]] void put_scattered(std::int64_t iterations, int from, int to,
                                     std::uint32_t const* order, Word word) {
  std::uint64_t const first = pattern(from, to, 0);
  for (std::int64_t left = iterations; left > 0; left -= std::int64_t{slots})
    for (std::size_t n = 0; n < slots; ++n)
      store(word(order[n]), first + order[n]);
}

std::vector<std::uint32_t> scattered_order() {
  std::vector<std::uint32_t> order(slots);
  std::iota(order.begin(), order.end(), 0U);
  std::shuffle(order.begin(), order.end(), std::mt19937_64(42));
  return order;
}

/// A place to put words to, in both orders.
template <class Word>
void add_contestants(OneSided const& pair, std::string const& name,
                     std::string const& baseline,
                     std::vector<std::uint32_t> const& order, Word word,
                     std::vector<Contestant>& in_order,
                     std::vector<Contestant>& scattered) {
  int const peer = pair.peer();
  in_order.push_back({name, baseline, pair.active([=](std::int64_t n) {
                        put_in_order(n, 0, peer, word);
                      })});
  scattered.push_back(
      {name, baseline, pair.active([=, table = order.data()](std::int64_t n) {
         put_scattered(n, 0, peer, table, word);
       })});
}

void measure(Session& session) {
  OneSided const pair(session);
  int const peer = pair.peer();
  Words const global_words("global", slots);
  Words const peer_words("peer", slots);
  Words const ptr_words("ptr", slots);
  auto const everywhere = symm::global_view(global_words);
  auto const theirs     = symm::peer_view(peer_words, peer);
  PrivateBuffer const buffer(slots * sizeof(std::uint64_t));
  PrivateBuffer const buffer_again(slots * sizeof(std::uint64_t));
  PrivateWords const mine(buffer.data(), slots);
  PrivateWords const mine_again(buffer_again.data(), slots);
  auto const window = MpiWindow::create(slots * sizeof(std::uint64_t));

  auto const order           = scattered_order();
  std::string const baseline = "private(i) = x";
  std::vector<Contestant> contestants;
  std::vector<Contestant> scattered;
  auto const add = [&](std::string const& name, auto word) {
    add_contestants(pair, name, name == baseline ? "" : baseline, order, word,
                    contestants, scattered);
  };
  add(
      baseline, [=](std::size_t i) -> auto& { return mine(i); });
  add(
      "private(i) = x, again", [=](std::size_t i) -> auto& {
        return mine_again(i);
      });
  add(
      "global_view(pe, i) = x", [=](std::size_t i) -> auto& {
        return everywhere(peer, i);
      });
  add(
      "peer_view(i) = x", [=](std::size_t i) -> auto& { return theirs(i); });
  add(
      "*symm::ptr(p + i, pe) = x", [=](std::size_t i) -> auto& {
        return *symm::ptr(ptr_words.data() + i, peer);
      });
  std::uint64_t const word = pattern(0, peer, 0);
  if (window)
    contestants.push_back(
        {"MPI_Put + flush", "", pair.active([&](std::int64_t n) {
           window->put(&word, sizeof(word), peer, n);
         })});
  std::uint64_t* shmem_word = nullptr;
  if (openshmem::available()) {
    shmem_word = static_cast<std::uint64_t*>(openshmem::allocate(sizeof(word)));
    *shmem_word = 0;
    openshmem::barrier();
    contestants.push_back(
        {"OpenSHMEM p + quiet", "", pair.active([&](std::int64_t n) {
           openshmem::put_word(shmem_word, word, peer, n);
         })});
  }
  session.compare({{{"bytes", 8}, {"scattered", 0}}}, contestants);
  session.compare({{{"bytes", 8}, {"scattered", 1}}}, scattered);

  symm::barrier_all();
  std::int64_t wrong = 0;
  if (pair.is_target()) {
    wrong += count_wrong({global_words.data(), slots}, 0, session.my_pe());
    wrong += count_wrong({peer_words.data(), slots}, 0, session.my_pe());
    wrong += count_wrong({ptr_words.data(), slots}, 0, session.my_pe());
    if (window) wrong += count_wrong(window->words().first(1), 0, peer);
    if (shmem_word != nullptr) wrong += count_wrong({shmem_word, 1}, 0, peer);
  }
  if (pair.is_active())
    wrong += count_wrong(buffer.words(), 0, peer) +
             count_wrong(buffer_again.words(), 0, peer);
  session.verify("words put", wrong);
  if (shmem_word != nullptr) openshmem::deallocate(shmem_word);
}

Registered const registered{"put_latency", measure};

}  // namespace
}  // namespace perf::put_latency_benchmark

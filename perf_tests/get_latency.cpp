// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a get of 8 bytes costs.
//
// PE 0 walks through a random cycle of indices in PE 1's copy of a View: each
// load gives the index of the next one, so that a load cannot start before the
// one before it has ended. It is compared with the same walk through private
// memory; the ratio is what address translation adds, and the same walk through
// other private memory ("again") shows how exact that is. The 4 KiB stay in the
// first-level cache of PE 0 in both, because PE 1 does not write meanwhile.

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "baselines/MpiWindow.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/OneSided.hpp"
#include "harness/Pattern.hpp"
#include "harness/PrivateBuffer.hpp"
#include "harness/RandomCycle.hpp"
#include "harness/Session.hpp"

namespace perf::get_latency_benchmark {
namespace {

constexpr std::size_t slots = 512;

/// `iterations` steps from slot 0. Returns the slot reached.
template <class Next>
[[gnu::noinline]] std::uint64_t walk(std::int64_t iterations, Next next) {
  std::uint64_t slot = 0;
  for (std::int64_t n = 0; n < iterations; ++n) slot = next(slot);
  return slot;
}

/// Walks, and counts the walks that ended in a wrong slot.
class Walker {
 public:
  explicit Walker(RandomCycle const& cycle) : m_cycle(cycle) {}

  template <class Next>
  void operator()(std::int64_t iterations, Next const& next) {
    auto const expected = m_cycle.slot_after(iterations);
    m_wrong += walk(iterations, next) != expected ? 1 : 0;
  }

  [[nodiscard]] std::int64_t wrong() const { return m_wrong; }

 private:
  RandomCycle const& m_cycle;
  std::int64_t m_wrong = 0;
};

void measure(Session& session) {
  OneSided const pair(session);
  int const peer = pair.peer();
  // The peer has the cycle; the other PEs' copies lead to nowhere.
  RandomCycle const cycle(slots);
  Words const words("words", slots);
  if (pair.is_target())
    std::copy(cycle.next().begin(), cycle.next().end(), words.data());
  PrivateBuffer const buffer(slots * sizeof(std::uint64_t));
  std::copy(cycle.next().begin(), cycle.next().end(), buffer.data());
  PrivateBuffer const buffer_again(slots * sizeof(std::uint64_t));
  std::copy(cycle.next().begin(), cycle.next().end(), buffer_again.data());
  PrivateWords const mine(buffer.data(), slots);
  PrivateWords const mine_again(buffer_again.data(), slots);
  auto const everywhere = symm::global_view(words);
  auto const theirs     = symm::peer_view(words, peer);

  std::uint64_t const expected = pattern(0, peer, 0);
  auto const window            = MpiWindow::create(sizeof(std::uint64_t));
  if (window) window->words()[0] = expected;
  symm::barrier_all();

  Walker walker(cycle);
  std::vector<Contestant> contestants{
      {"i = private(i)", "", pair.active([&](std::int64_t n) {
         walker(n, [=](std::uint64_t i) { return mine(i); });
       })},
      {"i = private(i), again", "i = private(i)",
       pair.active([&](std::int64_t n) {
         walker(n, [=](std::uint64_t i) { return mine_again(i); });
       })},
      {"i = global_view(pe, i)", "i = private(i)",
       pair.active([&](std::int64_t n) {
         walker(n, [=](std::uint64_t i) { return everywhere(peer, i); });
       })},
      {"i = peer_view(i)", "i = private(i)", pair.active([&](std::int64_t n) {
         walker(n, [=](std::uint64_t i) { return theirs(i); });
       })},
      {"i = *symm::ptr(p + i, pe)", "i = private(i)",
       pair.active([&](std::int64_t n) {
         walker(n, [=](std::uint64_t i) {
           return *symm::ptr(words.data() + i, peer);
         });
       })}};
  std::uint64_t word = pair.is_active() ? 0 : expected;
  if (window)
    contestants.push_back(
        {"MPI_Get + flush", "", pair.active([&](std::int64_t n) {
           window->get(&word, sizeof(word), peer, n);
         })});
  else
    word = expected;
  std::uint64_t* shmem_word = nullptr;
  std::uint64_t shmem_got   = expected;
  if (openshmem::available()) {
    shmem_word = static_cast<std::uint64_t*>(openshmem::allocate(sizeof(word)));
    *shmem_word = expected;
    openshmem::barrier();
    contestants.push_back({"OpenSHMEM g", "", pair.active([&](std::int64_t n) {
                             shmem_got =
                                 openshmem::get_word(shmem_word, peer, n);
                           })});
  }
  session.compare({{{"bytes", 8}}}, contestants);

  symm::barrier_all();
  std::int64_t wrong = walker.wrong();
  wrong += word != expected ? 1 : 0;
  wrong += shmem_got != expected ? 1 : 0;
  session.verify("words got", wrong);
  if (shmem_word != nullptr) openshmem::deallocate(shmem_word);
}

Registered const registered{"get_latency", measure};

}  // namespace
}  // namespace perf::get_latency_benchmark

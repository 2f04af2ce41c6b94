// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// One word between two GPUs, by one thread of a kernel.
//
// - "ping-pong": PE 0 puts a word to PE 1, whose kernel waits for it and
//   answers. An iteration is there and back; half of it is one way. Ours is
//   symm::p and symm::wait_until, "raw" a volatile store and a loop of volatile
//   loads.
// - "put": a store to PE 1's copy and a fence that waits until all can see it.
// - "get": a walk through a random cycle of indices in PE 1's copy: each load
//   gives the index of the next one.
//
// Ping-pong and puts go around a ring of words. Put and get of ours go through
// a global_view, those of "raw" through plain pointers; their loads and stores
// are those between threads of a system, which no cache of the reading GPU
// answers. NVSHMEM has nvshmem_uint64_p, _g, _wait_until and nvshmem_quiet; its
// _g is an ordinary load, so the cycle is larger than a first-level cache.
//
// If PEs share a GPU, their kernels take turns of milliseconds: the ping-pong
// then is as slow as the turns, and makes only a few of them.

#include <mpi.h>

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <cuda/atomic>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "harness/Access.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/OneSided.hpp"
#include "harness/Pattern.hpp"
#include "harness/RandomCycle.hpp"
#include "harness/Session.hpp"
#include "kernels/Lanes.hpp"
#include "kernels/Ring.hpp"

namespace perf::kernel_latency_benchmark {
namespace {

using FarWords   = FarView<std::uint64_t>;
using SystemWord = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;

/// More than a first-level cache holds: it may answer NVSHMEM's ordinary loads.
constexpr std::size_t slots = std::size_t{1} << 19U;

// What plays ping-pong: put() to the other PE, wait() on the own word.

struct RawPlayer {
  std::uint64_t volatile* mine;
  std::uint64_t volatile* theirs;

  __device__ void put(std::uint64_t value) const {
    theirs[ring::index(value)] = value;
  }
  __device__ void wait(std::uint64_t value) const {
    while (mine[ring::index(value)] != value) {
    }
  }
};

struct SymmPlayer {
  symm::HeapMap heap;
  std::uint64_t* words;
  int other;

  __device__ void put(std::uint64_t value) const {
    symm::p(heap, words + ring::index(value), value, other);
  }
  __device__ void wait(std::uint64_t value) const {
    symm::wait_until(words + ring::index(value), symm::Compare::eq, value);
  }
};

template <class Player>
struct PingPong {
  Player player;
  std::uint64_t before;  ///< the last value of the call before
  bool begins;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(int) const { KOKKOS_IF_ON_DEVICE((play();)) }

 private:
  // Two loops: not every compiler makes them of one with a condition in it.
  __device__ void play() const {
    auto const last = before + static_cast<std::uint64_t>(iterations);
    if (begins) {
      for (std::uint64_t value = before + 1; value <= last; ++value) {
        player.put(value);
        player.wait(value);
      }
    } else {
      for (std::uint64_t value = before + 1; value <= last; ++value) {
        player.wait(value);
        player.put(value);
      }
    }
  }
};

template <class Word>
struct PutAndFence {
  Word theirs;
  std::uint64_t value;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_DEVICE((for (std::int64_t n = 0; n < iterations; ++n) {
      SystemWord(theirs(ring::index(static_cast<std::uint64_t>(n))))
          .store(value, cuda::std::memory_order_relaxed);
      __threadfence_system();
    }))
  }
};

template <class Word>
struct Walk {
  Word theirs;
  std::uint64_t* reached;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_DEVICE(
        (std::uint64_t slot = 0;
         for (std::int64_t n = 0; n < iterations; ++n) slot =
             SystemWord(theirs(slot)).load(cuda::std::memory_order_relaxed);
         *reached = slot;))
  }
};

/// Starts the functor on one thread.
template <class Functor>
void run_once(Functor const& functor) {
  Kokkos::parallel_for("one thread", Kokkos::RangePolicy<Kokkos::Cuda>(0, 1),
                       functor);
}

void copy_to_device(std::vector<std::uint64_t> const& from, std::uint64_t* to) {
  Kokkos::deep_copy(
      DeviceWords(to, from.size()),
      Kokkos::View<std::uint64_t const*, Kokkos::HostSpace,
                   Kokkos::MemoryUnmanaged>(from.data(), from.size()));
}

/// A word per contestant, so that each has a protocol of its own.
struct Words3 {
  FarWords raw{"raw", slots};
  FarWords global{"global_view", slots};
  std::uint64_t* nvshmem = nullptr;

  explicit Words3(NvshmemBlocks& blocks) {
    if (!nvshmem::available()) return;
    nvshmem = blocks.allocate<std::uint64_t>(slots * sizeof(std::uint64_t));
    Kokkos::deep_copy(DeviceWords(nvshmem, slots), 0);
    Kokkos::fence();
    nvshmem::barrier();
  }
};

std::function<void(std::int64_t)> fenced(
    std::function<void(std::int64_t)> start) {
  return [start = std::move(start)](std::int64_t n) {
    start(n);
    Kokkos::Cuda{}.fence();
  };
}

/// How many words of a ring are not what `expected(turn)` says, for every turn
/// up to the last.
template <class Expected>
std::int64_t wrong_words(std::uint64_t const* words, std::uint64_t last,
                         Expected const& expected) {
  std::vector<std::uint64_t> here(ring::n_words);
  Kokkos::deep_copy(
      Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
          here.data(), here.size()),
      Kokkos::View<std::uint64_t const*, DeviceSpace, Kokkos::MemoryUnmanaged>(
          words, here.size()));
  std::int64_t wrong = 0;
  for (auto turn = last < ring::n_used ? 0 : last + 1 - ring::n_used;
       turn <= last; ++turn)
    wrong += here[ring::index(turn)] != expected(turn) ? 1 : 0;
  return wrong;
}

void measure_ping_pong(Session& session, OneSided const& pair) {
  if (session.n_pes() < 2) {
    session.report().note("one PE: no ping-pong");
    return;
  }
  NvshmemBlocks blocks;
  Words3 const words(blocks);
  symm::barrier_all(Kokkos::Cuda{});
  bool const plays  = pair.is_active() || pair.is_target();
  bool const begins = pair.is_active();
  int const other   = begins ? pair.peer() : 0;

  std::uint64_t value         = 0;
  std::uint64_t value_raw     = 0;
  std::uint64_t value_nvshmem = 0;
  auto const turn             = [=](std::uint64_t& last, auto const& player) {
    return [=, &last](std::int64_t n) {
      using Player = std::remove_cvref_t<decltype(player)>;
      if (plays) run_once(PingPong<Player>{player, last, begins, n});
      last += static_cast<std::uint64_t>(n);
    };
  };
  std::int64_t const few =
      session.gpus().are_shared() ? 2 : (session.quick() ? 100 : 0);
  auto const raw_theirs = symm::peer_view(words.raw, other);
  std::vector<Contestant> contestants{
      {"ping-pong, raw", "",
       fenced(turn(value_raw, RawPlayer{words.raw.data(), raw_theirs.data()})),
       few},
      {"ping-pong, symm", "ping-pong, raw",
       fenced(turn(value, SymmPlayer{symm::heap_map(
                                         symm::SymmetricCudaSpace::memory_kind),
                                     words.global.data(), other})),
       few}};
  if (nvshmem::available())
    contestants.push_back(
        {"ping-pong, NVSHMEM", "ping-pong, raw", fenced([&](std::int64_t n) {
           if (plays)
             nvshmem::ping_pong(words.nvshmem, value_nvshmem, other, begins, n,
                                Kokkos::Cuda{}.cuda_stream());
           value_nvshmem += static_cast<std::uint64_t>(n);
         }),
         few});
  if (session.gpus().are_shared())
    session.report().note(
        "PEs share a GPU: the ping-pong waits until the PEs' kernels get their "
        "turns");
  session.compare({{{"bytes", 8}}}, contestants);

  std::int64_t wrong = 0;
  if (plays) {
    auto const itself = [](std::uint64_t n) { return n; };
    wrong += wrong_words(words.raw.data(), value_raw, itself);
    wrong += wrong_words(words.global.data(), value, itself);
    if (nvshmem::available())
      wrong += wrong_words(words.nvshmem, value_nvshmem, itself);
  }
  session.verify("words of the ping-pong", wrong);
}

void measure_put(Session& session, OneSided const& pair) {
  NvshmemBlocks blocks;
  Words3 const words(blocks);
  symm::barrier_all(Kokkos::Cuda{});
  int const peer      = pair.peer();
  auto const value    = pattern(0, peer, 0);
  auto const put_with = [=](auto const& theirs) {
    return [=](std::int64_t n) {
      using Word =
          std::remove_const_t<std::remove_reference_t<decltype(theirs)>>;
      run_once(PutAndFence<Word>{theirs, value, n});
    };
  };
  auto const raw_theirs = symm::peer_view(words.raw, peer);
  std::vector<Contestant> contestants{
      {"put, raw", "",
       pair.active(fenced(put_with(Plain<std::uint64_t>{raw_theirs.data()})))},
      {"put, global_view", "put, raw",
       pair.active(fenced(put_with(on_pe(words.global, peer))))}};
  if (nvshmem::available())
    contestants.push_back(
        {"put, NVSHMEM", "put, raw", pair.active(fenced([&](std::int64_t n) {
           nvshmem::put_words(words.nvshmem, value, peer, n,
                              Kokkos::Cuda{}.cuda_stream());
         }))});
  session.compare({{{"bytes", 8}}}, contestants);

  symm::barrier_all(Kokkos::Cuda{});
  std::int64_t wrong = 0;
  if (pair.is_target()) {
    auto const same = [=](std::uint64_t) { return value; };
    // A sample goes that far, if it is no short one.
    std::uint64_t const last = session.quick() ? 0 : 63;
    wrong += wrong_words(words.raw.data(), last, same);
    wrong += wrong_words(words.global.data(), last, same);
    if (nvshmem::available()) wrong += wrong_words(words.nvshmem, last, same);
  }
  session.verify("words put", wrong);
}

/// Counts the walks that ended in a wrong slot.
class Walker {
 public:
  explicit Walker(RandomCycle const& cycle) : m_cycle(cycle) {}

  /// \param start  called with the number of steps and where to write the slot.
  template <class Start>
  std::function<void(std::int64_t)> walk(Start start) {
    return [this, start](std::int64_t n) {
      start(n, m_reached.data());
      Kokkos::Cuda{}.fence();
      auto const expected = m_cycle.slot_after(n);
      m_wrong += m_reached(0) != expected ? 1 : 0;
    };
  }

  [[nodiscard]] std::int64_t wrong() const { return m_wrong; }

 private:
  RandomCycle const& m_cycle;
  Kokkos::View<std::uint64_t*, Kokkos::CudaHostPinnedSpace> m_reached{"reached",
                                                                      1};
  std::int64_t m_wrong = 0;
};

void measure_get(Session& session, OneSided const& pair) {
  NvshmemBlocks blocks;
  Words3 const words(blocks);
  int const peer = pair.peer();
  RandomCycle const cycle(slots);
  if (pair.is_target()) {  // the other PEs' copies lead to nowhere
    copy_to_device(cycle.next(), words.raw.data());
    copy_to_device(cycle.next(), words.global.data());
    if (nvshmem::available()) copy_to_device(cycle.next(), words.nvshmem);
  }
  symm::barrier_all(Kokkos::Cuda{});

  Walker walker(cycle);
  auto const walk_with = [&](auto const& theirs) {
    return pair.active(walker.walk([=](std::int64_t n, std::uint64_t* reached) {
      using Word =
          std::remove_const_t<std::remove_reference_t<decltype(theirs)>>;
      run_once(Walk<Word>{theirs, reached, n});
    }));
  };
  auto const raw_theirs = symm::peer_view(words.raw, peer);
  std::vector<Contestant> contestants{
      {"get, raw", "", walk_with(Plain<std::uint64_t>{raw_theirs.data()})},
      {"get, global_view", "get, raw", walk_with(on_pe(words.global, peer))}};
  if (nvshmem::available())
    contestants.push_back(
        {"get, NVSHMEM", "get, raw",
         pair.active(walker.walk([&](std::int64_t n, std::uint64_t* reached) {
           nvshmem::walk(words.nvshmem, peer, n, reached,
                         Kokkos::Cuda{}.cuda_stream());
         }))});
  session.compare({{{"bytes", 8}}}, contestants);
  session.verify("walks", walker.wrong());
  symm::barrier_all();  // nobody frees what another one still reads
}

void measure(Session& session) {
  OneSided const pair(session);
  measure_ping_pong(session, pair);
  measure_put(session, pair);
  measure_get(session, pair);
}

Registered const registered{"kernel_latency", measure};

}  // namespace
}  // namespace perf::kernel_latency_benchmark

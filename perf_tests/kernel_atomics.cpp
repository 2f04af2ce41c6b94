// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Atomic additions to counters in the memory of another GPU.
//
// - "fetch_add": one thread of PE 0; each addition needs what the one before it
//   has returned, so that it cannot begin earlier. They go around a ring of
//   counters.
//
// The others add 1 to one counter of PE 1, and nobody asks what was there. An
// iteration is one kernel of
//
// - "adds": 819 200 threads of PE 0, once each;
// - "adds of all PEs": 8 192 threads of every PE, 100 times each;
// - "adds of one thread": of PE 0, 1 000 times.
//
// "symm" is the call with heap, symmetric address and PE, "global_view" that on
// the address of an element, "raw" CUDA's own instruction for all GPUs on a
// plain pointer. NVSHMEM has nvshmem_uint64_atomic_fetch_add and _add; "again"
// is the same on another counter.

#include <Kokkos_SymmetricSpace.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/OneSided.hpp"
#include "harness/Session.hpp"
#include "kernels/Lanes.hpp"
#include "kernels/Ring.hpp"

namespace perf::kernel_atomics_benchmark {
namespace {

using Counter = FarView<std::uint64_t>;
using Global  = symm::GlobalView<Counter>;

/// What adds without asking.
struct Shape {
  char const* name;
  std::int64_t threads;
  std::int64_t adds_each;
  bool by_all_pes;
};
constexpr std::array shapes{Shape{"adds", 819'200, 1, false},
                            Shape{"adds of all PEs", 8'192, 100, true},
                            Shape{"adds of one thread", 1, 1'000, false}};

// Ways to the counters.

struct Raw {
  std::uint64_t* counters;
  __device__ std::uint64_t fetch_add(std::size_t i, std::uint64_t value) const {
    return atomicAdd_system(reinterpret_cast<unsigned long long*>(counters) + i,
                            value);
  }
  __device__ void add() const { fetch_add(0, 1); }
};

struct OfPe {
  symm::HeapMap heap;
  std::uint64_t* counters;
  int pe;
  __device__ std::uint64_t fetch_add(std::size_t i, std::uint64_t value) const {
    return symm::atomic_fetch_add(heap, counters + i, value, pe);
  }
  __device__ void add() const { symm::atomic_add(heap, counters, 1, pe); }
};

struct InGlobalView {
  Global view;
  int pe;
  __device__ std::uint64_t fetch_add(std::size_t i, std::uint64_t value) const {
    return symm::atomic_fetch_add(&view(pe, i), value);
  }
  __device__ void add() const { symm::atomic_add(&view(pe, 0), 1); }
};

/// Adds 1 to the counters in turn.
template <class Way>
struct FetchAdds {
  Way way;
  std::uint64_t first;  ///< number of the first addition
  std::int64_t iterations;
  std::uint64_t* last;

  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_DEVICE(
        (std::uint64_t before = 0;
         for (std::int64_t n = 0; n < iterations; ++n) before =
             way.fetch_add(ring::index(first + static_cast<std::uint64_t>(n)),
                           1 + (before >> 63U));
         *last = before;))
  }
};

template <class Way>
struct Adds {
  Way way;
  std::int64_t adds_each;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    KOKKOS_IF_ON_DEVICE(
        (for (std::int64_t n = 0; n < adds_each; ++n) way.add();))
  }
};

template <class Functor>
void launch(std::int64_t threads, Functor const& functor) {
  Kokkos::parallel_for(
      "atomics",
      Kokkos::RangePolicy<Kokkos::Cuda, Kokkos::IndexType<std::int64_t>>(
          0, threads),
      functor);
}

/// A contestant with counters of its own.
struct Lane {
  std::string name;
  std::string baseline;
  /// \param done  additions by this PE, before.
  std::function<void(std::uint64_t done, std::int64_t iterations)> start;
  std::uint64_t const* counters;  ///< this PE's copy
  std::uint64_t done = 0;         ///< by every PE that adds
};

std::uint64_t sum_of_all(std::uint64_t const* counters) {
  std::uint64_t all = 0;
  Kokkos::parallel_reduce(
      Kokkos::RangePolicy<Kokkos::Cuda>(0, ring::n_words),
      KOKKOS_LAMBDA(std::size_t i, std::uint64_t & sum) { sum += counters[i]; },
      all);
  return all;
}

/// Measures what adds to counters.
class Measurement {
 public:
  /// \param adds  of an iteration.
  Measurement(OneSided const& pair, std::string name, std::int64_t adds,
              bool by_all_pes)
      : m_pair(pair),
        m_name(std::move(name)),
        m_adds(static_cast<std::uint64_t>(adds)),
        m_by_all_pes(by_all_pes) {}

  void add(std::string const& how, std::string const& baseline,
           std::uint64_t const* counters,
           std::function<void(std::uint64_t, std::int64_t)> start) {
    m_lanes.push_back({m_name + ", " + how,
                       baseline.empty() ? "" : m_name + ", " + baseline,
                       std::move(start), counters});
  }

  /// Where a kernel may write the last value that was in a counter, of which
  /// the host knows what it should be.
  [[nodiscard]] std::uint64_t* last() const { return m_last.data(); }

  void run(Session& session) {
    std::vector<Contestant> contestants;
    for (Lane& lane : m_lanes)
      contestants.push_back(
          {lane.name, lane.baseline, [this, &lane](std::int64_t n) {
             auto const before = lane.done;
             lane.done += static_cast<std::uint64_t>(n) * m_adds;
             if (!m_pair.is_active() && !m_by_all_pes) return;
             lane.start(before, n);
             Kokkos::Cuda{}.fence();
             if (m_adds == 1 && m_last(0) != (lane.done - 1) / ring::n_used)
               ++m_wrong;
           }});
    session.compare({{{"bytes", 8}}}, contestants);
    symm::barrier_all(Kokkos::Cuda{});
    auto const n_adders =
        static_cast<std::uint64_t>(m_by_all_pes ? session.n_pes() : 1);
    if (m_pair.is_target())
      for (Lane const& lane : m_lanes)
        if (sum_of_all(lane.counters) != lane.done * n_adders) ++m_wrong;
    session.verify(m_name + ", what was and is in the counters", m_wrong);
  }

 private:
  OneSided m_pair;
  std::string m_name;
  std::uint64_t m_adds;
  bool m_by_all_pes;
  Kokkos::View<std::uint64_t*, Kokkos::CudaHostPinnedSpace> m_last{"last", 1};
  std::deque<Lane> m_lanes;
  std::int64_t m_wrong = 0;
};

/// The counters of a measurement.
struct Counters {
  Counter raw{"raw", ring::n_words};
  Counter symm{"symm", ring::n_words};
  Counter global{"global_view", ring::n_words};
  NvshmemBlocks blocks;
  std::uint64_t* nvshmem       = nullptr;
  std::uint64_t* nvshmem_again = nullptr;

  Counters() {
    if (nvshmem::available()) {
      nvshmem       = zeros();
      nvshmem_again = zeros();
    }
    symm::barrier_all(Kokkos::Cuda{});
  }

 private:
  std::uint64_t* zeros() {
    auto* const words =
        blocks.allocate<std::uint64_t>(ring::n_words * sizeof(std::uint64_t));
    Kokkos::deep_copy(DeviceWords(words, ring::n_words), 0);
    return words;
  }
};

/// \param start  is given a way to the counters, the number of additions before
///               and that of iterations.
/// \param start_nvshmem  the same, with words of NVSHMEM.
template <class Start, class StartNvshmem>
void measure_ways(Session& session, int peer, Measurement& measurement,
                  Start start, StartNvshmem start_nvshmem) {
  Counters const counters;
  auto const add = [&](char const* how, char const* baseline,
                       Counter const& counter, auto way) {
    measurement.add(
        how, baseline, counter.data(),
        [=](std::uint64_t done, std::int64_t n) { start(way, done, n); });
  };
  add("raw", "", counters.raw, Raw{symm::peer_view(counters.raw, peer).data()});
  add("symm", "raw", counters.symm,
      OfPe{symm::heap_map(symm::SymmetricCudaSpace::memory_kind),
           counters.symm.data(), peer});
  add("global_view", "raw", counters.global,
      InGlobalView{symm::global_view(counters.global), peer});
  auto const add_nvshmem = [&](char const* how, char const* baseline,
                               std::uint64_t* words) {
    measurement.add(how, baseline, words,
                    [=](std::uint64_t done, std::int64_t n) {
                      start_nvshmem(words, done, n);
                    });
  };
  if (nvshmem::available()) {
    add_nvshmem("NVSHMEM", "raw", counters.nvshmem);
    add_nvshmem("NVSHMEM, again", "NVSHMEM", counters.nvshmem_again);
  }
  measurement.run(session);
}

void measure_fetch_add(Session& session, OneSided const& pair) {
  Measurement measurement(pair, "fetch_add", 1, false);
  int const peer   = pair.peer();
  auto* const last = measurement.last();
  measure_ways(
      session, peer, measurement,
      [=](auto const& way, std::uint64_t done, std::int64_t n) {
        launch(1, FetchAdds<std::decay_t<decltype(way)>>{way, done, n, last});
      },
      [=](std::uint64_t* words, std::uint64_t done, std::int64_t n) {
        nvshmem::fetch_add(words, done, peer, n, last,
                           Kokkos::Cuda{}.cuda_stream());
      });
}

void measure_adds(Session& session, OneSided const& pair, Shape const& shape) {
  Measurement measurement(pair, shape.name, shape.threads * shape.adds_each,
                          shape.by_all_pes);
  int const peer = pair.peer();
  measure_ways(
      session, peer, measurement,
      [=](auto const& way, std::uint64_t, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          launch(shape.threads,
                 Adds<std::decay_t<decltype(way)>>{way, shape.adds_each});
      },
      [=](std::uint64_t* words, std::uint64_t, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          nvshmem::add(words, shape.threads, shape.adds_each, peer,
                       Kokkos::Cuda{}.cuda_stream());
      });
}

void measure(Session& session) {
  OneSided const pair(session);
  measure_fetch_add(session, pair);
  for (Shape const& shape : shapes) measure_adds(session, pair, shape);
}

Registered const registered{"kernel_atomics", measure};

}  // namespace
}  // namespace perf::kernel_atomics_benchmark

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Atomic additions to a counter in the memory of another GPU, by kernels of
// PE 0.
//
// - "fetch_add": one thread; each addition needs what the one before it has
//   returned, so that it cannot begin earlier.
// - "adds": 819 200 threads of one kernel add 1 each, and nobody asks what was
//   there. An iteration is one kernel.
//
// "symm" is the call with heap, symmetric address and PE, "global_view" that on
// the address of an element, "raw" CUDA's own instruction for all GPUs on a
// plain pointer. NVSHMEM has nvshmem_uint64_atomic_fetch_add and _add; "again"
// is the same on another counter.

#include <Kokkos_SymmetricSpace.hpp>
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

namespace perf {
namespace {

using Counter = FarView<std::uint64_t>;
using Global  = symm::GlobalView<Counter>;

constexpr std::int64_t adds_per_kernel = 819'200;

// Ways to a counter.

struct Raw {
  std::uint64_t* address;
  __device__ std::uint64_t fetch_add(std::uint64_t value) const {
    return atomicAdd_system(reinterpret_cast<unsigned long long*>(address),
                            value);
  }
  __device__ void add() const { fetch_add(1); }
};

struct OfPe {
  symm::HeapMap heap;
  std::uint64_t* word;
  int pe;
  __device__ std::uint64_t fetch_add(std::uint64_t value) const {
    return symm::atomic_fetch_add(heap, word, value, pe);
  }
  __device__ void add() const { symm::atomic_add(heap, word, 1, pe); }
};

struct InGlobalView {
  Global view;
  int pe;
  __device__ std::uint64_t fetch_add(std::uint64_t value) const {
    return symm::atomic_fetch_add(&view(pe, 0), value);
  }
  __device__ void add() const { symm::atomic_add(&view(pe, 0), 1); }
};

template <class Way>
struct FetchAdds {
  Way way;
  std::int64_t iterations;
  std::uint64_t* last;

  KOKKOS_FUNCTION void operator()(int) const {
    KOKKOS_IF_ON_DEVICE(
        (std::uint64_t before = 0;
         for (std::int64_t n = 0; n < iterations; ++n)  // adds 1
         before = way.fetch_add(1 + (before >> 63U));
         *last  = before;))
  }
};

template <class Way>
struct OneAdd {
  Way way;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    KOKKOS_IF_ON_DEVICE((way.add();))
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

/// A contestant with a counter of its own.
struct Lane {
  std::string name;
  std::string baseline;
  std::function<void(std::int64_t iterations)> start;
  std::uint64_t const* counter;  ///< this PE's copy
  std::uint64_t expected = 0;    ///< what is in the peer's
};

/// Measures what adds to counters.
class Measurement {
 public:
  /// \param adds  of an iteration.
  Measurement(OneSided const& pair, std::string name, std::int64_t adds)
      : m_pair(pair), m_name(std::move(name)), m_adds(adds) {}

  void add(std::string const& how, std::string const& baseline,
           std::uint64_t const* counter,
           std::function<void(std::int64_t)> start) {
    m_lanes.push_back({m_name + ", " + how,
                       baseline.empty() ? "" : m_name + ", " + baseline,
                       std::move(start), counter});
  }

  /// Where a kernel may write the last value that was in a counter, of which
  /// the host knows what it should be.
  [[nodiscard]] std::uint64_t* last() const { return m_last.data(); }

  void run(Session& session) {
    std::vector<Contestant> contestants;
    for (Lane& lane : m_lanes)
      contestants.push_back(
          {lane.name, lane.baseline, [this, &lane](std::int64_t n) {
             auto const adds = static_cast<std::uint64_t>(n * m_adds);
             lane.expected += adds;
             if (!m_pair.is_active()) return;
             lane.start(n);
             Kokkos::Cuda{}.fence();
             auto const expected_last = lane.expected - 1;
             if (m_adds == 1 && m_last(0) != expected_last) ++m_wrong;
           }});
    session.compare({{{"bytes", 8}}}, contestants);
    symm::barrier_all(Kokkos::Cuda{});
    if (m_pair.is_target())
      for (Lane const& lane : m_lanes)
        if (read_word(lane.counter) != lane.expected) ++m_wrong;
    session.verify(m_name + ", what was and is in the counters", m_wrong);
  }

 private:
  OneSided m_pair;
  std::string m_name;
  std::int64_t m_adds;
  Kokkos::View<std::uint64_t*, Kokkos::CudaHostPinnedSpace> m_last{"last", 1};
  std::deque<Lane> m_lanes;
  std::int64_t m_wrong = 0;
};

/// The counters of a measurement.
struct Counters {
  Counter raw{"raw", 1};
  Counter symm{"symm", 1};
  Counter global{"global_view", 1};
  NvshmemBlocks blocks;
  std::uint64_t* nvshmem       = nullptr;
  std::uint64_t* nvshmem_again = nullptr;

  Counters() {
    if (nvshmem::available()) {
      nvshmem       = blocks.allocate<std::uint64_t>(sizeof(std::uint64_t));
      nvshmem_again = blocks.allocate<std::uint64_t>(sizeof(std::uint64_t));
      write_word(nvshmem, 0);
      write_word(nvshmem_again, 0);
    }
    symm::barrier_all(Kokkos::Cuda{});
  }
};

/// \param start  is given a way to a counter, and the number of iterations.
/// \param start_nvshmem  the same, with a word of NVSHMEM.
template <class Start, class StartNvshmem>
void measure_ways(Session& session, int peer, Measurement& measurement,
                  Start start, StartNvshmem start_nvshmem) {
  Counters const counters;
  auto const add = [&](char const* how, char const* baseline,
                       Counter const& counter, auto way) {
    measurement.add(how, baseline, counter.data(),
                    [=](std::int64_t n) { start(way, n); });
  };
  add("raw", "", counters.raw, Raw{symm::peer_view(counters.raw, peer).data()});
  add("symm", "raw", counters.symm,
      OfPe{symm::heap_map(symm::SymmetricCudaSpace::memory_kind),
           counters.symm.data(), peer});
  add("global_view", "raw", counters.global,
      InGlobalView{symm::global_view(counters.global), peer});
  if (nvshmem::available()) {
    measurement.add("NVSHMEM", "raw", counters.nvshmem,
                    [=, word = counters.nvshmem](std::int64_t n) {
                      start_nvshmem(word, n);
                    });
    measurement.add("NVSHMEM, again", "NVSHMEM", counters.nvshmem_again,
                    [=, word = counters.nvshmem_again](std::int64_t n) {
                      start_nvshmem(word, n);
                    });
  }
  measurement.run(session);
}

void measure_fetch_add(Session& session, OneSided const& pair) {
  Measurement measurement(pair, "fetch_add", 1);
  int const peer   = pair.peer();
  auto* const last = measurement.last();
  measure_ways(
      session, peer, measurement,
      [=](auto const& way, std::int64_t n) {
        launch(1, FetchAdds<std::decay_t<decltype(way)>>{way, n, last});
      },
      [=](std::uint64_t* word, std::int64_t n) {
        nvshmem::fetch_add(word, peer, n, last, Kokkos::Cuda{}.cuda_stream());
      });
}

void measure_adds(Session& session, OneSided const& pair) {
  Measurement measurement(pair, "adds", adds_per_kernel);
  int const peer = pair.peer();
  measure_ways(
      session, peer, measurement,
      [](auto const& way, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          launch(adds_per_kernel, OneAdd<std::decay_t<decltype(way)>>{way});
      },
      [=](std::uint64_t* word, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i)
          nvshmem::add(word, adds_per_kernel, peer,
                       Kokkos::Cuda{}.cuda_stream());
      });
}

void measure(Session& session) {
  OneSided const pair(session);
  measure_fetch_add(session, pair);
  measure_adds(session, pair);
}

}  // namespace
}  // namespace perf

int main(int argc, char** argv) {
  return perf::run_benchmark(argc, argv, "kernel_atomics", perf::measure);
}

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Random updates of a table that is spread over all PEs (HPC Challenge,
// RandomAccess): every PE xors numbers to words anywhere, all PEs at once.
//
// An iteration is a round: as many updates by each PE as the case says, by one
// kernel, the same ones in every round. The numbers are those of
// examples/gups, made before: it is the updates that are measured.
//
// "symm" is the call with heap, symmetric address and PE, "global_view" that on
// the address of an element, "raw" the machine's instruction on a pointer from
// a table of those to the parts. OpenSHMEM and NVSHMEM have
// shmem_ulong_atomic_xor; NVSHMEM's kernel has a thread per update, as ours.
// In a job of several nodes there are no loads and stores to compare with:
// "symm" is then compared with MPI_Accumulate and OpenSHMEM.
//
// The check: after an odd number of rounds the PEs take one back, each in its
// own part and without the calls that are measured. What was there at first
// must be there again. (An update that is lost is found; two equal rounds that
// are lost both are not.)

#include <Kokkos_SymmetricSpace.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../examples/gups/random.hpp"
#include "baselines/MpiWindow.hpp"
#include "baselines/Nvshmem.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/Session.hpp"
#include "kernels/Spread.hpp"

namespace perf::gups_benchmark {
namespace {

using Exec    = Kokkos::DefaultExecutionSpace;
using Table   = Kokkos::View<std::uint64_t*, symm::SymmetricSpace>;
using Global  = symm::GlobalView<Table>;
using Numbers = Kokkos::View<std::uint64_t*, DeviceSpace>;

constexpr bool on_gpus =
    !Kokkos::SpaceAccessibility<Kokkos::HostSpace, DeviceSpace>::accessible;

struct Sizes {
  std::uint64_t words_per_pe;
  std::uint64_t updates;  ///< of a round, by each PE
};

bool are_all_near(int n_pes) {
  for (int pe = 0; pe < n_pes; ++pe)
    if (!symm::is_near(pe)) return false;
  return true;
}

Sizes sizes(Session const& session) {
  constexpr std::uint64_t one = 1;
  if (session.quick()) return {one << 12U, one << 12U};
  // MPI's updates take microseconds over nodes.
  if (!are_all_near(session.n_pes())) return {one << 20U, one << 15U};
  if (on_gpus) return {one << 25U, one << 24U};  // 256 MiB
  return {one << 20U, one << 16U};               // 8 MiB
}

template <class Functor>
void launch(char const* name, std::uint64_t count, Functor const& functor) {
  Kokkos::parallel_for(
      name,
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
          0, static_cast<std::int64_t>(count)),
      functor);
}

// The random numbers of several threads, to which each has to find its first.
constexpr std::uint64_t numbers_of_thread = 1024;

/// Calls `use(n, number)` with the numbers first <= n < first + count of the
/// sequence; count is a multiple of numbers_of_thread.
template <class Use>
void for_numbers(std::uint64_t first, std::uint64_t count, Use const& use) {
  launch(
      "random numbers", count / numbers_of_thread,
      KOKKOS_LAMBDA(std::int64_t thread) {
        auto const begin =
            first + static_cast<std::uint64_t>(thread) * numbers_of_thread;
        std::uint64_t random = gups::random_number(begin);
        for (auto n = begin; n < begin + numbers_of_thread; ++n) {
          use(n, random);
          random = gups::next_random(random);
        }
      });
}

/// The numbers that PE `pe` xors.
Numbers numbers_of(std::uint64_t updates, int pe) {
  Numbers numbers(Kokkos::view_alloc("numbers", Kokkos::WithoutInitializing),
                  updates);
  auto const first = updates * static_cast<std::uint64_t>(pe);
  for_numbers(
      first, updates, KOKKOS_LAMBDA(std::uint64_t n, std::uint64_t random) {
        numbers(n - first) = random;
      });
  return numbers;
}

/// A round of all PEs, as far as it is in this PE's part.
void take_back(Spread const& spread, std::uint64_t updates,
               DeviceWords const& words, int my_pe) {
  for_numbers(
      0, updates * spread.n_pes,
      KOKKOS_LAMBDA(std::uint64_t, std::uint64_t number) {
        if (spread.pe_of(number) == my_pe)
          Kokkos::atomic_xor(&words(spread.word_of(number)), number);
      });
}

// Ways to xor a number to word `i` of PE `pe`.

struct Part {
  std::uint64_t* words;
};

#ifdef KOKKOS_ENABLE_CUDA
/// atomicXor_system() that returns nothing: nvcc may not see that nobody asks,
/// where it does not know that the memory is global.
__device__ inline void red_xor(std::uint64_t* word, std::uint64_t number) {
  asm volatile("red.relaxed.sys.global.xor.b64 [%0], %1;" ::"l"(
                   __cvta_generic_to_global(word)),
               "l"(number)
               : "memory");
}
#endif

struct Raw {
  Part const* parts;
  KOKKOS_FUNCTION void update(int pe, std::size_t i,
                              std::uint64_t number) const {
    KOKKOS_IF_ON_HOST((std::atomic_ref<std::uint64_t>(parts[pe].words[i])
                           .fetch_xor(number, std::memory_order_relaxed);))
    KOKKOS_IF_ON_DEVICE((red_xor(parts[pe].words + i, number);))
  }
};

struct OfPe {
  symm::HeapMap heap;
  std::uint64_t* words;
  KOKKOS_FUNCTION void update(int pe, std::size_t i,
                              std::uint64_t number) const {
    symm::atomic_xor(heap, words + i, number, pe);
  }
};

struct InGlobalView {
  Global view;
  KOKKOS_FUNCTION void update(int pe, std::size_t i,
                              std::uint64_t number) const {
    symm::atomic_xor(&view(pe, i), number);
  }
};

template <class Way>
struct Update {
  Way way;
  Spread spread;
  std::uint64_t const* numbers;

  KOKKOS_FUNCTION void operator()(std::int64_t n) const {
    std::uint64_t const number = numbers[n];
    way.update(spread.pe_of(number), spread.word_of(number), number);
  }
};

nvshmem::Stream stream() {
#ifdef KOKKOS_ENABLE_CUDA
  return Kokkos::Cuda{}.cuda_stream();
#else
  return nullptr;  // no NVSHMEM either
#endif
}

/// A table for each way to update it. Made and destroyed collectively.
class Measurement {
 public:
  explicit Measurement(Session const& session)
      : m_sizes(sizes(session)),
        m_spread{static_cast<std::uint64_t>(session.n_pes()),
                 m_sizes.words_per_pe},
        m_my_pe(session.my_pe()),
        m_numbers(numbers_of(m_sizes.updates, m_my_pe)) {
    Exec().fence();
    bool const is_one_node = are_all_near(session.n_pes());
    if (is_one_node) {
      add_raw("raw", "");
      add_raw("raw, again", "raw");
    } else {
      add_mpi();
    }
    auto const table = add_table("symm");
    add("symm", is_one_node ? "raw" : "MPI_Accumulate", table.data(),
        kernel(OfPe{symm::heap_map(Table::memory_space::memory_kind),
                    table.data()}));
    // Over nodes, who is done answers the others best where it waits in this
    // library, not in MPI.
    if (!is_one_node) m_lanes.back().end = [] { symm::barrier_all(); };
    if (is_one_node) {
      auto const global = add_table("global_view");
      add("global_view", "raw", global.data(),
          kernel(InGlobalView{symm::global_view(global)}));
    }
    for (char const* name : {"OpenSHMEM", "OpenSHMEM, again"})
      if (openshmem::available()) add_openshmem(name);
    for (char const* name : {"NVSHMEM", "NVSHMEM, again"})
      if (nvshmem::available()) add_nvshmem(name);
    symm::barrier_all();
  }

  /// Collective.
  void run(Session& session) {
    std::vector<Contestant> contestants;
    for (Lane& lane : m_lanes)
      contestants.push_back(
          {lane.name, lane.baseline, [&lane](std::int64_t n) { lane.run(n); }});
    auto plan = session.plan();
    // OpenSHMEM's updates take microseconds over nodes.
    if (!are_all_near(session.n_pes())) plan.samples = 10;
    session.compare(
        {{{"bytes", static_cast<std::int64_t>(m_sizes.words_per_pe *
                                              sizeof(std::uint64_t))},
          {"updates", static_cast<std::int64_t>(m_sizes.updates)}}},
        contestants, plan);
    for (Lane& lane : m_lanes)
      if (lane.rounds % 2 == 0) lane.run(1);
    symm::barrier_all();
    if (openshmem::available()) openshmem::barrier();
    std::int64_t wrong = 0;
    for (Lane const& lane : m_lanes) {
      take_back(m_spread, m_sizes.updates, lane.words, m_my_pe);
      wrong += count_wrong(lane.words, m_my_pe, m_my_pe);
    }
    session.verify("words of the tables", wrong);
  }

 private:
  using Block = std::unique_ptr<std::uint64_t, void (*)(void*)>;

  struct Lane {
    std::string name;
    std::string baseline;
    DeviceWords words;            ///< of this PE
    std::function<void()> start;  ///< starts a round
    std::function<void()> end;    ///< of a sample
    std::int64_t rounds = 0;

    void run(std::int64_t n) {
      rounds += n;
      for (; n > 0; --n) start();
      Exec().fence();
      end();
    }
  };

  void add(std::string name, std::string baseline, std::uint64_t* words,
           std::function<void()> start) {
    DeviceWords const mine(words, m_sizes.words_per_pe);
    fill_pattern(mine, m_my_pe, m_my_pe);
    m_lanes.push_back({std::move(name), std::move(baseline), mine,
                       std::move(start), [] { symm::quiet(); }});
  }

  Table add_table(std::string const& name) {
    return m_tables.emplace_back(
        Kokkos::view_alloc(name, Kokkos::WithoutInitializing),
        m_sizes.words_per_pe);
  }

  template <class Way>
  [[nodiscard]] std::function<void()> kernel(Way const& way) const {
    return [updates = m_sizes.updates,
            update  = Update<Way>{way, m_spread, m_numbers.data()}] {
      launch("updates", updates, update);
    };
  }

  void add_raw(std::string const& name, std::string const& baseline) {
    auto const table = add_table(name);
    auto const parts =
        m_parts.emplace_back("parts", static_cast<std::size_t>(m_spread.n_pes));
    auto const on_host = Kokkos::create_mirror_view(parts);
    for (std::size_t pe = 0; pe < parts.extent(0); ++pe)
      on_host(pe) = {symm::peer_view(table, static_cast<int>(pe)).data()};
    Kokkos::deep_copy(parts, on_host);
    add(name, baseline, table.data(), kernel(Raw{parts.data()}));
  }

  void add_mpi() {
    if (on_gpus) return;
    m_window = MpiWindow::create(m_sizes.words_per_pe * sizeof(std::uint64_t));
    if (!m_window) return;
    add("MPI_Accumulate", "", m_window->words().data(), [this] {
      m_window->xor_words({m_numbers.data(), m_numbers.extent(0)}, m_spread);
    });
  }

  void add_openshmem(std::string const& name) {
    auto* const words = add_block(openshmem::allocate, openshmem::deallocate);
    add(name, name == "OpenSHMEM" ? "" : "OpenSHMEM", words, [=, this] {
      openshmem::xor_words(words, {m_numbers.data(), m_numbers.extent(0)},
                           m_spread);
    });
  }

  void add_nvshmem(std::string const& name) {
    auto* const words = add_block(nvshmem::allocate, nvshmem::deallocate);
    add(name, name == "NVSHMEM" ? "" : "NVSHMEM", words, [=, this] {
      nvshmem::xor_words(words, m_numbers.data(), m_sizes.updates, m_spread,
                         stream());
    });
  }

  std::uint64_t* add_block(void* (*allocate)(std::size_t),
                           void (*deallocate)(void*)) {
    return m_blocks
        .emplace_back(static_cast<std::uint64_t*>(allocate(
                          m_sizes.words_per_pe * sizeof(std::uint64_t))),
                      deallocate)
        .get();
  }

  Sizes m_sizes;
  Spread m_spread;
  int m_my_pe;
  Numbers m_numbers;
  std::deque<Table> m_tables;
  std::deque<Kokkos::View<Part*, DeviceSpace>> m_parts;
  std::deque<Block> m_blocks;
  std::unique_ptr<MpiWindow> m_window;
  std::deque<Lane> m_lanes;
};

void measure(Session& session) { Measurement(session).run(session); }

Registered const registered{"gups", measure};

}  // namespace
}  // namespace perf::gups_benchmark

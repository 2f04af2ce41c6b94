// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::put and symm::get in kernels, by who calls and over size.
//
// PE 0 copies between its own GPU memory and that of PE 1.
//
// - "thread": one thread;
// - "warp": the lanes of a thread of a team, 32 of them;
// - "team": a team of 512 threads;
// - "grid": 32 such teams, each with a contiguous part.
//
// An iteration is one call; a put has symm::quiet() after it, by one thread, so
// that it is complete on PE 1, as a get is when it returns. A sample is one
// kernel with so many calls one after the other, of the grid so many kernels,
// and a wait for the last one. Calls of a kernel go from slot to slot of a
// memory that is larger than a first-level cache, which may answer gets.
//
// NVSHMEM has nvshmem_putmem, nvshmemx_putmem_warp and _block and
// nvshmem_quiet, the same for gets; "again" is the same in other memory.

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "baselines/Nvshmem.hpp"
#include "baselines/NvshmemRma.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/OneSided.hpp"
#include "harness/Pattern.hpp"
#include "harness/Session.hpp"
#include "kernels/Lanes.hpp"
#include "kernels/RmaCalls.hpp"

namespace perf::kernel_rma_benchmark {
namespace {

using rma::Scope;
using rma::Slots;

constexpr std::size_t kib = std::size_t{1} << 10U;
constexpr std::size_t mib = std::size_t{1} << 20U;

constexpr std::array all_scopes{Scope::thread, Scope::warp, Scope::team,
                                Scope::grid};

std::string text_of(Scope scope) {
  switch (scope) {
    case Scope::thread: return "thread";
    case Scope::warp: return "warp";
    case Scope::team: return "team";
    case Scope::grid: return "grid";
  }
  return "";
}

/// In bytes. Some of the short mode are no multiples of 16, or of 32 parts.
std::vector<std::size_t> sizes(Scope scope, bool quick) {
  switch (scope) {
    case Scope::thread:
      if (quick) return {8, kib + 24};
      return {8, 64, 512, 4 * kib};
    case Scope::warp:
      if (quick) return {8, 16 * kib + 24};
      return {8, 64, 512, 4 * kib, 64 * kib};
    case Scope::team:
      if (quick) return {8, 256 * kib + 24};
      return {8, 512, 4 * kib, 64 * kib, mib};
    case Scope::grid:
      if (quick) return {64 * kib, 4 * mib + 24};
      return {64 * kib, mib, 8 * mib, 64 * mib};
  }
  return {};
}

/// Slots for calls of so many bytes: one for the grid, whose kernels begin with
/// an empty first-level cache.
Slots slots_for(Scope scope, std::size_t bytes) {
  constexpr std::size_t all_words = 4 * mib / sizeof(std::uint64_t);
  constexpr std::size_t unit      = 256 / sizeof(std::uint64_t);
  std::size_t const words         = bytes / sizeof(std::uint64_t);
  std::size_t const stride        = (words / unit + 1) * unit;  // has a gap
  std::size_t const count =
      scope == Scope::grid ? 1 : std::max<std::size_t>(all_words / stride, 1);
  return {words, stride, count};
}

/// With all gaps.
std::size_t words_of(Slots const& slots) { return slots.stride * slots.count; }

/// Enough for all shapes.
std::size_t largest_memory(bool quick) {
  std::size_t words = 0;
  for (Scope const scope : all_scopes)
    for (std::size_t const bytes : sizes(scope, quick))
      words = std::max(words, words_of(slots_for(scope, bytes)));
  return words * sizeof(std::uint64_t);
}

/// Between what a call copies: `far` stands for the copy of PE `pe`.
struct Ends {
  symm::HeapMap heap;
  std::uint64_t* far;
  std::uint64_t* near;
  int pe;
};

/// \param group  none for one thread.
template <Direction direction, class... Group>
KOKKOS_INLINE_FUNCTION void call(Ends const& ends, std::size_t at,
                                 std::size_t words, Group const&... group) {
  if constexpr (direction == Direction::put) {
    symm::put(group..., ends.heap, ends.far + at, ends.near + at, words,
              ends.pe);
  } else {
    symm::get(group..., ends.heap, ends.near + at, ends.far + at, words,
              ends.pe);
  }
}

template <Direction direction>
struct ByThread {
  Ends ends;
  Slots slots;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(int) const {
    std::size_t at = 0;
    for (std::int64_t n = 0; n < iterations; ++n) {
      call<direction>(ends, at, slots.words);
      if constexpr (direction == Direction::put) symm::quiet();
      at = slots.next(at);
    }
  }
};

// A put of a group ends with a barrier of it: what one thread's quiet() then
// completes is all of the group's. Kokkos::single() of lanes ends with one of
// them. (That of a team without lanes takes 0.34 us: the threads of a warp wait
// each for itself.)

template <Direction direction>
struct ByLanes {
  using Policy = Kokkos::TeamPolicy<Kokkos::Cuda>;

  Ends ends;
  Slots slots;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(Policy::member_type const& member) const {
    std::size_t at = 0;
    for (std::int64_t n = 0; n < iterations; ++n) {
      call<direction>(ends, at, slots.words, symm::lanes(member));
      if constexpr (direction == Direction::put)
        Kokkos::single(Kokkos::PerThread(member), [] { symm::quiet(); });
      at = slots.next(at);
    }
  }
};

template <Direction direction>
struct ByTeams {
  using Policy =
      Kokkos::TeamPolicy<Kokkos::Cuda, Kokkos::LaunchBounds<rma::team_threads>>;

  Ends ends;
  Slots slots;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(
      typename Policy::member_type const& member) const {
    auto const part = rma::Part::of(
        slots.words, static_cast<std::size_t>(member.league_rank()),
        static_cast<std::size_t>(member.league_size()));
    std::size_t at = 0;
    for (std::int64_t n = 0; n < iterations; ++n) {
      call<direction>(ends, at + part.first, part.words, member);
      if constexpr (direction == Direction::put) {
        if (member.team_rank() == 0) symm::quiet();
        member.team_barrier();
      }
      at = slots.next(at);
    }
  }
};

/// Returns before the calls are done.
template <Direction direction>
void start(Kokkos::Cuda const& cuda, Scope scope, Ends const& ends,
           Slots const& slots, std::int64_t iterations) {
  using Lanes = typename ByLanes<direction>::Policy;
  using Teams = typename ByTeams<direction>::Policy;
  switch (scope) {
    case Scope::thread:
      Kokkos::parallel_for("rma, thread",
                           Kokkos::RangePolicy<Kokkos::Cuda>(cuda, 0, 1),
                           ByThread<direction>{ends, slots, iterations});
      break;
    case Scope::warp:
      Kokkos::parallel_for("rma, warp", Lanes(cuda, 1, 1, 32),
                           ByLanes<direction>{ends, slots, iterations});
      break;
    case Scope::team:
      Kokkos::parallel_for("rma, team", Teams(cuda, 1, rma::team_threads),
                           ByTeams<direction>{ends, slots, iterations});
      break;
    case Scope::grid:
      for (std::int64_t n = 0; n < iterations; ++n)
        Kokkos::parallel_for("rma, grid",
                             Teams(cuda, rma::grid_teams, rma::team_threads),
                             ByTeams<direction>{ends, slots, 1});
      break;
  }
}

void start_symm(Direction direction, Scope scope, Ends const& ends,
                Slots const& slots, std::int64_t iterations) {
  Kokkos::Cuda const cuda;
  if (direction == Direction::put)
    start<Direction::put>(cuda, scope, ends, slots, iterations);
  else
    start<Direction::get>(cuda, scope, ends, slots, iterations);
}

void start_nvshmem(Direction direction, Scope scope, Ends const& ends,
                   Slots const& slots, std::int64_t iterations) {
  auto* const stream           = Kokkos::Cuda{}.cuda_stream();
  bool const is_grid           = scope == Scope::grid;
  std::int64_t const n_kernels = is_grid ? iterations : 1;
  std::int64_t const n_calls   = is_grid ? 1 : iterations;
  for (std::int64_t n = 0; n < n_kernels; ++n) {
    if (direction == Direction::put)
      nvshmem::puts_in_kernel(scope, ends.far, ends.near, slots, ends.pe,
                              n_calls, stream);
    else
      nvshmem::gets_in_kernel(scope, ends.near, ends.far, slots, ends.pe,
                              n_calls, stream);
  }
}

/// Counts the words that are not as `n_calls` calls should have left an area of
/// zeros: the pattern in the slots that they have reached, zeros elsewhere.
std::int64_t count_wrong_words(DeviceWords const& words, Slots const& slots,
                               std::int64_t n_calls, int from, int to) {
  std::int64_t wrong   = 0;
  auto const n_reached = static_cast<std::size_t>(n_calls);
  Kokkos::parallel_reduce(
      "compare with the pattern",
      Kokkos::RangePolicy<Kokkos::Cuda>(0, words_of(slots)),
      KOKKOS_LAMBDA(std::size_t i, std::int64_t & sum) {
        bool const is_copied =
            i / slots.stride < n_reached && i % slots.stride < slots.words;
        sum += words(i) != (is_copied ? pattern(from, to, i) : 0) ? 1 : 0;
      },
      wrong);
  return wrong;
}

/// Ways to copy in one direction, each with memory of its own.
class Ways {
 public:
  /// Collective, as all others.
  Ways(Session& session, Direction direction)
      : m_session(session),
        m_pair(session),
        m_direction(direction),
        m_bytes(largest_memory(session.quick())),
        m_far(uninitialized<FarView<std::uint64_t>>("far", m_bytes)),
        m_near(uninitialized<NearView<std::uint64_t>>(
            "near", m_pair.is_active() ? m_bytes : 0)) {
    auto const baseline = nvshmem::available() ? "NVSHMEM" : "";
    add("symm", baseline, m_far.data(), m_near.data(), start_symm);
    if (!nvshmem::available()) return;
    add_nvshmem("NVSHMEM", "");
    add_nvshmem("NVSHMEM, again", "NVSHMEM");
  }

  /// Writes the pattern into all sources and zeros into the targets; measures;
  /// counts what is wrong in the targets.
  void measure(Scope scope, std::size_t size) {
    Slots const slots = slots_for(scope, size);
    for (Way& way : m_ways) reset(way, slots);
    symm::barrier_all(Kokkos::Cuda{});
    std::vector<Contestant> contestants;
    for (Way& way : m_ways)
      contestants.push_back(contestant(way, scope, slots));
    auto const bytes = static_cast<std::int64_t>(size);
    m_session.compare({{{"bytes", bytes}, {"put", is_put() ? 1 : 0}}, bytes},
                      contestants);
    symm::barrier_all(Kokkos::Cuda{});
    std::int64_t wrong = 0;
    if (m_pair.has_target(m_direction))
      for (Way const& way : m_ways)
        wrong +=
            count_wrong_words(target(way, slots), slots, way.n_calls,
                              m_pair.from(m_direction), m_pair.to(m_direction));
    m_session.verify(text_of(scope) + ", " + text_of(m_direction) + ", " +
                         std::to_string(size) + " bytes",
                     wrong);
  }

 private:
  using Start = void (*)(Direction, Scope, Ends const&, Slots const&,
                         std::int64_t iterations);
  struct Way {
    std::string name;
    std::string baseline;
    Ends ends;
    Start start;
    std::int64_t n_calls = 0;  ///< of the longest kernel; all begin at slot 0
  };

  void add(std::string name, std::string baseline, std::uint64_t* far,
           std::uint64_t* near, Start start) {
    auto const map = symm::heap_map(symm::SymmetricCudaSpace::memory_kind);
    m_ways.push_back({std::move(name),
                      std::move(baseline),
                      {map, far, near, m_pair.peer()},
                      start});
  }

  void add_nvshmem(std::string name, std::string baseline) {
    auto* const far  = m_nvshmem.allocate<std::uint64_t>(m_bytes);
    auto* const near = m_nvshmem.allocate<std::uint64_t>(m_bytes);
    add(std::move(name), std::move(baseline), far, near, start_nvshmem);
  }

  [[nodiscard]] Contestant contestant(Way& way, Scope scope,
                                      Slots const& slots) const {
    auto const first = text_of(scope) + ", ";
    return {first + way.name, way.baseline.empty() ? "" : first + way.baseline,
            [this, &way, scope, slots](std::int64_t n) {
              way.n_calls = std::max(way.n_calls, n);
              if (!m_pair.is_active()) return;
              way.start(m_direction, scope, way.ends, slots, n);
              Kokkos::Cuda{}.fence();
            }};
  }

  [[nodiscard]] bool is_put() const { return m_direction == Direction::put; }
  [[nodiscard]] DeviceWords source(Way const& way, Slots const& slots) const {
    return DeviceWords(is_put() ? way.ends.near : way.ends.far,
                       words_of(slots));
  }
  [[nodiscard]] DeviceWords target(Way const& way, Slots const& slots) const {
    return DeviceWords(is_put() ? way.ends.far : way.ends.near,
                       words_of(slots));
  }

  void reset(Way& way, Slots const& slots) const {
    if (m_pair.has_source(m_direction))
      fill_pattern(source(way, slots), m_pair.from(m_direction),
                   m_pair.to(m_direction));
    if (m_pair.has_target(m_direction))
      Kokkos::deep_copy(target(way, slots), 0);
    way.n_calls = 0;
  }

  Session& m_session;
  OneSided m_pair;
  Direction m_direction;
  std::size_t m_bytes;
  FarView<std::uint64_t> m_far;
  NearView<std::uint64_t> m_near;
  NvshmemBlocks m_nvshmem;
  std::deque<Way> m_ways;
};

void measure(Session& session) {
  for (Direction const direction : {Direction::put, Direction::get}) {
    Ways ways(session, direction);
    for (Scope const scope : all_scopes)
      for (std::size_t const size : sizes(scope, session.quick()))
        ways.measure(scope, size);
  }
}

Registered const registered{"kernel_rma", measure};

}  // namespace
}  // namespace perf::kernel_rma_benchmark

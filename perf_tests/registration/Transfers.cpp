// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "registration/Transfers.hpp"

#include <Kokkos_SymmetricSpace.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/Access.hpp"
#include "harness/DeviceWords.hpp"
#include "harness/OneSided.hpp"
#include "harness/Pattern.hpp"
#include "harness/RandomCycle.hpp"
#include "harness/Sampler.hpp"
#include "registration/TransferKernels.hpp"

namespace perf {
namespace transfers {
namespace {

using OwnWords = Kokkos::View<std::uint64_t*, DeviceSpace>;
using Run      = std::function<void(std::int64_t)>;

constexpr std::size_t granule = std::size_t{2} << 20U;
constexpr std::size_t word    = sizeof(std::uint64_t);

/// Symmetric memory of all PEs, and private memory of PE 0, which all lanes
/// have in common.
struct Lane {
  std::string name;
  Words far;
  OwnWords near;
};

template <class Way>
Run copies_by_kernel(Lane const& lane, int peer, Direction direction,
                     std::size_t count) {
  auto const there = Way::reach(lane.far, peer);
  auto const start = [count](auto const& target, auto const& source) {
    using Copy = CopyElements<std::remove_cvref_t<decltype(target)>,
                              std::remove_cvref_t<decltype(source)>>;
    Kokkos::parallel_for("copy", Kokkos::RangePolicy<Space>(0, count),
                         Copy{target, source});
  };
  return [=, here = InView<OwnWords>{lane.near}](std::int64_t n) {
    for (; n > 0; --n)
      if (direction == Direction::put)
        start(there, here);
      else
        start(here, there);
    Space{}.fence();
  };
}

Run copies_by_deep_copy(Lane const& lane, int peer, Direction direction,
                        std::size_t count) {
  auto const some  = std::make_pair(std::size_t{0}, count);
  auto const there = Kokkos::subview(symm::peer_view(lane.far, peer), some);
  auto const here  = Kokkos::subview(lane.near, some);
  return [=](std::int64_t n) {
    Space const space;
    for (; n > 0; --n)
      if (direction == Direction::put)
        Kokkos::deep_copy(space, there, here);
      else
        Kokkos::deep_copy(space, here, there);
    space.fence();
  };
}

/// Counts the walks that ended in a wrong slot.
class Walker {
 public:
  explicit Walker(RandomCycle const& cycle) : m_cycle(cycle) {}

  template <class Word>
  void walk(Word const& theirs, std::int64_t iterations) {
    run_once(Walk<Word>{theirs, m_reached.data(), iterations});
    auto const expected = m_cycle.slot_after(iterations);
    m_wrong += m_reached() != expected ? 1 : 0;
  }

  [[nodiscard]] std::int64_t wrong() const { return m_wrong; }

 private:
  RandomCycle const& m_cycle;
  Kokkos::View<std::uint64_t, Kokkos::SharedHostPinnedSpace> m_reached{
      "reached"};
  std::int64_t m_wrong = 0;
};

class Transfers {
 public:
  /// Collective, as all calls.
  Transfers(Session& session, std::size_t bytes)
      : m_session(session),
        m_pair(session),
        m_count(bytes / word),
        m_registrable(symm::make_registrable_view<std::uint64_t*, DeviceSpace>(
            "registrable", m_count)),
        m_near("near", m_pair.is_active() ? m_count : std::size_t{0}) {
    for (auto* block : {&m_block, &m_block_again}) {
      block->reset(
          static_cast<std::uint64_t*>(symm::align(granule, m_count * word)));
      if (*block == nullptr) throw std::bad_alloc();
    }
    add("heap", Words(m_block.get(), m_count));
    add("heap, again", Words(m_block_again.get(), m_count));
    add("registered", symm::register_symmetric_view(m_registrable));
  }

  void measure(Direction direction) {
    measure_kernels<ByGlobalView>(direction);
    measure_kernels<ByPeerView>(direction);
    for (std::size_t const count : {m_count, std::size_t{1}})
      measure_copies("deep_copy", direction, count, copies_by_deep_copy);
  }

 private:
  struct Free {
    void operator()(void* p) const { symm::free(p); }
  };
  using Block    = std::unique_ptr<std::uint64_t, Free>;
  using MakeCopy = Run (*)(Lane const&, int, Direction, std::size_t);

  void add(std::string name, Words const& far) {
    m_lanes.push_back({std::move(name), far, m_near});
  }

  template <class Way>
  void measure_kernels(Direction direction) {
    measure_copies(Way::name, direction, m_count, copies_by_kernel<Way>);
    if (direction == Direction::put)
      measure_puts_of_words<Way>();
    else
      measure_walks<Way>();
  }

  /// \param make_run  of a Lane; its Run is called on all PEs.
  template <class MakeRun>
  void compare(std::string const& way, Direction direction, std::size_t bytes,
               MakeRun const& make_run) {
    std::string const baseline = way + ", heap";
    std::vector<Contestant> contestants;
    for (Lane const& lane : m_lanes) {
      std::string const name = way + ", " + lane.name;
      contestants.push_back(
          {name, name == baseline ? "" : baseline, make_run(lane)});
    }
    auto const payload = static_cast<std::int64_t>(bytes);
    m_session.compare(
        {{{"bytes", payload}, {"put", direction == Direction::put ? 1 : 0}},
         bytes > word ? payload : 0},
        contestants);
  }

  static void wait_for_all() { symm::barrier_all(Space{}); }

  void measure_copies(std::string const& way, Direction direction,
                      std::size_t count, MakeCopy make_copy) {
    int const from   = m_pair.from(direction);
    int const to     = m_pair.to(direction);
    auto const words = [&](Lane const& lane, bool is_near) {
      return DeviceWords(is_near ? lane.near.data() : lane.far.data(), count);
    };
    bool const is_put = direction == Direction::put;
    for (Lane const& lane : m_lanes) {
      if (m_pair.has_source(direction))
        fill_pattern(words(lane, is_put), from, to);
      if (m_pair.has_target(direction))
        Kokkos::deep_copy(words(lane, !is_put), 0);
    }
    wait_for_all();
    compare(way, direction, count * word, [&](Lane const& lane) {
      return m_pair.is_active()
                 ? make_copy(lane, m_pair.peer(), direction, count)
                 : [](std::int64_t) {};
    });
    wait_for_all();
    std::int64_t wrong = 0;
    for (Lane const& lane : m_lanes) {
      if (!m_pair.has_target(direction)) continue;
      if (!is_put) {  // into the same target as those of the other lanes
        Kokkos::deep_copy(words(lane, true), 0);
        make_copy(lane, m_pair.peer(), direction, count)(1);
      }
      wrong += count_wrong(words(lane, !is_put), from, to);
    }
    m_session.verify(way + (is_put ? ", put of " : ", get of ") +
                         std::to_string(count * word) + " bytes",
                     wrong);
  }

  template <class Way>
  void measure_puts_of_words() {
    for (Lane const& lane : m_lanes)
      Kokkos::deep_copy(DeviceWords(lane.far.data(), m_count), 0);
    wait_for_all();
    // Iterations of a sample; the lanes need not have equally many.
    std::map<std::string, std::int64_t> most;
    compare(Way::name, Direction::put, word, [&](Lane const& lane) -> Run {
      auto const theirs = Way::reach(lane.far, m_pair.peer());
      return [=, this, &its_most = most[lane.name]](std::int64_t n) {
        its_most = std::max(its_most, n);
        if (m_pair.is_active())
          run_once(PutWords<std::remove_const_t<decltype(theirs)>>{
              theirs, pattern(0, m_pair.peer(), 0), n});
      };
    });
    wait_for_all();
    m_session.verify(std::string(Way::name) + ", words put",
                     m_pair.is_target() ? wrong_words(most) : 0);
  }

  /// In the rings of all lanes, after so many puts in each.
  [[nodiscard]] std::int64_t wrong_words(
      std::map<std::string, std::int64_t> const& n_puts) const {
    std::int64_t wrong = 0;
    for (Lane const& lane : m_lanes) {
      auto const last =
          std::min(static_cast<std::size_t>(n_puts.at(lane.name)), ring_words);
      std::vector<std::uint64_t> here(ring_words * apart);
      Kokkos::deep_copy(
          Kokkos::View<std::uint64_t*, Kokkos::HostSpace,
                       Kokkos::MemoryUnmanaged>(here.data(), here.size()),
          DeviceWords(lane.far.data(), here.size()));
      for (std::size_t n = 0; n < last; ++n) {
        auto const expected = pattern(0, m_pair.peer(), ring_index(n));
        wrong += here[ring_index(n)] != expected ? 1 : 0;
      }
    }
    return wrong;
  }

  template <class Way>
  void measure_walks() {
    RandomCycle const cycle(slots);
    // The other PEs' copies lead to nowhere.
    for (Lane const& lane : m_lanes)
      if (m_pair.is_target())
        Kokkos::deep_copy(
            DeviceWords(lane.far.data(), slots),
            Kokkos::View<std::uint64_t const*, Kokkos::HostSpace,
                         Kokkos::MemoryUnmanaged>(cycle.next().data(), slots));
    wait_for_all();
    Walker walker(cycle);
    compare(Way::name, Direction::get, word, [&](Lane const& lane) {
      auto const theirs = Way::reach(lane.far, m_pair.peer());
      return m_pair.active(
          [=, &walker](std::int64_t n) { walker.walk(theirs, n); });
    });
    m_session.verify(std::string(Way::name) + ", walks", walker.wrong());
    wait_for_all();  // nobody writes what another one still reads
  }

  Session& m_session;
  OneSided m_pair;
  std::size_t m_count;
  Block m_block;
  Block m_block_again;
  OwnWords m_registrable;
  OwnWords m_near;
  std::vector<Lane> m_lanes;  // with the registered View
};

}  // namespace
}  // namespace transfers

void measure_transfers(Session& session, std::size_t bytes) {
  transfers::Transfers all(session, bytes);
  all.measure(Direction::put);
  all.measure(Direction::get);
}

}  // namespace perf

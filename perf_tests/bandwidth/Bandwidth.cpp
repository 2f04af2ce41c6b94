// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "bandwidth/Bandwidth.hpp"

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bandwidth/SymmetricBlock.hpp"
#include "baselines/MpiWindow.hpp"
#include "baselines/OpenShmem.hpp"

namespace perf {
namespace {

constexpr std::size_t kib = std::size_t{1} << 10U;
constexpr std::size_t mib = std::size_t{1} << 20U;

std::vector<std::size_t> sizes(bool quick) {
  if (quick) return {8, 4 * kib, mib};
  return {8,        64,        512,       4 * kib,  16 * kib,
          64 * kib, 256 * kib, 512 * kib, mib,      2 * mib,
          4 * mib,  8 * mib,   16 * mib,  32 * mib, 64 * mib};
}

/// A way to copy, with its own source and target.
struct Lane {
  std::string name;
  std::string baseline;
  Route route;
  std::function<void(Route const&, std::size_t bytes, std::int64_t n)> run;
};

[[gnu::noinline]] void copy_bytes(Route const& route, std::size_t bytes,
                                  std::int64_t iterations) {
  auto* const target       = route.target();
  auto const* const source = route.source();
  for (std::int64_t n = 0; n < iterations; ++n) {
    std::memcpy(target, source, bytes);
    clobber_memory();
  }
}

template <class Target, class Source>
void copy_view(Target const& target, Source const& source,
               std::int64_t iterations) {
  for (std::int64_t n = 0; n < iterations; ++n)
    Kokkos::deep_copy(target, source);
}

PrivateWords words_at(std::uint64_t* p, std::size_t bytes) {
  return PrivateWords(p, bytes / sizeof(std::uint64_t));
}

void copy_private_views(Route const& route, std::size_t bytes,
                        std::int64_t iterations) {
  copy_view(words_at(route.target(), bytes), words_at(route.source(), bytes),
            iterations);
}

/// All lanes of a job, and the memory they need. Collective.
class Lanes {
 public:
  Lanes(OneSided const& pair, Direction direction, std::size_t bytes)
      : m_pair(pair), m_direction(direction), m_bytes(bytes) {
    add_private("memcpy, private", "", copy_bytes);
    add_private("memcpy, private, again", "memcpy, private", copy_bytes);
    add_memcpy();
    add_private("deep_copy, private", "", copy_private_views);
    add_private("deep_copy, private, again", "deep_copy, private",
                copy_private_views);
    add_deep_copy();
    add_mpi();
    add_openshmem();
    symm::barrier_all();
    if (openshmem::available()) openshmem::barrier();
  }

  [[nodiscard]] std::vector<Contestant> contestants(std::size_t bytes) const {
    std::vector<Contestant> all;
    for (Lane const& lane : m_lanes)
      all.push_back({lane.name, lane.baseline,
                     m_pair.active([&lane, bytes](std::int64_t n) {
                       lane.run(lane.route, bytes, n);
                     })});
    return all;
  }

  [[nodiscard]] std::int64_t wrong() const {
    std::int64_t sum = 0;
    for (Lane const& lane : m_lanes) sum += lane.route.wrong();
    return sum;
  }

 private:
  using Run = decltype(Lane::run);

  [[nodiscard]] bool is_put() const { return m_direction == Direction::put; }

  void add(std::string name, std::string baseline, Route::FarEnd const& far,
           Run run) {
    m_lanes.push_back({std::move(name), std::move(baseline),
                       Route(m_pair, m_direction, m_bytes, far),
                       std::move(run)});
  }

  /// A private block of PE 0 stands for the memory of another PE.
  void add_private(std::string name, std::string baseline, Run run) {
    auto* const far =
        m_private_blocks.emplace_back(m_pair.is_active() ? m_bytes : 0).data();
    add(std::move(name), std::move(baseline), {far, far, true}, std::move(run));
  }

  void add_memcpy() {
    auto* const far = m_symmetric_blocks.emplace_back(m_bytes).data();
    add("memcpy, symm::ptr", "memcpy, private",
        {symm::ptr(far, m_pair.peer()), far}, copy_bytes);
  }

  void add_deep_copy() {
    auto* const far = m_symmetric_blocks.emplace_back(m_bytes).data();
    Kokkos::View<std::uint64_t*, symm::SymmetricSpace,
                 Kokkos::MemoryUnmanaged> const words(far,
                                                      m_bytes /
                                                          sizeof(
                                                              std::uint64_t));
    auto const theirs = symm::peer_view(words, m_pair.peer());
    add("deep_copy, peer_view", "deep_copy, private", {theirs.data(), far},
        [theirs, put = is_put()](Route const& route, std::size_t bytes,
                                 std::int64_t n) {
          auto const part = Kokkos::subview(
              theirs,
              std::make_pair(std::size_t{0}, bytes / sizeof(std::uint64_t)));
          if (put)
            copy_view(part, words_at(route.source(), bytes), n);
          else
            copy_view(words_at(route.target(), bytes), part, n);
        });
  }

  void add_mpi() {
    m_window = MpiWindow::create(m_bytes);
    if (!m_window) return;
    add(is_put() ? "MPI_Put + flush" : "MPI_Get + flush", "memcpy, private",
        {nullptr, m_window->words().data()},
        [window = m_window.get(), peer = m_pair.peer(), put = is_put()](
            Route const& route, std::size_t bytes, std::int64_t n) {
          if (put)
            window->put(route.near(), bytes, peer, n);
          else
            window->get(route.near(), bytes, peer, n);
        });
  }

  void add_openshmem() {
    if (!openshmem::available()) return;
    auto* const far = static_cast<std::uint64_t*>(openshmem::allocate(m_bytes));
    add(is_put() ? "OpenSHMEM putmem + quiet" : "OpenSHMEM getmem",
        "memcpy, private", {far, far},
        [far, peer = m_pair.peer(), put = is_put()](
            Route const& route, std::size_t bytes, std::int64_t n) {
          if (put)
            openshmem::put(far, route.near(), bytes, peer, n);
          else
            openshmem::get(route.near(), far, bytes, peer, n);
        });
  }

  OneSided m_pair;
  Direction m_direction;
  std::size_t m_bytes;
  std::deque<PrivateBuffer> m_private_blocks;
  std::deque<SymmetricBlock> m_symmetric_blocks;
  std::unique_ptr<MpiWindow> m_window;
  std::deque<Lane> m_lanes;
};

}  // namespace

void measure_bandwidth(Session& session, Direction direction) {
  auto const all_sizes = sizes(session.quick());
  Lanes const lanes(OneSided(session), direction, all_sizes.back());
  for (std::size_t const bytes : all_sizes) {
    auto const payload = static_cast<std::int64_t>(bytes);
    session.compare({{{"bytes", payload}}, payload}, lanes.contestants(bytes));
  }
  symm::barrier_all();
  session.verify("words copied", lanes.wrong());
}

}  // namespace perf

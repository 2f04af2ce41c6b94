// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What the calls symm::p, g, put and get of the host cost.
//
// PE 0 calls them one after the other, with a symmetric address and PE 1, as
// OpenSHMEM has them, with their checks. All of them return when the source may
// be used again, or what was got is there; one quiet ends a sample of puts. The
// floor is the same on private memory: a store, a load, memcpy. What is copied
// stays in the caches of PE 0, because PE 1 does not look at it meanwhile.

#include <Kokkos_SymmetricSpace.hpp>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "bandwidth/Route.hpp"
#include "bandwidth/SymmetricBlock.hpp"
#include "baselines/OpenShmem.hpp"
#include "harness/OneSided.hpp"
#include "harness/PrivateBuffer.hpp"
#include "harness/Session.hpp"

namespace perf::rma_benchmark {
namespace {

constexpr std::size_t kib = std::size_t{1} << 10U;
constexpr std::size_t mib = std::size_t{1} << 20U;

/// What a sample copies. The far end's address is that of PE 0's copy.
struct Copy {
  std::uint64_t* target;
  std::uint64_t* source;
  std::size_t bytes;
  int pe;
  std::int64_t iterations;
};

/// An operation by this project's call, by OpenSHMEM's, and on private memory.
struct Operation {
  char const* name;
  Direction direction;
  void (*by_symm)(Copy const&);
  void (*by_openshmem)(Copy const&);
  void (*in_private)(Copy const&);
};

// Loads and stores that the compiler neither merges nor moves out of the loop.

void store_words(Copy const& copy) {
  std::atomic_ref<std::uint64_t> const target(*copy.target);
  std::uint64_t const value = *copy.source;
  for (std::int64_t n = 0; n < copy.iterations; ++n)
    target.store(value, std::memory_order_relaxed);
}

void load_words(Copy const& copy) {
  std::atomic_ref<std::uint64_t> const source(*copy.source);
  std::uint64_t value = 0;
  for (std::int64_t n = 0; n < copy.iterations; ++n)
    value = source.load(std::memory_order_relaxed);
  *copy.target = value;
}

void copy_bytes(Copy const& copy) {
  for (std::int64_t n = 0; n < copy.iterations; ++n) {
    std::memcpy(copy.target, copy.source, copy.bytes);
    clobber_memory();
  }
}

constexpr Operation p{"p", Direction::put,
                      [](Copy const& copy) {
                        std::uint64_t const value = *copy.source;
                        for (std::int64_t n = 0; n < copy.iterations; ++n)
                          symm::p(copy.target, value, copy.pe);
                        symm::quiet();
                      },
                      [](Copy const& copy) {
                        openshmem::post_words(copy.target, *copy.source,
                                              copy.pe, copy.iterations);
                      },
                      store_words};

constexpr Operation g{"g", Direction::get,
                      [](Copy const& copy) {
                        std::uint64_t value = 0;
                        for (std::int64_t n = 0; n < copy.iterations; ++n)
                          value = symm::g(copy.source, copy.pe);
                        *copy.target = value;
                      },
                      [](Copy const& copy) {
                        *copy.target = openshmem::get_word(copy.source, copy.pe,
                                                           copy.iterations);
                      },
                      load_words};

constexpr Operation put{"put", Direction::put,
                        [](Copy const& copy) {
                          for (std::int64_t n = 0; n < copy.iterations; ++n)
                            symm::put(copy.target, copy.source,
                                      copy.bytes / sizeof(std::uint64_t),
                                      copy.pe);
                          symm::quiet();
                        },
                        [](Copy const& copy) {
                          openshmem::post(copy.target, copy.source, copy.bytes,
                                          copy.pe, copy.iterations);
                        },
                        copy_bytes};

constexpr Operation get{"get", Direction::get,
                        [](Copy const& copy) {
                          for (std::int64_t n = 0; n < copy.iterations; ++n)
                            symm::get(copy.target, copy.source,
                                      copy.bytes / sizeof(std::uint64_t),
                                      copy.pe);
                        },
                        [](Copy const& copy) {
                          openshmem::get(copy.target, copy.source, copy.bytes,
                                         copy.pe, copy.iterations);
                        },
                        copy_bytes};

/// An operation in all ways, each with a source and a target of its own. Made
/// and destroyed collectively.
class Measurement {
 public:
  Measurement(OneSided const& pair, Operation const& operation,
              std::size_t bytes)
      : m_pair(pair), m_operation(operation), m_bytes(bytes) {
    bool const has_openshmem = openshmem::available();
    add("private", "", add_private(), operation.in_private);
    add("private, again", "private", add_private(), operation.in_private);
    auto* const far = m_symmetric_blocks.emplace_back(bytes).data();
    add("symm", has_openshmem ? "OpenSHMEM" : "private", {far, far},
        operation.by_symm);
    if (has_openshmem) {
      add("OpenSHMEM", "", add_openshmem(), operation.by_openshmem);
      add("OpenSHMEM, again", "OpenSHMEM", add_openshmem(),
          operation.by_openshmem);
    }
    symm::barrier_all();
  }

  /// Measures, and counts what is wrong in the targets. Collective.
  void run(Session& session) const {
    std::vector<Contestant> contestants;
    for (Lane const& lane : m_lanes)
      contestants.push_back({lane.name, lane.baseline,
                             m_pair.active([this, &lane](std::int64_t n) {
                               lane.run({lane.route.target(),
                                         lane.route.source(), m_bytes,
                                         m_pair.peer(), n});
                             })});
    auto const payload = static_cast<std::int64_t>(m_bytes);
    session.compare({{{"bytes", payload}}, payload}, contestants);
    symm::barrier_all();
    if (openshmem::available()) openshmem::barrier();
    std::int64_t wrong = 0;
    for (Lane const& lane : m_lanes) wrong += lane.route.wrong();
    session.verify(std::string(m_operation.name) + ", " +
                       std::to_string(m_bytes) + " bytes, words copied",
                   wrong);
  }

 private:
  struct Lane {
    std::string name;
    std::string baseline;
    Route route;
    void (*run)(Copy const&);
  };

  using OpenShmemBlock = std::unique_ptr<std::uint64_t, void (*)(void*)>;

  void add(std::string const& how, std::string const& baseline,
           Route::FarEnd const& far, void (*way)(Copy const&)) {
    std::string const name = std::string(m_operation.name) + ", ";
    m_lanes.push_back({name + how, baseline.empty() ? "" : name + baseline,
                       Route(m_pair, m_operation.direction, m_bytes, far),
                       way});
  }

  /// A private block of PE 0 stands for the memory of another PE.
  Route::FarEnd add_private() {
    auto* const far =
        m_private_blocks.emplace_back(m_pair.is_active() ? m_bytes : 0).data();
    return {far, far, true};
  }

  Route::FarEnd add_openshmem() {
    auto* const far = static_cast<std::uint64_t*>(openshmem::allocate(m_bytes));
    m_openshmem_blocks.emplace_back(far, openshmem::deallocate);
    return {far, far};
  }

  OneSided m_pair;
  Operation m_operation;
  std::size_t m_bytes;
  std::deque<PrivateBuffer> m_private_blocks;
  std::deque<SymmetricBlock> m_symmetric_blocks;
  std::deque<OpenShmemBlock> m_openshmem_blocks;
  std::deque<Lane> m_lanes;
};

void measure(Session& session) {
  OneSided const pair(session);
  for (Operation const& operation : {p, g})
    Measurement(pair, operation, sizeof(std::uint64_t)).run(session);
  for (Operation const& operation : {put, get})
    for (std::size_t const bytes : {sizeof(std::uint64_t), kib, 64 * kib, mib})
      Measurement(pair, operation, bytes).run(session);
}

Registered const registered{"rma", measure};

}  // namespace
}  // namespace perf::rma_benchmark

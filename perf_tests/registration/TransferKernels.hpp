// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_TRANSFER_KERNELS_HPP
#define SYMM_PERF_TRANSFER_KERNELS_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "harness/Access.hpp"
#include "harness/OneSided.hpp"

namespace perf::transfers {

using Space = Kokkos::DefaultExecutionSpace;

#ifdef KOKKOS_ENABLE_CUDA
// As in kernel_latency.cpp: no two words of a ring share a cache line, and
// there are more indices than a first-level cache holds.
constexpr std::size_t ring_words = std::size_t{1} << 10U;
constexpr std::size_t apart      = 32;
constexpr std::size_t slots      = std::size_t{1} << 18U;
#else
// As in put_latency.cpp: they stay in a first-level cache.
constexpr std::size_t ring_words = 512;
constexpr std::size_t apart      = 1;
constexpr std::size_t slots      = 512;
#endif

/// The index of the word whose turn is number `n`.
KOKKOS_INLINE_FUNCTION constexpr std::size_t ring_index(std::uint64_t n) {
  return n % ring_words * apart;
}

template <class Target, class Source>
struct CopyElements {
  Target target;
  Source source;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    target(i) = source(i);
  }
};

template <class Word>
struct PutWords {
  Word theirs;
  std::uint64_t first;  ///< the pattern's value of element 0
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(int) const {
    for (std::int64_t n = 0; n < iterations; ++n) {
      std::size_t const i = ring_index(static_cast<std::uint64_t>(n));
      symm::store_relaxed(&theirs(i), first + i);
      KOKKOS_IF_ON_DEVICE((symm::fence();))
    }
  }
};

template <class Word>
struct Walk {
  Word theirs;
  std::uint64_t* reached;
  std::int64_t iterations;

  KOKKOS_FUNCTION void operator()(int) const {
    std::uint64_t slot = 0;
    for (std::int64_t n = 0; n < iterations; ++n)
      slot = symm::load_relaxed(&theirs(slot));
    *reached = slot;
  }
};

/// Runs the functor on one thread, and waits for it.
template <class Functor>
void run_once(Functor const& functor) {
  Kokkos::parallel_for("one thread", Kokkos::RangePolicy<Space>(0, 1), functor);
  Space{}.fence();
}

// How PE 0 accesses its peer's copy.

struct ByGlobalView {
  static constexpr char const* name = "global_view";
  static auto reach(Words const& far, int peer) { return on_pe(far, peer); }
};

struct ByPeerView {
  static constexpr char const* name = "peer_view";
  static auto reach(Words const& far, int peer) {
    auto const theirs = symm::peer_view(far, peer);
    return InView<std::remove_const_t<decltype(theirs)>>{theirs};
  }
};

}  // namespace perf::transfers

#endif

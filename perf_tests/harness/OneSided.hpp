// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_ONE_SIDED_HPP
#define SYMM_PERF_ONE_SIDED_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstdint>
#include <functional>
#include <utility>

#include "harness/Session.hpp"

namespace perf {

using Words = Kokkos::View<std::uint64_t*, symm::SymmetricSpace>;
using PrivateWords =
    Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// Whether PE 0 puts to its peer or gets from it.
enum class Direction { put, get };

/// The two PEs of a one-sided benchmark: PE 0 reads and writes the memory of
/// its peer, PE 1, or its own memory in a job of one PE. The other PEs wait.
class OneSided {
 public:
  explicit OneSided(Session const& session)
      : m_my_pe(session.my_pe()), m_peer(session.n_pes() > 1 ? 1 : 0) {}

  [[nodiscard]] int peer() const { return m_peer; }
  [[nodiscard]] bool is_active() const { return m_my_pe == 0; }
  [[nodiscard]] bool is_target() const { return m_my_pe == m_peer; }

  // For a copy in the given direction: the PEs whose memory is read and
  // written, and whether that is this PE.
  [[nodiscard]] int from(Direction direction) const {
    return direction == Direction::put ? 0 : m_peer;
  }
  [[nodiscard]] int to(Direction direction) const {
    return direction == Direction::put ? m_peer : 0;
  }
  [[nodiscard]] bool has_source(Direction direction) const {
    return m_my_pe == from(direction);
  }
  [[nodiscard]] bool has_target(Direction direction) const {
    return m_my_pe == to(direction);
  }

  /// Returns `run` on the active PE, and a function that does nothing on the
  /// others.
  [[nodiscard]] std::function<void(std::int64_t)> active(
      std::function<void(std::int64_t)> run) const {
    if (is_active()) return run;
    return [](std::int64_t) {};
  }

 private:
  int m_my_pe;
  int m_peer;
};

}  // namespace perf

#endif

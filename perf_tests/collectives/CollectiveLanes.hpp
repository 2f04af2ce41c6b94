// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PERF_COLLECTIVE_LANES_HPP
#define SYMM_PERF_COLLECTIVE_LANES_HPP

#include <Kokkos_SymmetricSpace.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "collectives/CollectiveCall.hpp"
#include "harness/Session.hpp"

namespace perf {

/// Collective operations of several libraries. Each has its own memory, so that
/// none finds another's results.
class CollectiveLanes {
 public:
  struct Lane {
    std::string name;
    std::string baseline;  ///< another lane's name; empty: none
    Number* dest;          ///< of n_pes blocks
    Number* source;        ///< of n_pes blocks
    std::function<void(CollectiveCall const&, std::int64_t iterations)> run;
    /// Whether broadcast() writes the root's dest.
    bool fills_root = true;
    /// Whether only broadcast() is measured.
    bool only_broadcasts = false;
  };

  void add(Lane lane) { m_lanes.push_back(std::move(lane)); }
  /// Adds the last lane once more, to show how much equal lanes differ.
  void add_again();

  /// Fills the sources, clears the destinations, measures, and checks all
  /// destinations. The contestants have names such as "reduce, MPI".
  /// Collective.
  /// \param iterations  of a sample; if 0, they are chosen to take the plan's
  ///        time.
  void measure(Session& session, CollectiveCall const& call,
               std::int64_t iterations = 0) const;

 private:
  [[nodiscard]] std::vector<Lane const*> lanes_of(Collective what) const;

  std::vector<Lane> m_lanes;
};

/// This project's operation, on the host or enqueued on the given execution
/// space instance.
template <class... Exec>
void call_symm(CollectiveCall const& call, symm::PeTeam const& team,
               Number* dest, Number const* source, Exec const&... exec) {
  switch (call.what) {
    case Collective::broadcast:
      return symm::broadcast(exec..., team, dest, source, call.count,
                             call.root());
    case Collective::fcollect:
      return symm::fcollect(exec..., team, dest, source, call.count);
    case Collective::alltoall:
      return symm::alltoall(exec..., team, dest, source, call.count);
    case Collective::reduce:
      return symm::reduce(exec..., team, dest, source, call.count, symm::Sum{});
  }
}

}  // namespace perf

#endif

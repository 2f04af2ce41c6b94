// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "collectives/CollectiveLanes.hpp"

#include <utility>

namespace perf {

void CollectiveLanes::add_again() {
  Lane again     = m_lanes.back();
  again.baseline = again.name;
  again.name += ", again";
  add(std::move(again));
}

std::vector<CollectiveLanes::Lane const*> CollectiveLanes::lanes_of(
    Collective what) const {
  std::vector<Lane const*> lanes;
  for (Lane const& lane : m_lanes)
    if (!lane.only_broadcasts || what == Collective::broadcast)
      lanes.push_back(&lane);
  return lanes;
}

void CollectiveLanes::measure(Session& session, CollectiveCall const& call,
                              std::int64_t iterations) const {
  Kokkos::DefaultExecutionSpace const exec;
  std::string const prefix = text_of(call.what) + ", ";
  auto const bytes = static_cast<std::int64_t>(call.count * sizeof(Number));
  std::vector<Contestant> contestants;
  auto const lanes = lanes_of(call.what);
  for (auto const* const its : lanes) {
    Lane const& lane = *its;
    fill_source(Numbers(lane.source, call.source_count()), call,
                session.my_pe());
    Kokkos::deep_copy(Numbers(lane.dest, call.dest_count()), Number{0});
    contestants.push_back(
        {prefix + lane.name,
         lane.baseline.empty() ? "" : prefix + lane.baseline,
         [&lane, &call](std::int64_t n) { lane.run(call, n); }, iterations});
  }
  symm::barrier_all(exec);
  session.compare({{{"bytes", bytes}}, bytes}, contestants);
  symm::barrier_all(exec);

  std::int64_t wrong = 0;
  bool const has_root =
      call.what == Collective::broadcast && session.my_pe() == call.root();
  for (auto const* const lane : lanes)
    if (lane->fills_root || !has_root)
      wrong += count_wrong(Numbers(lane->dest, call.dest_count()), call,
                           session.my_pe());
  session.verify(prefix + std::to_string(bytes) + " bytes", wrong);
}

}  // namespace perf

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_WAITING_PEWAIT_HPP
#define SYMM_WAITING_PEWAIT_HPP

#include <optional>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../job/Runtime.hpp"
#include "../pes/Rendezvous.hpp"
#include "../transport/Transport.hpp"
#include "HostWait.hpp"

namespace symm::Impl {

/// Returns the reason why PE `pe` can no longer arrive; "" if it may still
/// arrive.
inline Text reason_to_give_up(Pe pe, char const* call) {
  auto const gone = HostWait::who_is_gone();
  if (!gone.empty() || !Runtime::instance(call).rendezvous().is_in_finalize(
                           pe, HostWait::time_to_answer, call)) {
    return gone;
  }
  return Text("PE ", pe, " waits in symm::finalize()");
}

struct LookAtNothing {
  void operator()(Rendezvous const&) const {}
};

/// Waits until has_come() returns true, which happens when PE `pe` makes the
/// same call. Prints reports as HostWait does. Ends the job if any PE's process
/// has ended, or if `pe` is in finalize().
/// \param where returns the text to insert after the call's name: "" or " of
/// ...".
/// \param on_look called with the Rendezvous at each check on the other PEs;
///        may throw.
template <class Where, class HasCome, class OnLook = LookAtNothing>
void wait_for_pe(char const* call, Pe pe, Where const& where,
                 HasCome const& has_come, OnLook const& on_look = {}) {
  if (has_come()) return;
  HostWait wait(call);
  std::optional<Watch> watch;
  auto const& runtime = Runtime::instance(call);
  while (!has_come()) {
    if (!wait.pause()) continue;
    if (!watch && !runtime.nodes().is_near(pe)) {
      watch.emplace(*runtime.transport(), pe);
    }
    auto const why = reason_to_give_up(pe, call);
    if (has_come()) return;  // `pe` may have arrived before it exited
    on_look(runtime.rendezvous());
    if (!wait.must_report(why)) continue;
    wait.report(why, where(),
                Text("\n  ", runtime.rendezvous().describe(pe, call),
                     " (or for a PE that it waits for)"));
  }
}

}  // namespace symm::Impl

#endif

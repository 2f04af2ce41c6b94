// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "HostWait.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string_view>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "../job/Runtime.hpp"
#include "../pes/Rendezvous.hpp"

namespace symm::Impl {

HostWait::HostWait(char const* call)
    : m_call(call),
      m_backoff(Runtime::instance(call).rendezvous().spins(),
                Runtime::instance(call).transport(), call),
      m_next_look(Rendezvous::health_interval),
      m_next_report(Runtime::instance(call).rendezvous().timeout()) {
  if (m_is_observed) ObserverList::begin(operation());
}

void HostWait::set_next_look() {
  m_next_look         = m_waited + Rendezvous::health_interval;
  auto* const far_pes = Runtime::find_transport();
  if (far_pes == nullptr || m_watches) return;
  far_pes->watch_all();
  m_watches = true;
}

void HostWait::unwatch() const noexcept {
  if (auto* const far_pes = Runtime::find_transport()) far_pes->unwatch_all();
}

bool HostWait::is_report_due() const {
  auto const timeout = Runtime::instance(m_call).rendezvous().timeout();
  return timeout.count() > 0 && m_waited >= m_next_report;
}

Text HostWait::who_is_gone() {
  auto const& runtime = Runtime::instance("symm::wait_until");
  auto const gone     = runtime.find_gone();
  // The operating system reports that a process has ended only after that
  // process's last store. The fence makes these stores visible to this thread's
  // later loads.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (!gone) return {};
  Text text("the process of PE ", *gone);
  auto const host = runtime.nodes().host_of(*gone);
  if (!host.empty()) text.append(" (host ", host, ")");
  text.append(" is gone");
  return text;
}

Text HostWait::reason_to_give_up() const {
  auto gone = who_is_gone();
  if (!gone.empty() || !is_report_due()) return gone;
  auto const& runtime    = Runtime::instance(m_call);
  auto const& nodes      = runtime.nodes();
  auto const& rendezvous = runtime.rendezvous();
  // Check the PEs on this node first, because that requires no messages.
  for (Pe const pe : nodes.near_pes()) {
    if (pe != runtime.my_pe() && !rendezvous.is_in_finalize(pe)) return {};
  }
  // The maximum number of far PEs to ask, because a PE cannot connect to more.
  constexpr int max_to_ask = 1000;
  if (runtime.n_pes() - nodes.n_near() > max_to_ask) return {};
  for (Pe pe = 0; pe < runtime.n_pes(); ++pe) {
    if (pe == runtime.my_pe()) continue;
    if (!rendezvous.is_in_finalize(pe, time_to_answer, m_call)) return {};
  }
  return runtime.n_pes() == 1 ? "" : "all other PEs wait in symm::finalize()";
}

void HostWait::report(Text const& reason_to_give_up, std::string_view where,
                      std::string_view waits_for) {
  auto& runtime = Runtime::instance(m_call);
  Pe const me   = runtime.my_pe();
  BasicText<16383> text("symm: PE ", me);
  if (!reason_to_give_up.empty()) {
    text.append(" waits in ", m_call, where, ", but ", reason_to_give_up,
                ". Ending the job. It waits for", waits_for);
    std::fprintf(stderr, "%s\n", text.c_str());
    auto const gone = runtime.find_gone();
    runtime.abort(gone ? LostPe{*gone, me, "its process is gone"}
                       : LostPe{me, me,
                                Text("it waits for PEs that cannot arrive, in ",
                                     m_call)});
  }
  m_next_report = m_waited + runtime.rendezvous().timeout();
  std::chrono::duration<double> const waited = m_waited;
  text.append(" has waited ", static_cast<long>(waited.count()), " s in ",
              m_call, where, " for", waits_for);
  for (Pe pe = 0; pe < runtime.n_pes(); ++pe) {
    if (!runtime.rendezvous().is_in_finalize(pe)) continue;
    text.append("\n  ", runtime.rendezvous().describe(pe, m_call));
  }
  std::fprintf(stderr,
               "%s\n  Still waiting (SYMM_TIMEOUT sets the seconds between "
               "reports, 0: none).\n",
               text.c_str());
}

}  // namespace symm::Impl

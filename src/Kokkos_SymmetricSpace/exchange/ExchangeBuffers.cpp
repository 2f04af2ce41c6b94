// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ExchangeBuffers.hpp"

#include <string>

#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../space/ExecutionSpaceStream.hpp"
#include "../view/PeerView.hpp"

namespace symm::Impl {

void agree(char const* call, std::optional<Failure> const& failure) {
  Runtime::instance(call)
      .heap(SymmetricSpace::memory_kind, call)
      .finish_view(call, failure);
}

ExchangeBuffers::ExchangeBuffers(char const* call)
    : m_signals(std::string(call) + ", signals",
                static_cast<std::size_t>(n_pes())) {
  agree(call, failure_of([&] {
          m_steps = decltype(m_steps)(std::string(call) + ", steps",
                                      m_signals.extent(0));
        }));
  auto& runtime = Runtime::instance(call);
  m_uses_host   = !runs_on_host_v<ExchangeSpace> && !runtime.has_gates() &&
                team_world().has_far_pes() &&
                runtime.find_heap(MemoryKind::host) != nullptr;
  if (m_uses_host) {
    m_host_signals = decltype(m_host_signals)(
        std::string(call) + ", signals on the host", m_signals.extent(0));
  }
}

void ExchangeBuffers::grow(char const* call, std::size_t half_bytes,
                           std::size_t n_halves, std::size_t outbox_bytes) {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  Kokkos::fence(call);
  decltype(m_inbox) const inbox(
      view_alloc(std::string(call) + ", inboxes", WithoutInitializing),
      n_halves * half_bytes);
  decltype(m_host_inbox) host_inbox, host_outbox;
  if (m_uses_host) {
    host_inbox = decltype(m_host_inbox)(
        view_alloc(std::string(call) + ", inboxes on the host",
                   WithoutInitializing),
        n_halves * half_bytes);
    host_outbox = decltype(m_host_outbox)(
        view_alloc(std::string(call) + ", outbox", WithoutInitializing),
        half_bytes);
    outbox_bytes = 0;
  }
  decltype(m_outbox) outbox;
  agree(call, failure_of([&] {
          outbox = decltype(m_outbox)(
              view_alloc(std::string(call) + ", outbox", WithoutInitializing),
              outbox_bytes);
        }));
  m_inbox       = inbox;
  m_outbox      = outbox;
  m_host_inbox  = host_inbox;
  m_host_outbox = host_outbox;

  struct ForFar {
    HeapMap heap;
    char* inbox;
    char* outbox;
    Signal* signals;
  };
  auto const far = m_uses_host
                       ? ForFar{heap_map(m_host_inbox), m_host_inbox.data(),
                                m_host_outbox.data(), m_host_signals.data()}
                       : ForFar{heap_map(m_inbox), m_inbox.data(),
                                m_outbox.data(), m_signals.data()};
  m_in_kernels   = {
        {heap_map(m_inbox), m_inbox.data(), far.inbox,
         (n_halves - 1) * half_bytes, far.outbox, m_steps.data()},
        far.heap,
        m_signals.data(),
        far.signals,
        !runs_on_host_v<ExchangeSpace> && Runtime::instance(call).has_gates(),
        m_uses_host};
}

}  // namespace symm::Impl

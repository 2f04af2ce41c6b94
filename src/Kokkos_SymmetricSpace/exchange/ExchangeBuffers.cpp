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
  auto& runtime    = Runtime::instance(call);
  m_is_far_on_host = !runs_on_host_v<ExchangeSpace> &&
                     team_world().has_far_pes() && !runtime.has_gates() &&
                     runtime.find_heap(MemoryKind::host) != nullptr;
  if (m_is_far_on_host) {
    m_far_signals = decltype(m_far_signals)(
        std::string(call) + ", signals of far PEs", m_signals.extent(0));
  }
}

void ExchangeBuffers::grow(char const* call, std::size_t half_bytes,
                           std::size_t n_halves, std::size_t outbox_bytes) {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  Kokkos::fence(call);
  decltype(m_inbox) const inbox(
      view_alloc(std::string(call) + ", inboxes", WithoutInitializing),
      n_halves * half_bytes);
  decltype(m_far_inbox) far_inbox, far_outbox;
  if (m_is_far_on_host) {
    far_inbox = decltype(m_far_inbox)(
        view_alloc(std::string(call) + ", inboxes for far PEs",
                   WithoutInitializing),
        n_halves * half_bytes);
    far_outbox = decltype(m_far_outbox)(
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
  m_inbox      = inbox;
  m_outbox     = outbox;
  m_far_inbox  = far_inbox;
  m_far_outbox = far_outbox;
  m_in_kernels = {
      {heap_map(m_inbox), m_inbox.data(),
       m_is_far_on_host ? m_far_inbox.data() : m_inbox.data(),
       (n_halves - 1) * half_bytes,
       m_is_far_on_host ? m_far_outbox.data() : m_outbox.data(),
       m_steps.data()},
      m_is_far_on_host ? heap_map(m_far_inbox) : heap_map(m_inbox),
      m_signals.data(),
      m_is_far_on_host ? m_far_signals.data() : m_signals.data(),
      !runs_on_host_v<ExchangeSpace> && Runtime::instance(call).has_gates(),
      m_is_far_on_host};
}

}  // namespace symm::Impl

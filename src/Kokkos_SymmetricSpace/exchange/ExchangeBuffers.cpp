// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ExchangeBuffers.hpp"

#include <string>

#include "../../runtime/job/Runtime.hpp"
#include "../../runtime/symm_job.hpp"
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
}

void ExchangeBuffers::grow(char const* call, std::size_t half_bytes,
                           std::size_t n_halves, std::size_t outbox_bytes) {
  using Kokkos::view_alloc, Kokkos::WithoutInitializing;
  Kokkos::fence(call);
  decltype(m_inbox) const inbox(
      view_alloc(std::string(call) + ", inboxes", WithoutInitializing),
      n_halves * half_bytes);
  decltype(m_outbox) outbox;
  agree(call, failure_of([&] {
          outbox = decltype(m_outbox)(
              view_alloc(std::string(call) + ", outbox", WithoutInitializing),
              outbox_bytes);
        }));
  m_inbox      = inbox;
  m_outbox     = outbox;
  m_in_kernels = {
      heap_map(m_inbox),
      m_inbox.data(),
      (n_halves - 1) * half_bytes,
      m_outbox.data(),
      m_signals.data(),
      m_steps.data(),
      !runs_on_host_v<ExchangeSpace> && Runtime::instance(call).has_gates()};
}

}  // namespace symm::Impl

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "ExchangeBuffers.hpp"

#include <limits>
#include <string>

#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_teams.hpp"

namespace symm::Impl {

namespace {

using Kokkos::view_alloc, Kokkos::WithoutInitializing;

}  // namespace

void ExchangeBuffers::prepare(char const* name, std::size_t n_steps) {
  std::string const object = name;
  m_labels                 = {object + ", signals",
                              object + ", signals on the host",
                              object + ", inboxes",
                              object + ", outbox",
                              object + ", inboxes on the host",
                              object + ", outbox on the host"};
  m_steps                  = decltype(m_steps)(object + ", steps", n_steps);
}

void ExchangeBuffers::begin(std::size_t n_slots) {
  constexpr auto plan = "symm::ExchangePlan";
  m_uses_host = !runs_on_host_v<ExchangeSpace> && !Impl::has_gates(plan) &&
                team_world().has_far_pes() && has_host_heap(plan);
  m_signals = decltype(m_signals)(m_labels.signals, 2 * n_slots);
  if (m_uses_host) {
    m_host_signals =
        decltype(m_host_signals)(m_labels.host_signals, 2 * n_slots);
  }
  describe(0);
}

void ExchangeBuffers::grow(ObjectCall const& call, Room room,
                           std::optional<Failure> failure) {
  auto const inbox_bytes = room.n_halves * room.half_bytes;
  decltype(m_outbox) outbox;
  auto const take_outbox = [&] {
    if (room.half_bytes >
        std::numeric_limits<std::ptrdiff_t>::max() / room.n_halves) {
      throw OutOfMemory(Text(call.text,
                             ": an inbox has more bytes than "
                             "memory has addresses"));
    }
    Kokkos::fence(call.text);
    if (m_uses_host) return;
    outbox = decltype(m_outbox)(
        view_alloc(m_labels.outbox, WithoutInitializing), room.outbox_bytes);
  };
  if (!failure) failure = failure_of(take_outbox);
  agree(call, failure);

  decltype(m_inbox)
      const inbox(view_alloc(m_labels.inbox, WithoutInitializing), inbox_bytes);
  if (m_uses_host) {
    decltype(m_host_inbox) const host_inbox(
        view_alloc(m_labels.host_inbox, WithoutInitializing), inbox_bytes);
    decltype(m_host_outbox) const host_outbox(
        view_alloc(m_labels.host_outbox, WithoutInitializing), room.half_bytes);
    m_host_inbox  = host_inbox;
    m_host_outbox = host_outbox;
  }
  m_inbox  = inbox;
  m_outbox = outbox;
  describe((room.n_halves - 1) * room.half_bytes);
}

/// \param half_bytes the distance of two halves.
void ExchangeBuffers::describe(std::size_t half_bytes) {
  struct ForFar {
    HeapMap heap;
    char* inbox;
    char* outbox;
    Signal* signals;
  };
  auto const far = m_uses_host
                       ? ForFar{heap_map(m_host_signals), m_host_inbox.data(),
                                m_host_outbox.data(), m_host_signals.data()}
                       : ForFar{heap_map(m_signals), m_inbox.data(),
                                m_outbox.data(), m_signals.data()};
  bool const has_gates =
      !runs_on_host_v<ExchangeSpace> && Impl::has_gates("symm::ExchangePlan");
  m_in_kernels = {{heap_map(m_signals), m_inbox.data(), far.inbox, half_bytes,
                   far.outbox, m_steps.data()},
                  far.heap,
                  m_signals.data(),
                  far.signals,
                  has_gates,
                  m_uses_host};
}

}  // namespace symm::Impl

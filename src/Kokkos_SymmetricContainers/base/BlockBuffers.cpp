// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#include "BlockBuffers.hpp"

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

template <class Space, unsigned n_turns>
void BlockBuffers<Space, n_turns>::prepare(char const* name,
                                           std::size_t n_steps) {
  m_name                   = name;
  std::string const object = name;
  m_labels                 = {object + ", signals",
                              object + ", signals on the host",
                              object + ", inboxes",
                              object + ", outbox",
                              object + ", inboxes on the host",
                              object + ", outbox on the host"};
  m_steps                  = decltype(m_steps)(object + ", steps", n_steps);
}

template <class Space, unsigned n_turns>
void BlockBuffers<Space, n_turns>::begin(std::size_t n_slots) {
  m_uses_host = !runs_on_host_v<Exec> && !Impl::has_gates(m_name) &&
                team_world().has_far_pes() && has_host_heap(m_name);
  auto const n = n_turns * n_slots;
  m_signals    = decltype(m_signals)(m_labels.signals, n);
  if (m_uses_host)
    m_host_signals = decltype(m_host_signals)(m_labels.host_signals, n);
  describe(0);
}

template <class Space, unsigned n_turns>
void BlockBuffers<Space, n_turns>::grow(ObjectCall const& call, Room room,
                                        std::optional<Failure> failure) {
  decltype(m_outbox) outbox;
  auto const take = [&] {
    if (room.turn_bytes >
        std::numeric_limits<std::ptrdiff_t>::max() / n_turns) {
      throw OutOfMemory(
          Text(call.text, ": an inbox would exceed the address space"));
    }
    Kokkos::fence(call.text);
    if (m_uses_host) return;
    outbox = decltype(m_outbox)(
        view_alloc(m_labels.outbox, WithoutInitializing), room.outbox_bytes);
  };
  if (!failure) failure = failure_of(take);
  agree(call, failure);
  set_room(room, outbox);
}

template <class Space, unsigned n_turns>
void BlockBuffers<Space, n_turns>::take_outbox(std::size_t bytes) {
  m_outbox = decltype(m_outbox)(
      view_alloc(m_labels.outbox, WithoutInitializing), bytes);
}

template <class Space, unsigned n_turns>
void BlockBuffers<Space, n_turns>::set_room(
    Room room, Kokkos::View<char*, Memory> const& outbox) {
  auto const inbox_bytes = (room.has_turns ? n_turns : 1) * room.turn_bytes;
  decltype(m_inbox)
      const inbox(view_alloc(m_labels.inbox, WithoutInitializing), inbox_bytes);
  if (m_uses_host) {
    decltype(m_host_inbox) const host_inbox(
        view_alloc(m_labels.host_inbox, WithoutInitializing), inbox_bytes);
    decltype(m_host_outbox) const host_outbox(
        view_alloc(m_labels.host_outbox, WithoutInitializing), room.turn_bytes);
    m_host_inbox  = host_inbox;
    m_host_outbox = host_outbox;
  }
  m_inbox  = inbox;
  m_outbox = outbox;
  describe(room.has_turns ? room.turn_bytes : 0);
}

template <class Space, unsigned n_turns>
void BlockBuffers<Space, n_turns>::describe(std::size_t turn_bytes) {
  struct ForFar {
    HeapMap heap;
    char* inbox;
    char* outbox;
    Signal* signals;
  };
  auto const far       = m_uses_host
                             ? ForFar{heap_map(m_host_signals), m_host_inbox.data(),
                                m_host_outbox.data(), m_host_signals.data()}
                             : ForFar{heap_map(m_signals), m_inbox.data(),
                                m_outbox.data(), m_signals.data()};
  bool const has_gates = !runs_on_host_v<Exec> && Impl::has_gates(m_name);
  m_in_kernels = {{heap_map(m_signals), m_inbox.data(), far.inbox, turn_bytes,
                   far.outbox, m_steps.data()},
                  far.heap,
                  m_signals.data(),
                  far.signals,
                  has_gates,
                  m_uses_host};
}

// For exchanges and for mail.
template class BlockBuffers<SymmetricSpace, 2>;
template class BlockBuffers<SymmetricHostSpace, 4>;

}  // namespace symm::Impl

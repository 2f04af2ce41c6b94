// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PE_BACKOFF_HPP
#define SYMM_PE_BACKOFF_HPP

#include <algorithm>

#include "../base/Backoff.hpp"
#include "../transport/Transport.hpp"

namespace symm::Impl {

/// Backoff for a PE that is waiting for other PEs. While it waits, the PE also
/// processes messages from other nodes.
class PeBackoff {
 public:
  using Clock = Backoff::Clock;

  /// \param transport Null in single-node jobs.
  /// \param call The caller's name, for the error message if a PE is lost; null
  ///        in a collective call.
  PeBackoff(int spins, Transport* transport, char const* call = nullptr)
      : m_transport(transport),
        m_call(call),
        m_backoff(transport == nullptr ? spins
                                       : std::min(spins, max_spins_with_polls)),
        m_polls_per_pause(spins == 0 ? 1 : polls_per_pause) {}

  /// Pauses once.
  /// \returns the time since spinning ended, measured at the latest actual
  ///   pause.
  /// \param has_done_work Whether the thread has just done other work. If so,
  ///        more work may follow soon.
  Clock::duration pause(bool has_done_work = false) {
    if (m_transport == nullptr) return m_backoff.pause(has_done_work);
    bool const has_moved = m_transport->poll(m_call) || has_done_work;
    if (!has_moved && ++m_n_polls % m_polls_per_pause != 0) return m_waited;
    m_waited = m_backoff.pause(has_moved);
    return m_waited;
  }

 private:
  /// Yielding the core takes as long as one or two polls, so a PE that has its
  /// own core polls several times before it yields.
  static constexpr unsigned polls_per_pause = 8;
  static constexpr int max_spins_with_polls = 25;

  Transport* m_transport;
  char const* m_call;
  Backoff m_backoff;
  unsigned m_polls_per_pause;
  unsigned m_n_polls = 0;
  Clock::duration m_waited{};
};

}  // namespace symm::Impl

#endif

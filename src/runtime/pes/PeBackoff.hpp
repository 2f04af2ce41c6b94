// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PE_BACKOFF_HPP
#define SYMM_PE_BACKOFF_HPP

#include "../base/Backoff.hpp"
#include "../transport/Transport.hpp"

namespace symm::Impl {

/// The Backoff of who waits for other PEs: what comes from other nodes
/// meanwhile is done.
class PeBackoff {
 public:
  using Clock = Backoff::Clock;

  explicit PeBackoff(int spins) : m_backoff(spins) {}

  Clock::duration pause() {
    auto* const transport = Transport::instance();
    return m_backoff.pause(transport != nullptr && transport->poll());
  }

 private:
  Backoff m_backoff;
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RENDEZVOUSLISTENER_HPP
#define SYMM_RENDEZVOUSLISTENER_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "RuntimeCall.hpp"

namespace symm::Impl {

/// Is notified of the collective calls of a job, which tell what all PEs have
/// done. The memory pools are such a listener. A Rendezvous has at most one
/// listener, and calls it on the thread of the collective call.
class RendezvousListener {
 public:
  virtual ~RendezvousListener() = default;

  /// Called before a barrier, which waits for no kernels. Returns a bit for
  /// each stream of the pools that is idle on this PE.
  [[nodiscard]] virtual std::uint64_t idle_streams() = 0;
  /// Called after the barrier, with the streams that were idle on all PEs.
  virtual void were_idle(std::uint64_t streams) = 0;
  /// Called before a call that waits for the kernels of all PEs. Allocates the
  /// private memory that the calls below need.
  /// \throws std::bad_alloc.
  virtual void prepare() = 0;
  /// Called when all PEs have waited for their kernels, and met.
  virtual void all_ended() = 0;
  /// Called before a collective call returns; may make collective steps.
  virtual void before_return(RuntimeCall call) = 0;
  /// Called by free() for an address in no heap. If it is memory of this PE
  /// alone, waits for the kernels and frees the memory. Local; any thread.
  /// \returns whether it was such memory. \throws SystemError on this PE.
  [[nodiscard]] virtual bool free_at_once(void* address) = 0;
  /// The last call of the listener. Returns descriptions of memory that has not
  /// been freed, for a message.
  [[nodiscard]] virtual std::vector<std::string> finalize() = 0;
};

}  // namespace symm::Impl

#endif

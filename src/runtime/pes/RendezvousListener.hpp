// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_RENDEZVOUSLISTENER_HPP
#define SYMM_RENDEZVOUSLISTENER_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "RuntimeCall.hpp"

namespace symm::Impl {

/// An object that is notified of a job's collective calls and learns from them
/// what all PEs have done. The memory pools are one such listener. A Rendezvous
/// has at most one listener and calls it on the thread that makes the
/// collective call.
class RendezvousListener {
 public:
  virtual ~RendezvousListener() = default;

  /// Called before a barrier that does not wait for kernels. Returns one bit
  /// for each stream that the pools use, set if the stream is idle on this PE.
  [[nodiscard]] virtual std::uint64_t idle_streams() = 0;
  /// Called after that barrier with the streams that were idle on all PEs.
  virtual void were_idle(std::uint64_t streams) = 0;
  /// Called before a collective call that waits for all PEs' kernels. Allocates
  /// the private memory that the functions below need.
  /// \throws std::bad_alloc.
  virtual void prepare() = 0;
  /// Called once all PEs have waited for their kernels and then passed a
  /// barrier.
  virtual void all_ended() = 0;
  /// Called before a collective call returns; may perform collective steps.
  virtual void before_return(RuntimeCall call) = 0;
  /// Called by free() for an address outside all heaps. If the address is in
  /// memory that belongs to this PE only, such as a local pool, waits for
  /// kernels and frees the memory. Local; callable from any thread.
  /// \returns whether the address was in such memory.
  /// \throws SystemError on this PE.
  [[nodiscard]] virtual bool free_at_once(void* address) = 0;
  /// Called last, by finalize(). Returns descriptions of memory that has not
  /// been freed, for a warning.
  [[nodiscard]] virtual std::vector<std::string> finalize() = 0;
};

}  // namespace symm::Impl

#endif

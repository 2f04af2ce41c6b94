// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_FOLLOWER_HPP
#define SYMM_FOLLOWER_HPP

#include <cstdint>
#include <string>
#include <vector>

#include "RuntimeCall.hpp"

namespace symm::Impl {

/// Who follows the collective calls of a job, to learn from them what all PEs
/// have done: the memory pools. One, or none, belongs to a Rendezvous. Calls
/// come from the thread that is in the collective call.
class Follower {
 public:
  virtual ~Follower() = default;

  /// Before a call that waits for no kernels: a bit for each stream that is
  /// idle on this PE. Nothing is looked at if nobody asks for it.
  [[nodiscard]] virtual std::uint64_t idle_streams() = 0;
  /// Behind it: those that were idle on all PEs.
  virtual void were_idle(std::uint64_t streams) = 0;
  /// Before a call that waits for the kernels of all PEs: gets the private
  /// memory that what follows needs. \throws std::bad_alloc.
  virtual void prepare() = 0;
  /// All PEs have waited for their kernels, and met.
  virtual void all_ended() = 0;
  /// A collective call of the heap is about to return on all PEs; may make
  /// collective steps of its own.
  virtual void before_return(RuntimeCall call) = 0;
  /// free() of what is in no heap: if `address` is memory of this PE alone, it
  /// waits for the kernels and frees it. Local; on any thread.
  /// \returns whether it was. \throws SystemError on this PE.
  [[nodiscard]] virtual bool free_at_once(void* address) = 0;
  /// The last call: what has not been freed, for a message.
  [[nodiscard]] virtual std::vector<std::string> finalize() = 0;
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_HPP
#define SYMM_TRANSPORT_TRANSPORT_HPP

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "../base/Text.hpp"
#include "../base/Types.hpp"
#include "Channel.hpp"
#include "LostPe.hpp"
#include "StepMessages.hpp"

namespace symm::Impl {

/// A PE's latest call, as reported by that PE.
struct PeProgress {
  std::uint64_t n_calls = 0;  // number of rendezvous that the PE has reached
  bool is_in_finalize   = false;
  /// ObjectCall::key() of the latest call; 0 if that was not an ObjectCall.
  std::uint64_t object_key = 0;
  Text call;  // the latest call's name
};

/// Requests from this PE's kernels. The host passes these requests to the
/// Transport.
class KernelRequests {
 public:
  virtual ~KernelRequests() = default;

  /// Waits until all requests from completed kernels have reached the
  /// Transport.
  /// \param call See StepMessages::poll().
  virtual void drain(char const* call) = 0;
};

/// Connects this PE to PEs on other nodes. Channels carry operations on those
/// PEs' memory, and step messages implement collective calls. Callable from any
/// thread.
class Transport : public StepMessages {
 public:
  /// The channel for all operations that have no context.
  [[nodiscard]] Channel& channel() const noexcept { return m_first; }
  /// Opens a channel for a context. Returns null if no channel is available.
  /// Local.
  /// \throws std::bad_alloc.
  [[nodiscard]] virtual Channel* open_channel() { return nullptr; }
  /// Returns the channel to open_channel() for reuse. Operations in flight
  /// still complete.
  virtual void close_channel(Channel& /*channel*/) noexcept {}
  /// Completes, on all channels, the operations that this PE's host threads and
  /// kernels have started.
  void quiet(char const* call = nullptr) {
    drain_kernels(call);
    quiet_channels(call);
  }

  // The functions below do not access other PEs' memory. They are callable from
  // any thread.

  /// Asks `pe` for its progress and returns the answer, or nullopt if none
  /// arrives within `most`. If `most` is 0, sends no query. If `pe` has already
  /// reported that it is in finalize, returns that report immediately. Ends the
  /// job if any PE is lost.
  [[nodiscard]] virtual std::optional<PeProgress> progress_of(
      Pe pe, std::chrono::milliseconds most, char const* call = nullptr) = 0;

  /// Call these functions before and after a wait for PEs that the caller
  /// cannot name. In between, heartbeats check all PEs with which this PE has
  /// exchanged messages. Pairs of calls may be nested.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Ends the job. The caller has already printed the reason. Notifies the PEs
  /// on this node, and all other PEs with which this PE has exchanged messages.
  /// They print the reason, too.
  [[noreturn]] virtual void end_job(LostPe const& lost) noexcept = 0;

  /// Must be called before the chunk at `offset` in the host heap is unmapped.
  /// This function is local, but is part of a collective call, so no PE
  /// accesses the chunk anymore.
  virtual void forget_chunk(std::size_t /*offset*/) noexcept {}

  /// Shuts the transport down. Collective. Must be called after all PEs have
  /// issued their last operations.
  /// \throws SystemError on this PE.
  virtual void close() = 0;

  /// The number of polls before a waiting thread yields the core; 0 if PEs
  /// share cores. Callable from any thread.
  void set_spins(int spins) noexcept { m_spins = spins; }

  /// Waits until all requests from completed kernels have reached the
  /// Transport.
  void drain_kernels(char const* call = nullptr) {
    if (auto* const requests = m_kernel_requests.load()) requests->drain(call);
  }
  /// \param requests Null if kernels make no requests.
  void set_kernel_requests(KernelRequests* requests) noexcept {
    m_kernel_requests = requests;
  }

 protected:
  /// \param first The result of channel(). It may still be under construction.
  explicit Transport(Channel& first) : m_first(first) {}
  virtual void quiet_channels(char const* call) = 0;
  [[nodiscard]] int spins() const noexcept { return m_spins; }

 private:
  Channel& m_first;
  std::atomic<int> m_spins = 100;  // each takes less than a microsecond
  std::atomic<KernelRequests*> m_kernel_requests{nullptr};
};

}  // namespace symm::Impl

#endif

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

/// The latest call of a PE, as that PE reports it.
struct PeProgress {
  std::uint64_t n_calls = 0;  // number of rendezvous the PE has reached
  bool is_in_finalize   = false;
  /// ObjectCall::key() of the latest call; 0 if that was not an ObjectCall.
  std::uint64_t object_key = 0;
  Text call;  // the name of the latest call
};

/// The requests of this PE's kernels, which reach a Transport through the host.
class KernelRequests {
 public:
  virtual ~KernelRequests() = default;

  /// Waits until all requests of kernels that have ended have reached the
  /// Transport.
  /// \param call See StepMessages::poll().
  virtual void drain(char const* call) = 0;
};

/// Reaches PEs on other nodes: through channels, which carry operations on
/// those PEs' memory, and through the messages that make up collective steps.
/// Callable from any thread.
class Transport : public StepMessages {
 public:
  /// The channel for all operations without a context.
  [[nodiscard]] Channel& channel() const noexcept { return m_first; }
  /// Opens a channel for a context. Returns null if no more channels are
  /// available. Local.
  /// \throws std::bad_alloc.
  [[nodiscard]] virtual Channel* open_channel() { return nullptr; }
  /// Makes the channel available to open_channel() again. Operations that have
  /// already begun are still carried out.
  virtual void close_channel(Channel& /*channel*/) noexcept {}
  /// Completes the operations that this PE's host and kernels have begun, in
  /// all channels.
  void quiet(char const* call = nullptr) {
    drain_kernels(call);
    quiet_channels(call);
  }

  // These functions are for everything that concerns PEs on other nodes except
  // access to their memory. They are callable from any thread.

  /// Asks `pe` for its progress, and returns the answer, or nullopt if none
  /// arrives within `most`. If `most` is 0, does not ask. If `pe` has already
  /// answered that it is in finalize, that answer is returned at once. Ends the
  /// job if any PE is lost.
  [[nodiscard]] virtual std::optional<PeProgress> progress_of(
      Pe pe, std::chrono::milliseconds most, char const* call = nullptr) = 0;

  /// To be called before and after a wait for PEs that the caller does not
  /// know. In between, heartbeats check all PEs that this PE has exchanged
  /// messages with. Pairs of calls may be nested.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Ends the job. This PE has already printed the reason. The PEs on this
  /// node, and those on other nodes that this PE has exchanged messages with,
  /// are notified and print the reason, too.
  [[noreturn]] virtual void end_job(LostPe const& lost) noexcept = 0;

  /// To be called before the chunk at `offset` in the host heap is unmapped.
  /// The call is local, but is made within a collective call, so that no PE
  /// accesses the chunk anymore.
  virtual void forget_chunk(std::size_t /*offset*/) noexcept {}

  /// Shuts the transport down. Collective; to be called once all PEs have
  /// called their last operations.
  /// \throws SystemError on this PE.
  virtual void close() = 0;

  /// How often a wait polls before it yields the core; 0 if PEs share cores.
  /// Callable from any thread.
  void set_spins(int spins) noexcept { m_spins = spins; }

  /// Waits until all requests of kernels that have ended have reached the
  /// Transport.
  void drain_kernels(char const* call = nullptr) {
    if (auto* const requests = m_kernel_requests.load()) requests->drain(call);
  }
  /// \param requests Null if there are none.
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

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
  std::uint64_t n_calls = 0;  // rendezvous that the PE has reached
  bool is_in_finalize   = false;
  /// ObjectCall::key() of the last call; 0 if that is no ObjectCall.
  std::uint64_t object_key = 0;
  Text call;  // the name of the last call
};

/// The requests of this PE's kernels, which reach a Transport through the host.
class KernelRequests {
 public:
  virtual ~KernelRequests() = default;

  /// Waits until all requests of kernels that have ended have reached the
  /// Transport.
  /// \param call as in StepMessages::poll().
  virtual void drain(char const* call) = 0;
};

/// Reaches PEs of other nodes: through channels, which carry operations on
/// their memory, and through messages of collective steps. Any thread.
class Transport : public StepMessages {
 public:
  /// The channel of all operations without a context.
  [[nodiscard]] Channel& channel() const noexcept { return m_first; }
  /// Returns a channel for a context, to be used until close_channel(); null if
  /// there are no more. Local.
  /// \throws std::bad_alloc.
  [[nodiscard]] virtual Channel* open_channel() { return nullptr; }
  /// Operations that have begun are still carried out.
  virtual void close_channel(Channel& /*channel*/) noexcept {}
  /// Completes the operations that this PE's host and kernels have begun, in
  /// all channels.
  void quiet(char const* call = nullptr) {
    drain_kernels(call);
    quiet_channels(call);
  }

  // For PEs of other nodes, apart from their memory. Any thread.

  /// Asks `pe`, and returns the answer of `pe` if it arrives within `most`. If
  /// `most` is 0, does not ask. An earlier answer that `pe` is in finalize
  /// still holds and is returned at once. Ends the job if a PE is lost.
  [[nodiscard]] virtual std::optional<PeProgress> progress_of(
      Pe pe, std::chrono::milliseconds most, char const* call = nullptr) = 0;

  /// A PE that waits without knowing for which PE calls these before and after
  /// the wait. In between, all PEs that it has met are watched. Calls nest.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Ends the job; the reason has been printed. The PEs of this node, and those
  /// of other nodes that this PE has met, are told and print the reason, too.
  [[noreturn]] virtual void end_job(LostPe const& lost) noexcept = 0;

  /// To be called before the chunk at this offset of the host heap is unmapped.
  /// Local, within a collective call: no PE accesses the chunk any more.
  virtual void forget_chunk(std::size_t /*offset*/) noexcept {}

  /// Collective: to be called after the last operation of all PEs.
  /// \throws SystemError on this PE.
  virtual void close() = 0;

  /// How often a wait polls before it yields the core; 0 if PEs share cores.
  /// Any thread.
  void set_spins(int spins) noexcept { m_spins = spins; }

  /// Waits until the requests of kernels that have ended have reached the
  /// transport.
  void drain_kernels(char const* call = nullptr) {
    if (auto* const requests = m_kernel_requests.load()) requests->drain(call);
  }
  /// \param requests null if there are none.
  void set_kernel_requests(KernelRequests* requests) noexcept {
    m_kernel_requests = requests;
  }

 protected:
  /// \param first the result of channel(); it may be under construction.
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

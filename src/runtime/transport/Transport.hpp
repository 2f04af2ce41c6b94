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

/// The latest call of a PE, as it reports itself.
struct PeProgress {
  std::uint64_t n_calls = 0;  // rendezvous that it has come to
  bool is_in_finalize   = false;
  /// ObjectCall::key() of the last of them; 0: it is none.
  std::uint64_t object_key = 0;
  Text call;  // the last of them
};

/// Requests of this PE's kernels, which reach a Transport by way of the host.
class KernelRequests {
 public:
  virtual ~KernelRequests() = default;

  /// Waits until all requests of kernels that have ended are with the
  /// Transport. \param call as StepMessages::poll().
  virtual void drain(char const* call) = 0;
};

/// Reaches PEs of other nodes: by channels, which carry operations on their
/// memory, and by messages of collective steps. Any thread.
class Transport : public StepMessages {
 public:
  /// The channel of all operations without a context.
  [[nodiscard]] Channel& channel() const noexcept { return m_first; }
  /// A channel for a context, from open_channel() to close_channel(); null:
  /// there are no more. Local.
  /// \throws std::bad_alloc.
  [[nodiscard]] virtual Channel* open_channel() { return nullptr; }
  /// Operations that have begun go on.
  virtual void close_channel(Channel& /*channel*/) noexcept {}
  /// Completes what this PE's host and kernels have begun, in all channels.
  void quiet(char const* call = nullptr) {
    drain_kernels(call);
    quiet_channels(call);
  }

  // PEs of other nodes, besides their memory. Any thread.

  /// Asks `pe`, and returns its answer if it comes within `most`. An earlier
  /// answer that it is in finalize still holds and is returned at once. 0: does
  /// not ask. Ends the job if a PE is lost.
  [[nodiscard]] virtual std::optional<PeProgress> progress_of(
      Pe pe, std::chrono::milliseconds most, char const* call = nullptr) = 0;

  /// A PE that waits, and does not know for which PE, calls these before and
  /// after: all PEs that it has met are watched in between. Calls nest.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Ends the job; the reason has been printed. The PEs of this node, and those
  /// of others that this one has met, hear of it and say so, too.
  [[noreturn]] virtual void end_job(LostPe const& lost) noexcept = 0;

  /// Before the chunk at this offset of the host heap is unmapped. Local, in a
  /// collective call: no PE reaches the chunk any more.
  virtual void forget_chunk(std::size_t /*offset*/) noexcept {}

  /// Collective: behind the last operation of all PEs.
  /// \throws SystemError on this PE.
  virtual void close() = 0;

  /// How often a wait polls before it gives the core away; 0 if PEs share
  /// cores. Any thread.
  void set_spins(int spins) noexcept { m_spins = spins; }

  /// Waits until the transport has what kernels that have ended have asked for.
  void drain_kernels(char const* call = nullptr) {
    if (auto* const requests = m_kernel_requests.load()) requests->drain(call);
  }
  /// \param requests null: there are none.
  void set_kernel_requests(KernelRequests* requests) noexcept {
    m_kernel_requests = requests;
  }

 protected:
  /// \param first its channel(), which may be under construction.
  explicit Transport(Channel& first) : m_first(first) {}
  virtual void quiet_channels(char const* call) = 0;
  [[nodiscard]] int spins() const noexcept { return m_spins; }

 private:
  Channel& m_first;
  std::atomic<int> m_spins = 100;  // each a part of a microsecond
  std::atomic<KernelRequests*> m_kernel_requests{nullptr};
};

}  // namespace symm::Impl

#endif

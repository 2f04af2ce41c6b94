// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_UPDATESERVER_HPP
#define SYMM_TRANSPORT_UPDATESERVER_HPP

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "../base/Types.hpp"
#include "../memory/GpuAccessQueue.hpp"
#include "../memory/MemoryProvider.hpp"
#include "../memory/ProxyQueue.hpp"
#include "../memory/UpdateLog.hpp"
#include "Channel.hpp"
#include "TransportTarget.hpp"
#include "Updates.hpp"

namespace symm::Impl {

/// Executes the updates in a ProxyQueue in ticket order, one block of atomic
/// operations at a time. Used by a single thread.
class UpdateServer {
 public:
  using Number = std::uint64_t;
  /// Finds the object on `pe` that corresponds to `address` in this PE's part
  /// of the heap.
  /// \throws UsageError on this PE if there is none.
  using Find = std::function<PeMemory(void const* address, std::size_t bytes,
                                      Pe pe, char const* what)>;

  /// \param memory This PE's memory, in which `find` finds objects. Must
  ///        outlive this object.
  /// \throws SystemError, OutOfMemory on this PE.
  UpdateServer(MemoryProvider& provider, Channel& channel,
               TransportTarget& memory, int n_pes, Find find);

  /// The memory for the ProxyQueue's updates, and for its count of freed
  /// updates:
  [[nodiscard]] std::uint64_t* words() const { return m_words; }
  [[nodiscard]] std::uint64_t const* freed() const { return m_freed; }

  /// Executes updates that kernels have written: up to a few thousand, and none
  /// beyond a fence that has to wait for requests.
  /// \param next_request All requests with tickets below this one have started.
  /// \returns whether it executed any updates.
  bool take(Number next_request);
  /// Whether a request may start: either all updates before it have been
  /// executed, or a fence is waiting for it.
  /// \param ticket The lower 32 bits of the ticket that the next update had
  ///        when the request was made.
  [[nodiscard]] bool may_begin(Number request, std::uint32_t ticket) const {
    auto const left =
        static_cast<std::int32_t>(ticket - static_cast<std::uint32_t>(m_head));
    return left <= 0 || request < m_awaited;
  }

  // Callable from any thread:

  /// One past the last update written by completed kernels.
  [[nodiscard]] Number end_of_written() const;
  [[nodiscard]] bool is_carried_out(Number end) const {
    return m_taken.load(std::memory_order_acquire) >= end;
  }

 private:
  static constexpr std::size_t block = 256;

  [[nodiscard]] bool read(Number ticket, Update& update) const;
  void carry_out(Update const& update);
  [[nodiscard]] PeMemory find(Update const& update, std::size_t bytes,
                              char const* what);
  void deliver();

  Channel& m_channel;
  TransportTarget& m_memory;
  int const m_n_pes;
  Find m_find;
  PinnedMemory m_pinned;  // contains the words and the count of freed updates
  std::uint64_t* m_words;
  std::uint64_t* m_freed;

  Number m_head    = 0;  // the next update to be executed
  Number m_awaited = 0;  // a fence waits for requests with lower tickets
  // The range, in this PE's part of a heap, that find() looked up last. take()
  // resets it. (The range stays mapped meanwhile, because calls that unmap
  // memory wait for the updates from completed kernels.)
  MemoryRange m_range;
  Segment m_segment{};
  std::size_t m_n_atomics = 0;
  std::array<FarAtomic, block> m_atomics;
  std::atomic<Number> m_taken = 0;
};

}  // namespace symm::Impl

#endif

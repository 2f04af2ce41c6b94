// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_CHANNEL_HPP
#define SYMM_TRANSPORT_CHANNEL_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"
#include "HostCall.hpp"
#include "OperationHandle.hpp"
#include "Updates.hpp"

namespace symm::Impl {

/// The operations of one context on the memory of far PEs. Operations are sent
/// as messages, and the target executes them with the same code as operations
/// within a node. fence() orders, and quiet() completes, only this channel's
/// operations. Any number of threads of this PE may call these functions
/// concurrently. A function that waits makes progress in the meantime, like
/// Transport::poll().
///
/// If a PE is lost, the job ends with an error message that names the PE, its
/// host and the call.
///
/// Callers must check the offsets beforehand. They can do so because every PE
/// has the same offsets. The target checks again, and ends the job if an offset
/// is invalid.
///
/// In each parameter `call`, the member `name` is for the error message about a
/// lost PE. If `call.request` is not null, the operation fills it in for test()
/// and wait(). `call.channel` is ignored.
class Channel {
 public:
  virtual ~Channel() = default;

  // After quiet(), the data are at the target. After fence(), they arrive
  // before any later operation on the same PE takes effect. With
  // Completion::local, the caller may reuse `from` as soon as the call returns.
  virtual void put(PeMemory to, void const* from, std::size_t bytes,
                   Completion completion = Completion::local,
                   HostCall const& call  = {})         = 0;
  virtual void put_strided(PeMemory to, void const* from, Strides strides,
                           HostCall const& call = {}) = 0;
  /// The target updates the signal after the data have arrived.
  /// \param op The signal operation: AtomicOp::set or AtomicOp::add.
  virtual void put_signal(PeMemory to, void const* from, std::size_t bytes,
                          PeMemory signal, std::uint64_t value, AtomicOp op,
                          Completion completion = Completion::local,
                          HostCall const& call  = {}) = 0;

  // With Completion::local, the data are in `to` on return; otherwise after
  // quiet().
  virtual void get(void* to, PeMemory from, std::size_t bytes,
                   Completion completion = Completion::local,
                   HostCall const& call  = {})         = 0;
  virtual void get_strided(void* to, PeMemory from, Strides strides,
                           HostCall const& call = {}) = 0;

  /// Returns the word's value before the operation. The value of a 4-byte word
  /// is in the lower 32 bits.
  [[nodiscard]] virtual std::uint64_t atomic(PeMemory at, AtomicOp op,
                                             WordType type, std::uint64_t value,
                                             std::uint64_t compare = 0,
                                             HostCall const& call  = {}) = 0;
  /// After quiet(), `*was` contains the word's previous value, in as many bytes
  /// as the word has.
  virtual void fetch_nbi(PeMemory at, AtomicOp op, WordType type,
                         std::uint64_t value, std::uint64_t compare, void* was,
                         HostCall const& call = {}) = 0;
  /// Starts an atomic operation without a result. Like a put, it is complete
  /// after quiet().
  virtual void post_atomic(PeMemory at, AtomicOp op, WordType type,
                           std::uint64_t value, HostCall const& call = {}) = 0;

  /// Calls post_atomic() for each operation in `left`, in order.
  /// \param left The operations. After an exception, `left` contains only those
  ///        that have not started.
  virtual void post_atomics(std::span<FarAtomic const>& left,
                            HostCall const& call = {}) {
    for (; !left.empty(); left = left.subspan(1)) {
      auto const& [at, op, type, value] = left.front();
      post_atomic(at, op, type, value, call);
    }
  }

  /// Sends NodeUpdates for words on any PEs that share a node with `to`. They
  /// are complete after quiet(); fence() does not order them. Used only between
  /// nodes that have several PEs each. The base class does nothing.
  /// \param updates Words from NodeUpdate::word(), 8 bytes each, and values as
  ///        `has_values` says. At most MessageEngine::max_eager bytes in total.
  /// \param has_values Whether an 8-byte value follows each word. Otherwise,
  ///        `value` is the value of all updates.
  virtual void post_node_updates(Pe /*to*/,
                                 std::span<std::byte const> /*updates*/,
                                 bool /*has_values*/, std::uint64_t /*value*/,
                                 HostCall const& /*call*/ = {}) {}

  // Each function named begin_... starts an operation, and `left` is
  // decremented when the operation completes. So a caller may have many
  // operations in flight and wait for any one of them.

  using Counter = std::atomic<std::uint64_t>;

  static constexpr std::size_t max_begun = std::size_t{64} << 10U;
  /// \param bytes At most max_begun.
  virtual void begin_get(void* to, PeMemory from, std::size_t bytes,
                         Counter& left, HostCall const& call = {}) {
    get(to, from, bytes, Completion::local, call);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// \param was Receives the word's previous value.
  virtual void begin_atomic(PeMemory at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            std::uint64_t& was, Counter& left) {
    was = atomic(at, op, type, value, compare);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// Waits until `left` is 0. `left` counts operations on `pe` that were
  /// started with the functions above.
  virtual void wait_for_begun(Pe /*pe*/, Counter& /*left*/,
                              HostCall const& /*call*/ = {}) {}

  virtual void fence(HostCall const& call = {}) = 0;
  /// Waits for all operations on this channel, on any PE, that any thread
  /// started before this call.
  virtual void quiet(HostCall const& call = {}) = 0;
  /// Like quiet(), but only for the operations on `pes`.
  virtual void quiet(std::span<Pe const> pes, HostCall const& call = {}) = 0;

  // These two functions accept only operations of this channel. They are
  // callable from any thread.

  /// Whether the operation of `handle` has reached `stage`. If not, sends any
  /// messages that the operation still needs to get there.
  [[nodiscard]] virtual bool test(OperationHandle& /*handle*/, Stage /*stage*/,
                                  HostCall const& /*call*/ = {}) {
    return true;
  }
  virtual void wait(OperationHandle& /*handle*/, Stage /*stage*/,
                    HostCall const& /*call*/ = {}) {}
};

}  // namespace symm::Impl

#endif

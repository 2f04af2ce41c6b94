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

/// The operations of one context on the memory of far PEs. They are messages,
/// which the target carries out with the same code as operations within a node.
/// fence() orders only this channel's operations, and quiet() completes only
/// those. Any threads of this PE may call these functions concurrently.
/// Functions that wait make progress meanwhile, like Transport::poll().
///
/// If a PE is lost, the job ends with an error message that names the PE, its
/// host and the call.
///
/// Callers must check the offsets beforehand, which is possible because the
/// same offsets exist on every PE. The target checks the offsets again, and
/// ends the job if they are wrong.
///
/// Of each parameter `call`, the member `name` is for the error message about a
/// lost PE. If `call.request` is not null, it receives what test() and wait()
/// need. `call.channel` is not used.
class Channel {
 public:
  virtual ~Channel() = default;

  // After quiet(), the data are at the target. After fence(), they arrive there
  // before the effect of any later operation on the same PE. With
  // Completion::local, the caller may reuse `from` as soon as the call returns.
  virtual void put(PeMemory to, void const* from, std::size_t bytes,
                   Completion completion = Completion::local,
                   HostCall const& call  = {})         = 0;
  virtual void put_strided(PeMemory to, void const* from, Strides strides,
                           HostCall const& call = {}) = 0;
  /// The target updates the signal once the data are there.
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
  /// After quiet(), `*was` contains the value that the word had before the
  /// operation. It takes up as many bytes as the word.
  virtual void fetch_nbi(PeMemory at, AtomicOp op, WordType type,
                         std::uint64_t value, std::uint64_t compare, void* was,
                         HostCall const& call = {}) = 0;
  /// Starts an atomic operation that returns nothing. It is complete after
  /// quiet(), like a put.
  virtual void post_atomic(PeMemory at, AtomicOp op, WordType type,
                           std::uint64_t value, HostCall const& call = {}) = 0;

  /// Calls post_atomic() for each operation in `left`, in order.
  /// \param left The operations. After an exception, only those that have not
  ///        begun.
  virtual void post_atomics(std::span<FarAtomic const>& left,
                            HostCall const& call = {}) {
    for (; !left.empty(); left = left.subspan(1)) {
      auto const& [at, op, type, value] = left.front();
      post_atomic(at, op, type, value, call);
    }
  }

  /// Sends NodeUpdates for words on any PEs on the same node as `to`. They are
  /// complete after quiet(); fence() does not order them. Used only between
  /// nodes with several PEs each. The base class does nothing.
  /// \param updates The results of NodeUpdate::word(), 8 bytes each, and the
  ///        values if `has_values`. At most MessageEngine::max_eager bytes in
  ///        all.
  /// \param has_values Whether an 8-byte value follows each word. Otherwise,
  ///        `value` is the value of all updates.
  virtual void post_node_updates(Pe /*to*/,
                                 std::span<std::byte const> /*updates*/,
                                 bool /*has_values*/, std::uint64_t /*value*/,
                                 HostCall const& /*call*/ = {}) {}

  // Each function named begin_... starts an operation. `left` is decremented
  // when the operation completes, during a call of poll(). So a caller may have
  // many operations in flight and wait for any one of them.

  using Counter = std::atomic<std::uint64_t>;

  static constexpr std::size_t max_begun = std::size_t{64} << 10U;
  /// \param bytes At most max_begun.
  virtual void begin_get(void* to, PeMemory from, std::size_t bytes,
                         Counter& left, HostCall const& call = {}) {
    get(to, from, bytes, Completion::local, call);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// \param was Receives the value that the word had before the operation.
  virtual void begin_atomic(PeMemory at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            std::uint64_t& was, Counter& left) {
    was = atomic(at, op, type, value, compare);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// Waits until `left` is 0. `left` counts operations on `pe`, which the
  /// functions above have begun.
  virtual void wait_for_begun(Pe /*pe*/, Counter& /*left*/,
                              HostCall const& /*call*/ = {}) {}

  virtual void fence(HostCall const& call = {}) = 0;
  /// Waits for all of this channel's operations, on any PE, that any thread has
  /// begun before this call.
  virtual void quiet(HostCall const& call = {}) = 0;
  /// Like quiet(), but only for the operations on `pes`.
  virtual void quiet(std::span<Pe const> pes, HostCall const& call = {}) = 0;

  // These two functions are for operations of this channel only. They are
  // callable from any thread.

  /// Whether the operation of `handle` has reached `stage`. If not, sends any
  /// messages on which that still depends.
  [[nodiscard]] virtual bool test(OperationHandle& /*handle*/, Stage /*stage*/,
                                  HostCall const& /*call*/ = {}) {
    return true;
  }
  virtual void wait(OperationHandle& /*handle*/, Stage /*stage*/,
                    HostCall const& /*call*/ = {}) {}
};

}  // namespace symm::Impl

#endif

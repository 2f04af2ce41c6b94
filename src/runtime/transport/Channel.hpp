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
/// those. Any threads of this PE may call these functions concurrently. All
/// waits make progress meanwhile, like poll().
///
/// If a PE is lost, the job ends with an error message that names the PE, its
/// host and the call.
///
/// The caller has checked the offsets (every PE has the same memory). The
/// target checks them again, and ends the job if they are wrong.
///
/// From each `call`, the name is used for the error message about a lost PE. If
/// `request` is not null, it receives what test() and wait() need. `channel` is
/// not used.
class Channel {
 public:
  virtual ~Channel() = default;

  // After quiet(), the data are at the target. After fence(), they arrive there
  // before the effect of any later operation on the same PE. With
  // Completion::local, `from` may be overwritten on return.
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

  /// Returns the value before the operation. A word of 4 bytes is in the lower
  /// bits.
  [[nodiscard]] virtual std::uint64_t atomic(PeMemory at, AtomicOp op,
                                             WordType type, std::uint64_t value,
                                             std::uint64_t compare = 0,
                                             HostCall const& call  = {}) = 0;
  /// After quiet(), `was` contains the value before the operation, in the size
  /// of the word.
  virtual void fetch_nbi(PeMemory at, AtomicOp op, WordType type,
                         std::uint64_t value, std::uint64_t compare, void* was,
                         HostCall const& call = {}) = 0;
  /// Has no answer; complete after quiet(), like a put.
  virtual void post_atomic(PeMemory at, AtomicOp op, WordType type,
                           std::uint64_t value, HostCall const& call = {}) = 0;

  /// Calls post_atomic() for each operation in `left`, in order.
  /// \param left After an exception, contains the operations that have not
  ///        begun.
  virtual void post_atomics(std::span<FarAtomic const>& left,
                            HostCall const& call = {}) {
    for (; !left.empty(); left = left.subspan(1)) {
      auto const& [at, op, type, value] = left.front();
      post_atomic(at, op, type, value, call);
    }
  }

  /// Sends NodeUpdates for words on any PEs of the node of `to`. They are
  /// complete after quiet(), and fence() does not order them. Implemented by
  /// channels between nodes with several PEs each.
  /// \param updates Words of 8 bytes, at most MessageEngine::max_eager bytes in
  ///        all.
  /// \param has_values Whether a value follows each word; otherwise, `value`
  ///        applies to all.
  virtual void post_node_updates(Pe /*to*/,
                                 std::span<std::byte const> /*updates*/,
                                 bool /*has_values*/, std::uint64_t /*value*/,
                                 HostCall const& /*call*/ = {}) {}

  // The functions named begin_... decrement `left` when the operation
  // completes, within poll(). So a caller may have many operations in flight
  // and wait for any one of them.

  using Counter = std::atomic<std::uint64_t>;

  static constexpr std::size_t max_begun = std::size_t{64} << 10U;
  /// \param bytes At most max_begun.
  virtual void begin_get(void* to, PeMemory from, std::size_t bytes,
                         Counter& left, HostCall const& call = {}) {
    get(to, from, bytes, Completion::local, call);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// \param was Receives the word's old value.
  virtual void begin_atomic(PeMemory at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            std::uint64_t& was, Counter& left) {
    was = atomic(at, op, type, value, compare);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// Waits until `left`, which counts operations begun on `pe`, is 0.
  virtual void wait_for_begun(Pe /*pe*/, Counter& /*left*/,
                              HostCall const& /*call*/ = {}) {}

  virtual void fence(HostCall const& call = {}) = 0;
  /// Waits for all operations, on any PE, that any thread has begun before this
  /// call.
  virtual void quiet(HostCall const& call = {}) = 0;
  /// The same for the operations on `pes`.
  virtual void quiet(std::span<Pe const> pes, HostCall const& call = {}) = 0;

  // For operations of this channel only. Callable from any thread.

  /// Whether the operation of `handle` has reached `stage`. Sends any messages
  /// that this still depends on.
  [[nodiscard]] virtual bool test(OperationHandle& /*handle*/, Stage /*stage*/,
                                  HostCall const& /*call*/ = {}) {
    return true;
  }
  virtual void wait(OperationHandle& /*handle*/, Stage /*stage*/,
                    HostCall const& /*call*/ = {}) {}
};

}  // namespace symm::Impl

#endif

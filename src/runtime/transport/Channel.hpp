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

/// One context's operations on far PEs' memory. Operations are sent as
/// messages. The target executes them with the same code as operations within a
/// node. fence() orders, and quiet() completes, only this channel's operations.
/// Any number of threads of this PE may call these functions concurrently.
/// Functions that wait also make progress, as Transport::poll() does.
///
/// If a PE is lost, the job ends with an error message that names the PE, its
/// host and the call.
///
/// Callers must validate offsets before the call, which is possible because an
/// object has the same offset on every PE. The target validates each offset
/// again and ends the job if it is invalid.
///
/// Every function takes a `call`. If a PE is lost, the error message contains
/// `call.name`. If `call.request` is not null, the operation fills in that
/// handle for test() and wait(). `call.channel` is ignored.
class Channel {
 public:
  virtual ~Channel() = default;

  // The data are at the target after quiet(). After a fence(), later operations
  // on the same PE take effect only after the data have arrived. With
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

  // With Completion::local, the data are in `to` when the call returns;
  // otherwise, they are there after quiet().
  virtual void get(void* to, PeMemory from, std::size_t bytes,
                   Completion completion = Completion::local,
                   HostCall const& call  = {})         = 0;
  virtual void get_strided(void* to, PeMemory from, Strides strides,
                           HostCall const& call = {}) = 0;

  /// Returns the word's value before the operation. A 4-byte word's value is in
  /// the lower 32 bits.
  [[nodiscard]] virtual std::uint64_t atomic(PeMemory at, AtomicOp op,
                                             WordType type, std::uint64_t value,
                                             std::uint64_t compare = 0,
                                             HostCall const& call  = {}) = 0;
  /// After quiet(), the first bytes_of(type) bytes at `was` contain the word's
  /// previous value.
  virtual void fetch_nbi(PeMemory at, AtomicOp op, WordType type,
                         std::uint64_t value, std::uint64_t compare, void* was,
                         HostCall const& call = {}) = 0;
  /// Starts a non-fetching atomic operation. Like a put, the operation is
  /// complete after quiet().
  virtual void post_atomic(PeMemory at, AtomicOp op, WordType type,
                           std::uint64_t value, HostCall const& call = {}) = 0;

  /// Calls post_atomic() for each operation in `left`, in order.
  /// \param left The operations. After an exception, `left` contains only the
  ///        operations that have not started.
  virtual void post_atomics(std::span<FarAtomic const>& left,
                            HostCall const& call = {}) {
    for (; !left.empty(); left = left.subspan(1)) {
      auto const& [at, op, type, value] = left.front();
      post_atomic(at, op, type, value, call);
    }
  }

  /// Sends NodeUpdates for words on `to` and on other PEs on the same node. The
  /// updates are complete after quiet(); fence() does not order them. Used only
  /// between nodes that each run several PEs. The base class does nothing.
  /// \param updates 8-byte words from NodeUpdate::word(), each followed by a
  ///        value if `has_values` is true. At most MessageEngine::max_eager
  ///        bytes in total.
  /// \param has_values Whether an 8-byte value follows each word. If false, all
  ///        updates use `value`.
  virtual void post_node_updates(Pe /*to*/,
                                 std::span<std::byte const> /*updates*/,
                                 bool /*has_values*/, std::uint64_t /*value*/,
                                 HostCall const& /*call*/ = {}) {}

  // Each begin_...() function starts an operation that decrements `left` when
  // it completes. So a caller can have many operations in flight and wait for
  // any one of them.

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
  /// Completes all operations on this channel, whatever their target PE, that
  /// any thread started before this call.
  virtual void quiet(HostCall const& call = {}) = 0;
  /// Like quiet(), but completes only operations on `pes`.
  virtual void quiet(std::span<Pe const> pes, HostCall const& call = {}) = 0;

  // The two functions below accept only this channel's operations. They are
  // callable from any thread.

  /// Whether the handle's operation has reached `stage`. If not, sends any
  /// messages that the operation still needs to reach `stage`.
  [[nodiscard]] virtual bool test(OperationHandle& /*handle*/, Stage /*stage*/,
                                  HostCall const& /*call*/ = {}) {
    return true;
  }
  virtual void wait(OperationHandle& /*handle*/, Stage /*stage*/,
                    HostCall const& /*call*/ = {}) {}
};

}  // namespace symm::Impl

#endif

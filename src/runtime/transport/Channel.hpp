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
#include "Started.hpp"
#include "Updates.hpp"

namespace symm::Impl {

/// Operations on memory of far PEs, of one context: messages, which the target
/// carries out with the code of operations inside a node. fence() orders and
/// quiet() completes the operations of this channel only. Any thread of this
/// PE, also at the same time as others; all waits poll().
///
/// A lost PE ends the job, with PE, host and call.
///
/// Offsets have been checked by the caller (every PE has the same memory); the
/// target checks them again and ends the job if they are wrong.
///
/// `call`: its name is for the text of a lost PE; its `request`, if not null,
/// gets what test() and wait() need; its channel is not used.
class Channel {
 public:
  virtual ~Channel() = default;

  // The target has it after quiet(); before later operations on the same PE
  // after fence(). local: `from` may be written again.
  virtual void put(PeMemory to, void const* from, std::size_t bytes,
                   Completion completion = Completion::local,
                   HostCall const& call  = {})         = 0;
  virtual void put_strided(PeMemory to, void const* from, Strides strides,
                           HostCall const& call = {}) = 0;
  /// The signal is changed when the data are there, in one message.
  /// \param op SignalOp: AtomicOp::set or AtomicOp::add.
  virtual void put_signal(PeMemory to, void const* from, std::size_t bytes,
                          PeMemory signal, std::uint64_t value, AtomicOp op,
                          Completion completion = Completion::local,
                          HostCall const& call  = {}) = 0;

  // local: the data are in `to`; else after quiet().
  virtual void get(void* to, PeMemory from, std::size_t bytes,
                   Completion completion = Completion::local,
                   HostCall const& call  = {})         = 0;
  virtual void get_strided(void* to, PeMemory from, Strides strides,
                           HostCall const& call = {}) = 0;

  /// Returns the value before the operation. Bits of a word of 4 bytes are the
  /// lower ones.
  [[nodiscard]] virtual std::uint64_t atomic(PeMemory at, AtomicOp op,
                                             WordType type, std::uint64_t value,
                                             std::uint64_t compare = 0,
                                             HostCall const& call  = {}) = 0;
  /// After quiet(), `was` has the value before the operation, in the word's
  /// size.
  virtual void fetch_nbi(PeMemory at, AtomicOp op, WordType type,
                         std::uint64_t value, std::uint64_t compare, void* was,
                         HostCall const& call = {}) = 0;
  /// Without an answer, complete after quiet(), as a put.
  virtual void post_atomic(PeMemory at, AtomicOp op, WordType type,
                           std::uint64_t value, HostCall const& call = {}) = 0;

  /// post_atomic() of all.
  virtual void post_atomics(std::span<FarAtomic const> all,
                            HostCall const& call = {}) {
    for (auto const& [at, op, type, value] : all)
      post_atomic(at, op, type, value, call);
  }

  /// NodeUpdates of words of any PEs of the node of `to`, complete after
  /// quiet(); fence() does not order them. Channels between nodes of several
  /// PEs have it.
  /// \param updates    at most MessageEngine::max_eager bytes: words of 8
  /// bytes. \param has_values each is followed by its value; else that is
  /// `value`.
  virtual void post_node_updates(Pe /*to*/,
                                 std::span<std::byte const> /*updates*/,
                                 bool /*has_values*/, std::uint64_t /*value*/,
                                 HostCall const& /*call*/ = {}) {}

  // These count `left` down when done, within poll(). So a caller may have many
  // under way and wait for one of them.

  using Counter = std::atomic<std::uint64_t>;

  static constexpr std::size_t max_begun = std::size_t{64} << 10U;
  /// \param bytes no more than max_begun.
  virtual void begin_get(void* to, PeMemory from, std::size_t bytes,
                         Counter& left, HostCall const& call = {}) {
    get(to, from, bytes, Completion::local, call);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// \param was gets what the word was.
  virtual void begin_atomic(PeMemory at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            std::uint64_t& was, Counter& left) {
    was = atomic(at, op, type, value, compare);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// Waits until `left` is 0; it counts operations begun on `pe`.
  virtual void wait_for_begun(Pe /*pe*/, Counter& /*left*/,
                              HostCall const& /*call*/ = {}) {}

  virtual void fence(HostCall const& call = {}) = 0;
  /// Waits for the operations on all PEs that any thread has begun before.
  virtual void quiet(HostCall const& call = {}) = 0;
  /// The same for the operations on these PEs.
  virtual void quiet(std::span<Pe const> pes, HostCall const& call = {}) = 0;

  // Of an operation of this channel. Any thread.

  /// Whether `started` has come so far; sends what it still waits for.
  [[nodiscard]] virtual bool test(Started& /*started*/, Stage /*stage*/,
                                  HostCall const& /*call*/ = {}) {
    return true;
  }
  virtual void wait(Started& /*started*/, Stage /*stage*/,
                    HostCall const& /*call*/ = {}) {}
};

}  // namespace symm::Impl

#endif

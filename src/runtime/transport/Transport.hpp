// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TRANSPORT_TRANSPORT_HPP
#define SYMM_TRANSPORT_TRANSPORT_HPP

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "../base/Types.hpp"
#include "../memory/AtomicOp.hpp"
#include "StepMessages.hpp"

namespace symm::Impl {

/// What every PE has, equal in size and offsets: addresses travel as (segment,
/// offset), and the target adds its own base.
enum class Segment : std::uint8_t {
  host_heap,
  device_heap,
  host_team_words,
  device_team_words
};

/// Whether no processor reaches it. What goes there is in pieces of
/// Transport::most_begun at most.
[[nodiscard]] constexpr bool is_of_gpu(Segment segment) {
  return segment == Segment::device_heap ||
         segment == Segment::device_team_words;
}

/// Memory of a PE of another node.
struct Remote {
  Pe pe              = 0;
  Segment segment    = Segment::host_heap;
  std::size_t offset = 0;  // in bytes, in the PE's part
};

/// Elements at a distance, of iput() and iget().
struct Strides {
  std::size_t element_bytes = 0;
  std::size_t count         = 0;
  std::size_t remote_bytes  = 0;  // from one element to the next there
  std::size_t local_bytes   = 0;  // and here
};

/// What kernels of this PE have asked for, and what has not gone to a Transport
/// yet.
class KernelRequests {
 public:
  virtual ~KernelRequests() = default;

  /// Waits until it has, as far as kernels that have ended have asked.
  virtual void drain() = 0;

  /// Of this process: drain() of the one; null: nothing.
  static void drain_all() {
    if (s_instance != nullptr) s_instance->drain();
  }
  static void set_instance(KernelRequests* requests) noexcept {
    s_instance = requests;
  }

 private:
  static KernelRequests* s_instance;
};

/// The operations on memory of PEs of other nodes, made of messages that the
/// target carries out with the code of operations inside a node. Any thread of
/// this PE; all wait by poll(), and may be called while other threads do.
///
/// Who is lost ends the job, with PE, host and call.
///
/// Offsets have been checked by the caller (every PE has the same memory); the
/// target checks them again and ends the job if they are wrong.
class Transport : public StepMessages {
 public:
  /// How an operation returns: with nothing left to do at this side, or as soon
  /// as it can, with the rest done by quiet().
  enum class Until { is_safe, is_begun };

  // The target has it after quiet(); before later operations on the same PE
  // after fence(). is_safe: `from` may be written again.
  virtual void put(Remote to, void const* from, std::size_t bytes,
                   Until until = Until::is_safe)                         = 0;
  virtual void put_strided(Remote to, void const* from, Strides strides) = 0;
  /// The signal is changed when the data are there, in one message.
  /// \param op SignalOp: AtomicOp::set or AtomicOp::add.
  virtual void put_signal(Remote to, void const* from, std::size_t bytes,
                          Remote signal, std::uint64_t value, AtomicOp op,
                          Until until = Until::is_safe) = 0;

  // is_safe: the data are in `to`; else after quiet().
  virtual void get(void* to, Remote from, std::size_t bytes,
                   Until until = Until::is_safe)                   = 0;
  virtual void get_strided(void* to, Remote from, Strides strides) = 0;

  /// What the word was. Bits of a word of 4 bytes are the lower ones.
  [[nodiscard]] virtual std::uint64_t atomic(Remote at, AtomicOp op,
                                             WordType type, std::uint64_t value,
                                             std::uint64_t compare = 0) = 0;
  /// Without an answer, complete after quiet(), as a put.
  virtual void post_atomic(Remote at, AtomicOp op, WordType type,
                           std::uint64_t value) = 0;

  // Begun, and counted down in `left` when done, which poll() brings about:
  // for who has many under way and waits for one of them.

  using Counter = std::atomic<std::uint64_t>;

  /// \param bytes no more than most_begun.
  virtual void begin_get(void* to, Remote from, std::size_t bytes,
                         Counter& left) {
    get(to, from, bytes);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// \param was gets what the word was.
  virtual void begin_atomic(Remote at, AtomicOp op, WordType type,
                            std::uint64_t value, std::uint64_t compare,
                            std::uint64_t& was, Counter& left) {
    was = atomic(at, op, type, value, compare);
    left.fetch_sub(1, std::memory_order_release);
  }
  /// Waits for what has been begun to or from `pe`.
  virtual void wait_for_begun(Pe /*pe*/, Counter& /*left*/) {}
  static constexpr std::size_t most_begun = std::size_t{64} << 10U;

  virtual void fence() = 0;
  virtual void quiet() = 0;

  /// Collective: behind the last operation of all PEs.
  /// \throws SystemError on this PE.
  virtual void close() = 0;

  /// How often who waits looks before the core is given away; 0 where PEs have
  /// to share cores. Any thread.
  void set_spins(int spins) noexcept { m_spins = spins; }

  /// Of this process, for who waits and knows no runtime; null in jobs of one
  /// node.
  static Transport* instance() noexcept { return s_instance; }
  static void set_instance(Transport* transport) noexcept {
    s_instance = transport;
  }

 protected:
  [[nodiscard]] int spins() const noexcept { return m_spins; }

 private:
  static Transport* s_instance;
  std::atomic<int> m_spins = 100;  // each a part of a microsecond
};

}  // namespace symm::Impl

#endif

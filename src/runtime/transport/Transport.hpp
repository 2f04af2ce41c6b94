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
#include "../memory/AtomicOp.hpp"
#include "../memory/PeMemory.hpp"
#include "LostPe.hpp"
#include "StepMessages.hpp"

namespace symm::Impl {

/// Where a PE stands, as it says itself.
struct Standing {
  std::uint64_t n_calls = 0;  // rendezvous that it has come to
  bool is_in_finalize   = false;
  Text call;  // the last of them
};

/// Requests of this PE's kernels, which reach a Transport by way of the host.
class KernelRequests {
 public:
  virtual ~KernelRequests() = default;

  /// Waits until all requests of kernels that have ended are with the
  /// Transport.
  virtual void drain() = 0;
};

/// Operations on memory of far PEs: messages, which the target carries out with
/// the code of operations inside a node. Any thread of this PE, also at the
/// same time as others; all waits poll().
///
/// A lost PE ends the job, with PE, host and call.
///
/// Offsets have been checked by the caller (every PE has the same memory); the
/// target checks them again and ends the job if they are wrong.
class Transport : public StepMessages {
 public:
  using Until = Impl::Until;

  // The target has it after quiet(); before later operations on the same PE
  // after fence(). is_safe: `from` may be written again.
  virtual void put(PeMemory to, void const* from, std::size_t bytes,
                   Until until = Until::is_safe)                           = 0;
  virtual void put_strided(PeMemory to, void const* from, Strides strides) = 0;
  /// The signal is changed when the data are there, in one message.
  /// \param op SignalOp: AtomicOp::set or AtomicOp::add.
  virtual void put_signal(PeMemory to, void const* from, std::size_t bytes,
                          PeMemory signal, std::uint64_t value, AtomicOp op,
                          Until until = Until::is_safe) = 0;

  // is_safe: the data are in `to`; else after quiet().
  virtual void get(void* to, PeMemory from, std::size_t bytes,
                   Until until = Until::is_safe)                     = 0;
  virtual void get_strided(void* to, PeMemory from, Strides strides) = 0;

  /// What the word was. Bits of a word of 4 bytes are the lower ones.
  [[nodiscard]] virtual std::uint64_t atomic(PeMemory at, AtomicOp op,
                                             WordType type, std::uint64_t value,
                                             std::uint64_t compare = 0) = 0;
  /// Without an answer, complete after quiet(), as a put.
  virtual void post_atomic(PeMemory at, AtomicOp op, WordType type,
                           std::uint64_t value) = 0;

  // These count `left` down when done, within poll(). So a caller may have many
  // under way and wait for one of them.

  using Counter = std::atomic<std::uint64_t>;

  /// \param bytes no more than most_begun.
  virtual void begin_get(void* to, PeMemory from, std::size_t bytes,
                         Counter& left) {
    get(to, from, bytes);
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
  virtual void wait_for_begun(Pe /*pe*/, Counter& /*left*/) {}
  static constexpr std::size_t most_begun = std::size_t{64} << 10U;

  virtual void fence() = 0;
  virtual void quiet() = 0;

  // PEs of other nodes, besides their memory. Any thread.

  /// What `pe` says within `most`, or has said before and cannot have become
  /// otherwise: that it is in finalize. 0: nobody is asked. Ends the job if a
  /// PE is lost.
  [[nodiscard]] virtual std::optional<Standing> standing_of(
      Pe pe, std::chrono::milliseconds most) = 0;

  /// A PE that waits, and does not know for whom, says so: all PEs that it has
  /// met are watched meanwhile. Nests.
  virtual void watch_all()   = 0;
  virtual void unwatch_all() = 0;

  /// Ends the job; the reason has been printed. The PEs of this node, and those
  /// of others that this one has met, hear of it and say so, too.
  [[noreturn]] virtual void end_job(LostPe const& lost) noexcept = 0;

  /// Collective: behind the last operation of all PEs.
  /// \throws SystemError on this PE.
  virtual void close() = 0;

  /// How often a wait polls before it gives the core away; 0 if PEs share
  /// cores. Any thread.
  void set_spins(int spins) noexcept { m_spins = spins; }

  /// Waits until the transport has what kernels that have ended have asked for.
  void drain_kernels() {
    if (auto* const requests = m_kernel_requests.load()) requests->drain();
  }
  /// \param requests null: there are none.
  void set_kernel_requests(KernelRequests* requests) noexcept {
    m_kernel_requests = requests;
  }

  /// Of this process, for all that waits for other PEs; null in jobs of one
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
  std::atomic<KernelRequests*> m_kernel_requests{nullptr};
};

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BUFFERS_HPP
#define SYMM_EXCHANGE_BUFFERS_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"
#include "../../runtime/symm_rma.hpp"
#include "../../runtime/symm_signals.hpp"

namespace symm::Impl {

/// The space in which the kernels of exchanges run, and its memory.
using ExchangeSpace  = SymmetricSpace::execution_space;
using ExchangeMemory = ExchangeSpace::memory_space;

/// The memory of blocks, for kernels that pack and unpack. (A GPU starts
/// kernels with few bytes of arguments faster.)
struct BlockMemory {
  HeapMap heap;                      // of the inbox for near PEs
  char* near_inbox       = nullptr;  // where the blocks of other PEs come
  char* far_inbox        = nullptr;  // perhaps the same
  std::size_t half_bytes = 0;
  char* outbox           = nullptr;  // for far PEs
  /// The number of exchanges that have ended with each neighbour. Kernels count
  /// them, so that a CUDA graph of exchanges can be launched again.
  Signal* steps = nullptr;

  /// The half of the inbox of exchange number `step`, from 1.
  [[nodiscard]] KOKKOS_FUNCTION char* half(Signal step, bool is_near) const {
    return (is_near ? near_inbox : far_inbox) + (step % 2) * half_bytes;
  }
};

/// The memory of an exchange, as kernels use it.
struct Buffers : BlockMemory {
  HeapMap far_heap;  // of the inbox for far PEs
  /// Two of each neighbour, at its slot, for its exchanges of odd and of even
  /// numbers: the number of the latest one in which it has sent, and the
  /// shape() of its elements there. With gates, the first one alone is used:
  /// the number of exchanges in which it has sent, less those in which this PE
  /// has waited.
  Signal* near_signals = nullptr;
  Signal* far_signals  = nullptr;  // perhaps the same
  bool has_gates       = false;    // queues wait, not kernels
  bool uses_host       = false;    // what far PEs get is in memory of the host

  /// That of a slot for exchange number `step`.
  [[nodiscard]] KOKKOS_FUNCTION Signal* signal(std::uint32_t slot, Signal step,
                                               bool is_near) const {
    return (is_near ? near_signals : far_signals) + 2 * std::size_t{slot} +
           (has_gates ? 0 : step % 2);
  }
  static constexpr unsigned shape_bits = 20;
  /// What a PE that has sent in exchange number `step` has stored there.
  [[nodiscard]] KOKKOS_FUNCTION static Signal sent(Signal step,
                                                   std::uint32_t shape) {
    return step << shape_bits | shape;
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::uint32_t shape_in(Signal sent) {
    return sent & ((std::uint32_t{1} << shape_bits) - 1);
  }
};

/// Owns it.
///
/// Kernels of a GPU exchange with far PEs in memory of the host. So the threads
/// that serve messages need nothing of the driver, which may wait for the
/// kernels. Not with gates: queues of a GPU wait for its own memory.
class ExchangeBuffers {
 public:
  /// Local: takes the private memory that begin() needs.
  /// \param name    of the object, for labels.
  /// \param n_steps neighbours of this PE.
  void prepare(char const* name, std::size_t n_steps);
  /// Collective over the world, after prepare() on all PEs.
  /// \param n_slots for the neighbours of a PE; equal on all PEs.
  /// \throws OutOfMemory, SystemError on every PE.
  void begin(std::size_t n_slots);

  struct Room {
    std::size_t half_bytes;    // of the inbox; equal on all PEs
    std::size_t n_halves;      // 1 or 2
    std::size_t outbox_bytes;  // of this PE
  };
  /// Collective over the world: makes inboxes and an outbox. Waits for kernels
  /// of this PE.
  /// \param failure why this PE cannot take part; all PEs throw it then.
  /// \throws UsageError, OutOfMemory, SystemError on every PE; nothing changes.
  void grow(ObjectCall const& call, Room room,
            std::optional<Failure> failure = {});

  [[nodiscard]] Buffers const& in_kernels() const { return m_in_kernels; }
  /// Says that so many exchanges have ended.
  void set_steps(Signal n_ended) const { Kokkos::deep_copy(m_steps, n_ended); }

 private:
  struct Labels {
    std::string signals, host_signals, inbox, outbox, host_inbox, host_outbox;
  };

  void describe(std::size_t half_bytes);

  Labels m_labels;
  Kokkos::View<Signal*, SymmetricSpace> m_signals;
  Kokkos::View<Signal*, ExchangeMemory> m_steps;
  Kokkos::View<char*, SymmetricSpace> m_inbox;
  Kokkos::View<char*, ExchangeMemory> m_outbox;
  // For far PEs of a GPU's kernels; else empty.
  Kokkos::View<Signal*, SymmetricHostSpace> m_host_signals;
  Kokkos::View<char*, SymmetricHostSpace> m_host_inbox;
  Kokkos::View<char*, SymmetricHostSpace> m_host_outbox;
  bool m_uses_host = false;
  Buffers m_in_kernels;
};

}  // namespace symm::Impl

#endif

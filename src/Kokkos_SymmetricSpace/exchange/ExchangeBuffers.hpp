// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_BUFFERS_HPP
#define SYMM_EXCHANGE_BUFFERS_HPP

#include <cstddef>
#include <optional>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Failure.hpp"
#include "../../runtime/memory/HeapMap.hpp"

namespace symm::Impl {

/// The space in which the kernels of exchanges run, and its memory.
using ExchangeSpace  = SymmetricSpace::execution_space;
using ExchangeMemory = ExchangeSpace::memory_space;

/// Collective over the world: all PEs throw, if one has failed.
void agree(char const* call, std::optional<Failure> const& failure);

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
  /// Of each PE of the world: the number of exchanges in which it has sent; or,
  /// with gates, that number less those in which this PE has waited for it.
  Signal* near_signals = nullptr;
  Signal* far_signals  = nullptr;  // perhaps the same
  bool has_gates       = false;    // queues wait, not kernels
  bool uses_host       = false;    // what far PEs get is in memory of the host

  [[nodiscard]] KOKKOS_FUNCTION Signal* signals(bool is_near) const {
    return is_near ? near_signals : far_signals;
  }
};

/// Owns it. All functions are collective over the world and throw, on every PE,
/// UsageError, OutOfMemory, SystemError; nothing changes then.
///
/// Kernels of a GPU exchange with far PEs in memory of the host. So the threads
/// that serve messages need nothing of the driver, which may wait for the
/// kernels. Not with gates: queues of a GPU wait for its own memory.
class ExchangeBuffers {
 public:
  ExchangeBuffers() = default;
  explicit ExchangeBuffers(char const* call);

  /// Makes an inbox of one or two halves, the same on all PEs. Waits for
  /// kernels of this PE. \param outbox_bytes of this PE.
  void grow(char const* call, std::size_t half_bytes, std::size_t n_halves,
            std::size_t outbox_bytes);

  [[nodiscard]] Buffers const& in_kernels() const { return m_in_kernels; }
  /// Says that so many exchanges have ended.
  void set_steps(Signal n_ended) const { Kokkos::deep_copy(m_steps, n_ended); }

 private:
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

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_BASE_BLOCK_BUFFERS_HPP
#define SYMM_BASE_BLOCK_BUFFERS_HPP

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

// Buffers for the blocks that PEs send each other in exchanges, migrations and
// mail. A PE has a slot for each neighbor. The blocks from a neighbor are
// numbered from 1 and use the places of its slot in rotation: block k uses
// place k % n_turns and the signal for that place. A block for a near PE is
// written directly to the receiver's inbox, followed by a signal. A block for a
// far PE is written to an outbox and sent by one put with signal. When a place
// may be written again is up to the container: in an exchange, when the
// neighbor's next block arrives; in mail, when the receiver returns a credit.

namespace symm::Impl {

/// The two ends of the route that blocks take to or from a neighbor.
struct BlockRoute {
  Pe pe        = 0;  // in the world
  bool is_near = false;
  // A block begins at `here` in this PE's memory, and at `there` in the
  // neighbor's inbox. Both are in elements, or in bytes if blocks do not
  // consist of elements.
  std::size_t here  = 0;
  std::size_t there = 0;
  // The neighbor's slot on this PE, and this PE's slot on the neighbor.
  std::uint32_t slot       = 0;
  std::uint32_t slot_there = 0;
};

/// The memory of blocks, for kernels that pack and unpack. (It is separate from
/// BlocksOnTheirWay because a GPU starts a kernel faster if its arguments are
/// small.)
template <unsigned n_turns>
struct BlocksInMemory {
  HeapMap heap;                      // map of the inbox for near PEs
  char* near_inbox       = nullptr;  // where blocks from near PEs arrive
  char* far_inbox        = nullptr;  // likewise from far PEs; may be the same
  std::size_t turn_bytes = 0;
  char* outbox           = nullptr;  // for far PEs
  /// The number of blocks that have arrived from each neighbor. Kernels update
  /// it, so that a CUDA graph of exchanges can be launched repeatedly.
  Signal* steps = nullptr;

  /// The part of the inbox for the blocks with sequence number `number` (at
  /// least 1).
  [[nodiscard]] KOKKOS_FUNCTION char* turn(Signal number, bool is_near) const {
    return (is_near ? near_inbox : far_inbox) + (number % n_turns) * turn_bytes;
  }
};

/// Adds the members for kernels that send blocks or wait for them.
template <unsigned n_turns>
struct BlocksOnTheirWay : BlocksInMemory<n_turns> {
  HeapMap far_heap;  // map of the inbox for far PEs
  /// n_turns signals for each neighbor, at its slot. With gates, the value of a
  /// signal is the number of blocks that have arrived, minus those for which
  /// this PE has already waited.
  Signal* near_signals = nullptr;
  Signal* far_signals  = nullptr;  // may be the same
  bool has_gates       = false;    // queues wait instead of kernels
  bool uses_host       = false;    // buffers for far PEs are in host memory

  /// The signal of slot `slot` for the block with sequence number `number`.
  [[nodiscard]] KOKKOS_FUNCTION Signal* signal(std::uint32_t slot,
                                               Signal number,
                                               bool is_near) const {
    return (is_near ? near_signals : far_signals) +
           n_turns * std::size_t{slot} + (has_gates ? 0 : number % n_turns);
  }
  static constexpr unsigned shape_bits = 20;
  /// The value of the signal for block `number` if receivers check the shape of
  /// its elements.
  [[nodiscard]] KOKKOS_FUNCTION static Signal sent(Signal number,
                                                   std::uint32_t shape) {
    return number << shape_bits | shape;
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::uint32_t shape_in(Signal sent) {
    return sent & ((std::uint32_t{1} << shape_bits) - 1);
  }
};

/// Owns the buffers.
///
/// On a GPU, kernels send blocks to far PEs from host memory. So the threads
/// that serve messages do not need the CUDA driver, which may be waiting for
/// these kernels. With gates, the blocks are in GPU memory, because a GPU's
/// queues wait on words in its own memory.
///
/// \tparam Space   memory space of inboxes and signals.
/// \tparam n_turns the number of blocks from each neighbor for which there is
///         room.
template <class Space, unsigned n_turns>
class BlockBuffers {
 public:
  /// Local: allocates the private memory that begin() needs.
  /// \param name the name of the container, for labels and error messages; must
  ///        outlive this object.
  /// \param n_steps the number of neighbors whose blocks kernels count.
  void prepare(char const* name, std::size_t n_steps);
  /// Collective over the world. Precondition: all PEs have called prepare().
  /// \param n_slots the number of slots on each PE; must be equal on all PEs.
  /// \throws OutOfMemory, SystemError on every PE.
  void begin(std::size_t n_slots);

  struct Room {
    std::size_t turn_bytes;    // size of the blocks of one turn; equal on all
                               // PEs
    bool has_turns;            // false: room for only one turn; equal on all
                               // PEs
    std::size_t outbox_bytes;  // for this PE
  };
  // After begin(), the container either calls grow(), or calls take_outbox(),
  // lets the PEs agree, and calls make_inboxes().

  /// Local: allocates the private memory that make_inboxes() needs.
  void take_outbox(std::size_t bytes);
  /// Collective over the world: allocates inboxes with room for all turns.
  /// Precondition: all PEs have called take_outbox().
  /// \param turn_bytes Must be equal on all PEs.
  /// \throws the same as begin().
  void make_inboxes(std::size_t turn_bytes) {
    set_room({turn_bytes, true, 0}, m_outbox);
  }
  /// Collective over the world: allocates inboxes and an outbox. Waits for
  /// kernels on this PE.
  /// \param failure the reason why this PE cannot take part, if it cannot; all
  ///        PEs then throw it.
  /// \throws UsageError, OutOfMemory, SystemError on every PE; nothing changes.
  void grow(ObjectCall const& call, Room room,
            std::optional<Failure> failure = {});

  [[nodiscard]] BlocksOnTheirWay<n_turns> const& in_kernels() const {
    return m_in_kernels;
  }
  /// Sets the number of blocks that have arrived from each neighbor.
  void set_steps(Signal n_ended) const { Kokkos::deep_copy(m_steps, n_ended); }

 private:
  using Exec   = typename Space::execution_space;
  using Memory = typename Exec::memory_space;

  struct Labels {
    std::string signals, host_signals, inbox, outbox, host_inbox, host_outbox;
  };

  void set_room(Room room, Kokkos::View<char*, Memory> const& outbox);
  /// \param turn_bytes the distance, in bytes, from one turn to the next.
  void describe(std::size_t turn_bytes);

  char const* m_name = "";
  Labels m_labels;
  Kokkos::View<Signal*, Space> m_signals;
  Kokkos::View<Signal*, Memory> m_steps;
  Kokkos::View<char*, Space> m_inbox;
  Kokkos::View<char*, Memory> m_outbox;
  // For far PEs that GPU kernels send to; empty otherwise.
  Kokkos::View<Signal*, SymmetricHostSpace> m_host_signals;
  Kokkos::View<char*, SymmetricHostSpace> m_host_inbox;
  Kokkos::View<char*, SymmetricHostSpace> m_host_outbox;
  bool m_uses_host = false;
  BlocksOnTheirWay<n_turns> m_in_kernels;
};

}  // namespace symm::Impl

#endif

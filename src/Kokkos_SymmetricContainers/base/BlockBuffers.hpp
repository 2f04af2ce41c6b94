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
// mail. A PE numbers the blocks that it sends to a neighbor, starting with 1.
// An inbox is divided into `n_turns` parts, called turns, which are used in
// rotation: block k is stored in turn k % n_turns. Each PE numbers its
// neighbors; a neighbor's number is called its slot. Each slot has one signal
// per turn. A block for a near PE is written directly to the receiver's inbox,
// followed by a signal. A block for a far PE is written to an outbox and sent
// by one put with signal. The container decides when a turn may be overwritten:
// in an exchange, after the neighbor's next block arrives; in mail, after the
// receiver returns a credit.

namespace symm::Impl {

/// The route of the blocks to or from one neighbor.
struct BlockRoute {
  Pe pe        = 0;  // world PE number
  bool is_near = false;
  // The offset of a block in this PE's buffer (`here`) and in the neighbor's
  // inbox (`there`): in elements, or in bytes if blocks do not consist of
  // elements.
  std::size_t here  = 0;
  std::size_t there = 0;
  // The neighbor's slot on this PE, and this PE's slot on the neighbor.
  std::uint32_t slot       = 0;
  std::uint32_t slot_there = 0;
};

/// The block buffers, for kernels that pack and unpack blocks. (This struct is
/// separate from BlocksOnTheirWay because a GPU launches a kernel faster if its
/// arguments are small.)
template <unsigned n_turns>
struct BlocksInMemory {
  HeapMap heap;                // map of the inbox for near PEs
  char* near_inbox = nullptr;  // for blocks from near PEs
  char* far_inbox  = nullptr;  // for blocks from far PEs; may equal near_inbox
  std::size_t turn_bytes = 0;
  char* outbox           = nullptr;  // for far PEs
  /// The number of blocks that have arrived from each neighbor. Kernels update
  /// these counts, so a CUDA graph of exchanges can be launched repeatedly.
  Signal* steps = nullptr;

  /// The inbox turn for the block with sequence number `number` (at least 1).
  [[nodiscard]] KOKKOS_FUNCTION char* turn(Signal number, bool is_near) const {
    return (is_near ? near_inbox : far_inbox) + (number % n_turns) * turn_bytes;
  }
};

/// Adds the members that kernels need to send blocks or to wait for them.
template <unsigned n_turns>
struct BlocksOnTheirWay : BlocksInMemory<n_turns> {
  HeapMap far_heap;  // map of the inbox for far PEs
  /// n_turns signals for each slot. With gates, only the first of these signals
  /// is used. Its value is the number of blocks that have arrived minus the
  /// number of blocks for which this PE has already waited.
  Signal* near_signals = nullptr;
  Signal* far_signals  = nullptr;  // may equal near_signals
  bool has_gates       = false;    // the GPU's queues wait instead of kernels
  bool uses_host       = false;    // buffers for far PEs are in host memory

  /// Slot `slot`'s signal for the block with sequence number `number`.
  [[nodiscard]] KOKKOS_FUNCTION Signal* signal(std::uint32_t slot,
                                               Signal number,
                                               bool is_near) const {
    return (is_near ? near_signals : far_signals) +
           n_turns * std::size_t{slot} + (has_gates ? 0 : number % n_turns);
  }
  static constexpr unsigned shape_bits = 20;
  /// The signal's value for block `number` if the sender includes the shape of
  /// its elements, which the receiver checks.
  [[nodiscard]] KOKKOS_FUNCTION static Signal sent(Signal number,
                                                   std::uint32_t shape) {
    return number << shape_bits | shape;
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::uint32_t shape_in(Signal sent) {
    return sent & ((std::uint32_t{1} << shape_bits) - 1);
  }
};

/// Owns the buffers for blocks.
///
/// On a GPU, kernels send blocks to far PEs from host memory. Therefore,
/// threads that serve messages need not call the CUDA driver, which may be
/// waiting for these kernels. With gates, the blocks are in GPU memory because
/// a GPU's queues wait on words in its own memory.
///
/// \tparam Space   memory space of inboxes and signals.
/// \tparam n_turns the number of blocks from each neighbor that fit into an
///         inbox.
template <class Space, unsigned n_turns>
class BlockBuffers {
 public:
  /// Local: allocates private memory. Must be called before begin().
  /// \param name the container's name, for labels and error messages; must
  ///        outlive this object.
  /// \param n_steps the number of neighbors whose blocks kernels count.
  void prepare(char const* name, std::size_t n_steps);
  /// Collective over the world: allocates the signals. Precondition: all PEs
  /// have called prepare().
  /// \param n_slots the number of slots on each PE; must be the same on all
  ///        PEs.
  /// \throws OutOfMemory, SystemError on every PE.
  void begin(std::size_t n_slots);

  struct Room {
    std::size_t turn_bytes;  // size of one inbox turn; the same on all PEs
    bool has_turns;  // whether an inbox has n_turns turns or only one; the same
                     // on all PEs
    std::size_t outbox_bytes;  // size of this PE's outbox
  };
  // A container allocates its inboxes and its outbox in one of two ways. Either
  // it calls grow() after begin(), or it calls take_outbox() before begin(),
  // checks that no PE has failed, and calls make_inboxes() after begin().

  /// Local: allocates a `bytes`-byte outbox.
  void take_outbox(std::size_t bytes);
  /// Collective over the world: allocates inboxes with n_turns turns each.
  /// Precondition: all PEs have called take_outbox().
  /// \param turn_bytes the size of a turn, in bytes; must be the same on all
  ///        PEs.
  /// \throws the same errors as begin().
  void make_inboxes(std::size_t turn_bytes) {
    set_room({turn_bytes, true, 0}, m_outbox);
  }
  /// Collective over the world: allocates inboxes and an outbox. Waits for
  /// kernels on this PE.
  /// \param failure the reason why this PE cannot take part; empty if it can.
  ///        If set on any PE, all PEs throw it.
  /// \throws UsageError, OutOfMemory, SystemError on every PE; in that case,
  ///         the buffers do not change.
  void grow(ObjectCall const& call, Room room,
            std::optional<Failure> failure = {});

  [[nodiscard]] BlocksOnTheirWay<n_turns> const& in_kernels() const {
    return m_in_kernels;
  }
  /// Sets the number of blocks that have arrived from each neighbor to
  /// `n_ended`.
  void set_steps(Signal n_ended) const { Kokkos::deep_copy(m_steps, n_ended); }

 private:
  using Exec   = typename Space::execution_space;
  using Memory = typename Exec::memory_space;

  struct Labels {
    std::string signals, host_signals, inbox, outbox, host_inbox, host_outbox;
  };

  void set_room(Room room, Kokkos::View<char*, Memory> const& outbox);
  /// Sets m_in_kernels.
  /// \param turn_bytes the distance in bytes from one inbox turn to the next; 0
  ///        if it has only one turn.
  void describe(std::size_t turn_bytes);

  char const* m_name = "";
  Labels m_labels;
  Kokkos::View<Signal*, Space> m_signals;
  Kokkos::View<Signal*, Memory> m_steps;
  Kokkos::View<char*, Space> m_inbox;
  Kokkos::View<char*, Memory> m_outbox;
  // For far PEs, if m_uses_host; otherwise empty.
  Kokkos::View<Signal*, SymmetricHostSpace> m_host_signals;
  Kokkos::View<char*, SymmetricHostSpace> m_host_inbox;
  Kokkos::View<char*, SymmetricHostSpace> m_host_outbox;
  bool m_uses_host = false;
  BlocksOnTheirWay<n_turns> m_in_kernels;
};

}  // namespace symm::Impl

#endif

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

// Blocks that PEs send each other, of exchanges, migrations and mail. A PE has
// a slot for each of its neighbors. Their blocks are numbered, from 1 on, and
// take turns: block k of a neighbor has place k % n_turns of its slot's
// places, and a signal there. A block is written where it will be read, if the
// receiver is near, and a signal follows; if it is far, to an outbox, and one
// put with signal carries it. When a place may be written again is for the
// container to say: an exchange knows it by its neighbors' next blocks, mail
// by credits.

namespace symm::Impl {

/// The end of the way of blocks to a neighbor, or from it.
struct BlockRoute {
  Pe pe        = 0;  // in the world
  bool is_near = false;
  // A block begins here in this PE's memory, and there in that PE's inbox: in
  // elements, or in bytes of blocks without elements.
  std::size_t here  = 0;
  std::size_t there = 0;
  // That PE's among the neighbors of this one, and this PE's among those of
  // that one.
  std::uint32_t slot       = 0;
  std::uint32_t slot_there = 0;
};

/// The memory of blocks, for those who pack and unpack. (A GPU starts kernels
/// with few bytes of arguments faster.)
template <unsigned n_turns>
struct BlocksInMemory {
  HeapMap heap;                      // of the inbox for near PEs
  char* near_inbox       = nullptr;  // where the blocks of other PEs come
  char* far_inbox        = nullptr;  // perhaps the same
  std::size_t turn_bytes = 0;
  char* outbox           = nullptr;  // for far PEs
  /// The number of blocks that have come from each neighbor. Kernels count
  /// them, so that a CUDA graph of exchanges can be launched again.
  Signal* steps = nullptr;

  /// The part of the inbox for blocks of that number, from 1.
  [[nodiscard]] KOKKOS_FUNCTION char* turn(Signal number, bool is_near) const {
    return (is_near ? near_inbox : far_inbox) + (number % n_turns) * turn_bytes;
  }
};

/// And for those who send and wait.
template <unsigned n_turns>
struct BlocksOnTheirWay : BlocksInMemory<n_turns> {
  HeapMap far_heap;  // of the inbox for far PEs
  /// As many of each neighbor as there are turns, at its slot. With gates: the
  /// number of blocks that have come, less those for which this PE has waited.
  Signal* near_signals = nullptr;
  Signal* far_signals  = nullptr;  // perhaps the same
  bool has_gates       = false;    // queues wait, not kernels
  bool uses_host       = false;    // what far PEs get is in memory of the host

  /// That of a slot for its block of that number.
  [[nodiscard]] KOKKOS_FUNCTION Signal* signal(std::uint32_t slot,
                                               Signal number,
                                               bool is_near) const {
    return (is_near ? near_signals : far_signals) +
           n_turns * std::size_t{slot} + (has_gates ? 0 : number % n_turns);
  }
  static constexpr unsigned shape_bits = 20;
  /// The value that the sender of block `number` stores there, if receivers
  /// look at the shape of its elements.
  [[nodiscard]] KOKKOS_FUNCTION static Signal sent(Signal number,
                                                   std::uint32_t shape) {
    return number << shape_bits | shape;
  }
  [[nodiscard]] KOKKOS_FUNCTION static std::uint32_t shape_in(Signal sent) {
    return sent & ((std::uint32_t{1} << shape_bits) - 1);
  }
};

/// Owns it.
///
/// Kernels of a GPU send blocks to far PEs from memory of the host. So the
/// threads that serve messages need nothing of the driver, which may wait for
/// the kernels. Not with gates: queues of a GPU wait for its own memory.
///
/// \tparam Space   of inboxes and signals.
/// \tparam n_turns blocks of a neighbor that there is room for, at most.
template <class Space, unsigned n_turns>
class BlockBuffers {
 public:
  /// Local: takes the private memory that begin() needs.
  /// \param name    of the container, for labels and messages; lives as long.
  /// \param n_steps neighbors of which kernels count the blocks.
  void prepare(char const* name, std::size_t n_steps);
  /// Collective over the world, after prepare() on all PEs.
  /// \param n_slots for the neighbors of a PE; equal on all PEs.
  /// \throws OutOfMemory, SystemError on every PE.
  void begin(std::size_t n_slots);

  struct Room {
    std::size_t turn_bytes;    // of the inbox; equal on all PEs
    bool has_turns;            // else one block of a neighbor; equal
    std::size_t outbox_bytes;  // of this PE
  };
  // Then either grow(), or take_outbox(), before PEs agree, and make_inboxes().

  /// Local: takes the private memory that make_inboxes() needs.
  void take_outbox(std::size_t bytes);
  /// Collective over the world, after take_outbox() on all PEs: with all turns.
  /// \param turn_bytes equal on all PEs. \throws as begin().
  void make_inboxes(std::size_t turn_bytes) {
    set_room({turn_bytes, true, 0}, m_outbox);
  }
  /// Collective over the world: makes inboxes and an outbox. Waits for kernels
  /// of this PE.
  /// \param failure why this PE cannot take part; all PEs throw it then.
  /// \throws UsageError, OutOfMemory, SystemError on every PE; nothing changes.
  void grow(ObjectCall const& call, Room room,
            std::optional<Failure> failure = {});

  [[nodiscard]] BlocksOnTheirWay<n_turns> const& in_kernels() const {
    return m_in_kernels;
  }
  /// Sets the number of blocks that have come from each neighbor.
  void set_steps(Signal n_ended) const { Kokkos::deep_copy(m_steps, n_ended); }

 private:
  using Exec   = typename Space::execution_space;
  using Memory = typename Exec::memory_space;

  struct Labels {
    std::string signals, host_signals, inbox, outbox, host_inbox, host_outbox;
  };

  void set_room(Room room, Kokkos::View<char*, Memory> const& outbox);
  /// \param turn_bytes the distance of two turns.
  void describe(std::size_t turn_bytes);

  char const* m_name = "";
  Labels m_labels;
  Kokkos::View<Signal*, Space> m_signals;
  Kokkos::View<Signal*, Memory> m_steps;
  Kokkos::View<char*, Space> m_inbox;
  Kokkos::View<char*, Memory> m_outbox;
  // For far PEs of a GPU's kernels; else empty.
  Kokkos::View<Signal*, SymmetricHostSpace> m_host_signals;
  Kokkos::View<char*, SymmetricHostSpace> m_host_inbox;
  Kokkos::View<char*, SymmetricHostSpace> m_host_outbox;
  bool m_uses_host = false;
  BlocksOnTheirWay<n_turns> m_in_kernels;
};

}  // namespace symm::Impl

#endif

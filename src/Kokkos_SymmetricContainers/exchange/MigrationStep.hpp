// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_MIGRATION_STEP_HPP
#define SYMM_EXCHANGE_MIGRATION_STEP_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_signals.hpp"
#include "../../runtime/symm_teams.hpp"
#include "../base/MemberWords.hpp"
#include "../base/TeamMembers.hpp"
#include "ExchangeBuffers.hpp"
#include "FieldGroups.hpp"
#include "Fields.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

/// The elements that leave this PE in one call, before PEs exchange counts.
struct Leaving {
  std::size_t n_before  = 0;  // number of elements on this PE before the call
  std::uint64_t element = 0;  // element_word() of all Views
  /// A hash of the first extents of symmetric Views, which must be equal on all
  /// PEs.
  std::uint64_t symmetric_extents = 0;
  std::size_t count               = 0;  // number of elements that leave
  ElementList elements;  // the first `count` entries are the leaving elements,
                         // in ascending order
  // The destination PE of each leaving element; n_pes for dropped elements.
  Kokkos::View<Pe*, Kokkos::HostSpace> pes;
  std::vector<std::size_t> counts;  // number of leaving elements for each PE,
                                    // then the number of dropped elements

  /// A word that combines the total number of bytes per element with a hash of
  /// the bytes per element in each View.
  template <class Fields>
  static std::uint64_t element_word(Fields const& fields) {
    return (fields.bytes() & max_bytes) |
           fields.hash(0) >> n_bits_of_bytes << n_bits_of_bytes;
  }
  [[nodiscard]] static std::size_t bytes_of(std::uint64_t element_word) {
    return element_word & max_bytes;
  }

  /// Empties the lists and reserves memory for all elements on this PE.
  void reset(std::size_t its_n_before, std::size_t n_pes) {
    n_before = its_n_before;
    count    = 0;
    counts.assign(n_pes + 1, 0);
    if (pes.extent(0) >= n_before && elements.extent(0) >= n_before) return;
    auto const room = n_before + n_before / 8;
    elements        = element_list(room);
    pes             = decltype(pes)(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "symm::Migration, PEs"),
        room);
  }

 private:
  static constexpr unsigned n_bits_of_bytes = 40;
  static constexpr std::uint64_t max_bytes =
      (std::uint64_t{1} << n_bits_of_bytes) - 1;
};

/// The order in which the host packs and unpacks the chunks of a call.
struct HostOrder {
  HostOrder() = default;
  HostOrder(PlanSide const& its_sent, PlanSide const& received);

  std::vector<std::uint32_t> sent;  // chunks, sorted by their first elements
  // For each block, the number of elements in earlier blocks between the same
  // two PEs.
  std::vector<ElementIndex> sent_before;
  std::vector<ElementIndex> received_before;
  std::vector<std::size_t> next;  // for each block, the next chunk to unpack
  std::vector<std::size_t> ends;  // for each block, the end of its chunks
  std::vector<std::uint32_t> ready;
};

/// The data of one call to migrate().
struct MigrationStep {
  PlanSide sent;
  PlanSide received;
  HostOrder order;
  // The old and the new indices of elements that move into gaps on this PE.
  KernelArray<ElementIndex> moved;
  KernelArray<ElementIndex> moved_to;
  std::size_t n_now = 0;
  std::size_t most  = 0;  // the largest n_now on any PE

  std::vector<Pe> receivers;  // for each sent block, the receiving member
  /// The reason why this PE cannot complete the call; empty if it can.
  std::optional<Failure> failure;
};

/// Buffers that successive calls to migrate() share.
class MigrationBuffers {
 public:
  /// Buffers for all PEs of the world; the first call to migrate() or reserve()
  /// allocates them.
  MigrationBuffers() = default;
  /// Buffers for the members of `team`; reserve() allocates them.
  explicit MigrationBuffers(PeTeam const& team) : m_members(team) {}

  /// Buffers for the same PEs, without memory.
  [[nodiscard]] MigrationBuffers without_room() const noexcept {
    MigrationBuffers buffers;
    buffers.m_members = m_members;
    return buffers;
  }

  /// Collective over the world.
  /// \param bytes the maximum number of bytes that can leave a PE, and that can
  ///        arrive there, in one call to migrate(). Count the bytes of the
  ///        elements, plus up to 16 more elements for each other PE.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  void reserve(char const* call, std::size_t bytes);
  /// The PEs that exchange elements.
  [[nodiscard]] TeamMembers const& members() {
    if (!m_members) m_members.emplace(team_world());
    return *m_members;
  }

  // A call to migrate() has three parts: begin(), the allocation of private
  // memory, and make_room(). Each PE allocates all its private memory in the
  // second part, so if this fails, no element has moved yet.

  /// Collective over the members. Each member sends every other member the
  /// number of elements to expect.
  /// \param failure the reason why this PE cannot take part; empty if it can.
  ///        If set on any PE, all PEs throw it.
  /// \returns the lists for the call; if this PE cannot create them, sets
  ///          MigrationStep::failure.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  MigrationStep begin(char const* call, Leaving& leaving,
                      std::optional<Failure> failure);
  /// Collective over the members, after each of them has allocated its private
  /// memory or failed to do so. Sends each member the starting position of its
  /// blocks in this PE's inbox. If the members are all PEs of the world,
  /// enlarges the buffers if needed.
  /// \throws the same errors as begin(); in that case, no element has moved.
  void make_room(char const* call, MigrationStep& step);

  [[nodiscard]] Buffers const& in_kernels() const {
    return m_buffers.in_kernels();
  }

 private:
  void make(char const* call, std::optional<Failure> failure);
  /// Compares the values that must be the same on all members.
  /// \returns the difference, on every member; empty if there is none.
  [[nodiscard]] std::optional<Failure> difference_of(char const* call,
                                                     Leaving const& leaving);
  void list(MigrationStep& step, Leaving& leaving);

  std::optional<TeamMembers> m_members;
  ExchangeBuffers m_buffers;
  MemberWords m_words;
  std::vector<std::size_t> m_arriving;   // number of elements from each PE
  std::vector<std::size_t> m_in_inbox;   // start of the block from each PE, in
                                         // elements
  std::vector<std::size_t> m_in_outbox;  // start of the block for each PE, in
                                         // elements
  ElementList m_sorted;                  // the leaving elements, sorted by PE
  std::size_t m_element_bytes = 0;       // in the current migrate()
  std::size_t m_room          = 0;       // size of each buffer in bytes
  bool m_has_room             = false;
  Signal m_n_calls            = 0;
};

/// Moves elements within this PE's Views.
template <class Fields>
struct MoveElements {
  ElementIndex const* from;
  ElementIndex const* to;
  Fields fields;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { move(fields, i); }

 private:
  template <class List>
  KOKKOS_FUNCTION void move(List const& list, std::size_t i) const {
    if constexpr (!List::is_empty) {
      for (std::uint32_t c = 0; c < list.first.n_components; ++c)
        list.first(to[i], c) = list.first(from[i], c);
      move(list.others, i);
    }
  }
  template <class T, std::size_t rank, std::uint32_t most>
  KOKKOS_FUNCTION void move(FieldArray<T, rank, most> const& list,
                            std::size_t i) const {
    for (std::uint32_t f = 0; f < list.n; ++f) {
      auto const& field = list.fields[f];
      for (std::uint32_t c = 0; c < field.n_components; ++c)
        field(to[i], c) = field(from[i], c);
    }
  }
};

}  // namespace symm::Impl

#endif

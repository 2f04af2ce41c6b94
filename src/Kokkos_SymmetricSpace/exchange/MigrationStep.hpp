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

#include "../../runtime/access/Signal.hpp"
#include "../../runtime/base/Failure.hpp"
#include "ExchangeBuffers.hpp"
#include "Fields.hpp"
#include "PlanBlocks.hpp"

namespace symm::Impl {

/// The part of one PE before it has heard others.
struct Leaving {
  std::size_t n_before      = 0;  // elements of this PE
  std::size_t element_bytes = 0;  // of all Views
  std::size_t capacity      = 0;  // elements that all Views have room for
  std::size_t count         = 0;  // elements that leave
  ElementList elements;           // the first `count`, in rising order
  Kokkos::View<Pe*, Kokkos::HostSpace> pes;
  std::vector<std::size_t> counts;  // for each PE

  /// Makes room for lists of all elements of this PE.
  void reset(std::size_t its_n_before, std::size_t n_pes) {
    n_before = its_n_before;
    count    = 0;
    counts.assign(n_pes, 0);
    if (pes.extent(0) >= n_before && elements.extent(0) >= n_before) return;
    auto const room = n_before + n_before / 8;
    elements        = element_list(room);
    pes             = decltype(pes)(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "symm::Migration, PEs"),
        room);
  }
};

/// The work of one call of migrate().
struct MigrationStep {
  PlanSide sent;
  PlanSide received;
  // Elements that move within this PE, to where others have left.
  Kokkos::View<ElementIndex*, ExchangeMemory> moved;
  Kokkos::View<ElementIndex*, ExchangeMemory> moved_to;
  std::size_t n_now = 0;
  std::size_t most  = 0;      // of all PEs' n_now
  bool grows        = false;  // on a PE, Views have no room
};

/// Buffers that calls of migrate() use one after the other.
class MigrationBuffers {
 public:
  /// Collective over the world.
  /// \param leaving its lists are free for others afterwards.
  /// \param failure why this PE cannot take part; all PEs throw it then.
  /// \throws UsageError, OutOfMemory, SystemError on every PE.
  MigrationStep begin(char const* call, Leaving& leaving,
                      std::optional<Failure> failure);
  [[nodiscard]] Buffers const& in_kernels() const {
    return m_buffers.in_kernels();
  }

 private:
  using Words = Kokkos::View<std::int64_t*, SymmetricHostSpace>;

  ExchangeBuffers m_buffers;
  Words m_mine;  // of this PE, for all
  Words m_all;
  ElementList m_sorted;    // the elements that leave, by PE
  std::size_t m_room = 0;  // in bytes, of inbox and outbox
  Signal m_n_calls   = 0;
};

/// Moves elements within the Views of this PE.
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
};

}  // namespace symm::Impl

#endif

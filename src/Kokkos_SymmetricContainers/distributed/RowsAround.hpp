// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_DISTRIBUTED_ROWS_AROUND_HPP
#define SYMM_DISTRIBUTED_ROWS_AROUND_HPP

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Operations.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../../runtime/symm_errors.hpp"
#include "../../runtime/symm_job.hpp"
#include "Distributions.hpp"

namespace symm {

template <class View, class Distribution>
class DistributedView;

namespace Impl {

template <class View>
auto rows_of(View const& view, std::size_t first, std::size_t n) {
  auto const all = [&]<std::size_t... R>(std::index_sequence<R...>) {
    return Kokkos::subview(view, std::pair(first, first + n),
                           (static_cast<void>(R), Kokkos::ALL)...);
  };
  return all(std::make_index_sequence<View::rank() - 1>());
}

/// Allocates a View of `n` rows that have the same shape as the rows of `view`.
template <class Rows, class View>
Rows rows_like(View const& view, std::string const& label, std::size_t n) {
  auto const make = [&]<std::size_t... R>(std::index_sequence<R...>) {
    return Rows(Kokkos::view_alloc(label, Kokkos::WithoutInitializing), n,
                view.extent(R + 1)...);
  };
  return make(std::make_index_sequence<View::rank_dynamic() - 1>());
}

}  // namespace Impl

/// Gives stencils access, by global index, to this PE's rows of a
/// DistributedView and to the adjacent rows. To locate a row, an access only
/// determines whether the row is before, among or after this PE's rows.
///
///     symm::RowsAround const around(g, 1);  // rows first() - 1 to end()
///     symm::barrier_all(exec);              // all PEs have written their rows
///     around.update(exec);
///     // in a kernel on rows first() to end() - 1:
///     x = around(i - 1, j) + around(i, j) + around(i + 1, j);
///     // or, if the kernel loops over j, almost as fast as local():
///     auto const up = around.row(i - 1), down = around.row(i + 1);
///     x = up(j) + around(i, j) + down(j);
///
/// Rows on near PEs are accessed in place. Rows on far PEs are copied by
/// update(), with one message per side. A RowsAround is a handle, like a
/// DistributedView: copies share the memory. There are no rows before the first
/// or after the last row of the whole View, so loops must not access them.
///
/// A RowsAround is for reading. (The program may also write this PE's rows, but
/// a write to another PE's row may change only a copy.)
///
/// \tparam Distributed a DistributedView with the Blocks distribution.
template <class Distributed>
class RowsAround {
  using View = typename Distributed::view_type;
  using T    = typename View::value_type;

 public:
  /// The call is local.
  /// \param reach the number of neighboring rows to access on each side.
  /// \throws UsageError on this PE if a neighboring PE has fewer rows than
  ///         `reach`, or if a neighboring PE is far and the rows are padded.
  ///         OutOfMemory on this PE.
  RowsAround(Distributed const& view, std::size_t reach) : m_view(view) {
    static_assert(!View::memory_traits::is_atomic,
                  "symm::RowsAround reads elements without atomic operations: "
                  "use a View without the Atomic trait");
    static_assert(Impl::has_runs_v<typename Distributed::distribution_type>,
                  "symm::RowsAround requires the distribution symm::Blocks: "
                  "adjacent rows must be on the same PE or on the next one");
    auto const& whole = view.allocated();
    for (std::size_t r = 0; r < View::rank(); ++r)
      m_strides[r] = static_cast<std::ptrdiff_t>(whole.stride(r));
    if (view.local().extent(0) == 0) return;
    m_first = static_cast<std::ptrdiff_t>(view.first());
    m_end   = static_cast<std::ptrdiff_t>(view.end());
    m_own   = row_0(view.local().data(), view.first());
    if (view.first() > 0) {
      m_before = side(reach, view.first() - 1,
                      [&](std::size_t n_rows) { return n_rows - reach; });
    }
    if (view.end() < view.extent(0)) {
      m_behind =
          side(reach, view.end(), [](std::size_t) { return std::size_t{0}; });
    }
  }

  /// Copies the neighboring rows that are on far PEs; does nothing if both
  /// neighbors are near. Call it after the far PEs have written their rows
  /// (after a barrier) and before they write them again. The call is local and
  /// runs in order with other work on `exec`.
  template <Impl::ExecutionSpace Exec>
  void update(Exec const& exec) const {
    for (auto const* const neighbor : {&m_before, &m_behind}) {
      if (neighbor->copies.extent(0) == 0) continue;
      auto const rows = Impl::rows_of(m_view.allocated(), neighbor->there,
                                      neighbor->copies.extent(0));
      Kokkos::deep_copy(exec, neighbor->copies,
                        remote_view(rows).peer(neighbor->pe));
    }
  }

  /// Row i of the whole View, for use in kernels: row(j, ...) is element (i, j,
  /// ...).
  class Row {
   public:
    template <class... Indices>
    KOKKOS_FORCEINLINE_FUNCTION Impl::Reference<T> operator()(
        Indices... indices) const {
      static_assert(sizeof...(Indices) + 1 == View::rank());
      return Impl::Reference<T>(m_data[offset(m_strides, indices...)]);
    }

   private:
    friend RowsAround;
    KOKKOS_FORCEINLINE_FUNCTION Row(T* data, std::ptrdiff_t const* strides)
        : m_data(data), m_strides(strides + 1) {}

    KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t offset(
        std::ptrdiff_t const*) {
      return 0;
    }
    template <class Last>
    KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t offset(
        std::ptrdiff_t const*, Last last) {
      return static_cast<std::ptrdiff_t>(last);  // rows are contiguous
    }
    template <class First, class Second, class... Others>
    KOKKOS_FORCEINLINE_FUNCTION static std::ptrdiff_t offset(
        std::ptrdiff_t const* strides, First first, Second second,
        Others... others) {
      return static_cast<std::ptrdiff_t>(first) * *strides +
             offset(strides + 1, second, others...);
    }

    T* m_data;
    std::ptrdiff_t const* m_strides;  // the RowsAround's strides
  };

  /// Row i of the whole View. A loop over a Row's elements locates the row only
  /// once. Precondition: the row is one of this PE's rows, or at most `reach`
  /// rows away from them.
  template <std::integral Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(Index i) const {
    // (Returns the Row by value so that compilers select the address once per
    // row and vectorize the loop over its elements.)
    auto const number = static_cast<std::ptrdiff_t>(i);
    auto const row_0  = number < m_first ? m_before.row_0
                        : number < m_end ? m_own
                                         : m_behind.row_0;
    return Row(reinterpret_cast<T*>(row_0) + number * m_strides[0], m_strides);
  }
  /// Element (i, indices...) of the whole View, the same as row(i)(indices...).
  template <class Index, class... Indices>
  requires Impl::are_indices_of_v<View, Index, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION Impl::Reference<T>
  operator()(Index i, Indices... indices) const { return row(i)(indices...); }

 private:
  using Copies = Kokkos::View<typename View::data_type, Kokkos::LayoutRight,
                              typename View::execution_space::memory_space>;
  /// The neighboring rows on one side.
  struct Side {
    std::uintptr_t row_0 = 0;  // the address that row 0 of the whole View would
                               // have
    Copies copies{};           // allocated only if the PE is far
    Pe pe             = -1;    // the PE that holds the rows
    std::size_t there = 0;     // the index of the first row on that PE
  };

  /// Finds the `reach` rows on one side.
  /// \param row the global index of the row next to this PE's rows.
  /// \param first returns the local index of the first of these rows on the
  ///        neighboring PE, given the number of rows on that PE.
  template <class First>
  Side side(std::size_t reach, std::size_t row, First const& first) const {
    Side neighbor;
    neighbor.pe       = m_view.owner(row);
    auto const n_rows = m_view.row_map().count(neighbor.pe);
    if (n_rows < reach) {
      throw UsageError(Impl::Text(
          "symm::RowsAround: PE ", neighbor.pe, " has only ", n_rows,
          " rows of \"", m_view.label().c_str(), "\", but PE ", my_pe(),
          " reads ", reach, " of them; use fewer PEs or an ExchangePlan"));
    }
    neighbor.there = first(n_rows);
    auto const at  = m_view.global_index(neighbor.pe, neighbor.there);
    if (is_near(neighbor.pe)) {
      neighbor.row_0 = row_0(
          Impl::rows_of(peer_view(m_view, neighbor.pe), neighbor.there, reach)
              .data(),
          at);
    } else {
      neighbor.copies = Impl::rows_like<Copies>(
          m_view.allocated(), "symm::RowsAround of " + m_view.label(), reach);
      if (static_cast<std::ptrdiff_t>(neighbor.copies.stride(0)) !=
          m_strides[0]) {
        throw UsageError(
            Impl::Text("symm::RowsAround: rows of \"", m_view.label().c_str(),
                       "\" are padded; allocate it without AllowPadding"));
      }
      neighbor.row_0 = row_0(neighbor.copies.data(), at);
    }
    return neighbor;
  }

  [[nodiscard]] std::uintptr_t row_0(T const* row, std::size_t number) const {
    return reinterpret_cast<std::uintptr_t>(row) -
           number * static_cast<std::size_t>(m_strides[0]) * sizeof(T);
  }
  Distributed m_view;
  std::ptrdiff_t m_first = 0;
  std::ptrdiff_t m_end   = 0;
  std::uintptr_t m_own   = 0;  // like Side::row_0
  Side m_before{};
  Side m_behind{};
  std::ptrdiff_t m_strides[View::rank()] = {};
};

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICCONTAINERS_DISTRIBUTEDVIEW_HPP
#define KOKKOS_SYMMETRICCONTAINERS_DISTRIBUTEDVIEW_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Space.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>
#include <Kokkos_SymmetricSpace_Views.hpp>

#include "../runtime/symm_job.hpp"
#include "distributed/DistributedCopy.hpp"
#include "distributed/DistributedShape.hpp"
#include "distributed/Distributions.hpp"
#include "distributed/PartsOfPes.hpp"
#include "distributed/RowsAround.hpp"

namespace symm {

/// A View that is distributed over all PEs and accessed with global indices: on
/// any PE, g(i, j) is element (i, j) of the whole View. A Distribution assigns
/// the rows to PEs. A row consists of all elements with the same first index.
///
///     symm::DistributedView<Kokkos::View<double*, symm::SymmetricSpace>> const
///         g("g", n);                            // n elements on all PEs
///     auto const mine = g.local();              // this PE's elements, a View
///     mine(k) = f(g.global_index(k));           // global index of mine(k)
///     double x = g(i);                          // any element
///
/// Like a View, a DistributedView is a handle that kernels can capture. Copies
/// share the memory, which is freed when the last copy of the handle or of
/// local() is destroyed. Every PE allocates memory for the largest number of
/// rows that any PE holds. An element is located by arithmetic alone, without
/// lookup tables. Multiplications replace the divisions: one multiplication for
/// Blocks and Cyclic, two for BlockCyclic. The first extent applies to the
/// whole View and is at most 2^62 / n_pes(). It may be 0 or less than the
/// number of PEs.
///
/// Like the elements of a RemoteView, g(i, j) is a proxy. It uses loads and
/// stores if the element is on a near PE, and gets and puts if it is on a far
/// PE. If the View has Kokkos' Atomic trait, these accesses are atomic.
/// RemoteView describes when other PEs see a value. In kernels that work on
/// this PE's elements, use local(); in stencils, use a RowsAround.
///
/// remote_view(), global_view(), peer_view(), places(), placed_view(), gather()
/// and heap_map() also accept a DistributedView. In these functions, two
/// indices (pe, k) replace the first index i: `pe` is owner(i), and `k` is
/// local_index(i).
///
/// With OnTeam(team), the rows are distributed over the PEs of a PE team, and
/// each PE team has its own View. PE numbers are still world PE numbers. All
/// PEs of the world construct the DistributedView in the same collective call.
/// Each PE passes its own PE team, or PeTeam(); a PE that passes PeTeam() has
/// no rows. Only the PE team's members call the functions that copy the View
/// (scatter(), gather(), deep_copy()).
///
/// To choose the size of each part, use UnevenView, which has no global
/// indices.
///
/// \tparam View a View type in a symmetric space, with LayoutRight or rank 1.
///         The elements must be trivially copyable and not const. Name the
///         layout if the View has more than one dimension, because the default
///         layout is different on GPUs.
/// \tparam Distribution Blocks, Cyclic or BlockCyclic, or OnTeam of one of
///         these.
template <class View, class Distribution = Blocks>
class DistributedView {
  static_assert(
      Kokkos::is_view_v<View> &&
          is_symmetric_space_v<typename View::memory_space>,
      "the View of a DistributedView must be in a symmetric space: declare it "
      "as symm::DistributedView<Kokkos::View<..., symm::SymmetricSpace>>");
  static_assert(
      !View::memory_traits::is_unmanaged,
      "a DistributedView owns its memory: remove the Unmanaged trait");
  static_assert(View::rank_dynamic() > 0,
                "the first extent of a DistributedView must not be part of the "
                "type");
  static_assert(
      std::is_same_v<typename View::array_layout, Kokkos::LayoutRight> ||
          (View::rank() == 1 &&
           std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft>),
      "the rows of a DistributedView must be contiguous: declare its View with "
      "Kokkos::LayoutRight");

 public:
  using view_type            = View;
  using distribution_type    = Distribution;
  using data_type            = typename View::data_type;
  using value_type           = typename View::value_type;
  using non_const_value_type = typename View::non_const_value_type;
  using pointer_type         = typename View::pointer_type;
  using array_layout         = typename View::array_layout;
  using device_type          = typename View::device_type;
  using memory_space         = typename View::memory_space;
  using execution_space      = typename View::execution_space;
  using memory_traits        = typename View::memory_traits;
  /// The proxy for an element.
  using reference_type = typename RemoteView<View>::reference_type;

  KOKKOS_FUNCTION static constexpr std::size_t rank() { return View::rank(); }

  DistributedView() = default;

  /// Collective: all PEs make the call with the same arguments. The constructor
  /// compares the arguments, then allocates memory as a View's constructor
  /// does. When the constructor returns on any PE, every PE has allocated and
  /// initialized its memory.
  ///
  /// \param allocation a label, or the result of Kokkos::view_alloc().
  /// \param extents the dynamic extents of the whole View; 0 is allowed.
  /// \throws UsageError on every PE if extents or types differ; OutOfMemory or
  ///         SystemError on every PE. UsageError on this PE before initialize()
  ///         and after finalize().
  template <class Allocation, std::convertible_to<std::size_t>... Extents>
  requires(
      sizeof...(Extents) == View::rank_dynamic() &&
      std::is_default_constructible_v<
          Distribution>) explicit DistributedView(Allocation const& allocation,
                                                  Extents... extents)
      : DistributedView(allocation, Distribution(), extents...) {}

  /// Creates a DistributedView with the given distribution: BlockCyclic(rows),
  /// with the same block size on all PEs, or OnTeam(team). With OnTeam, the
  /// first extent and the block size must be equal on all PEs of a PE team. The
  /// other extents must be equal on all PEs of the world.
  /// \throws the same errors as the constructor without a distribution. Also
  ///         throws UsageError on every PE if the block size is 0 or differs
  ///         between PEs, or if the PEs of one PE team passed different PE
  ///         teams.
  template <class Allocation, std::convertible_to<std::size_t>... Extents>
  requires(sizeof...(Extents) == View::rank_dynamic())
      DistributedView(Allocation const& allocation,
                      Distribution const& distribution, Extents... extents)
      : DistributedView(Shape{static_cast<std::size_t>(extents)...},
                        distribution, allocation) {}

  /// Element (i, indices...) of the whole View. If Kokkos checks View bounds,
  /// an out-of-bounds index aborts the program.
  template <class Index, class... Indices>
  requires Impl::are_indices_of_v<View, Index, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION reference_type
      operator()(Index i, Indices... indices) const {
    expect_indices(i, indices...);
    auto const found = m_rows.find(static_cast<std::size_t>(i));
    return reference_type(
        m_elements.map(),
        m_elements.address_of(found.pe, found.row, indices...), found.pe);
  }

  /// Element (i, indices...) of the whole View as a reference. The element must
  /// be on a near PE (checked if SYMM_CHECKS_IN_KERNELS is on). If all PEs are
  /// near, near() saves one comparison per access relative to g(i, ...). The
  /// address of the result can be taken: symm::atomic_add(&g.near(i), 1).
  template <class Index, class... Indices>
  requires Impl::are_indices_of_v<View, Index, Indices...>
      KOKKOS_FORCEINLINE_FUNCTION Impl::Reference<value_type> near(
          Index i, Indices... indices)
  const {
    expect_indices(i, indices...);
    auto const found = m_rows.find(static_cast<std::size_t>(i));
    m_elements.expect_pe(Impl::distributed_view, found.pe, true);
    return Impl::Reference<value_type>(
        *m_elements.address_of(found.pe, found.row, indices...));
  }

  /// This PE's rows as an ordinary View, in the order of their global indices.
  [[nodiscard]] KOKKOS_FUNCTION View const& local() const { return m_local; }

  /// Extents of the whole View.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return r == 0 ? m_extent : m_local.extent(r);
  }
  /// Number of elements in the whole View.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size() const {
    std::size_t size = m_extent;
    for (std::size_t r = 1; r < rank(); ++r) size *= m_local.extent(r);
    return size;
  }

  /// owner() returns the PE that holds row i, and local_index() the index of
  /// row i on that PE. Precondition: i < extent(0).
  template <std::integral Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Pe owner(Index i) const {
    return m_rows.find(static_cast<std::size_t>(i)).pe;
  }
  template <std::integral Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t local_index(
      Index i) const {
    return m_rows.find(static_cast<std::size_t>(i)).row;
  }
  /// Whether row i is on a near PE, so loads and stores can access it.
  template <std::integral Index>
  [[nodiscard]] KOKKOS_FUNCTION bool is_near(Index i) const {
    return m_elements.reaches(owner(i));
  }
  /// The global index of row k on this PE or, in the second function, on PE
  /// `pe`.
  template <std::integral Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t global_index(
      Index k) const {
    return global_index(m_elements.map().my_pe, k);
  }
  template <std::integral Index>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::size_t global_index(
      Pe pe, Index k) const {
    return m_rows.global_index(pe, static_cast<std::size_t>(k));
  }

  /// first() and end() are the bounds of a Kokkos::RangePolicy over the global
  /// indices of this PE's rows: first() to end() - 1. Row i of the whole View
  /// is row i - first() of local(). (With other distributions, loop from 0 to
  /// local().extent(0) and call global_index(k) in the loop.)
  [[nodiscard]] KOKKOS_FUNCTION std::size_t first() const
      requires(Impl::has_runs_v<Distribution>) {
    return global_index(0);
  }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t end() const
      requires(Impl::has_runs_v<Distribution>) {
    return global_index(m_local.extent(0));
  }

  /// Number of elements for which each PE has allocated memory.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t span() const {
    return m_whole.span();
  }
  [[nodiscard]] KOKKOS_FUNCTION pointer_type data() const {
    return m_whole.data();
  }
  [[nodiscard]] std::string label() const { return m_whole.label(); }

  /// row_map() and allocated() are for internal use by the library.
  [[nodiscard]] KOKKOS_FUNCTION Impl::RowMap<Distribution> const& row_map()
      const {
    return m_rows;
  }
  [[nodiscard]] KOKKOS_FUNCTION View const& allocated() const {
    return m_whole;
  }

 private:
  using Shape = std::array<std::size_t, View::rank_dynamic()>;

  template <class Allocation>
  DistributedView(Shape const& shape, Distribution const& distribution,
                  Allocation const& allocation)
      : m_extent(checked_extent(shape, distribution)),
        m_rows(distribution, m_extent, n_pes()),
        m_whole(allocate(
            allocation, shape,
            Impl::max_rows(Impl::named_team(distribution), m_rows.most()),
            std::make_index_sequence<View::rank_dynamic()>())),
        m_local(Impl::first_of_view<0>(m_whole, m_rows.count(symm::my_pe()))),
        m_elements(m_whole,
                   Impl::heap_map_of(m_whole, Impl::distributed_view)) {}

  static std::size_t checked_extent(Shape const& shape,
                                    Distribution const& distribution) {
    auto const* const team = Impl::named_team(distribution);
    Impl::expect_equal_shapes({Impl::hash_of_type<DistributedView>(), shape,
                               Impl::has_block_v<Distribution>,
                               Impl::block_of_distribution(distribution),
                               team});
    return team == nullptr || team->is_valid() ? shape[0] : 0;
  }
  template <class Allocation, std::size_t... R>
  static View allocate(Allocation const& allocation, Shape shape,
                       std::size_t n_rows, std::index_sequence<R...>) {
    shape[0] = n_rows;
    return View(allocation, shape[R]...);
  }

  template <class... Indices>
  KOKKOS_FUNCTION void expect_indices(
      [[maybe_unused]] Indices... indices) const {
#ifdef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
    std::size_t r = 0;
    if (((static_cast<std::size_t>(indices) < extent(r++)) && ...)) return;
    Impl::KernelText text;
    text << Impl::distributed_view;
    KOKKOS_IF_ON_HOST((std::string const name = label();
                       text << " \"" << name.c_str() << "\"";))
    text << ": element (";
    r = 0;
    ((text << (r++ == 0 ? "" : ", ") << static_cast<std::int64_t>(indices)),
     ...);
    text << ") is out of bounds; the extents are (";
    for (r = 0; r < rank(); ++r) text << (r == 0 ? "" : ", ") << extent(r);
    text << ")";
    text.abort();
#endif
  }

  std::size_t m_extent = 0;
  Impl::RowMap<Distribution> m_rows;
  View m_whole;
  View m_local;
  Impl::ElementsOfPes<View> m_elements;
};

/// PE `pe`'s part of `view`, like peer_view() for a View. The call is local.
/// \returns a View that is valid as long as the memory of `view` exists on this
///          PE.
/// \throws UsageError on this PE if PE `pe` does not exist or is not near
///         (is_near()).
template <class View, class Distribution>
auto peer_view(DistributedView<View, Distribution> const& view, Pe pe) {
  auto const& map = Impl::heap_map_of_near(view, pe);
  return Impl::ElementsOfPes<DistributedView<View, Distribution>>(view, map)
      .template copy_of<UnmanagedView<View>>(pe, pe);
}

// The following functions copy between a DistributedView and a host View that
// contains all elements. The host View has the whole View's extents and may
// have any layout. The calls are collective over all PEs that hold rows, in the
// world or in the PE team. Each call waits for kernels on this PE and begins
// and ends with a barrier. A call copies what these PEs wrote before the call;
// when the call returns on any PE, all copies are complete. PEs send whole
// parts, not individual elements.
//
// \throws UsageError on every PE if extents differ or if `root` is not a PE
//         that holds rows (in these cases, nothing is copied); OutOfMemory on
//         every PE.

/// Copies from `src` on PE `root` to all PEs' parts of `dst`. On other PEs,
/// `src` is not used and may be empty.
template <class View, class Distribution, class T, class... P>
void scatter(DistributedView<View, Distribution> const& dst,
             Kokkos::View<T, P...> const& src, Pe root) {
  Impl::copy_of_root<Impl::Direction::put>(dst, src, root);
}
/// Copies from all PEs' parts of `src` to `dst` on PE `root`. On other PEs,
/// `dst` is not used and may be empty.
template <class T, class... P, class View, class Distribution>
void gather(Kokkos::View<T, P...> const& dst,
            DistributedView<View, Distribution> const& src, Pe root) {
  Impl::copy_of_root<Impl::Direction::get>(src, dst, root);
}

}  // namespace symm

// (No parameter may have the same name as an entity in this file because nvcc
// confuses the two.)
namespace Kokkos {

/// Copies from a View to a DistributedView. The call is collective, like
/// symm::scatter(). Each PE copies its part from its own `src`, which contains
/// all elements.
template <class V, class D, class U, class... Q>
void deep_copy(symm::DistributedView<V, D> const& dst,
               Kokkos::View<U, Q...> const& src) {
  symm::Impl::copy_of_all<symm::Impl::Direction::put>(dst, src);
}
/// Copies from a DistributedView to a View. The call is collective, like
/// symm::gather(). On each PE, `dst` receives all elements.
template <class T, class... P, class V, class D>
void deep_copy(Kokkos::View<T, P...> const& dst,
               symm::DistributedView<V, D> const& src) {
  symm::Impl::copy_of_all<symm::Impl::Direction::get>(src, dst);
}

}  // namespace Kokkos

#endif

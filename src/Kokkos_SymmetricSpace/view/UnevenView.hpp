// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_UNEVEN_VIEW_HPP
#define SYMM_UNEVEN_VIEW_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>
#include "ElementsOfPes.hpp"
#include "PeerView.hpp"

#include "../../runtime/base/NameHash.hpp"
#include "../../runtime/base/Types.hpp"

namespace symm {

namespace Impl {

/// The extents of all PEs' copies of a View in one dimension, for the host and
/// for kernels.
struct ExtentTable {
  Kokkos::View<std::size_t*, Kokkos::HostSpace> on_host;
  /// The same View as on_host if kernels run on the host.
  Kokkos::View<std::size_t*, Kokkos::DefaultExecutionSpace::memory_space>
      in_kernels;

  [[nodiscard]] std::size_t largest() const;
  [[nodiscard]] bool has_same_extents_as(ExtentTable const& other) const;
};

/// Builds the table of the extents that all PEs pass as `mine`. The call is
/// collective.
/// \param view_type hash_of_type() of the View type.
/// \throws UsageError on every PE if the types differ; OutOfMemory or
///         SystemError on every PE if any PE has no memory for the table or any
///         PE's GPU fails.
ExtentTable exchange_extents(std::uint64_t view_type, std::size_t mine);

/// \throws UsageError on this PE if PE `pe` does not exist.
void require_pe(std::string const& label, Pe pe, int n_pes);

}  // namespace Impl

/// A set of Views, one per PE, with a common label. The Views may differ in the
/// extent of the dimension that varies slowest in memory. For example, a matrix
/// may have a number of rows that is not divisible by the number of PEs. Every
/// PE allocates the largest extent, so addresses are symmetric, as for any
/// View. Each PE uses local(), the part with the extents that this PE
/// requested.
///
///     symm::UnevenView<Kokkos::View<double*, symm::SymmetricSpace>> const
///         rows("rows", n_mine);
///     auto const mine       = rows.local();  // a View of n_mine elements
///     auto const everywhere = symm::global_view(rows);
///     // everywhere(pe, i), for i < everywhere.extent(pe, 0)
///
/// global_view(), remote_view(), peer_view(), places(), placed_view(), gather()
/// and heap_map() also accept an UnevenView. They use each PE's own extents and
/// check bounds against those extents. If bounds checking is off, this costs
/// nothing. To all other functions, pass local(), an ordinary View. Among the
/// collective operations on Views, only collect() accepts a local() whose
/// extents differ between PEs. The other operations require equal extents and
/// throw UsageError on every PE if the extents differ (enqueued operations do
/// not check).
///
/// resize() changes the extents. Kokkos::resize() does not: it turns a copy of
/// local() into an ordinary View with equal extents on all PEs, and leaves the
/// UnevenView unchanged. If PEs pass different extents to Kokkos::resize(),
/// every PE throws UsageError, and nothing changes. However, if a PE passes the
/// extents that its part already has, Kokkos::resize() does nothing on that PE.
/// The other PEs then wait until that PE makes its next collective call, in
/// which all PEs throw the error.
///
/// An UnevenView is a handle, like a View: copies share the memory, which
/// exists until the last copy of the UnevenView or of local() is destroyed. The
/// table of extents exists until the last copy of the UnevenView on this PE is
/// destroyed. Until then, a GlobalView or RemoteView of the UnevenView is
/// valid.
///
/// \tparam View a View type in a symmetric space, with LayoutLeft (the last
///         extent differs) or LayoutRight (the first extent differs). Name the
///         layout if the View has more than one dimension, because GPUs have a
///         different default layout.
template <class View>
class UnevenView {
  static_assert(
      Kokkos::is_view_v<View> &&
          is_symmetric_space_v<typename View::memory_space>,
      "the View of an UnevenView must be in a symmetric space: declare it as "
      "symm::UnevenView<Kokkos::View<..., symm::SymmetricSpace>>");
  static_assert(!View::memory_traits::is_unmanaged,
                "an UnevenView owns its memory: remove the Unmanaged trait");
  static_assert(
      std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft> ||
          std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>,
      "the layout of an UnevenView must be LayoutLeft or LayoutRight");
  static_assert(
      View::rank_dynamic() > 0 &&
          (std::is_same_v<typename View::array_layout, Kokkos::LayoutRight> ||
           View::rank_dynamic() == View::rank()),
      "the slowest-varying extent of an UnevenView (the last of LayoutLeft, "
      "the first of LayoutRight) must not be part of the type");

 public:
  using view_type            = View;
  using data_type            = typename View::data_type;
  using value_type           = typename View::value_type;
  using non_const_value_type = typename View::non_const_value_type;
  using pointer_type         = typename View::pointer_type;
  using array_layout         = typename View::array_layout;
  using device_type          = typename View::device_type;
  using memory_space         = typename View::memory_space;
  using execution_space      = typename View::execution_space;
  using memory_traits        = typename View::memory_traits;

  KOKKOS_FUNCTION static constexpr std::size_t rank() { return View::rank(); }

  static constexpr std::size_t uneven_dimension =
      std::is_same_v<array_layout, Kokkos::LayoutLeft> ? View::rank() - 1 : 0;

  UnevenView() = default;

  /// Collective: all PEs make the call, with equal extents except in
  /// uneven_dimension, where the extent may be 0. The constructor exchanges the
  /// extents, then allocates memory as a View's constructor does. When the
  /// constructor returns on any PE, every PE has allocated and filled its
  /// memory.
  ///
  /// \param allocation a label, or the result of Kokkos::view_alloc().
  /// \param extents this PE's dynamic extents.
  /// \throws UsageError on every PE if the types differ, or if the other
  ///         extents, and therefore the sizes in bytes, differ. OutOfMemory or
  ///         SystemError on every PE. UsageError on this PE before initialize()
  ///         and after finalize().
  template <class Allocation, std::convertible_to<std::size_t>... Extents>
  requires(sizeof...(Extents) == View::rank_dynamic()) explicit UnevenView(
      Allocation const& allocation, Extents... extents)
      : UnevenView(Shape{static_cast<std::size_t>(extents)...}, allocation) {}

  /// Changes the extent in uneven_dimension. Collective: all PEs make the call,
  /// each with the extent that it needs. A PE may pass its current extent.
  /// Elements that are within both the old and the new extent are preserved;
  /// the others are initialized. When the call returns on any PE, all PEs have
  /// the new memory with the preserved elements, so a put may follow
  /// immediately. Existing copies of this UnevenView, of local(), and of a
  /// GlobalView of this UnevenView still refer to the old memory, as copies of
  /// a View do after Kokkos::resize(). If no PE's extent changes, nothing is
  /// allocated.
  ///
  /// \throws UsageError, OutOfMemory or SystemError on every PE in the same
  ///         cases as the constructor; nothing changes in that case.
  void resize(std::size_t extent) {
    auto const table =
        Impl::exchange_extents(Impl::hash_of_type<View>(), extent);
    if (table.has_same_extents_as(m_table)) return;
    Shape shape{};
    for (std::size_t r = 0; r < shape.size(); ++r) shape[r] = m_whole.extent(r);
    shape[uneven_dimension] = extent;
    UnevenView const larger(table, shape, label());
    std::exception_ptr failure;
    try {
      auto const kept = Kokkos::min(extent, m_local.extent(uneven_dimension));
      auto const part = [&](View const& view) {
        return Impl::first_of_view<uneven_dimension>(view, kept);
      };
      Kokkos::deep_copy(part(larger.m_local), part(m_local));
    } catch (...) {
      failure = std::current_exception();
    }
    memory_space::finish_view(label().c_str(), failure);
    *this = larger;
  }

  /// This PE's part, an ordinary View.
  [[nodiscard]] View const& local() const { return m_local; }

  /// Extent r of PE `pe`'s part, for use on the host. (In kernels, use extent()
  /// of a GlobalView.)
  /// \throws UsageError on this PE if PE `pe` does not exist.
  [[nodiscard]] std::size_t extent(Pe pe, std::size_t r) const {
    Impl::require_pe(label(), pe, static_cast<int>(m_table.on_host.extent(0)));
    return r == uneven_dimension ? m_table.on_host(static_cast<std::size_t>(pe))
                                 : m_local.extent(r);
  }

  /// Extent r of this PE's part.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return m_local.extent(r);
  }
  /// Number of elements for which each PE has allocated memory.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t span() const {
    return m_whole.span();
  }
  [[nodiscard]] KOKKOS_FUNCTION pointer_type data() const {
    return m_whole.data();
  }
  [[nodiscard]] std::string label() const { return m_whole.label(); }

 private:
  friend Impl::ExtentsOfPes<UnevenView>;

  using Shape = std::array<std::size_t, View::rank_dynamic()>;

  template <class Allocation>
  UnevenView(Shape const& shape, Allocation const& allocation)
      : UnevenView(Impl::exchange_extents(Impl::hash_of_type<View>(),
                                          shape[uneven_dimension]),
                   shape, allocation) {}
  template <class Allocation>
  UnevenView(Impl::ExtentTable const& table, Shape const& shape,
             Allocation const& allocation)
      : m_table(table),
        m_whole(allocate(allocation, shape, m_table.largest(),
                         std::make_index_sequence<View::rank_dynamic()>())),
        m_local(Impl::first_of_view<uneven_dimension>(
            m_whole, shape[uneven_dimension])) {}

  template <class Allocation, std::size_t... R>
  static View allocate(Allocation const& allocation, Shape shape,
                       std::size_t largest, std::index_sequence<R...>) {
    shape[uneven_dimension] = largest;
    return View(allocation, shape[R]...);
  }

  Impl::ExtentTable m_table;
  View m_whole;
  View m_local;
};

namespace Impl {

template <class View>
inline constexpr bool is_view_of_pes_v<UnevenView<View>> = true;

/// All PEs have equal strides. The table holds the extents on each PE.
template <class View>
class ExtentsOfPes<UnevenView<View>> {
 public:
  static constexpr bool are_equal = false;

  ExtentsOfPes() = default;
  KOKKOS_FUNCTION explicit ExtentsOfPes(UnevenView<View> const& view)
      : m_on_host(view.m_table.on_host.data()),
        m_in_kernels(view.m_table.in_kernels.data()) {}

  KOKKOS_FUNCTION static View const& whole(UnevenView<View> const& view) {
    return view.m_whole;
  }

  template <class Whole>
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(Whole const& whole, Pe pe,
                                                   std::size_t r) const {
    if (r != dimension || m_on_host == nullptr) return whole.extent(r);
    KOKKOS_IF_ON_HOST((return m_on_host[pe];))
    KOKKOS_IF_ON_DEVICE((return m_in_kernels[pe];))
  }
  template <class Whole>
  [[nodiscard]] KOKKOS_FUNCTION Whole part_of(Whole const& whole, Pe pe) const {
    return first_of_view<dimension>(whole, extent(whole, pe, dimension));
  }

 private:
  static constexpr std::size_t dimension = UnevenView<View>::uneven_dimension;

  std::size_t const* m_on_host                     = nullptr;
  [[maybe_unused]] std::size_t const* m_in_kernels = nullptr;
};

}  // namespace Impl

/// PE `pe`'s part of `view`, with that part's extents, like peer_view() of a
/// View. The call is local.
/// \returns a View that is valid as long as the memory of `view` exists on this
///          PE, that is, as long as the UnevenView or its local() exists.
/// \throws UsageError on this PE if PE `pe` does not exist, or if loads and
///         stores cannot reach that PE's memory (is_near()).
template <class View>
auto peer_view(UnevenView<View> const& view, Pe pe) {
  auto const& map = Impl::heap_map_of_near(view, pe);
  return Impl::ElementsOfPes<UnevenView<View>>(view, map)
      .template copy_of<UnmanagedView<View>>(pe, pe);
}

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_UNEVEN_VIEW_HPP
#define SYMM_UNEVEN_VIEW_HPP

#include <array>
#include <concepts>
#include <cstddef>
#include <exception>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <Kokkos_Core.hpp>
#include "ElementsOfPes.hpp"
#include "PeerView.hpp"

#include "../../runtime/base/Types.hpp"

namespace symm {

namespace Impl {

/// Extents of all PEs' copies of a View in one dimension, for host and kernels.
struct ExtentTable {
  Kokkos::View<std::size_t*, Kokkos::HostSpace> on_host;
  /// The same View if kernels run on the host.
  Kokkos::View<std::size_t*, Kokkos::DefaultExecutionSpace::memory_space>
      in_kernels;

  [[nodiscard]] std::size_t largest() const;
  [[nodiscard]] bool has_same_extents_as(ExtentTable const& other) const;
};

/// Collective: makes the table of the extents that all PEs pass as `mine`.
/// \param view_type name of the type, equal on all PEs.
/// \throws UsageError on every PE, if types differ; OutOfMemory, SystemError on
///         every PE, if one has no room for the table or its GPU fails.
ExtentTable exchange_extents(char const* view_type, std::size_t mine);

/// \throws UsageError on this PE, if there is no such PE.
void require_pe(std::string const& label, Pe pe, int n_pes);

}  // namespace Impl

/// Views of one label whose extents differ between PEs in one dimension, the
/// slowest in memory: the rows of a matrix, say, that do not divide evenly.
/// Each PE has allocated the largest extent, so that addresses are symmetric as
/// those of any View. It uses the part that it has asked for, local().
///
///     symm::UnevenView<Kokkos::View<double*, symm::SymmetricSpace>> const
///         rows("rows", n_mine);
///     auto const mine       = rows.local();  // a View of n_mine elements
///     auto const everywhere = symm::global_view(rows);
///     // everywhere(pe, i), for i < everywhere.extent(pe, 0)
///
/// global_view(), remote_view(), peer_view(), places(), placed_view(), gather()
/// and heap_map() take an UnevenView instead of a View. They know the extents
/// of each PE and check bounds against them, at no cost where nothing is
/// checked. All else takes local(), an ordinary View. Of the collective
/// operations on Views, only collect() takes local() of different extents. The
/// others require equal extents and throw UsageError on every PE if they differ
/// (enqueued ones do not check).
///
/// resize() changes the extents. Kokkos::resize() does not: of a copy of
/// local() it makes an ordinary View, of equal extents on all PEs, and leaves
/// the UnevenView as it was. If PEs ask for different extents, that is
/// UsageError on every PE and changes nothing. But a PE that asks for the
/// extents of its part makes no View: the others wait for its next collective
/// call, in which all PEs get the error.
///
/// A handle, as a View is: copies share the memory, which lives until the last
/// copy of the UnevenView or of local() ends. The table of extents lives until
/// the last copy of the UnevenView ends on this PE; so long a GlobalView or
/// RemoteView of it is valid.
///
/// \tparam View in a symmetric space, LayoutLeft (then the last extent differs)
///         or LayoutRight (the first). Name the layout if it has more than one
///         dimension: the default layout is another on GPUs.
template <class View>
class UnevenView {
  static_assert(Kokkos::is_view_v<View> &&
                    is_symmetric_space_v<typename View::memory_space>,
                "an UnevenView is of a View in a symmetric space: declare it "
                "as symm::UnevenView<Kokkos::View<..., symm::SymmetricSpace>>");
  static_assert(!View::memory_traits::is_unmanaged,
                "an UnevenView owns its memory: leave Unmanaged out");
  static_assert(
      std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft> ||
          std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>,
      "the layout of an UnevenView must be LayoutLeft or LayoutRight");
  static_assert(
      View::rank_dynamic() > 0 &&
          (std::is_same_v<typename View::array_layout, Kokkos::LayoutRight> ||
           View::rank_dynamic() == View::rank()),
      "the slowest extent of an UnevenView, the last one of LayoutLeft or the "
      "first one of LayoutRight, must not be part of the type");

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

  /// Collective: all PEs, with equal extents except that of uneven_dimension,
  /// which may be 0. Exchanges the extents, then allocates as the constructor
  /// of a View: every PE has the memory, and has filled it, when it returns on
  /// any PE.
  ///
  /// \param allocation a label, or what Kokkos::view_alloc() returns.
  /// \param extents of this PE, those that are not part of the type.
  /// \throws UsageError on every PE, if types differ, or the other extents do
  ///         and with them the bytes; OutOfMemory, SystemError on every PE.
  ///         UsageError on this PE before initialize() and after finalize().
  template <class Allocation, std::convertible_to<std::size_t>... Extents>
  requires(sizeof...(Extents) == View::rank_dynamic()) explicit UnevenView(
      Allocation const& allocation, Extents... extents)
      : UnevenView(Shape{static_cast<std::size_t>(extents)...}, allocation) {}

  /// Collective: all PEs, each with the extent of uneven_dimension that it
  /// wants, which may be unchanged. Keeps the elements that are in both the old
  /// and the new extent; initialises the others. When it returns on any PE, all
  /// PEs have the new memory with the kept elements: a put may follow. Earlier
  /// copies of this UnevenView, of local() and of its global_view() keep the
  /// old memory, as copies of a View do after Kokkos::resize(). If no PE's
  /// extent changes, nothing is allocated.
  ///
  /// \throws UsageError, OutOfMemory, SystemError on every PE, as the
  ///         constructor; nothing changes.
  void resize(std::size_t extent) {
    auto const table = Impl::exchange_extents(typeid(View).name(), extent);
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

  /// Extent of PE `pe`'s part; on the host. (In kernels: that of a GlobalView.)
  /// \throws UsageError on this PE, if there is no such PE.
  [[nodiscard]] std::size_t extent(Pe pe, std::size_t r) const {
    Impl::require_pe(label(), pe, static_cast<int>(m_table.on_host.extent(0)));
    return r == uneven_dimension ? m_table.on_host(static_cast<std::size_t>(pe))
                                 : m_local.extent(r);
  }

  /// Extent of this PE's part.
  [[nodiscard]] KOKKOS_FUNCTION std::size_t extent(std::size_t r) const {
    return m_local.extent(r);
  }
  /// Elements that each PE has allocated.
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
      : UnevenView(Impl::exchange_extents(typeid(View).name(),
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

/// All PEs have equal strides; the table has their extents.
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

/// PE `pe`'s part of `view`, with its extents, as peer_view() of a View. Local.
/// \returns a View that is valid as long as the memory of `view` lives on this
///          PE: the UnevenView or its local().
/// \throws UsageError on this PE, if there is no such PE, or its memory is not
///         reached by loads and stores (is_near()).
template <class View>
auto peer_view(UnevenView<View> const& view, Pe pe) {
  auto const& map = Impl::heap_map_of_near(view, pe);
  return Impl::ElementsOfPes<UnevenView<View>>(view, map)
      .template copy_of<UnmanagedView<View>>(pe, pe);
}

}  // namespace symm

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_PLACES_HPP
#define SYMM_PLACES_HPP

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include "../kokkos_impl/SeenElement.hpp"
#include "../view/ElementsOfPes.hpp"
#include "../view/PeerView.hpp"

#include "../../runtime/base/Address.hpp"
#include "../../runtime/base/Types.hpp"
#include "../../runtime/memory/HeapMap.hpp"
#include "../../runtime/symm_errors.hpp"

namespace symm {

/// The position of an element of a View on a near PE. places() computes it once
/// for kernels that access the element often, for example through the column
/// indices of a sparse matrix. PlacedView returns the element at a place. A
/// Place is the distance in bytes from the first element of this PE's copy. A
/// Place occupies 8 bytes: an access requires two loads, as with a list of
/// 8-byte indices. A Place is valid only on this PE. It is valid for the View
/// for which it was computed and for all other Views in the same heap with the
/// same element type, layout and extents. A default-constructed Place refers to
/// this PE's first element.
struct Place {
  std::int64_t distance = 0;

  friend bool operator==(Place const&, Place const&) = default;
};

/// A 4-byte Place, which halves the memory traffic for loading places. It works
/// only for smaller Views: up to 2^31 elements with 2 PEs on the node, 2^29
/// with 8 PEs. On the host, an access costs the same as with a Place if the
/// node has only one PE. The same holds if the heap limits of the node's PEs
/// (SYMM_HEAP_LIMIT) add up to at most 2^32 elements (for doubles on two PEs,
/// 16 GiB each). Otherwise, and always on GPUs, an access requires an
/// additional shift, multiplication and addition.
struct Place32 {
  std::uint32_t word = 0;

  friend bool operator==(Place32 const&, Place32 const&) = default;
};

namespace Impl {

/// How a Place32 encodes element i of the p-th PE on the node: p * words_per_pe
/// + i.
struct Place32Code {
  int bits                   = 31;  ///< for Views with up to 2^bits elements
  std::uint32_t words_per_pe = 0;   ///< 2^bits, unless `step` is 0
  /// The distance in bytes from one PE's copy to the next PE's, minus the size
  /// of words_per_pe elements. If 0, a place is the distance in elements from
  /// the first near PE's copy.
  std::int64_t step = 0;
};
Place32Code place32_code(HeapMap const& map, std::size_t element_bytes);

}  // namespace Impl

/// The copies of one View on all near PEs. If `at` is a PlacedView, `at(place)`
/// is the element at `place`. A PlacedView is a lightweight handle that kernels
/// can capture; it is valid as long as a GlobalView would be. It performs no
/// checks because places() has already checked PEs and indices.
template <class View>
class PlacedView {
 public:
  using view_type      = UnmanagedView<View>;
  using value_type     = typename view_type::value_type;
  using reference_type = Impl::Reference<typename view_type::element_type>;

  static_assert(!view_type::memory_traits::is_atomic,
                "elements of an Atomic View are proxies: use a View without "
                "the Atomic trait, and symm::atomic_add(&at(place), ...)");

  PlacedView() = default;

  /// \param local this PE's copy.
  PlacedView(View const& local, HeapMap const& map)
      : m_local(local.data()), m_first(local.data()) {
    auto const code = Impl::place32_code(map, sizeof(value_type));
    m_shift         = code.bits;
    m_step          = code.step;
    if (m_first != nullptr) m_first = map.peer_ptr(m_first, map.first_near);
  }

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION reference_type
  operator()(Place place) const {
    return reference_type(*Impl::moved(m_local, place.distance));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION reference_type
  operator()(Place32 place) const {
    // m_step is the same for all places, so compilers for CPUs move the test
    // out of loops. (GPU kernels, which mostly wait for memory, do not need
    // this branch.)
    KOKKOS_IF_ON_HOST(
        (if (m_step == 0) return reference_type(m_first[place.word]);))
    // As an element count, the word already includes pe * 2^m_shift elements.
    // m_step is the remaining distance, in bytes, from one PE's copy to the
    // next.
    auto const pe = static_cast<std::int64_t>(place.word >> m_shift);
    return reference_type(*(Impl::moved(m_first, pe * m_step) + place.word));
  }

 private:
  using Element = typename view_type::element_type;

  Element* m_local    = nullptr;
  Element* m_first    = nullptr;  // the first near PE's data
  int m_shift         = 0;
  std::int64_t m_step = 0;  // from Place32Code
};

/// The PlacedView of `view`, for access to elements on near PEs through places.
/// The call is local.
/// \throws UsageError on this PE if the View is not in the heap.
template <class View>
[[nodiscard]] auto placed_view(View const& view) {
  return PlacedView<View>(view, Impl::heap_map_of(view, "symm::placed_view"));
}

namespace Impl {

/// Each of these three functions throws a UsageError on this PE. The message
/// says why the places cannot be computed.
[[noreturn]] void throw_unequal_lists(std::string const& label);
[[noreturn]] void throw_too_large_for_place32(std::string const& label,
                                              std::size_t elements, int bits);
[[noreturn]] void throw_no_place(std::string const& label, std::size_t n,
                                 std::int64_t pe, HeapMap const& map,
                                 std::span<std::int64_t const> indices,
                                 std::span<std::size_t const> extents);

/// Copies entry n of `list`, which may be in GPU memory, to the host.
template <class List>
std::int64_t number_at(List const& list, std::size_t n) {
  typename List::non_const_value_type number{};
  Kokkos::deep_copy(number, Kokkos::subview(list, n));
  return static_cast<std::int64_t>(number);
}

/// Computes place n. `wrong` receives the smallest n whose entries do not name
/// an element on a near PE.
template <class P, class View, class Pes, class Index, class Places>
struct MakePlaces {
  // At least 1, because Kokkos::Array needs an element.
  static constexpr std::size_t n_lists = View::rank() == 0 ? 1 : View::rank();

  ElementsOfPes<View> elements;
  typename PlainView<View>::pointer_type local;
  std::uint32_t words_per_pe;
  Pes pes;
  Kokkos::Array<Index, n_lists> indices;
  Places places;

  KOKKOS_FUNCTION void operator()(std::size_t n, std::size_t& wrong) const {
    make(n, wrong, std::make_index_sequence<View::rank()>());
  }

 private:
  template <std::size_t... R>
  KOKKOS_FUNCTION void make(std::size_t n, std::size_t& wrong,
                            std::index_sequence<R...>) const {
    auto const& map = elements.map();
    auto const pe   = static_cast<std::int64_t>(pes(n));
    bool const is_element =
        elements.reaches(pe) && ((static_cast<std::size_t>(indices[R](n)) <
                                  elements.extent(static_cast<Pe>(pe), R)) &&
                                 ...);
    if (!is_element) {
      wrong = n < wrong ? n : wrong;
      return;
    }
    auto const owner = static_cast<Pe>(pe);
    auto const* address =
        elements.address_of(owner, static_cast<std::size_t>(indices[R](n))...);
    if constexpr (std::is_same_v<P, Place>) {
      places(n) = {reinterpret_cast<char const*>(address) -
                   reinterpret_cast<char const*>(local)};
    } else {
      auto const index =
          static_cast<std::uint32_t>(address - map.peer_ptr(local, owner));
      places(n) = {static_cast<std::uint32_t>(owner - map.first_near) *
                       words_per_pe +
                   index};
    }
  }
};

}  // namespace Impl

/// Computes the places of the elements (indices(n)...) of `view` on PEs pes(n),
/// for all n. Use these places with a PlacedView of the View, or with gather().
/// The call is local; when it returns, the places are complete.
///
///     auto const places = symm::places(p, pes, indices);   // once
///     auto const at     = symm::placed_view(p);
///     Kokkos::parallel_for(
///         places.extent(0), KOKKOS_LAMBDA(int n) { y(n) = at(places(n)); });
///
/// \tparam P    Place (8 bytes) or Place32 (4 bytes).
/// \param view  a View that global_view() accepts.
/// \param pes a rank-1 View of integers: world PE numbers.
/// \param indices one list for each dimension of `view`. All lists have the
///        same type and are as long as `pes`, in memory that kernels in the
///        execution space of `pes` can access.
/// \returns a Kokkos::View<P*> in the memory space of that execution space.
/// \throws UsageError on this PE if a PE or element does not exist, if a PE is
///         far, or if the lists differ in length. UsageError on this PE if the
///         View is not in the heap or is too large for Place32. (Elements on
///         far PEs have no places: copy them with get_nbi() to symmetric memory
///         on a near PE, and compute the places of these copies.)
template <class P = Place, class View, class Pes, class... Indices>
[[nodiscard]] auto places(View const& view, Pes const& pes,
                          Indices const&... indices) {
  static_assert(
      std::is_same_v<P, Place> || std::is_same_v<P, Place32>,
      "symm::places: a place must be a symm::Place or a symm::Place32");
  static_assert(
      sizeof...(Indices) == View::rank(),
      "symm::places: pass one list of indices for each dimension of the View");
  using Index = std::tuple_element_t<0, std::tuple<Indices..., Pes>>;
  static_assert(
      (std::is_same_v<Indices, Index> && ...),
      "symm::places: the lists of indices must be Views of the same type");
  static_assert(Pes::rank() == 1 && Index::rank() == 1 &&
                    std::is_integral_v<typename Pes::value_type> &&
                    std::is_integral_v<typename Index::value_type>,
                "symm::places: the lists must be Views of rank 1 of integers");
  using Exec = typename Pes::execution_space;
  static_assert(
      Kokkos::SpaceAccessibility<Exec,
                                 typename Index::memory_space>::accessible,
      "symm::places: the execution space of `pes` must be able to access the "
      "lists of indices");
  auto const& map  = Impl::heap_map_of(view, "symm::places");
  auto const code  = Impl::place32_code(map, sizeof(typename View::value_type));
  bool const is_32 = std::is_same_v<P, Place32>;
  if (((indices.extent(0) != pes.extent(0)) || ...)) {
    Impl::throw_unequal_lists(view.label());
  }
  if (is_32 && view.span() > std::size_t{1} << code.bits) {
    Impl::throw_too_large_for_place32(view.label(), view.span(), code.bits);
  }

  Kokkos::View<P*, typename Exec::memory_space> const result(
      Kokkos::view_alloc("places of " + view.label(),
                         Kokkos::WithoutInitializing),
      pes.extent(0));
  Impl::ElementsOfPes<View> const elements(view, map);
  std::size_t const none = ~std::size_t{0};
  std::size_t wrong      = none;
  Kokkos::parallel_reduce(
      "symm::places",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(0,
                                                                pes.extent(0)),
      Impl::MakePlaces<P, View, Pes, Index, decltype(result)>{
          elements, view.data(), code.words_per_pe, pes, {indices...}, result},
      Kokkos::Min<std::size_t>(wrong));
  if (wrong == none) return result;

  std::vector<std::int64_t> const entries{Impl::number_at(indices, wrong)...};
  auto const pe = Impl::number_at(pes, wrong);
  std::vector<std::size_t> extents;
  for (std::size_t r = 0; r < entries.size() && 0 <= pe && pe < map.n_pes;
       ++r) {
    extents.push_back(elements.extent(static_cast<Pe>(pe), r));
  }
  Impl::throw_no_place(view.label(), wrong, pe, map, entries, extents);
}

}  // namespace symm

#endif

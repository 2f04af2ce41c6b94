// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_LISTS_HPP
#define SYMM_EXCHANGE_LISTS_HPP

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_job.hpp"

namespace symm {

/// One box of a grid that is cut into a box per PE, with ghost cells around it.
/// The PEs of the PE team are the boxes, numbered in the order of `order`. A
/// View has owned cells from `ghost_width` on along each axis and ghosts on
/// both sides, also at an end of the grid.
///
/// PEs compare what they have in common: all but owned, first and view_extents
/// is equal on all PEs, and boxes side by side have equal extents there.
struct BoxDecomposition {
  enum class Neighbours { faces, faces_and_edges, all };
  /// How PEs are numbered. In a grid of 3 x 2, PE 1 is at (0, 1), as
  /// MPI_Cart_create() has it; or at (1, 0).
  enum class Order { last_axis_fastest, first_axis_fastest };

  /// Cells that this PE owns along each axis, up to the first 0. Boxes may
  /// differ, as long as those of PEs side by side have faces of equal extents.
  std::array<std::size_t, 3> owned{};
  std::array<int, 3> pe_grid{1, 1, 1};
  /// If the program numbers PEs in another order, ghosts are wrong. That is an
  /// error only if `first` is set, or boxes differ.
  Order order = Order::last_axis_fastest;
  /// The index in the whole grid of the first cell that this PE owns, along
  /// each axis. If it is set, PEs check that they are where their neighbours
  /// take them to be.
  std::optional<std::array<std::size_t, 3>> first{};
  std::size_t ghost_width = 1;
  /// Whether the first and the last box of an axis are neighbours.
  std::array<bool, 3> periodic{};
  Neighbours neighbours = Neighbours::all;
  /// Extents of the Views, if larger than the owned and ghost cells.
  std::array<std::size_t, 3> view_extents{};
  /// Of the ghosts, how many layers are filled, the next ones to the box. 0:
  /// all.
  std::size_t depth = 0;
};

}  // namespace symm

namespace symm::Impl {

/// An element of a View, counted in the order of its first indices.
using ElementIndex                        = std::uint32_t;
inline constexpr std::size_t max_elements = 0xffff'ffff;

using ElementList = Kokkos::View<ElementIndex*, Kokkos::HostSpace>;
/// Its elements are indeterminate.
inline ElementList element_list(std::size_t count) {
  return ElementList(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                        "symm::Impl::ElementList"),
                     count);
}

/// A list of integers of any type.
class Integers {
 public:
  template <class T>
  Integers(T const* first, std::size_t count, std::size_t stride = 1)
      : m_first(first), m_count(count), m_stride(stride), m_read(&read<T>) {}
  /// start, start + 1, ...
  static Integers counting(std::size_t start, std::size_t count) {
    return {count, start};
  }

  [[nodiscard]] std::size_t size() const { return m_count; }
  /// Copies `count` integers from number `first` on.
  void read(std::size_t first, std::size_t count, std::int64_t* to) const {
    m_read(*this, first, count, to);
  }

 private:
  Integers(std::size_t count, std::size_t start)
      : m_count(count), m_stride(start), m_read(&count_up) {}

  template <class T>
  static void read(Integers const& list, std::size_t first, std::size_t count,
                   std::int64_t* to) {
    auto const stride = list.m_stride;
    auto const* from  = static_cast<T const*>(list.m_first) + first * stride;
    if (stride == 1) {
      for (std::size_t k = 0; k < count; ++k)
        to[k] = static_cast<std::int64_t>(from[k]);
    } else {
      for (std::size_t k = 0; k < count; ++k, from += stride)
        to[k] = static_cast<std::int64_t>(*from);
    }
  }
  static void count_up(Integers const& list, std::size_t first,
                       std::size_t count, std::int64_t* to) {
    for (std::size_t k = 0; k < count; ++k)
      to[k] = static_cast<std::int64_t>(list.m_stride + first + k);
  }

  void const* m_first = nullptr;
  std::size_t m_count;
  std::size_t m_stride;  // or the first one that count_up() makes
  void (*m_read)(Integers const&, std::size_t, std::size_t, std::int64_t*);
};

/// The elements that this PE sends or receives, those of one PE after the
/// other.
struct ElementsOfMembers {
  ElementList elements;
  std::vector<std::size_t> counts;  // one for each member of the PE team
  bool is_known = false;            // to this PE, before it has heard others
  /// Where the blocks of members begin in a PE's buffers, in elements, and the
  /// end of the last one.
  std::vector<std::size_t> starts{0};
};

/// \param parts the elements of each member of the PE team.
ElementsOfMembers joined(std::vector<std::vector<ElementIndex>> const& parts);

/// Cells of this PE of which the neighbour along a direction has copies.
struct BoxPart {
  Pe pe;                         // its number in the PE team
  std::array<int, 3> direction;  // each -1, 0 or 1
  unsigned wraps;                // bit a: round the end of a periodic axis
  std::array<std::size_t, 3> begin;
  std::array<std::size_t, 3> end;
  std::size_t in_block;  // elements before them in its block
};

/// What a PE tells others of its box.
struct BoxWords {
  static constexpr std::int64_t unknown = -1;

  std::array<std::size_t, 3> owned{};  // cells; 0: there is no box
  std::array<std::int64_t, 3> first{unknown, unknown, unknown};
  /// A hash of what all boxes have in common, or of the plans that are joined.
  std::uint64_t settings = 0;

  static constexpr std::size_t n_words = 7;
  using Words                          = std::array<std::int64_t, n_words>;
  [[nodiscard]] Words words() const;
  [[nodiscard]] static BoxWords of(std::int64_t const* words);
};

/// A plan as far as one PE knows it.
struct ExchangeLists {
  ElementsOfMembers owned;   // that ghosts of others are copies of
  ElementsOfMembers ghosts;  // of this PE
  /// Of imports: the owner's index of each ghost.
  ElementList wanted;
  std::size_t n_owned = 0;
  /// Extents of the indices of a View that find an element.
  std::vector<std::size_t> extents{0};
  bool are_exports = false;
  bool is_joined   = false;  // a plan that was made before
  // Of a box.
  BoxWords box;
  std::size_t ghost_width = 0;
  std::size_t depth       = 0;
  std::vector<BoxPart> box_parts;
};

/// Why two boxes cannot be side by side, if they cannot.
/// \param part of the first one, of which the second one has copies.
std::optional<Text> difference(BoxPart const& part, BoxWords const& mine,
                               BoxWords const& theirs);

// These throw UsageError on this PE. `call` is for messages.

ExchangeLists lists_of_exports(char const* call, std::size_t n_owned,
                               Integers const& ids, Integers const& pes,
                               int n_pes);
/// \param places the ghosts' own indices; null: behind the owned elements.
ExchangeLists lists_of_imports(char const* call, std::size_t n_owned,
                               Integers const& indices, Integers const& pes,
                               Integers const* places, int n_pes);
ExchangeLists lists_of_box(char const* call, BoxDecomposition const& box,
                           Pe my_pe, int n_pes);

}  // namespace symm::Impl

#endif

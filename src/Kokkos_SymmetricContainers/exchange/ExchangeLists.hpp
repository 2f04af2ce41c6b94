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

/// One box of a grid that is divided into one box per PE, with ghost cells
/// around each box. The PEs of the PE team have the boxes; `order` says how
/// these PEs are numbered. Along each axis, a View has owned cells from index
/// `ghost_width` on, and ghosts on both sides, even at an end of the grid.
///
/// PEs compare these settings. All settings except owned, first and
/// view_extents must be equal on all PEs. Boxes side by side must have equal
/// extents where they touch.
struct BoxDecomposition {
  enum class Neighbours { faces, faces_and_edges, all };
  /// How PEs are numbered. In a grid of 3 x 2 PEs, last_axis_fastest puts PE 1
  /// at (0, 1), as MPI_Cart_create() does; first_axis_fastest puts PE 1 at (1,
  /// 0).
  enum class Order { last_axis_fastest, first_axis_fastest };

  /// Number of cells that this PE owns along each axis, up to the first 0.
  /// Boxes may differ, as long as the boxes on PEs side by side have faces of
  /// equal extents.
  std::array<std::size_t, 3> owned{};
  std::array<int, 3> pe_grid{1, 1, 1};
  /// If the program numbers PEs in another order, ghosts are wrong. A wrong
  /// order is reported as an error only if `first` is set or boxes differ.
  Order order = Order::last_axis_fastest;
  /// The index in the whole grid, along each axis, of the first cell that this
  /// PE owns. If `first` is set, each PE checks that it is where its neighbors
  /// expect it.
  std::optional<std::array<std::size_t, 3>> first{};
  std::size_t ghost_width = 1;
  /// For each axis, whether the first and the last box are neighbors.
  std::array<bool, 3> periodic{};
  Neighbours neighbours = Neighbours::all;
  /// Extents of the Views, if they are larger than the owned and ghost cells.
  std::array<std::size_t, 3> view_extents{};
  /// The number of ghost layers next to the box that are filled. If 0, all
  /// layers are filled.
  std::size_t depth = 0;
};

}  // namespace symm

namespace symm::Impl {

/// An element of a View, numbered in the order of the View's first indices.
using ElementIndex                        = std::uint32_t;
inline constexpr std::size_t max_elements = 0xffff'ffff;

using ElementList = Kokkos::View<ElementIndex*, Kokkos::HostSpace>;
/// Makes an ElementList of uninitialized elements.
inline ElementList element_list(std::size_t count) {
  return ElementList(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                        "symm::Impl::ElementList"),
                     count);
}

/// A list of integers of any integer type.
class Integers {
 public:
  template <class T>
  Integers(T const* first, std::size_t count, std::size_t stride = 1)
      : m_first(first), m_count(count), m_stride(stride), m_read(&read<T>) {}
  /// The list start, start + 1, ...
  static Integers counting(std::size_t start, std::size_t count) {
    return {count, start};
  }

  [[nodiscard]] std::size_t size() const { return m_count; }
  /// Copies `count` integers of the list to `to`, from number `first` on.
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
  std::size_t m_stride;  // or the first integer of count_up()
  void (*m_read)(Integers const&, std::size_t, std::size_t, std::int64_t*);
};

/// The elements that this PE sends or receives, ordered by the other PE.
struct ElementsOfMembers {
  ElementList elements;
  std::vector<std::size_t> counts;  // one for each member of the PE team
  bool is_known = false;            // to this PE, before other PEs send
  /// Where each member's block begins in a PE's buffers, counted in elements,
  /// and where the last block ends.
  std::vector<std::size_t> starts{0};
};

/// \param parts the elements of each member of the PE team.
ElementsOfMembers joined(std::vector<std::vector<ElementIndex>> const& parts);

/// Cells on this PE of which the neighbor in one direction has copies.
struct BoxPart {
  Pe pe;                         // the neighbor's, in the PE team
  std::array<int, 3> direction;  // each -1, 0 or 1
  unsigned wraps;                // bit a: across the end of periodic axis a
  std::array<std::size_t, 3> begin;
  std::array<std::size_t, 3> end;
  std::size_t in_block;  // elements before these in the PE's block
};

/// The data about its own box that a PE sends to other PEs.
struct BoxWords {
  static constexpr std::int64_t unknown = -1;

  std::array<std::size_t, 3> owned{};  // cells; 0: there is no box
  std::array<std::int64_t, 3> first{unknown, unknown, unknown};
  /// A hash of the settings that all boxes share, or of the joined plans.
  std::uint64_t settings = 0;

  static constexpr std::size_t n_words = 7;
  using Words                          = std::array<std::int64_t, n_words>;
  [[nodiscard]] Words words() const;
  [[nodiscard]] static BoxWords of(std::int64_t const* words);
};

/// The part of a plan that one PE knows.
struct ExchangeLists {
  ElementsOfMembers owned;   // elements with ghosts on other PEs
  ElementsOfMembers ghosts;  // on this PE
  /// For imports, the index of each ghost on its owner.
  ElementList wanted;
  std::size_t n_owned = 0;
  /// Extents of the indices of a View that select an element.
  std::vector<std::size_t> extents{0};
  bool are_exports = false;
  bool is_joined   = false;  // a plan that was made before
  // Of a box.
  BoxWords box;
  std::size_t ghost_width = 0;
  std::size_t depth       = 0;
  std::vector<BoxPart> box_parts;
};

/// Why two boxes cannot be side by side, or nothing if they can.
/// \param part the part of the first box of which the second box has copies.
std::optional<Text> difference(BoxPart const& part, BoxWords const& mine,
                               BoxWords const& theirs);

// These functions throw UsageError on this PE. `call` is for messages.

ExchangeLists lists_of_exports(char const* call, std::size_t n_owned,
                               Integers const& ids, Integers const& pes,
                               int n_pes);
/// \param places the ghosts' own indices; if null, ghosts come after the owned
///        elements.
ExchangeLists lists_of_imports(char const* call, std::size_t n_owned,
                               Integers const& indices, Integers const& pes,
                               Integers const* places, int n_pes);
ExchangeLists lists_of_box(char const* call, BoxDecomposition const& box,
                           Pe my_pe, int n_pes);

}  // namespace symm::Impl

#endif

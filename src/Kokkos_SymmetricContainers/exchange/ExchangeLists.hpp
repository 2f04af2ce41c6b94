// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_LISTS_HPP
#define SYMM_EXCHANGE_LISTS_HPP

#include <cstddef>
#include <cstdint>
#include <vector>

#include <Kokkos_Core.hpp>

#include "BoxDecomposition.hpp"

namespace symm::Impl {

/// An element's number in a View. Elements are numbered row by row over the
/// View's first indices.
using ElementIndex                        = std::uint32_t;
inline constexpr std::size_t max_elements = 0xffff'ffff;

using ElementList = Kokkos::View<ElementIndex*, Kokkos::HostSpace>;
/// Allocates an ElementList with uninitialized elements.
inline ElementList element_list(std::size_t count) {
  return ElementList(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                        "symm::Impl::ElementList"),
                     count);
}

/// A list of integers with any integer type.
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
  /// Copies `count` integers to `to`, starting at index `first` of the list.
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
  std::size_t m_stride;  // for count_up(), the first integer
  void (*m_read)(Integers const&, std::size_t, std::size_t, std::int64_t*);
};

/// The elements that this PE sends or receives, grouped by the other PE.
struct ElementsOfMembers {
  ElementList elements;
  std::vector<std::size_t> counts;  // one for each member of the PE team
  bool is_known = false;            // whether this PE's own arguments determine
                                    // the elements
  /// The starting position of each member's block in this PE's buffers,
  /// followed by the end of the last block; in elements.
  std::vector<std::size_t> starts{0};
};

/// Concatenates all members' lists.
/// \param parts the elements for each member of the PE team.
ElementsOfMembers joined(std::vector<std::vector<ElementIndex>> const& parts);

/// The part of a plan that a PE knows before the PEs exchange any data.
struct ExchangeLists {
  ElementsOfMembers owned;   // elements with ghosts on other PEs
  ElementsOfMembers ghosts;  // ghosts on this PE
  /// For imports, each ghost's index on its owner.
  ElementList wanted;
  std::size_t n_owned = 0;
  /// The extents of the View indices that select an element.
  std::vector<std::size_t> extents{0};
  bool are_exports = false;
  bool is_joined   = false;  // whether the lists come from an existing plan
                             // that is being joined
  // The following members are used only by from_box().
  BoxWords box;
  std::size_t ghost_width = 0;
  std::size_t depth       = 0;
  std::vector<BoxPart> box_parts;
};

// The following functions compute this PE's lists. They throw UsageError on
// this PE if an argument is invalid. `call` is the call's name, for error
// messages.

ExchangeLists lists_of_exports(char const* call, std::size_t n_owned,
                               Integers const& ids, Integers const& pes,
                               int n_pes);
/// \param places the indices of the ghosts on this PE; if null, ghosts are
///        stored after the owned elements.
ExchangeLists lists_of_imports(char const* call, std::size_t n_owned,
                               Integers const& indices, Integers const& pes,
                               Integers const* places, int n_pes);

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_GATHERED_ELEMENTS_HPP
#define SYMM_GATHERED_ELEMENTS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <Kokkos_Core.hpp>
#include "../../runtime/base/Types.hpp"
#include "../view/ElementsOfPes.hpp"
#include "../view/RemoteView.hpp"

// Checks gather()'s arguments on the host. The check reads the lists of PEs and
// indices once, before any element is copied.

namespace symm::Impl {

/// Tests whether numbers are in the range 0 to `extent` - 1. The test has no
/// branches, so compilers can vectorize loops over many numbers.
template <class Number>
class NumberRange {
 public:
  /// The type in which numbers are compared. It has 32 bits if that is wide
  /// enough because a SIMD vector holds twice as many 32-bit numbers as 64-bit
  /// numbers.
  using Word =
      std::conditional_t<(sizeof(Number) < 4) ||
                             (sizeof(Number) == 4 && std::is_signed_v<Number>),
                         std::uint32_t, std::uint64_t>;

  explicit NumberRange(std::size_t extent)
      : m_last(static_cast<Word>(std::min(extent, most) - 1)) {}

  /// The highest bit of the result is set if the number is outside the range.
  [[nodiscard]] Word outside(Number number) const {
    auto const word = static_cast<Word>(number);
    return word | (m_last - word);
  }
  [[nodiscard]] static bool is_highest_bit_set(Word word) {
    return word >= Word{most};
  }

 private:
  static constexpr std::size_t most = std::size_t{1} << (8 * sizeof(Word) - 1);

  Word m_last;
};

/// Whether entries `first` to `end` - 1 of a list are in the range 0 to
/// `extent` - 1.
template <class List>
[[nodiscard]] bool are_in_range(List const& list, std::size_t extent,
                                std::size_t first, std::size_t end) {
  using Allowed = NumberRange<typename List::non_const_value_type>;
  Allowed const allowed(extent);
  typename Allowed::Word all = 0;
  for (std::size_t n = first; n < end; ++n) all |= allowed.outside(list(n));
  return !Allowed::is_highest_bit_set(all);
}

/// \throws UsageError on this PE. The message says that entry n of gather()'s
///         lists does not name an element.
/// \param extent the extent of PE `pe`'s copy, if the PE exists.
[[noreturn]] void throw_not_gathered(std::string const& label, std::size_t n,
                                     std::int64_t pe, int n_pes,
                                     std::int64_t index, std::size_t extent);

/// The elements that gather() copies.
template <class View, class Pes, class Indices>
struct GatheredElements {
  RemoteView<View> remote;
  Pes pes;
  Indices indices;

  /// The number of entries that a thread checks at a time.
  static constexpr std::size_t block = std::size_t{16} << 10U;

  /// Whether all elements named by entries `first` to `end` - 1 exist.
  [[nodiscard]] bool are_there(std::size_t first, std::size_t end) const {
    auto const n_pes = static_cast<std::size_t>(remote.n_pes());
    if (!are_in_range(pes, n_pes, first, end)) return false;
    if constexpr (ExtentsOfPes<View>::are_equal) {
      return are_in_range(indices, remote.extent(0), first, end);
    } else {
      bool are_there = true;
      for (std::size_t n = first; n < end; ++n) are_there &= is_index(n);
      return are_there;
    }
  }
  /// For a host kernel: checks block `b`. After the reduction, `wrong` is the
  /// number of the first block with an invalid entry.
  KOKKOS_FUNCTION void operator()([[maybe_unused]] std::size_t b,
                                  [[maybe_unused]] std::size_t& wrong) const {
    KOKKOS_IF_ON_HOST((auto const end = std::min((b + 1) * block, count());
                       if (b < wrong && !are_there(b * block, end)) wrong = b;))
  }
  [[nodiscard]] std::size_t count() const { return pes.extent(0); }

  /// \throws UsageError on this PE for the first element that does not exist.
  /// \param first the number of that element's entry or of an earlier entry.
  [[noreturn]] void throw_at(std::string const& label,
                             std::size_t first) const {
    std::size_t n = first;
    while (are_there(n, n + 1)) ++n;
    auto const pe = static_cast<std::int64_t>(pes(n));
    bool const is_pe =
        are_in_range(pes, static_cast<std::size_t>(remote.n_pes()), n, n + 1);
    throw_not_gathered(label, n, pe, remote.n_pes(),
                       static_cast<std::int64_t>(indices(n)),
                       is_pe ? remote.extent(static_cast<Pe>(pe), 0) : 0);
  }

 private:
  /// Whether entry n names an existing element. Precondition: PE pes(n) exists.
  [[nodiscard]] bool is_index(std::size_t n) const {
    return static_cast<std::size_t>(indices(n)) <
           remote.extent(static_cast<Pe>(pes(n)), 0);
  }
};

/// Waits for `exec`, then checks all entries of the lists.
/// \throws UsageError on this PE if an element does not exist.
template <class Exec, class View, class Pes, class Indices>
void expect_gathered(Exec const& exec, View const& view,
                     GatheredElements<View, Pes, Indices> const& elements) {
  constexpr auto block       = GatheredElements<View, Pes, Indices>::block;
  constexpr std::size_t none = ~std::size_t{0};
  std::size_t wrong          = none;
  std::size_t const n        = elements.count();
  if (n <= block) {  // no kernel: a launch would take longer
    exec.fence("symm::gather");
    elements(0, wrong);
  } else {
    Kokkos::parallel_reduce(
        "symm::gather",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(
            exec, 0, (n + block - 1) / block),
        elements, Kokkos::Min<std::size_t>(wrong));
  }
  if (wrong != none) elements.throw_at(view.label(), wrong * block);
}

}  // namespace symm::Impl

#endif

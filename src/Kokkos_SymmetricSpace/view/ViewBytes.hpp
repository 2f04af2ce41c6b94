// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_VIEW_BYTES_HPP
#define SYMM_VIEW_BYTES_HPP

#include <cstddef>
#include <optional>
#include <type_traits>

#include <Kokkos_Core.hpp>

/// Sizes of Views. If a View is larger than the address space, Kokkos' own
/// span() overflows, in some builds silently.
namespace symm::Impl {

/// The number of bytes that a View's elements occupy, including the gaps
/// between them; std::nullopt if that number does not fit in a std::size_t.
using ViewBytes = std::optional<std::size_t>;

template <class View>
ViewBytes bytes_of_view(View const& view) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(view.span(), sizeof(typename View::value_type),
                             &bytes)) {
    return std::nullopt;
  }
  return bytes;
}

/// The span of a layout, in elements, from the first to the last element
/// inclusive.
ViewBytes span_of_layout(Kokkos::LayoutStride const& layout, std::size_t rank);

/// Converts an extent to std::size_t because some View constructors accept no
/// other integer type. Returns a layout unchanged.
template <class Extent>
auto extent_or_layout(Extent const& extent) {
  if constexpr (Kokkos::is_array_layout_v<Extent>) {
    return extent;
  } else {
    return static_cast<std::size_t>(extent);
  }
}

/// The number of bytes that a View of type `View` would have, without padding.
/// \param extents as for Kokkos::View's constructor, or a layout.
template <class View, class... Extents>
ViewBytes bytes_of_extents(Extents const&... extents) {
  std::size_t bytes = sizeof(typename View::value_type);
  bool fits         = true;
  auto const times  = [&](std::size_t n) {
    fits = !__builtin_mul_overflow(bytes, n, &bytes) && fits;
  };
  [[maybe_unused]] auto const take = [&](auto const& extent) {
    using Extent = std::remove_cvref_t<decltype(extent)>;
    if constexpr (std::is_same_v<Extent, Kokkos::LayoutStride>) {
      auto const span = span_of_layout(extent, View::rank());
      fits            = span.has_value();
      times(span.value_or(0));
    } else if constexpr (Kokkos::is_array_layout_v<Extent>) {
      for (std::size_t r = 0; r < View::rank_dynamic(); ++r)
        times(extent.dimension[r]);
    } else {
      times(static_cast<std::size_t>(extent));
    }
  };
  (take(extents), ...);
  if constexpr (View::rank_dynamic() < View::rank() &&
                !(std::is_same_v<Extents, Kokkos::LayoutStride> || ...)) {
    for (auto r = static_cast<unsigned>(View::rank_dynamic()); r < View::rank();
         ++r)
      times(View::static_extent(r));
  }
  return fits ? ViewBytes(bytes) : std::nullopt;
}

}  // namespace symm::Impl

#endif

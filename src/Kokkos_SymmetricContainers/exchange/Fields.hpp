// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_EXCHANGE_FIELDS_HPP
#define SYMM_EXCHANGE_FIELDS_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include <Kokkos_Core.hpp>

#include <Kokkos_SymmetricSpace_Edge.hpp>

#include "../../runtime/symm_errors.hpp"
#include "PlanBlocks.hpp"

// Views in the form that exchange kernels use.

namespace symm::Impl {

/// One or more consecutive indices of a View, treated as a single row-major
/// index.
template <std::size_t max_rank>
struct IndexRange {
  std::size_t rank                = 0;
  std::uint32_t extent[max_rank]  = {};
  std::ptrdiff_t stride[max_rank] = {};

  void append(std::size_t its_extent, std::ptrdiff_t its_stride) {
    // Merge this index with the previous one if together they are contiguous.
    if (rank > 0 && stride[rank - 1] ==
                        its_stride * static_cast<std::ptrdiff_t>(its_extent)) {
      extent[rank - 1] *= static_cast<std::uint32_t>(its_extent);
      stride[rank - 1] = its_stride;
      return;
    }
    extent[rank]   = static_cast<std::uint32_t>(its_extent);
    stride[rank++] = its_stride;
  }
  [[nodiscard]] KOKKOS_FUNCTION std::ptrdiff_t offset(std::uint32_t n) const {
    std::ptrdiff_t result = 0;
    for (auto r = max_rank - 1; r > 0; --r) {
      if (r >= rank) continue;
      auto const rest = n / extent[r];
      result += static_cast<std::ptrdiff_t>(n - rest * extent[r]) * stride[r];
      n = rest;
    }
    return result + static_cast<std::ptrdiff_t>(n) * stride[0];
  }
};

/// A View in an exchange: its first indices select an element, and its other
/// indices select a component of the element.
template <class T, std::size_t rank>
struct Field {
  using value_type = T;

  T* data;
  std::uint32_t n_components = 1;
  bool is_plain = false;  // whether there is one element index and components
                          // are contiguous
  IndexRange<rank> elements;
  IndexRange<rank> components;

  [[nodiscard]] KOKKOS_FUNCTION std::size_t bytes() const {
    return n_components * sizeof(T);
  }
  [[nodiscard]] KOKKOS_FUNCTION T& operator()(ElementIndex element,
                                              std::uint32_t component) const {
    return data[elements.offset(element) + components.offset(component)];
  }
};

/// The fields of several Views.
template <class... Fields>
struct FieldList {
  static constexpr bool is_empty = true;
  [[nodiscard]] std::size_t bytes() const { return 0; }
  [[nodiscard]] std::uint64_t hash(std::uint64_t before) const {
    return before;
  }
};
template <class First, class... Others>
struct FieldList<First, Others...> {
  static constexpr bool is_empty = false;
  First first;
  FieldList<Others...> others;

  /// The bytes per element, summed over all Views.
  [[nodiscard]] std::size_t bytes() const {
    return first.bytes() + others.bytes();
  }
  /// Hashes the number of bytes per element in each View.
  [[nodiscard]] std::uint64_t hash(std::uint64_t before) const {
    return others.hash((before + first.bytes()) * 0x9e37'79b9'7f4a'7c15U);
  }
  [[nodiscard]] std::size_t bytes_of_last() const {
    if constexpr (decltype(others)::is_empty) {
      return first.bytes();
    } else {
      return others.bytes_of_last();
    }
  }
};

/// The shape of the elements that a PE passes: the total number of bytes per
/// element and a hash of the bytes per element in each View. The shape must be
/// the same on all PEs. It is encoded in Buffers::shape_bits bits.
class ElementShape {
 public:
  ElementShape() = default;
  template <class Fields>
  explicit ElementShape(Fields const& fields)
      : m_bits(static_cast<std::uint32_t>(
            std::min<std::size_t>(fields.bytes(), max_bytes) |
            (fields.hash(0) >> (64 - n_bits_of_hash)) << n_bits_of_bytes)) {}

  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t bits() const { return m_bits; }
  /// Returns "16 bytes", for example, or "4095 bytes or more" if the size does
  /// not fit into the bits for the byte count.
  [[nodiscard]] static Text text_of(std::uint32_t bits) {
    auto const bytes = bits & max_bytes;
    return bytes == max_bytes ? Text(bytes, " bytes or more")
                              : Text(bytes, " bytes");
  }
  friend bool operator==(ElementShape, ElementShape) = default;

 private:
  static constexpr unsigned n_bits_of_bytes = 12;
  static constexpr unsigned n_bits_of_hash =
      Buffers::shape_bits - n_bits_of_bytes;
  static constexpr std::size_t max_bytes = (1U << n_bits_of_bytes) - 1;

  std::uint32_t m_bits = 0;
};

/// Creates the Field for a View.
/// \tparam Exec the execution space whose kernels use the View.
/// \param extents the extents of the element indices; if there is only one such
///        index, its extent is `end` instead.
/// \param end one more than the largest element number in the plan's lists.
/// \throws UsageError on this PE if the View is too small.
template <class Exec = ExchangeSpace, class View>
auto field_of(char const* call, View const& view,
              std::vector<std::size_t> const& extents, std::size_t end) {
  using T                    = typename View::value_type;
  constexpr std::size_t rank = View::rank();
  static_assert(Kokkos::is_view_v<View>, "the arguments must be Kokkos::Views");
  static_assert(
      !std::is_const_v<T>,
      "the elements must not be const: an exchange writes to the View");
  static_assert(rank > 0, "the Views must have at least rank 1");
  static_assert(
      std::is_trivially_copyable_v<T>,
      "elements must be trivially copyable, because they are sent as bytes");
  static_assert(alignof(T) <= block_unit,
                "the alignment of elements must be at most 16 bytes");
  static_assert(
      Kokkos::SpaceAccessibility<Exec, typename View::memory_space>::accessible,
      "the execution space must be able to access the View");
  auto const n_indices = extents.size();
  bool fits            = n_indices <= rank;
  for (std::size_t r = 0; r < n_indices && fits; ++r)
    fits = view.extent(r) >= (n_indices == 1 ? end : extents[r]);
  if (!fits) {
    std::string needed;
    for (auto const extent : extents) {
      needed += (needed.empty() ? "" : " x ") +
                std::to_string(extents.size() == 1 ? end : extent);
    }
    throw UsageError(std::string(call) + ": View \"" + view.label() +
                     "\" is too small: its extents must be at least " + needed);
  }
  Field<T, rank> field{};
  field.data = view.data();
  for (std::size_t r = 0; r < rank; ++r) {
    auto const stride = static_cast<std::ptrdiff_t>(view.stride(r));
    if (r < n_indices) {
      // (offset() never uses the first extent.)
      field.elements.append(r == 0 ? view.extent(0) : extents[r], stride);
    } else {
      field.components.append(view.extent(r), stride);
      field.n_components *= static_cast<std::uint32_t>(view.extent(r));
    }
  }
  auto const& components = field.components;
  field.is_plain         = field.elements.rank == 1 &&
                   (components.rank == 0 ||
                    (components.rank == 1 && components.stride[0] == 1));
  return field;
}

inline FieldList<> join_fields() { return {}; }
template <class First, class... Others>
FieldList<First, Others...> join_fields(First const& first,
                                        Others const&... others) {
  return {first, Impl::join_fields(others...)};
}

/// The fields of all Views.
/// \throws UsageError on this PE if a View is too small.
template <class Exec = ExchangeSpace, class... Views>
auto fields_of([[maybe_unused]] char const* call,
               [[maybe_unused]] std::vector<std::size_t> const& extents,
               [[maybe_unused]] std::size_t end, Views const&... views) {
  return Impl::join_fields(Impl::field_of<Exec>(call, views, extents, end)...);
}

/// The direction of a copy between a View and a block.
enum class CopyWay { to_block, from_block };

/// An operation that replaces the old value with the new one.
struct Assign {
  template <class T>
  KOKKOS_FORCEINLINE_FUNCTION T operator()(T const&, T const& b) const {
    return b;
  }
};

}  // namespace symm::Impl

#endif

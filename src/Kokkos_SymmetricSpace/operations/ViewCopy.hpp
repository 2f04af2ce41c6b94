// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_VIEWCOPY_HPP
#define KOKKOS_SYMMETRICSPACE_VIEWCOPY_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>

#include "../../runtime/base/Observer.hpp"
#include "../../runtime/groups/Group.hpp"
#include "../../runtime/groups/GroupCopy.hpp"
#include "../space/CopyOfPeer.hpp"
#include "ViewBlock.hpp"

namespace symm::Impl {

/// Whether the host can load from and store to memory in `MemorySpace`.
template <class MemorySpace>
inline constexpr bool is_host_reachable_v =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                               MemorySpace>::accessible ||
    Kokkos::SpaceAccessibility<typename MemorySpace::execution_space,
                               Kokkos::HostSpace>::accessible;  // scratch
                                                                // memory

/// \throws UsageError with the extents of both Views.
[[noreturn]] void throw_extents_differ(std::size_t rank,
                                       std::size_t const* dst_extents,
                                       std::size_t const* src_extents);
/// \throws UsageError because the host cannot access one of the Views.
[[noreturn]] void throw_not_reached_by_host();

/// Calls body(r) for each dimension r of a View. The loop is unrolled, so
/// arrays indexed by r can be kept in registers.
template <class View, class Body>
KOKKOS_FORCEINLINE_FUNCTION void for_each_dimension(Body const& body) {
  [&]<std::size_t... R>(std::index_sequence<R...>) { (body(R), ...); }
  (std::make_index_sequence<View::rank()>());
}

template <class Dst, class Src>
KOKKOS_FUNCTION bool have_equal_extents(Dst const& dst, Src const& src) {
  bool are_equal = true;
  for_each_dimension<Dst>(
      [&](std::size_t r) { are_equal &= dst.extent(r) == src.extent(r); });
  return are_equal;
}

template <class Dst, class Src>
KOKKOS_FUNCTION void expect_equal_extents(Dst const& dst, Src const& src) {
  if (have_equal_extents(dst, src)) return;
  for_each_dimension<Dst>([&](std::size_t r) {
    Kokkos::printf(
        "symm::copy: extent %d is %llu in the destination, but %llu in the "
        "source\n",
        static_cast<int>(r), static_cast<unsigned long long>(dst.extent(r)),
        static_cast<unsigned long long>(src.extent(r)));
  });
  Kokkos::abort("symm::copy: the extents of the Views differ");
}

/// Whether two Views with equal extents are both contiguous and store their
/// elements in the same order.
template <class Dst, class Src>
KOKKOS_FUNCTION bool are_equal_bytes(Dst const& dst, Src const& src) {
  bool result = dst.span_is_contiguous() && src.span_is_contiguous();
  for_each_dimension<Dst>([&](std::size_t r) {
    result &= dst.extent(r) <= 1 || dst.stride(r) == src.stride(r);
  });
  return result;
}

/// Numbers a View's elements, approximately in memory order. The dimension with
/// the smallest stride varies fastest. The other dimensions follow from left to
/// right or from right to left, starting at the end with the smaller stride.
template <class View>
struct ElementOrder {
  static constexpr std::size_t rank = View::rank();

  std::size_t fastest = 0;
  std::size_t row     = 1;  // extent of `fastest`
  bool is_left        = true;

  KOKKOS_FUNCTION explicit ElementOrder(View const& view) {
    if constexpr (rank > 0) {
      using Layout = typename View::array_layout;
      if constexpr (std::is_same_v<Layout, Kokkos::LayoutLeft>) {
        fastest = 0;
      } else if constexpr (std::is_same_v<Layout, Kokkos::LayoutRight>) {
        fastest = rank - 1;
        is_left = false;
      } else {
        std::size_t smallest = ~std::size_t{0};
        for_each_dimension<View>([&](std::size_t r) {
          if (view.extent(r) <= 1 || view.stride(r) >= smallest) return;
          smallest = view.stride(r);
          fastest  = r;
        });
        is_left = view.stride(0) <= view.stride(rank - 1);
      }
      row = view.extent(fastest);
    }
  }

  /// Calls body(i, j, ...) with the indices of element n.
  template <class Index, class Body>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) call(View const& view, Index n,
                                                  Body const& body) const {
    std::size_t index[rank + 1];
    Index rest       = n / static_cast<Index>(row);
    Index const fast = n - rest * static_cast<Index>(row);
    auto const take  = [&](std::size_t r) {
      if (r == fastest) {
        index[r] = fast;
      } else {
        auto const extent = static_cast<Index>(view.extent(r));
        index[r]          = rest % extent;
        rest /= extent;
      }
    };
    if (is_left) {
      for_each_dimension<View>([&](std::size_t r) { take(r); });
    } else {
      for_each_dimension<View>([&](std::size_t r) { take(rank - 1 - r); });
    }
    return [&]<std::size_t... R>(std::index_sequence<R...>)->decltype(auto) {
      return body(index[R]...);
    }
    (std::make_index_sequence<rank>());
  }
};

/// \tparam Index the type for index arithmetic. It is 32 bits wide if possible,
///         because 64-bit divisions are slow on GPUs.
template <class Index, Group Threads, class Dst, class Src>
KOKKOS_INLINE_FUNCTION void copy_elements(Threads const& threads,
                                          Dst const& dst, Src const& src) {
  ElementOrder<Dst> const order(dst);
  copy_each(
      threads, dst.size(),
      [&](std::size_t n) -> typename Src::non_const_value_type {
        return order.call(dst, static_cast<Index>(n),
                          [&](auto... i) { return src(i...); });
      },
      [&](std::size_t n, typename Src::non_const_value_type const& value) {
        order.call(dst, static_cast<Index>(n), [&](auto... i) {
          dst(i...) = static_cast<typename Dst::value_type>(value);
        });
      });
}

/// On the host, copies elements of equal types without conversion. Each thread
/// of the group copies part of the elements.
template <Group Threads, class Dst, class Src>
void copy_parts(Threads const& threads, Dst const& dst, Src const& src) {
  auto const block        = simplified(block_of(dst, src));
  std::size_t const count = block.count();
  std::size_t const n     = threads.size();
  std::size_t const part  = (count + n - 1) / n;
  threads.for_each(n, [&](std::size_t i) {
    copy_block(dst.data(), src.data(), block, i * part,
               std::min(count, (i + 1) * part));
  });
}

/// Copies a View's elements. All threads of the group must make the call. The
/// call does not end with a barrier. Precondition: the extents are equal.
template <Group Threads, class Dst, class Src>
KOKKOS_INLINE_FUNCTION void copy_view(Threads const& threads, Dst const& dst,
                                      Src const& src) {
  using Value = typename Dst::value_type;
  if (dst.size() == 0) return;
  if constexpr (std::is_same_v<Value, typename Src::non_const_value_type> &&
                std::is_trivially_copyable_v<Value> &&
                !Dst::memory_traits::is_atomic &&
                !Src::memory_traits::is_atomic) {
    if (are_equal_bytes(dst, src)) {
      copy_bytes<alignof(Value)>(threads, dst.data(), src.data(),
                                 dst.size() * sizeof(Value));
      return;
    }
    KOKKOS_IF_ON_HOST((copy_parts(threads, dst, src); return;))
  }
  if (dst.size() <= ~std::uint32_t{0}) {
    copy_elements<std::uint32_t>(threads, dst, src);
  } else {
    copy_elements<std::uint64_t>(threads, dst, src);
  }
}

/// Checks at compile time that a `Src` View can be copied to a `Dst` View.
template <class Dst, class Src>
KOKKOS_FUNCTION constexpr void check_views() {
  static_assert(Dst::rank() == Src::rank(),
                "symm::copy: the Views must have the same rank");
  static_assert(std::is_convertible_v<typename Src::non_const_value_type,
                                      typename Dst::non_const_value_type> &&
                    !std::is_const_v<typename Dst::value_type>,
                "symm::copy: the elements of the source must be convertible to "
                "those of the destination, which must not be const");
}

/// \throws UsageError if the extents differ.
template <class Dst, class Src>
void check_extents(Dst const& dst, Src const& src) {
  if (have_equal_extents(dst, src)) return;
  std::size_t dst_extents[Dst::rank() + 1]{};
  std::size_t src_extents[Dst::rank() + 1]{};
  for (std::size_t r = 0; r < Dst::rank(); ++r) {
    dst_extents[r] = dst.extent(r);
    src_extents[r] = src.extent(r);
  }
  throw_extents_differ(Dst::rank(), dst_extents, src_extents);
}

/// Describes, for observers, a copy by the host between two Views. Either View
/// may be a RemotePeer.
template <class Dst, class Src>
[[nodiscard]] Operation operation_of_views(char const* call, Dst const& dst,
                                           Src const& src) {
  auto const bytes = dst.size() * sizeof(typename Dst::non_const_value_type);
  auto const local = [](auto const& view) -> void const* {
    if constexpr (requires { view.local(); }) {
      return view.local().data();
    } else {
      return view.data();
    }
  };
  if constexpr (requires { dst.pe(); }) {
    return {OperationKind::put, call, dst.pe(), bytes, local(dst), local(src)};
  } else if constexpr (requires { src.pe(); }) {
    return {OperationKind::get, call, src.pe(), bytes, local(src), local(dst)};
  } else {
    return operation_of_copy(call, dst.data(), src.data(), bytes);
  }
}

/// Checks the preconditions of copy() on the host.
/// \throws UsageError on this PE.
template <class Dst, class Src>
void check_host_copy(Dst const& dst, Src const& src) {
  if constexpr (!is_host_reachable_v<typename Dst::memory_space> ||
                !is_host_reachable_v<typename Src::memory_space>) {
    throw_not_reached_by_host();
  } else {
    check_extents(dst, src);
  }
}

}  // namespace symm::Impl

#endif

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef KOKKOS_SYMMETRICSPACE_VIEWCOPY_HPP
#define KOKKOS_SYMMETRICSPACE_VIEWCOPY_HPP

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace_Copy.hpp>

namespace symm {

/// Whether the host has loads and stores for the memory of a space.
template <class MemorySpace>
inline constexpr bool is_host_reachable_v =
    Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace,
                               MemorySpace>::accessible ||
    Kokkos::SpaceAccessibility<typename MemorySpace::execution_space,
                               Kokkos::HostSpace>::accessible;  // scratch

/// \throws UsageError with both extents.
[[noreturn]] void throw_extents_differ(std::size_t rank,
                                       std::size_t const* dst_extents,
                                       std::size_t const* src_extents);
/// \throws UsageError
[[noreturn]] void throw_not_reached_by_host();

/// Calls body(r) for each dimension r of a View, not in a loop: what body()
/// indexes by r can be registers.
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
        "symm::copy: extent %d is %llu of the destination, %llu of "
        "the source\n",
        static_cast<int>(r), static_cast<unsigned long long>(dst.extent(r)),
        static_cast<unsigned long long>(src.extent(r)));
  });
  Kokkos::abort("symm::copy: the extents of the Views differ");
}

/// Whether the elements of two Views of equal extents are bytes without a gap,
/// in the same order.
template <class Dst, class Src>
KOKKOS_FUNCTION bool are_equal_bytes(Dst const& dst, Src const& src) {
  bool result = dst.span_is_contiguous() && src.span_is_contiguous();
  for_each_dimension<Dst>([&](std::size_t r) {
    result &= dst.extent(r) <= 1 || dst.stride(r) == src.stride(r);
  });
  return result;
}

/// Numbers the elements of a View in the order of memory: of the dimension with
/// the smallest stride first, then from the side of the smaller strides.
template <class View>
struct ElementOrder {
  static constexpr std::size_t rank = View::rank();

  std::size_t fastest = 0;
  std::size_t row     = 1;  // its extent
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

  /// Calls body(i, j, ...) for element n.
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

/// \tparam Index for the arithmetic: 64-bit divisions are slow on GPUs.
template <class Index, class Group, class Dst, class Src>
KOKKOS_INLINE_FUNCTION void copy_elements(Group const& group, Dst const& dst,
                                          Src const& src) {
  ElementOrder<Dst> const order(dst);
  copy_each(
      group, dst.size(),
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

/// All threads of the group call; no barrier. Precondition: equal extents.
template <class Group, class Dst, class Src>
KOKKOS_INLINE_FUNCTION void copy_view(Group const& group, Dst const& dst,
                                      Src const& src) {
  using Value = typename Dst::value_type;
  if (dst.size() == 0) return;
  if constexpr (std::is_same_v<Value, typename Src::non_const_value_type> &&
                std::is_trivially_copyable_v<Value> &&
                !Dst::memory_traits::is_atomic &&
                !Src::memory_traits::is_atomic) {
    if (are_equal_bytes(dst, src)) {
      copy_bytes<alignof(Value)>(group, dst.data(), src.data(),
                                 dst.size() * sizeof(Value));
      return;
    }
  }
  if (dst.size() <= ~std::uint32_t{0}) {
    copy_elements<std::uint32_t>(group, dst, src);
  } else {
    copy_elements<std::uint64_t>(group, dst, src);
  }
}

/// What the Views of a copy have in common.
template <class Dst, class Src>
KOKKOS_FUNCTION constexpr void check_views() {
  static_assert(Dst::rank() == Src::rank(),
                "symm::copy: the Views must have the same rank");
  static_assert(
      std::is_convertible_v<typename Src::non_const_value_type,
                            typename Dst::non_const_value_type> &&
          !std::is_const_v<typename Dst::value_type>,
      "symm::copy: the elements of the source must convert to those of the "
      "destination, which must not be const");
}

/// Copies the elements of `src` to `dst`, shared by the threads of a team, or
/// by the vector lanes of one thread of it: copy(symm::lanes(member), dst,
/// src). Either may be a peer's View, peer_view() or GlobalView::peer(). Views
/// of equal order in memory and without gaps are copied by the widest accesses
/// there are, all others element by element.
///
/// All threads (lanes) of the group call with equal arguments. When it returns
/// on any, all elements have been read, and they are written as far as the
/// group sees: its barrier is inside. Other PEs see them as after put(): behind
/// quiet() or barrier_all().
///
/// \param group member handle of a Kokkos thread team, or lanes() of it.
/// \param dst, src of any layouts, subviews too, of equal rank and extents;
///        they must not overlap. Stops the program, with the extents, if those
///        differ.
template <ThreadGroup Group, class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Group const& group, Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  check_views<Kokkos::View<T, P...>, Kokkos::View<U, Q...>>();
  expect_equal_extents(dst, src);
  auto const threads = group_of(group);
  copy_view(threads, dst, src);
  threads.barrier();
}

/// The same by the calling thread alone: one of a kernel, or of the host where
/// that reaches both Views (where it does not, use Kokkos::deep_copy).
///
/// \throws UsageError on the host, on this PE, if the extents differ (in a
///         kernel on a GPU the program stops), or if the memory of a View is a
///         GPU's.
template <class T, class... P, class U, class... Q>
KOKKOS_FUNCTION void copy(Kokkos::View<T, P...> const& dst,
                          Kokkos::View<U, Q...> const& src) {
  using Dst = Kokkos::View<T, P...>;
  using Src = Kokkos::View<U, Q...>;
  check_views<Dst, Src>();
  KOKKOS_IF_ON_HOST((
      if constexpr (!is_host_reachable_v<typename Dst::memory_space> ||
                    !is_host_reachable_v<typename Src::memory_space>) {
        throw_not_reached_by_host();
      } else if (!have_equal_extents(dst, src)) {
        std::size_t dst_extents[Dst::rank() + 1]{};
        std::size_t src_extents[Dst::rank() + 1]{};
        for_each_dimension<Dst>([&](std::size_t r) {
          dst_extents[r] = dst.extent(r);
          src_extents[r] = src.extent(r);
        });
        throw_extents_differ(Dst::rank(), dst_extents, src_extents);
      }))
  KOKKOS_IF_ON_DEVICE((expect_equal_extents(dst, src);))
  copy_view(OneThread(), dst, src);
}

}  // namespace symm

#endif

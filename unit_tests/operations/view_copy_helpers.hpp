// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_TEST_VIEW_COPY_HELPERS_HPP
#define SYMM_TEST_VIEW_COPY_HELPERS_HPP

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/memory.hpp>

#include "rma_helpers.hpp"

/// symm::copy of Views by kernels and by the host, and a look at all the memory
/// that it may have written.
namespace symm_test {

/// By whom in a kernel.
enum Way : unsigned { by_thread = 1, by_team = 2, by_lanes = 4 };
inline constexpr unsigned all_ways = by_thread | by_team | by_lanes;

template <class View>
inline constexpr std::size_t layout_number =
    std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>  ? 0
    : std::is_same_v<typename View::array_layout, Kokkos::LayoutLeft> ? 1
                                                                      : 2;

/// How kernels of a GPU copy Views of these types, where each way takes long to
/// compile: in all ways if one is strided; for the others the ways take turns.
template <class Dst, class Src>
constexpr unsigned ways_on_gpu() {
  auto const dst = layout_number<Dst>;
  auto const src = layout_number<Src>;
  if (dst == 2 || src == 2) return all_ways;
  return 1U << (Dst::rank() + dst + 2 * src) % 3;
}

template <class Dst, class Src>
struct CopyByThread {
  Dst dst;
  Src src;
  KOKKOS_FUNCTION void operator()(int) const { symm::copy(dst, src); }
};

template <unsigned ways, class Dst, class Src>
struct CopyByGroup {
  Dst dst;
  Src src;
  Way way;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    if constexpr ((ways & by_team) != 0) {
      if (way == by_team) symm::copy(member, dst, src);
    }
    if constexpr ((ways & by_lanes) != 0) {
      if (way == by_lanes && member.team_rank() == 0) {
        symm::copy(symm::lanes(member), dst, src);
      }
    }
  }
};

/// \tparam ways those of them that are compiled.
template <class Exec, unsigned ways, class Dst, class Src>
void copy_in_kernel(Way way, Dst const& dst, Src const& src) {
  if (way == by_thread) {
    if constexpr ((ways & by_thread) != 0) {
      Kokkos::parallel_for("copy", Kokkos::RangePolicy<Exec, int>(0, 1),
                           CopyByThread<Dst, Src>{dst, src});
    }
  } else if constexpr (ways != by_thread) {
    constexpr int lanes = is_gpu<Exec> ? 8 : 1;
    Kokkos::parallel_for("copy",
                         Kokkos::TeamPolicy<Exec>(1, Kokkos::AUTO, lanes),
                         CopyByGroup<ways, Dst, Src>{dst, src, way});
  }
  Exec().fence("copy_in_kernel");
}

/// Calls body.operator()<Exec, ways>(way) for each way of each execution space
/// whose kernels reach the memory: for all, if it is one of the host.
template <unsigned ways_of_gpu, class Body>
void for_each_way(Body const& body) {
  for_each_exec<Space>([&]<class Exec>() {
    constexpr unsigned ways = is_gpu<Exec> ? ways_of_gpu : all_ways;
    for (Way const way : {by_thread, by_team, by_lanes}) {
      if ((ways & way) == 0) continue;
      SCOPED_TRACE(testing::Message() << "way " << way);
      body.template operator()<Exec, ways>(way);
    }
  });
}

// The host writes and reads whole blocks of memory, wherever that is: no
// kernels to compile for that.

template <class T>
void write(T* to, std::vector<T> const& from) {
  if constexpr (is_on_host<Space>) {
    std::copy(from.begin(), from.end(), to);
  } else if (!from.empty()) {
    write_memory(to, from.data(), from.size() * sizeof(T));
  }
}
template <class T>
std::vector<T> read(T const* from, std::size_t count) {
  std::vector<T> result(count);
  if constexpr (is_on_host<Space>) {
    std::copy_n(from, count, result.begin());
  } else if (count > 0) {
    read_memory(result.data(), from, count * sizeof(T));
  }
  return result;
}

/// How far each element is behind the first, the last index fastest.
template <class View>
std::vector<std::size_t> places_of(View const& view) {
  std::vector<std::size_t> places(view.size(), 0);
  if constexpr (View::rank() > 0) {
    for (std::size_t n = 0; n < places.size(); ++n) {
      std::size_t rest = n;
      for (std::size_t r = View::rank(); r-- > 0;) {
        places[n] += rest % view.extent(r) * view.stride(r);
        rest /= view.extent(r);
      }
    }
  }
  return places;
}

/// Memory full of `rest`, but at the places behind `first` what `from` sends
/// `to`.
inline std::vector<int> picture(std::size_t span, std::size_t first,
                                std::vector<std::size_t> const& places,
                                symm::Pe from, symm::Pe to, int rest) {
  std::vector<int> result(span, rest);
  for (std::size_t n = 0; n < places.size(); ++n) {
    result.at(first + places[n]) = value(from, to, n);
  }
  return result;
}

/// One copy: what it reads, and all the memory that it may have written.
struct CopiedMemory {
  int* dst;
  std::size_t dst_span;
  std::size_t dst_first;  // of the elements
  std::vector<std::size_t> dst_places;
  int* src;
  std::size_t src_span;
  std::vector<std::size_t> src_places;

  /// Collective: `receiver` is whom this PE's elements are for.
  void set(symm::Pe receiver) const {
    write(dst, std::vector<int>(dst_span, -1));
    write(src, picture(src_span, 0, src_places, symm::my_pe(), receiver, -2));
    symm::barrier_all();
  }
  /// Collective: what `sender` has for this PE is there, and no more.
  void expect(symm::Pe sender) const {
    symm::barrier_all();
    EXPECT_TRUE(read(dst, dst_span) == picture(dst_span, dst_first, dst_places,
                                               sender, symm::my_pe(), -1));
    symm::barrier_all();
  }
};

/// Collective: copies `src` to the right PE's `dst`, which may be a part of
/// `all`, in all ways; and from the right PE's `src`.
template <class All, class Dst, class Src>
void expect_copies(All const& all, Dst const& dst, Src const& src) {
  // Of the types of peer_view(): half as many kernels to compile.
  using OwnDst = symm::UnmanagedView<Dst>;
  using OwnSrc = symm::UnmanagedView<Src>;
  OwnDst const own_dst(dst);
  OwnSrc const own_src(src);
  OwnDst const its_dst = symm::peer_view(dst, right());
  OwnSrc const its_src = symm::peer_view(src, right());
  CopiedMemory const memory{all.data(),
                            all.span(),
                            static_cast<std::size_t>(dst.data() - all.data()),
                            places_of(dst),
                            src.data(),
                            src.span(),
                            places_of(src)};
  SCOPED_TRACE(testing::Message() << "rank " << Dst::rank());
  for (bool const is_put : {true, false}) {
    SCOPED_TRACE(is_put ? "put" : "get");
    auto const& to       = is_put ? its_dst : own_dst;
    auto const& from     = is_put ? own_src : its_src;
    auto const expect_of = [&](auto const& copy) {
      memory.set(is_put ? right() : left());
      copy();
      memory.expect(is_put ? left() : right());
    };
    if constexpr (is_on_host<Space>) {
      SCOPED_TRACE("on the host");
      expect_of([&] { symm::copy(to, from); });
    }
    for_each_way<ways_on_gpu<Dst, Src>()>(
        [&]<class Exec, unsigned ways>(Way way) {
          expect_of([&] { copy_in_kernel<Exec, ways>(way, to, from); });
        });
  }
}

}  // namespace symm_test

#endif

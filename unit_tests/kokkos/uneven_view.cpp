// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// UnevenView: Views whose extents differ between PEs. remote_view.cpp has those
// of jobs of several nodes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_cases.hpp"
#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::AnyOf;
using testing::HasSubstr;

using Exec  = Space::execution_space;
using View1 = Kokkos::View<int*, Space>;

static_assert(symm::UnevenView<View1>::rank() == 1);
static_assert(symm::UnevenView<
                  Kokkos::View<int**, LayoutLeft, Space>>::uneven_dimension ==
              1);
static_assert(symm::UnevenView<Kokkos::View<int* [2], LayoutRight,
                                            Space>>::uneven_dimension == 0);
// What others are made of knows nothing of it.
#ifndef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK  // for which it has the label
static_assert(sizeof(symm::Impl::ElementsOfPes<View1>) ==
              sizeof(symm::Impl::PlainView<View1>) + sizeof(symm::HeapMap));
#endif

/// 3, 0, 2, 4 on PEs 0 to 3: none, fewer and more than on PE 0.
std::size_t uneven_extent(Pe pe) {
  return static_cast<std::size_t>(pe * 7 + 3) % 5;
}

template <class T>
class UnevenViews : public testing::Test {};
/// A View, and its UnevenView with these extents of this PE in the other
/// dimensions: 2, 4.
template <class Data, class Layout>
struct Uneven {
  using View = Kokkos::View<Data, Layout, Space>;
  using Type = symm::UnevenView<View>;

  static Type make() {
    std::size_t const n = uneven_extent(symm::my_pe());
    if constexpr (View::rank_dynamic() == 1) {
      return Type("uneven", n);
    } else if constexpr (View::rank_dynamic() == 2) {
      return Type::uneven_dimension != 0 ? Type("uneven", 2, n)
                                         : Type("uneven", n, 2);
    } else {
      return Type::uneven_dimension != 0 ? Type("uneven", 2, 4, n)
                                         : Type("uneven", n, 2, 4);
    }
  }
};
using UnevenCases =
    testing::Types<Uneven<int*, LayoutLeft>, Uneven<int*, LayoutRight>,
                   Uneven<int**, LayoutLeft>, Uneven<int* [3], LayoutRight>,
                   Uneven<int***, LayoutLeft>, Uneven<int***, LayoutRight>>;
TYPED_TEST_SUITE(UnevenViews, UnevenCases);

TYPED_TEST(UnevenViews, have_the_extents_of_each_PE) {
  using View                  = typename TypeParam::View;
  constexpr auto uneven       = TypeParam::Type::uneven_dimension;
  auto const view             = TypeParam::make();
  View const mine             = view.local();
  auto const everywhere       = symm::global_view(view);
  auto const remote           = symm::remote_view(view);
  std::size_t const n_regular = mine.stride(uneven);
  EXPECT_EQ(mine.label(), "uneven");
  EXPECT_EQ(count_equal(mine, 0), mine.size()) << "it is filled with zeros";
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto const peer = symm::peer_view(view, pe);
    EXPECT_EQ(peer.data(), symm::heap_map(view).peer_ptr(mine.data(), pe));
    EXPECT_EQ(peer.size(), n_regular * uneven_extent(pe));
    EXPECT_EQ(everywhere.peer(pe).size(), peer.size());
    EXPECT_EQ(remote.peer(pe).size(), peer.size());
    EXPECT_EQ(remote.peer(pe).view().size(), peer.size());
    for (std::size_t r = 0; r < View::rank(); ++r) {
      auto const extent = r == uneven ? uneven_extent(pe) : mine.extent(r);
      EXPECT_EQ(view.extent(pe, r), extent);
      EXPECT_EQ(peer.extent(r), extent);
      EXPECT_EQ(peer.stride(r), mine.stride(r));
      EXPECT_EQ(everywhere.extent(pe, r), extent);
      EXPECT_EQ(remote.extent(pe, r), extent);
      EXPECT_EQ(remote.peer(pe).extent(r), extent);
    }
  }
  for (std::size_t r = 0; r < View::rank(); ++r) {
    EXPECT_EQ(view.extent(r), mine.extent(r));
    EXPECT_EQ(everywhere.extent(r), mine.extent(r));
    EXPECT_EQ(remote.extent(r), mine.extent(r));
  }
  EXPECT_EQ(everywhere.local().size(), mine.size());
  EXPECT_EQ(remote.local().size(), mine.size());
  symm::barrier_all();
}

/// Sets what `from` sends to all elements of PE `pe`, by indices and extents as
/// kernels know them. (n counts the elements of a View of these extents.)
template <class Global>
struct SetByExtents {
  Global everywhere;
  Pe pe;
  Pe from;
  template <class... Indices>
  KOKKOS_FUNCTION void operator()(std::size_t n, Indices... i) const {
    std::size_t r = 0;
    if (((i < everywhere.extent(pe, r++)) && ...)) {
      everywhere(pe, i...) = value(from, pe, n);
    }
  }
};

TYPED_TEST(UnevenViews, every_element_of_every_PE_is_written_and_read) {
  using Uneven = typename TypeParam::Type;
  using Global = std::remove_const_t<decltype(symm::global_view(
      std::declval<Uneven const&>()))>;
  expect_written_and_read(
      TypeParam::make,
      [](Uneven const& view) {
        for_each_element(symm::peer_view(view, right()),
                         SetByExtents<Global>{symm::global_view(view), right(),
                                              symm::my_pe()});
      },
      [](Uneven const& view, Pe pe) {
        auto const here =
            pe == symm::my_pe() ? count_wrong(view.local(), left(), pe) : 0;
        return here + count_wrong(symm::peer_view(view, pe), left_of(pe), pe);
      });
}

template <class Global>
struct AddExtents {
  Global everywhere;
  KOKKOS_FUNCTION void operator()(int pe, std::size_t& sum) const {
    sum += everywhere.extent(pe, 0) * static_cast<std::size_t>(pe + 1);
  }
};

TEST(UnevenView, in_kernels_knows_the_extents_of_all_PEs) {
  symm::UnevenView<View1> const view(
      Kokkos::view_alloc("uneven", Kokkos::WithoutInitializing),
      uneven_extent(symm::my_pe()));
  auto const everywhere = symm::global_view(view);
  std::size_t total     = 0;
  std::size_t expected  = 0;
  Kokkos::parallel_reduce(
      "extents", Kokkos::RangePolicy<Exec>(0, symm::n_pes()),
      AddExtents<std::remove_const_t<decltype(everywhere)>>{everywhere}, total);
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    expected += uneven_extent(pe) * static_cast<std::size_t>(pe + 1);
  }
  EXPECT_EQ(total, expected);
}

TEST(UnevenView, ends_as_Views_do) {
  View1 mine;
  {
    symm::UnevenView<View1> const view("uneven", uneven_extent(symm::my_pe()));
    auto const copy = view;
    mine            = copy.local();
    EXPECT_THROW((void)view.extent(symm::n_pes(), 0), UsageError);
    EXPECT_THROW((void)view.extent(-1, 0), UsageError);
  }
  Kokkos::deep_copy(mine, 7);
  EXPECT_EQ(count_equal(mine, 7), uneven_extent(symm::my_pe()));
  EXPECT_EQ(mine.use_count(), 1);
  mine = {};
  symm::barrier_all();
  EXPECT_EQ(symm::UnevenView<View1>().local().size(), 0U);
  EXPECT_EQ(symm::UnevenView<View1>().data(), nullptr);
}

TEST(UnevenView, of_nothing_on_all_PEs_is_an_empty_View) {
  symm::UnevenView<View1> const view("none", 0);
  EXPECT_EQ(symm::global_view(view).extent(right(), 0), 0U);
  EXPECT_EQ(symm::peer_view(view, right()).size(), 0U);
  symm::barrier_all();
}

TEST(UnevenView, fails_on_all_PEs_or_on_none) {
  auto const is_last    = symm::my_pe() == symm::n_pes() - 1;
  std::size_t const all = std::numeric_limits<std::size_t>::max() / 2;
  EXPECT_THROW((symm::UnevenView<View1>("too large", is_last ? all : 1)),
               symm::OutOfMemory);
  if (symm::n_pes() > 1) {
    using Rows = symm::UnevenView<Kokkos::View<int**, LayoutRight, Space>>;
    EXPECT_THAT(
        message_of<UsageError>([&] { Rows("rows", 3, is_last ? 100 : 200); }),
        AllOf(HasSubstr("mismatched collective call"), HasSubstr("rows")));
    EXPECT_THAT(
        message_of<UsageError>([&] {
          if (is_last) {
            symm::UnevenView<View1>("differs", 1);
          } else {
            symm::UnevenView<Kokkos::View<char*, Space>>("differs", 1);
          }
        }),
        HasSubstr("symm::UnevenView: the PEs of the team have made different "
                  "calls"));
  }
  EXPECT_EQ(symm::UnevenView<View1>("next", 1).extent(right(), 0), 1U);
}

namespace Tools = Kokkos::Tools::Experimental;

/// Makes a step of this PE's tables of extents fail while it lives: by a tool,
/// which Kokkos calls in the middle of it.
class FailingTable {
 public:
  enum class Step { none, memory, copy };

  explicit FailingTable(Step step) {
    if (step == Step::memory) {
      Tools::set_allocate_data_callback(
          [](Kokkos_Profiling_SpaceHandle, char const* label,
             void const* address, std::uint64_t bytes) {
            if (!is_of_table(label)) return;
            // Nobody else knows of it.
            Kokkos::HostSpace().deallocate(const_cast<void*>(address), bytes);
            throw std::bad_alloc();
          });
    } else if (step == Step::copy) {
      Tools::set_begin_deep_copy_callback(
          [](Kokkos_Profiling_SpaceHandle, char const*, void const*,
             Kokkos_Profiling_SpaceHandle, char const* from, void const*,
             std::uint64_t) {
            if (is_of_table(from)) throw std::runtime_error("no such copy");
          });
    }
  }
  FailingTable(FailingTable const&)            = delete;
  FailingTable& operator=(FailingTable const&) = delete;
  ~FailingTable() {
    Tools::set_allocate_data_callback(nullptr);
    Tools::set_begin_deep_copy_callback(nullptr);
  }

 private:
  static bool is_of_table(std::string_view label) {
    return label == "symm::UnevenView";
  }
};

TEST(UnevenView, whose_table_fails_on_one_PE_fails_on_all) {
  using Step         = FailingTable::Step;
  Pe const last      = symm::n_pes() - 1;
  auto const on_last = "on PE " + std::to_string(last);
  auto const before  = settled().live_blocks;
  auto const make    = [] { symm::UnevenView<View1>("uneven", 1); };
  {
    FailingTable const failing(symm::my_pe() == last ? Step::memory
                                                     : Step::none);
    EXPECT_THAT(message_of<symm::OutOfMemory>(make),
                AllOf(HasSubstr("symm::UnevenView"), HasSubstr(on_last)));
  }
  {
    FailingTable const failing(symm::my_pe() == last ? Step::copy : Step::none);
    EXPECT_THAT(message_of<symm::SystemError>(make),
                AllOf(HasSubstr("symm::UnevenView"), HasSubstr(on_last),
                      HasSubstr("no such copy")));
  }
  EXPECT_EQ(settled().live_blocks, before);
  EXPECT_EQ(symm::UnevenView<View1>("next", 1).extent(right(), 0), 1U);
}

template <class View>
void expect_that_resize_keeps_elements(std::size_t other_extent) {
  Pe const me       = symm::my_pe();
  auto const extent = [](Pe pe, std::size_t step) {
    return uneven_extent(pe + static_cast<Pe>(step));
  };
  auto const make = [&](std::size_t n) {
    if constexpr (View::rank() == 1) {
      return symm::UnevenView<View>("uneven", n);
    } else if constexpr (symm::UnevenView<View>::uneven_dimension == 0) {
      return symm::UnevenView<View>("uneven", n, other_extent);
    } else {
      return symm::UnevenView<View>("uneven", other_extent, n);
    }
  };
  constexpr auto uneven = symm::UnevenView<View>::uneven_dimension;
  auto view             = make(extent(me, 0));
  for (std::size_t step = 1; step < 5; ++step) {
    auto const old  = view;
    auto const kept = std::min(extent(me, step - 1), extent(me, step));
    Kokkos::deep_copy(old.local(), static_cast<int>(step));
    symm::barrier_all();
    view.resize(extent(me, step));
    // A put may follow, and is not overwritten.
    auto const last   = extent(right(), step);
    auto const remote = symm::remote_view(view);
    EXPECT_EQ(remote.extent(right(), uneven), last);
    if (last != 0 && View::rank() == 1) {
      int const number = 7;
      symm::put(view.data() + last - 1, &number, 1, right());
    }
    symm::barrier_all();
    EXPECT_EQ(view.extent(uneven), extent(me, step));
    EXPECT_EQ(view.label(), "uneven");
    EXPECT_EQ(old.extent(uneven), extent(me, step - 1));
    std::size_t n_put = 0;
    if (View::rank() == 1 && extent(me, step) != 0) n_put = 1;
    auto const others =
        view.local().size() / std::max(view.extent(uneven), std::size_t{1});
    auto const n_kept         = kept * others;
    bool const is_put_on_kept = n_put != 0 && kept == extent(me, step);
    EXPECT_EQ(count_equal(view.local(), static_cast<int>(step)),
              n_kept - (is_put_on_kept ? 1 : 0));
    EXPECT_EQ(count_equal(view.local(), 0),
              view.local().size() - n_kept - (is_put_on_kept ? 0 : n_put));
    symm::barrier_all();
  }
  auto* const data = view.data();
  view.resize(view.extent(uneven));
  EXPECT_EQ(view.data(), data);
}

TEST(UnevenView, resize_keeps_what_both_have) {
  expect_that_resize_keeps_elements<View1>(0);
  expect_that_resize_keeps_elements<Kokkos::View<int**, LayoutRight, Space>>(3);
  expect_that_resize_keeps_elements<Kokkos::View<int**, LayoutLeft, Space>>(3);
  symm::barrier_all();
}

TEST(UnevenView, resize_fails_on_all_PEs_or_on_none) {
  auto const is_last    = symm::my_pe() == symm::n_pes() - 1;
  std::size_t const all = std::numeric_limits<std::size_t>::max() / 2;
  symm::UnevenView<View1> view("uneven", uneven_extent(symm::my_pe()));
  Kokkos::deep_copy(view.local(), 5);
  auto* const data = view.data();
  EXPECT_THROW(view.resize(is_last ? all : 1), symm::OutOfMemory);
  EXPECT_EQ(view.data(), data);
  EXPECT_EQ(view.extent(0), uneven_extent(symm::my_pe()));
  EXPECT_EQ(view.extent(right(), 0), uneven_extent(right()));
  EXPECT_EQ(count_equal(view.local(), 5), view.extent(0));
  symm::barrier_all();
}

TEST(UnevenView, whose_parts_are_resized_names_UnevenView_on_all_PEs) {
  if (symm::n_pes() < 2) GTEST_SKIP() << "one PE cannot differ from itself";
  symm::UnevenView<View1> const view("uneven", uneven_extent(symm::my_pe()));
  auto part = view.local();
  EXPECT_THAT(message_of<UsageError>([&] {
                Kokkos::resize(part, uneven_extent(symm::my_pe()) + 1);
              }),
              AllOf(HasSubstr("mismatched collective call"),
                    HasSubstr("\"uneven\""), HasSubstr("symm::UnevenView")));
  EXPECT_EQ(part.data(), view.data());
  EXPECT_EQ(part.extent(0), uneven_extent(symm::my_pe()));
  EXPECT_EQ(view.extent(right(), 0), uneven_extent(right()));
  symm::barrier_all();
}

template <class T>
Kokkos::View<T*, Exec::memory_space> list_of_one(T number) {
  Kokkos::View<T*, Exec::memory_space> const list("list", 1);
  Kokkos::deep_copy(list, number);
  return list;
}

TEST(UnevenView, has_places_of_what_each_PE_has_and_of_no_more) {
  symm::UnevenView<View1> const view("uneven", uneven_extent(symm::my_pe()));
  fill(view.local(), symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto const its = uneven_extent(pe);
    EXPECT_THAT(
        message_of<UsageError>([&] {
          (void)symm::places(view, list_of_one(pe), list_of_one(its));
        }),
        HasSubstr("element (" + std::to_string(its) + ") on PE " +
                  std::to_string(pe) + " is out of bounds; the extents are (" +
                  std::to_string(its) + ")"));
    if (its == 0) continue;
    int copy          = -1;
    auto const copies = list_of_one(copy);
    EXPECT_EQ(message_of<UsageError>([&] {
                symm::gather(Exec(), copies, view,
                             symm::places<symm::Place32>(view, list_of_one(pe),
                                                         list_of_one(its - 1)));
              }),
              "no exception");
    Kokkos::deep_copy(copy, Kokkos::subview(copies, 0));
    EXPECT_EQ(copy, value(pe, pe, its - 1));
  }
  EXPECT_THAT(message_of<UsageError>([&] {
                (void)symm::places(view, list_of_one(-1), list_of_one(0));
              }),
              HasSubstr("invalid PE -1"));
  symm::barrier_all();
}

TEST(UnevenView, collect_takes_what_PEs_have) {
  symm::UnevenView<View1> const view("uneven", uneven_extent(symm::my_pe()));
  fill(view.local(), symm::my_pe(), symm::my_pe());
  std::size_t count = 0;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) count += uneven_extent(pe);
  View1 const all("all", count);
  symm::collect(symm::team_world(), all, view.local());
  count = 0;
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    auto const part =
        Kokkos::subview(all, std::pair(count, count + uneven_extent(pe)));
    EXPECT_EQ(count_wrong(part, pe, pe), 0U);
    count += uneven_extent(pe);
  }
  if (symm::n_pes() > 1) {  // 3 and 0 elements are on the first two
    View1 const sum("sum", 4);
    EXPECT_THROW(symm::reduce(symm::team_world(),
                              Kokkos::subview(sum, std::pair(std::size_t{0},
                                                             view.extent(0))),
                              view.local(), symm::Sum{}),
                 UsageError);
  }
  symm::barrier_all();
}

}  // namespace

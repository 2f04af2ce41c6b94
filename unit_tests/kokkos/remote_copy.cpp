// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// symm::copy and Kokkos::deep_copy to and from any PE: blocks of all layouts,
// on one node and over several.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/FakeTransport.hpp>
#include <support/Sanitizers.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::ALL;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
using Kokkos::View;
using symm::UsageError;
using testing::HasSubstr;

using Range = std::pair<int, int>;

enum class Form { copy, copy_by_team, deep_copy, deep_copy_enqueued };

template <class Dst, class Src>
struct CopyByTeam {
  Dst dst;
  Src src;
  template <class Member>
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    symm::copy(member, dst, src);
  }
};

/// Every form where that is worth its compilation.
template <bool has_all_forms, class Dst, class Src>
void copy_in_form(Form form, Dst const& dst, Src const& src) {
  if (form == Form::copy) {
    symm::copy(dst, src);
  } else if constexpr (has_all_forms) {
    Kokkos::DefaultHostExecutionSpace const exec;
    if (form == Form::copy_by_team) {
      Kokkos::parallel_for("copy", Kokkos::TeamPolicy<>(1, Kokkos::AUTO),
                           CopyByTeam<Dst, Src>{dst, src});
      Kokkos::fence();
    } else if (form == Form::deep_copy) {
      Kokkos::deep_copy(dst, src);
    } else {
      Kokkos::deep_copy(exec, dst, src);
      exec.fence();
    }
  }
}

/// Collective: copies `src` to the right PE's `dst`, which may be a part of
/// `all`, and from the right PE's `src`.
template <bool has_all_forms = false, class All, class Dst, class Src>
void expect_copies(All const& all, Dst const& dst, Src const& src) {
  SCOPED_TRACE(testing::Message() << "rank " << Dst::rank());
  auto const set = [&](symm::Pe receiver) {
    Kokkos::deep_copy(all, -1);
    fill(src, symm::my_pe(), receiver);
    symm::barrier_all();
  };
  auto const expect = [&](symm::Pe sender) {
    symm::barrier_all();
    EXPECT_EQ(count_wrong(dst, sender, symm::my_pe()), 0U);
    EXPECT_EQ(count_equal(all, -1), all.size() - dst.size());
    EXPECT_EQ(
        count_wrong(src, symm::my_pe(), sender == left() ? right() : left()),
        0U);
    symm::barrier_all();
  };
  for (auto const form : {Form::copy, Form::copy_by_team, Form::deep_copy,
                          Form::deep_copy_enqueued}) {
    if (!has_all_forms && form != Form::copy) break;
    SCOPED_TRACE(testing::Message() << "form " << static_cast<int>(form));
    set(right());
    copy_in_form<has_all_forms>(form, symm::remote_view(dst).peer(right()),
                                src);
    expect(left());
    set(left());
    copy_in_form<has_all_forms>(form, dst,
                                symm::remote_view(src).peer(right()));
    expect(right());
  }
}

template <class Dst, class Src, bool has_all_forms = false, class... Extents>
void expect_copies_of(Extents... extents) {
  Dst const dst("dst", static_cast<std::size_t>(extents)...);
  Src const src("src", static_cast<std::size_t>(extents)...);
  expect_copies<has_all_forms>(dst, dst, src);
}

TEST(RemoteCopy, of_equal_layouts_is_exact) {
  expect_copies_of<View<int, Space>, View<int, Space>>();
  for (int const n : {0, 1, 2, 127, 128, 129, 2049, 100'003}) {
    expect_copies_of<View<int*, Space>, View<int*, Space>, true>(n);
  }
  expect_copies_of<View<int**, LayoutLeft, Space>,
                   View<int**, LayoutLeft, Space>>(37, 19);
  expect_copies_of<View<int* [3], LayoutRight, Space>,
                   View<int* [3], LayoutRight, Space>>(37);
}

TEST(RemoteCopy, transposes_between_layouts_of_rank_2_to_8) {
  using Left2  = View<int**, LayoutLeft, Space>;
  using Right2 = View<int**, LayoutRight, Space>;
  expect_copies_of<Left2, Right2>(37, 19);
  expect_copies_of<Right2, Left2>(300, 1);
  expect_copies_of<Right2, Left2>(1, 300);
  expect_copies_of<Right2, Left2>(5, 0);
  expect_copies_of<View<int***, LayoutLeft, Space>,
                   View<int***, LayoutRight, Space>>(13, 7, 11);
  expect_copies_of<View<int****, LayoutRight, Space>,
                   View<int****, LayoutLeft, Space>>(3, 5, 1, 7);
  expect_copies_of<View<int*****, LayoutLeft, Space>,
                   View<int*****, LayoutRight, Space>>(2, 3, 4, 1, 5);
  expect_copies_of<View<int******, LayoutRight, Space>,
                   View<int******, LayoutLeft, Space>>(2, 3, 4, 1, 5, 2);
  expect_copies_of<View<int*******, LayoutLeft, Space>,
                   View<int*******, LayoutRight, Space>>(2, 3, 2, 1, 3, 2, 2);
  expect_copies_of<View<int********, LayoutRight, Space>,
                   View<int********, LayoutLeft, Space>>(2, 3, 2, 1, 3, 2, 2,
                                                         3);
}

TEST(RemoteCopy, of_every_order_of_LayoutStride_is_exact) {
  using Strided              = View<int***, LayoutStride, Space>;
  std::size_t const extent[] = {7, 5, 9};
  int const orders[][3]      = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  View<int***, LayoutRight, Space> const right_view("right", 7, 5, 9);
  for (auto const& order : orders) {
    auto const layout = LayoutStride::order_dimensions(3, order, extent);
    Strided const strided("strided", layout);
    expect_copies(strided, strided, right_view);
    expect_copies(right_view, right_view, strided);
  }
}

TEST(RemoteCopy, of_subviews_leaves_the_rest_alone) {
  View<int***, LayoutRight, Space> const all("all", 9, 11, 13);
  View<int***, LayoutRight, Space> const other("other", 9, 11, 13);
  View<int***, LayoutLeft, Space> const turned("turned", 9, 11, 13);
  auto const box = [](auto const& view, int shift) {
    return Kokkos::subview(view, Range(1 + shift, 6 + shift),
                           Range(2 - shift, 9 - shift),
                           Range(3 + shift, 12 + shift));
  };
  expect_copies<true>(all, box(all, 0), box(other, 1));
  expect_copies(all, box(all, 1), box(turned, 0));
  expect_copies(turned, box(turned, 0), box(all, 1));
  // Faces: contiguous, rows, single elements.
  expect_copies(all, Kokkos::subview(all, 8, ALL, ALL),
                Kokkos::subview(other, 1, ALL, ALL));
  expect_copies(all, Kokkos::subview(all, ALL, 10, ALL),
                Kokkos::subview(other, ALL, 1, ALL));
  expect_copies(all, Kokkos::subview(all, ALL, ALL, 12),
                Kokkos::subview(turned, ALL, ALL, 1));
  // Halos of width 2, of which nothing is contiguous with the next.
  expect_copies(
      all, Kokkos::subview(all, Range(1, 8), Range(2, 10), Range(0, 2)),
      Kokkos::subview(other, Range(1, 8), Range(2, 10), Range(9, 11)));
  // A row, a column and an element.
  expect_copies(all, Kokkos::subview(all, 3, 4, Range(1, 10)),
                Kokkos::subview(turned, ALL, 3, 4));
  expect_copies(all, Kokkos::subview(all, 3, 4, 5),
                Kokkos::subview(turned, 5, 3, 4));
}

TEST(RemoteCopy, of_a_subview_of_a_peer_is_of_the_peer_of_a_subview) {
  View<int***, LayoutLeft, Space> const view("v", 6, 5, 4);
  View<int**, LayoutRight, Space> const source("s", 5, 2);
  Kokkos::deep_copy(view, -1);
  fill(source, symm::my_pe(), right());
  symm::barrier_all();
  auto const peer = symm::remote_view(view).peer(right());
  auto const part = Kokkos::subview(peer, 2, ALL, Range(1, 3));
  EXPECT_EQ(part.pe(), right());
  EXPECT_EQ(part.extent(1), 2U);
  symm::copy(part, source);
  auto const element = Kokkos::subview(part, 4, 1);
  EXPECT_EQ(element(), part(4, 1).get());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(Kokkos::subview(view, 2, ALL, Range(1, 3)), left(),
                        symm::my_pe()),
            0U);
  EXPECT_EQ(count_equal(view, -1), view.size() - source.size());
  symm::barrier_all();
}

TEST(RemoteCopy, of_an_UnevenView_has_the_extents_of_the_PE) {
  using Rows         = View<int**, LayoutRight, Space>;
  auto const rows_of = [](symm::Pe pe) {
    return static_cast<std::size_t>(1 + pe * 3 % 4);
  };
  symm::UnevenView<Rows> const view("v", rows_of(symm::my_pe()), 5);
  Kokkos::deep_copy(view.local(), -1);
  symm::barrier_all();
  auto const remote = symm::remote_view(view);
  auto const peer   = remote.peer(right());
  EXPECT_EQ(peer.extent(0), rows_of(right()));
  View<int**, LayoutLeft, Kokkos::HostSpace> const source("s", peer.extent(0),
                                                          5);
  fill(source, symm::my_pe(), right());
  Kokkos::deep_copy(peer, source);
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view.local(), left(), symm::my_pe()), 0U);
  // Parts of it, and the last element, which this PE may not have.
  auto const column_there = Kokkos::subview(peer, ALL, 2);
  EXPECT_EQ(column_there.extent(0), rows_of(right()));
  View<int*, Kokkos::HostSpace> const column("c", rows_of(right()));
  Kokkos::deep_copy(column, column_there);
  auto const last = rows_of(right()) - 1;
  EXPECT_EQ(column(last), source(last, 2));
  EXPECT_EQ(remote(right(), last, 4).get(), source(last, 4));
  View<int**, LayoutRight, Kokkos::HostSpace> const larger("l", last + 2, 5);
  EXPECT_THROW(symm::copy(larger, peer), UsageError);
  symm::barrier_all();
}

TEST(RemoteCopy, of_large_blocks_in_parts_is_exact) {
  View<int***, LayoutRight, Space> const all("all", 61, 101, 60);
  View<int***, LayoutLeft, Space> const turned("turned", 61, 101, 60);
  expect_copies(all, all, turned);  // 1.4 MiB
  expect_copies(
      all, Kokkos::subview(all, Range(1, 60), Range(1, 100), Range(1, 59)),
      Kokkos::subview(turned, Range(1, 60), Range(1, 100), Range(1, 59)));
  // One index of the outer dimension is more than is packed at once.
  View<int***, LayoutRight, Space> const wide("wide", 2, 550, 500);
  View<int***, LayoutLeft, Space> const wide_turned("turned", 2, 550, 500);
  expect_copies(wide, wide, wide_turned);
}

/// One of several threads that copy, one after the other.
struct OneOf : symm::Impl::SharedLoops<OneOf> {
  static constexpr std::size_t row = 1;
  std::size_t number, count;
  OneOf(std::size_t n, std::size_t of) : number(n), count(of) {}
  [[nodiscard]] KOKKOS_FUNCTION std::size_t rank() const { return number; }
  [[nodiscard]] KOKKOS_FUNCTION std::size_t size() const { return count; }
  KOKKOS_FUNCTION void barrier() const {}
};

TEST(ViewCopy, by_several_threads_of_the_host_is_exact) {
  View<int****, LayoutRight, Kokkos::HostSpace> const all("all", 9, 7, 5, 3);
  View<int****, LayoutLeft, Kokkos::HostSpace> const src("src", 7, 3, 4, 3);
  auto const dst =
      Kokkos::subview(all, Range(1, 8), Range(2, 5), Range(1, 5), ALL);
  fill(src, 1, 2);
  for (std::size_t const n_threads : {1U, 2U, 3U, 5U, 84U, 85U, 300U}) {
    Kokkos::deep_copy(all, -1);
    for (std::size_t i = 0; i < n_threads; ++i) {
      symm::Impl::copy_view(OneOf(i, n_threads), dst, src);
      if (i + 1 == n_threads) continue;
      // Each thread copies its part, and nothing else.
      auto const part = (dst.size() + n_threads - 1) / n_threads;
      EXPECT_EQ(count_equal(all, -1),
                all.size() - std::min(dst.size(), (i + 1) * part));
    }
    EXPECT_EQ(count_wrong(dst, 1, 2), 0U);
    EXPECT_EQ(count_equal(all, -1), all.size() - dst.size());
  }
}

#ifdef NDEBUG
TEST(RemoteCopy, of_a_near_part_takes_no_longer_than_deep_copy) {
  View<double****, LayoutRight, Space> const all("all", 12, 12, 12, 3);
  auto const ghosts =
      Kokkos::subview(all, Range(2, 10), Range(2, 10), Range(0, 2), ALL);
  auto const mine =
      Kokkos::subview(all, Range(2, 10), Range(2, 10), Range(8, 10), ALL);
  auto const peer = symm::remote_view(ghosts).peer(right());
  if (is_sanitized) GTEST_SKIP() << "each access is checked";
  Kokkos::DefaultHostExecutionSpace const exec;
  using Clock     = std::chrono::steady_clock;
  auto copy       = Clock::duration::max();
  auto deep_copy  = Clock::duration::max();
  auto const time = [](auto& least, auto const& work) {
    auto const start = Clock::now();
    for (int i = 0; i < 20; ++i) work();
    least = std::min(least, Clock::now() - start);
  };
  for (int i = 0; i < 100 && peer.is_near(); ++i) {
    time(copy, [&] { symm::copy(peer, mine); });
    time(deep_copy, [&] { Kokkos::deep_copy(exec, peer, mine); });
  }
  EXPECT_TRUE(!peer.is_near() || copy < deep_copy)
      << copy.count() << " ns, deep_copy " << deep_copy.count();
  symm::barrier_all();
}
#endif

/// The calls of put_block() and get_block() between two memories, which must
/// be right.
void expect_calls(symm::Impl::ViewBlock const& block,
                  std::vector<std::string> const& puts,
                  std::vector<std::string> const& gets) {
  std::size_t n = block.element;
  for (std::size_t r = 0; r < block.rank; ++r) {
    auto const& d = block.dimensions[r];
    n += d.extent * std::max(d.there, d.here);
  }
  std::vector<char> there(n), here(n), expected_there(n), expected_here(n);
  for (std::size_t i = 0; i < n; ++i) {
    there[i] = expected_there[i] = static_cast<char>(i % 101);
    here[i]                      = expected_here[i] =
        static_cast<char>(-1 - static_cast<int>(i % 97));
  }
  auto const for_each_byte = [&](auto const& body) {
    for (std::size_t e = 0; e < block.bytes() / block.element; ++e) {
      std::size_t rest = e, at_there = 0, at_here = 0;
      for (std::size_t r = 0; r < block.rank; ++r) {
        auto const& d = block.dimensions[r];
        at_there += rest % d.extent * d.there;
        at_here += rest % d.extent * d.here;
        rest /= d.extent;
      }
      for (std::size_t b = 0; b < block.element; ++b) {
        body(at_there + b, at_here + b);
      }
    }
  };
  for_each_byte(
      [&](std::size_t t, std::size_t h) { expected_there[t] = here[h]; });
  symm::Impl::PeMemory const far(1, symm::Impl::Segment::host_heap, 0);
  FakeTransport transport([&](symm::Pe) { return there.data(); });
  symm::Impl::put_block(far, here.data(), block, "test");
  EXPECT_EQ(transport.calls(), puts);
  symm::Impl::quiet_far();
  EXPECT_THAT(transport.calls(), testing::ElementsAre("quiet"));
  EXPECT_EQ(there, expected_there);
  std::fill(here.begin(), here.end(), 5);
  std::fill(expected_here.begin(), expected_here.end(), 5);
  for_each_byte(
      [&](std::size_t t, std::size_t h) { expected_here[h] = there[t]; });
  symm::Impl::get_block(here.data(), far, block, "test");
  EXPECT_EQ(transport.calls(), gets);
  EXPECT_EQ(here, expected_here);
}

TEST(FarBlock, that_throws_has_nothing_under_way) {
  if (symm::Impl::Runtime::find_transport() != nullptr) {
    GTEST_SKIP() << "the messages are counted in jobs of one node";
  }
  // Rows so long that each is got by a message of its own, with gaps.
  constexpr std::size_t row = 4096;
  std::vector<char> there(35 * row, 7), here(6 * row, 5);
  symm::Impl::PeMemory const far(1, symm::Impl::Segment::host_heap, 0);
  symm::Impl::ViewBlock const block{
      row, 2, {{2, 2 * row, row}, {3, 16 * row, 2 * row}}};
  FakeTransport transport([&](symm::Pe) { return there.data(); });
  for (int const which : {2, 3}) {
    transport.fail_at(which);
    EXPECT_THROW(symm::Impl::get_block(here.data(), far, block, "test"),
                 std::bad_alloc);
    std::fill(here.begin(), here.end(), 5);
    symm::Impl::quiet_far();
    EXPECT_THAT(here, testing::Each(5)) << which;
  }
}

TEST(FarBlock, travels_in_as_few_messages_as_its_layout_there_allows) {
  if (symm::Impl::Runtime::find_transport() != nullptr) {
    GTEST_SKIP() << "the messages are counted in jobs of one node";
  }
  using Calls        = std::vector<std::string>;
  auto const strided = [](std::size_t n) { return Calls(n, "put_strided 1"); };
  auto const batched = [](std::size_t n) { return Calls(n, "put_nbi 1"); };
  Calls const put = {"put 1"}, get = {"get 1"}, get_strided = {"get_strided 1"};
  // A whole View of 6 x 5 x 4 numbers of 8 bytes; a row of it, an element.
  expect_calls({8, 3, {{4, 8, 8}, {5, 32, 32}, {6, 160, 160}}}, put, get);
  expect_calls({8, 3, {{6, 160, 160}, {5, 32, 32}, {4, 8, 8}}}, put, get);
  expect_calls({8, 1, {{4, 8, 8}}}, batched(1), get);
  expect_calls({8, 0, {}}, batched(1), get);
  expect_calls({8, 2, {{0, 8, 8}, {5, 32, 32}}}, {}, {});
  // Whole there, turned or with gaps here.
  expect_calls({8, 3, {{4, 240, 8}, {5, 48, 32}, {6, 8, 160}}}, put, get);
  expect_calls({8, 3, {{4, 8, 16}, {5, 32, 80}, {6, 160, 480}}}, put, get);
  // A column; planes whose rows are elements, and whose columns are.
  expect_calls({8, 1, {{33, 160, 8}}}, strided(1), get_strided);
  expect_calls({8, 2, {{4, 8, 8}, {33, 160, 160}}}, strided(1), get_strided);
  expect_calls({8, 2, {{33, 32, 32}, {6, 1056, 1056}}}, strided(1),
               get_strided);
  // The plane of a turned View: of rows there, whatever is here.
  expect_calls({8, 2, {{4, 8, 264}, {33, 160, 8}}}, strided(1),
               {"get_strided 1"});
  // A box: a stride for each plane; its gaps are got along.
  expect_calls({8, 3, {{3, 8, 8}, {33, 32, 32}, {5, 1600, 1600}}}, strided(5),
               get);
  // Thin as a halo: gaps are most of it.
  expect_calls({8, 3, {{1, 8, 8}, {33, 32, 32}, {5, 3200, 3200}}}, strided(5),
               Calls(5, "get_strided 1"));
  // What would be fewer elements a message shares the batch.
  expect_calls({8, 1, {{32, 160, 8}}}, batched(32), get_strided);
  expect_calls({8, 2, {{4, 8, 48}, {6, 160, 8}}}, batched(24),
               {"get_strided 1"});
  expect_calls({8, 3, {{3, 8, 8}, {4, 32, 32}, {5, 160, 160}}}, batched(20),
               get);
  expect_calls({8, 2, {{64, 8, 8}, {3, 1024, 1024}}}, batched(3), get_strided);
  expect_calls({8, 2, {{65, 8, 8}, {3, 1024, 1024}}}, strided(1), get_strided);
}

TEST(FarBlock, of_many_planes_travels_in_messages_of_a_MiB) {
  if (symm::Impl::Runtime::find_transport() != nullptr) {
    GTEST_SKIP() << "the messages are counted in jobs of one node";
  }
  using Calls         = std::vector<std::string>;
  auto const puts     = [](std::size_t n) { return Calls(n, "put 1"); };
  auto const put_rows = [](std::size_t n) { return Calls(n, "put_strided 1"); };
  auto const gets     = [](std::size_t n) { return Calls(n, "get 1"); };
  // 64 planes of 32 KiB are two messages; turned and with gaps here.
  constexpr std::size_t s = 64 * 8;  // bytes of a row
  expect_calls({8, 3, {{64, 8, 64 * s}, {64, s, s}, {64, 64 * s, 8}}}, puts(2),
               gets(2));
  expect_calls({8, 3, {{64, 8, 8}, {64, s, s + 8}, {64, 64 * s, 70 * s}}},
               puts(2), gets(2));
  // The inside of it: gaps are got along, and a plane is one stride.
  expect_calls({8, 3, {{62, 8, 62 * s}, {62, s, s}, {62, 64 * s, 8}}},
               put_rows(62), gets(2));
  // A plane that is more than a MiB is packed in parts; one row is not.
  constexpr std::size_t wide = 512 * 8;
  expect_calls(
      {8, 3, {{512, 8, 2 * 400 * 8}, {400, wide, 8}, {2, 400 * wide, 400 * 8}}},
      puts(4), gets(4));
  constexpr std::size_t long_row = (std::size_t{1} << 20U) + 8;
  expect_calls({8, 2, {{long_row / 8, 8, 24}, {2, long_row, 8}}}, puts(4),
               gets(4));
}

TEST(RemoteCopy, of_other_types_converts) {
  View<double**, LayoutLeft, Space> const numbers("numbers", 7, 5);
  View<int**, LayoutRight, Space> const integers("integers", 7, 5);
  fill(integers, symm::my_pe(), right());
  symm::barrier_all();
  symm::copy(symm::remote_view(numbers).peer(right()), integers);
  symm::barrier_all();
  EXPECT_EQ(count_wrong(numbers, left(), symm::my_pe()), 0U);
  Kokkos::View<float const**, LayoutLeft, Kokkos::HostSpace> constant;
  {
    Kokkos::View<float**, LayoutLeft, Kokkos::HostSpace> const got("got", 7, 5);
    symm::copy(got, symm::remote_view(numbers).peer(right()));
    constant = got;
  }
  std::size_t n_wrong = 0;
  for (std::size_t n = 0; n < 35; ++n) {
    auto const expected = static_cast<float>(value(symm::my_pe(), right(), n));
    if (constant(n / 5, n % 5) != expected) ++n_wrong;
  }
  EXPECT_EQ(n_wrong, 0U);
  // What is read is not written.
  symm::barrier_all();
  symm::copy(symm::remote_view(numbers).peer(right()), constant);
  View<double const**, LayoutLeft, Space> const read_only = numbers;
  symm::copy(integers, symm::remote_view(read_only).peer(symm::my_pe()));
  symm::barrier_all();
}

TEST(RemoteCopy, from_PE_to_PE_and_fills) {
  View<int**, LayoutLeft, Space> const from("from", 6, 5);
  View<int**, LayoutRight, Space> const to("to", 6, 5);
  fill(from, symm::my_pe(), 7);
  symm::barrier_all();
  symm::copy(symm::remote_view(to).peer(right()),
             symm::remote_view(from).peer(left()));
  symm::barrier_all();
  auto const source = (left() + symm::n_pes() - 1) % symm::n_pes();
  EXPECT_EQ(count_wrong(to, source, 7), 0U);
  symm::barrier_all();
  auto const part  = Kokkos::subview(to, Range(1, 5), Range(2, 4));
  auto const other = symm::remote_view(part).peer(right());
  Kokkos::deep_copy(other, 3);
  EXPECT_EQ(other(2, 1), 3);  // it is done
  symm::barrier_all();
  EXPECT_EQ(count_equal(part, 3), part.size());
  EXPECT_EQ(count_equal(to, 3), part.size());
  symm::barrier_all();
  Kokkos::deep_copy(Kokkos::DefaultHostExecutionSpace(), other, 4);
  Kokkos::fence();
  symm::barrier_all();
  EXPECT_EQ(count_equal(to, 4), part.size());
  symm::barrier_all();
}

TEST(RemoteCopy, of_differing_extents_is_a_UsageError) {
  View<int**, Space> const view("v", 3, 5);
  View<int**, Space> const other("o", 3, 4);
  auto const peer = symm::remote_view(view).peer(right());
  auto const text =
      "the extents differ: the destination has (3, 5), the source (3, 4)";
  EXPECT_THAT(message_of<UsageError>([&] { symm::copy(peer, other); }),
              HasSubstr(text));
  if (!peer.is_near()) {
    EXPECT_THAT(message_of<UsageError>([&] { Kokkos::deep_copy(peer, other); }),
                HasSubstr(text));
  }
  symm::barrier_all();
  EXPECT_EQ(count_equal(view, 0), view.size());
#ifndef SYMM_CHECKS_IN_KERNELS
  auto const nobody = symm::remote_view(view).peer(-1);
  EXPECT_THAT(message_of<UsageError>([&] { symm::copy(nobody, view); }),
              HasSubstr("invalid PE -1"));
#endif
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// remote_view(): elements of all PEs through proxies. The same tests run on one
// node, where they load and store, and over nodes, where they get and put.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_cases.hpp"
#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::ALL;
using Kokkos::LayoutLeft;
using Kokkos::LayoutRight;
using Kokkos::LayoutStride;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

using View1  = Kokkos::View<int*, Space>;
using View3  = Kokkos::View<int***, LayoutLeft, Space>;
using Remote = symm::RemoteView<View1>;
using Proxy  = Remote::reference_type;
using Atomic = Kokkos::View<long*, Space, Kokkos::MemoryTraits<Kokkos::Atomic>>;

#ifndef KOKKOS_ENABLE_DEBUG_BOUNDS_CHECK
static_assert(sizeof(symm::RemoteView<View1>) ==
              sizeof(symm::GlobalView<View1>));
#endif
static_assert(std::is_default_constructible_v<Remote>);
static_assert(std::is_copy_constructible_v<Remote>);
// What takes proxies for values does not compile: std::swap(), std::sort().
static_assert(!std::is_copy_constructible_v<Proxy>);
static_assert(!std::is_move_constructible_v<Proxy>);
static_assert(std::is_convertible_v<Proxy, int>);
static_assert(!std::is_convertible_v<Proxy, int&>);
static_assert(std::is_same_v<decltype(std::declval<Proxy>() + 1), int>);
static_assert(std::is_same_v<decltype(std::declval<Proxy>() == 1), bool>);
static_assert(
    std::is_void_v<
        decltype(std::declval<symm::RemoteView<Atomic>::reference_type>() +=
                 1)>);

// Views of every rank and layout.

template <class T>
class RemoteViews : public testing::Test {};
using Cases =
    testing::Types<Case<int, LayoutLeft>, Case<int*, LayoutRight>,
                   Case<int*, LayoutStride>, Case<int[5], LayoutLeft>,
                   Case<int**, LayoutLeft>, Case<int* [3], LayoutRight>,
                   Case<int***, LayoutLeft>, Case<int***, LayoutStride>,
                   Case<int****, LayoutRight>, Case<int*****, LayoutLeft>,
                   Case<int******, LayoutRight>, Case<int*******, LayoutLeft>,
                   Case<int****** [2][3], LayoutRight>>;
TYPED_TEST_SUITE(RemoteViews, Cases);

TYPED_TEST(RemoteViews, every_element_of_every_PE_is_written_and_read) {
  using View = typename TypeParam::View;
  using All  = symm::RemoteView<View>;
  using Peer = decltype(std::declval<All const&>().peer(0));
  static_assert(All::rank() == View::rank());
  expect_written_and_read(
      TypeParam::make,
      [](View const& view) {
        All const all = symm::remote_view(view);
        for_each_element(view,
                         SetGlobalElement<All>{all, right(), symm::my_pe()});
      },
      [](View const& view, Pe pe) {
        auto const here =
            pe == symm::my_pe() ? count_wrong(view, left(), pe) : 0;
        Peer const peer = symm::remote_view(view).peer(pe);
        return here +
               count_elements(view, IsWrong<Peer>{peer, left_of(pe), pe});
      });
}

TEST(RemoteView, of_a_strided_subview_writes_its_elements_only) {
  View3 const view("v", 6, 5, 4);
  Kokkos::deep_copy(view, -1);
  symm::barrier_all();
  auto const part = Kokkos::subview(view, 3, std::pair(1, 5), ALL);
  using Part      = std::remove_const_t<decltype(part)>;
  for_each_element(part, SetGlobalElement<symm::RemoteView<Part>>{
                             symm::remote_view(part), right(), symm::my_pe()});
  symm::barrier_all();
  EXPECT_EQ(count_wrong(part, left(), symm::my_pe()), 0U);
  EXPECT_EQ(count_equal(view, -1), view.size() - part.size());
}

// What a proxy does. Each test works on the elements of its right neighbor,
// which nobody else does.

TEST(RemoteElement, assigned_from_an_element_takes_its_value) {
  View1 const view("v", 8);
  View1 const other("w", 8);
  fill(view, symm::my_pe(), symm::my_pe());
  fill(other, symm::my_pe(), 40);
  Kokkos::View<int const*, Space> const constant = other;
  Kokkos::View<double*, Space> const numbers("d", 2);
  Kokkos::deep_copy(numbers, 2.75);
  symm::barrier_all();
  auto const v  = symm::remote_view(view);
  auto const w  = symm::remote_view(other);
  auto const c  = symm::remote_view(constant);
  auto const d  = symm::remote_view(numbers);
  auto const me = symm::my_pe(), to = right();
  v(to, 0) = w(to, 3);             // another View, same PE
  v(to, 1) = w(me, 4);             // from PE to PE
  v(to, 2) = v(to, 7);             // the same View
  v(to, 3) = c(to, 5);             // of const elements
  v(to, 4) = d(to, 0);             // of another type
  v(to, 5) = v(to, 6) = w(to, 1);  // in a row
  {
    auto const kept = v(to, 7);
    kept            = 77;
  }
  symm::barrier_all();
  auto const my_left = left();
  EXPECT_EQ(get(view, 0), value(me, 40, 3));
  EXPECT_EQ(get(view, 1), value(my_left, 40, 4));
  EXPECT_EQ(get(view, 2), value(me, me, 7));
  EXPECT_EQ(get(view, 3), value(me, 40, 5));
  EXPECT_EQ(get(view, 4), 2);
  EXPECT_EQ(get(view, 5), value(me, 40, 1));
  EXPECT_EQ(get(view, 6), value(me, 40, 1));
  EXPECT_EQ(get(view, 7), 77);
  EXPECT_EQ(count_wrong(other, me, 40), 0U);
}

TEST(RemoteElement, operators_do_what_they_do_to_a_number) {
  View1 const view("v", 3);
  Kokkos::deep_copy(view, 1000);
  symm::barrier_all();
  auto const remote   = symm::remote_view(view);
  auto const pe       = right();
  int number          = 1000;
  auto const is_equal = [&] { return remote(pe, 1) == number; };
#define SYMM_TEST_BOTH(operation)                                   \
  {                                                                 \
    auto const result = [&](auto&& x) -> int { return operation; }; \
    EXPECT_EQ(result(remote(pe, 1)), result(number)) << #operation; \
    EXPECT_TRUE(is_equal()) << #operation;                          \
  }
  SYMM_TEST_BOTH(x = 1234)
  SYMM_TEST_BOTH(x += 17)
  SYMM_TEST_BOTH(x -= 4)
  SYMM_TEST_BOTH(x *= 3)
  SYMM_TEST_BOTH(x /= 2)
  SYMM_TEST_BOTH(x %= 1000)
  SYMM_TEST_BOTH(x &= 0xfe)
  SYMM_TEST_BOTH(x |= 0x301)
  SYMM_TEST_BOTH(x ^= 0x111)
  SYMM_TEST_BOTH(x <<= 3)
  SYMM_TEST_BOTH(x >>= 1)
  SYMM_TEST_BOTH(++x)
  SYMM_TEST_BOTH(--x)
  SYMM_TEST_BOTH(x++)
  SYMM_TEST_BOTH(x--)
  SYMM_TEST_BOTH(x += x)
  SYMM_TEST_BOTH((x += 1) += 2)
  SYMM_TEST_BOTH(-x)
  SYMM_TEST_BOTH(~x)
  SYMM_TEST_BOTH(!x)
  SYMM_TEST_BOTH(x + 1)
  SYMM_TEST_BOTH(2 * x - x / 3 % 5)
  SYMM_TEST_BOTH(x < 5 || x > 5 || x != 5)
  SYMM_TEST_BOTH(x <= x && x >= x)
  SYMM_TEST_BOTH(x ? 1 : 2)
#undef SYMM_TEST_BOTH
  EXPECT_EQ(true ? remote(pe, 1) : 0, number);
  for (int i = 0; i < 100; ++i) remote(pe, 0) += i;
  EXPECT_EQ(remote(pe, 0), 1000 + 99 * 50);
  symm::barrier_all();
  EXPECT_EQ(get(view, 0), 1000 + 99 * 50);
  EXPECT_EQ(get(view, 1), number);
  EXPECT_EQ(get(view, 2), 1000);
}

TEST(RemoteElement, swap_swaps_values) {
  View1 const view("v", 4);
  symm::barrier_all();
  auto const remote = symm::remote_view(view);
  auto const pe     = right();
  for (int i = 0; i < 4; ++i) remote(pe, i) = 10 + i;
  int own = 5;
  swap(remote(pe, 0), remote(pe, 1));
  swap(remote(pe, 2), own);
  EXPECT_EQ(own, 12);
  swap(own, remote(pe, 3));
  EXPECT_EQ(own, 13);
  symm::barrier_all();
  EXPECT_EQ(get(view, 0), 11);
  EXPECT_EQ(get(view, 1), 10);
  EXPECT_EQ(get(view, 2), 5);
  EXPECT_EQ(get(view, 3), 12);
}

TEST(RemoteElement, of_complex_numbers_computes_with_them) {
  using Complex = Kokkos::complex<double>;
  Kokkos::View<Complex*, Space> const view("z", 3);
  symm::barrier_all();
  auto const z  = symm::remote_view(view);
  auto const pe = right();
  z(pe, 0)      = Complex(1, 2);
  z(pe, 1)      = 3.0;
  z(pe, 1) *= Complex(0, 1);
  z(pe, 2) = 2.0 * z(pe, 0) + z(pe, 1) * z(pe, 1);
  z(pe, 2) += z(pe, 0);
  EXPECT_TRUE(z(pe, 1) == Complex(0, 3));
  EXPECT_TRUE(-z(pe, 1) == Complex(0, -3));
  EXPECT_EQ(Kokkos::abs(z(pe, 1).get()), 3.0);
  symm::barrier_all();
  Complex const sum = get(view, 2);
  EXPECT_EQ(sum.real(), 3.0 - 9.0);
  EXPECT_EQ(sum.imag(), 6.0);
}

/// Has no default constructor, and any size.
template <std::size_t size>
struct Block {
  explicit Block(unsigned char byte) {
    for (auto& at : bytes) at = byte++;
  }
  bool operator==(Block const&) const = default;
  unsigned char bytes[size];
};

template <std::size_t size>
void test_block() {
  using T = Block<size>;
  Kokkos::View<T*, Space> const view(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "blocks"), 3);
  auto const letter = [](Pe pe) { return static_cast<unsigned char>(7 * pe); };
  for (int i = 0; i < 3; ++i) view(i) = T(letter(symm::my_pe()));
  symm::barrier_all();
  auto const remote = symm::remote_view(view);
  EXPECT_EQ(remote(right(), 2).get(), T(letter(right()))) << size;
  symm::barrier_all();
  remote(right(), 1) = T(letter(symm::my_pe()));
  remote(right(), 0) = remote(right(), 1);
  EXPECT_EQ(remote(right(), 1).get(), T(letter(symm::my_pe()))) << size;
  symm::barrier_all();
  EXPECT_EQ(view(0), T(letter(left()))) << size;
  EXPECT_EQ(view(1), T(letter(left()))) << size;
  EXPECT_EQ(view(2), T(letter(symm::my_pe()))) << size;
}

TEST(RemoteElement, of_any_size_travels_whole) {
  test_block<1>();
  test_block<3>();
  test_block<8>();
  test_block<24>();
  test_block<512>();
  test_block<513>();
  test_block<5001>();
  test_block<100'000>();
}

TEST(RemoteElement, get_nbi_brings_the_value_until_quiet) {
  constexpr int n = 5000;
  Kokkos::View<int*, Space> const view("numbers", n);
  for (int i = 0; i < n; ++i) view(i) = 10'000 * symm::my_pe() + i;
  symm::barrier_all();
  auto const remote = symm::remote_view(view);
  std::vector<int> got(static_cast<std::size_t>(n * symm::n_pes()), -1);
  auto at = got.begin();
  for (int i = 0; i < n; ++i) {
    for (Pe pe = 0; pe < symm::n_pes(); ++pe) remote(pe, i).get_nbi(&*at++);
  }
  symm::quiet();
  at = got.begin();
  for (int i = 0; i < n; ++i) {
    for (Pe pe = 0; pe < symm::n_pes(); ++pe) ASSERT_EQ(*at++, 10'000 * pe + i);
  }
  symm::barrier_all();
}

TEST(RemoteElement, of_small_numbers_leaves_their_neighbors_alone) {
  Kokkos::View<unsigned char*, Space> const view("bytes", 9);
  Kokkos::deep_copy(view, static_cast<unsigned char>(0xEE));
  symm::barrier_all();
  auto const remote  = symm::remote_view(view);
  remote(right(), 4) = static_cast<unsigned char>(1);
  remote(right(), 5) = true;
  symm::barrier_all();
  for (int i = 0; i < 9; ++i) {
    EXPECT_EQ(get(view, i), i == 4 || i == 5 ? 1 : 0xEE);
  }
}

// Atomic Views.

TEST(AtomicRemoteElement, additions_of_all_PEs_are_all_there) {
  constexpr int n = 300;
  Kokkos::View<long*, Space> const view("counters", 5);
  Atomic const counters = view;
  symm::barrier_all();
  auto const remote = symm::remote_view(counters);
  for (int i = 0; i < n; ++i) {
    for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
      remote(pe, 0) += 3;
      ++remote(pe, 1);
      --remote(pe, 2);
      remote(pe, 3) -= 2;
    }
    if (i < 5) remote(0, 4)++;
  }
  symm::barrier_all();
  long const all = long{n} * symm::n_pes();
  EXPECT_EQ(get(view, 0), 3 * all);
  EXPECT_EQ(get(view, 1), all);
  EXPECT_EQ(get(view, 2), -all);
  EXPECT_EQ(get(view, 3), -2 * all);
  EXPECT_EQ(get(view, 4), symm::my_pe() == 0 ? 5 * symm::n_pes() : 0);
}

TEST(AtomicRemoteElement, operators_do_what_they_say) {
  Kokkos::View<long*, Space> const view("words", 2);
  Atomic const atomic = view;
  symm::barrier_all();
  auto const remote = symm::remote_view(atomic);
  auto const pe     = right();
  remote(pe, 0)     = 0xff;
  remote(pe, 1)     = remote(pe, 0);
  remote(pe, 1) &= 0xf3;
  remote(pe, 1) |= 0x100;
  remote(pe, 1) ^= 0x001;
  symm::quiet();
  EXPECT_EQ(remote(pe, 1), 0x1f2);
  EXPECT_EQ(remote(pe, 1)++, 0x1f2);
  EXPECT_EQ(remote(pe, 1)--, 0x1f3);
  EXPECT_EQ(remote(pe, 1).fetch_add(8), 0x1f2);
  symm::barrier_all();
  EXPECT_EQ(get(view, 0), 0xff);
  EXPECT_EQ(get(view, 1), 0x1fa);
}

// In kernels, and the rest of the interface.

struct AddOne {
  template <class AnyView>
  KOKKOS_FUNCTION void operator()(AnyView const& view, int i) const {
    view(i) = view(i) + 1;
  }
};

template <class AnyView>
struct AddOneToEach {
  AnyView view;
  KOKKOS_FUNCTION void operator()(int i) const { AddOne()(view, i); }
};

TEST(RemotePeer, works_in_generic_kernels_written_for_Views) {
  View1 const view("v", 100);
  fill(view, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  auto const add_one = [](auto const& any_view) {
    using AnyView = std::remove_cvref_t<decltype(any_view)>;
    Kokkos::parallel_for("add one",
                         Kokkos::RangePolicy<typename AnyView::execution_space>(
                             0, static_cast<int>(any_view.extent(0))),
                         AddOneToEach<AnyView>{any_view});
    Kokkos::fence();
  };
  auto const peer = symm::remote_view(view).peer(right());
  add_one(peer);
  symm::barrier_all();
  add_one(view);
  std::size_t n_wrong = 0;
  for (int i = 0; i < 100; ++i) {
    auto const was =
        value(symm::my_pe(), symm::my_pe(), static_cast<std::size_t>(i));
    if (get(view, i) != was + 2) ++n_wrong;
  }
  EXPECT_EQ(n_wrong, 0U);
  EXPECT_EQ(peer.pe(), right());
  EXPECT_EQ(peer.extent(0), 100U);
  EXPECT_EQ(peer.size(), 100U);
  EXPECT_EQ(peer.local().data(), view.data());
  EXPECT_EQ(peer.is_near(), symm::is_near(right()));
  symm::barrier_all();
}

TEST(RemoteView, knows_its_PEs_and_extents_and_owns_nothing) {
  View3 const view("v", 6, 5, 4);
  auto const remote = symm::remote_view(view);
  EXPECT_EQ(remote.my_pe(), symm::my_pe());
  EXPECT_EQ(remote.n_pes(), symm::n_pes());
  EXPECT_EQ(remote.extent(0), 6U);
  EXPECT_EQ(remote.extent(2), 4U);
  EXPECT_EQ(remote.local().data(), view.data());
  EXPECT_EQ(view.use_count(), 1);
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    EXPECT_EQ(remote.is_near(pe), symm::is_near(pe));
  }
  symm::RemoteView<View3> empty;
  empty = remote;
  EXPECT_EQ(empty.extent(1), 5U);
}

TEST(RemoteView, many_elements_got_one_by_one_are_said_to_be_slow_once) {
  View1 const view("u", 100);
  symm::barrier_all();
  auto const remote = symm::remote_view(view);
  testing::internal::CaptureStderr();
  double sum = 0;
  for (int k = 0; k < 20'000; ++k) sum += remote(right(), k % 100);
  auto const text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(sum, 0);
#ifdef SYMM_CHECKS_IN_KERNELS
  if (!symm::is_near(right())) {
    auto const said = "symm: slow: PE " + std::to_string(symm::my_pe()) + ": ";
    EXPECT_THAT(text, AllOf(HasSubstr(said), HasSubstr("RowsAround")));
    EXPECT_EQ(text.find(said), text.rfind(said)) << text;
  } else {
    EXPECT_EQ(text, "");
  }
#else
  EXPECT_EQ(text, "");
#endif
  symm::barrier_all();
}

TEST(RemoteView, errors_name_call_View_and_what_to_do) {
  int mine[3] = {};
  Kokkos::View<int*, Space, Kokkos::MemoryUnmanaged> const foreign(mine, 3);
  EXPECT_THAT(message_of<UsageError>([&] { symm::remote_view(foreign); }),
              AllOf(HasSubstr("symm::remote_view"),
                    HasSubstr("not in this PE's part")));
  View1 const view("u", 3);
  symm::barrier_all();
  if (!symm::is_near(right())) {
    EXPECT_THAT(
        message_of<UsageError>([&] { symm::peer_view(view, right()); }),
        AllOf(HasSubstr("\"u\""), HasSubstr("symm::remote_view(view).peer")));
#ifndef SYMM_CHECKS_IN_KERNELS
    auto const remote = symm::remote_view(view);
    EXPECT_THAT(
        message_of<UsageError>([&] { remote(symm::n_pes(), 1) = 1; }),
        AllOf(HasSubstr("symm::remote_view"),
              HasSubstr("invalid PE " + std::to_string(symm::n_pes()))));
    EXPECT_THAT(
        message_of<UsageError>([&] { static_cast<void>(remote(-1, 1).get()); }),
        HasSubstr("invalid PE -1"));
#endif
  }
  symm::barrier_all();
}

}  // namespace

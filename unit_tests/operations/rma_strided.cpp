// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// iput and iget enqueued, and of the host for private memory (OpenSHMEM 1.5,
// 9.5 and 9.6). rma.cpp has the other forms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

#include "rma_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

constexpr auto most = std::numeric_limits<std::size_t>::max();

/// Counts around the boundaries, with strides that are equal, longer at one
/// end, and 1 at one end or both.
template <class Form, class Call>
void exchange_shapes(Call const& call) {
  using T = typename Form::Element;
  Exchange<Form> const exchange;
  constexpr std::pair<std::size_t, std::size_t> strides[] = {
      {1, 1}, {1, 4}, {3, 1}, {2, 2}, {2, 5}};
  for (auto const& [dest_stride, source_stride] : strides) {
    for (std::size_t const count : Sizes{0, 1, 2, 17, 300}) {
      exchange.run({sizeof(T), alignof(T), count, dest_stride, source_stride},
                   call);
    }
  }
}

template <class Form>
class StridedRma : public testing::Test {};
using StridedForms =
    testing::Types<Of<Iput, unsigned char>, Of<Iput, double>, Of<Iput, Twelve>,
                   Of<Iget, short>, Of<Iget, int>, Of<Iget, Sixteen>,
                   Of<Ibput, int>, Of<Ibget, Twelve>>;
TYPED_TEST_SUITE(StridedRma, StridedForms);

TYPED_TEST(StridedRma, enqueued_copies_exactly_the_elements) {
  for_each_exec<Space>([&]<class Exec>() {
    exchange_shapes<TypeParam>([](auto const& copies) {
      Exec const exec;
      for (std::size_t k = 0; k < copies.n; ++k) copies.copy(k, exec);
      exec.fence("enqueued copies");
    });
  });
}

TYPED_TEST(StridedRma, of_the_host_copies_exactly_the_elements) {
  using T = typename TypeParam::Element;
  Exchange<TypeParam> const exchange;
  auto const by_host = [](auto const& copies) {
    for (std::size_t k = 0; k < copies.n; ++k) copies.copy(k);
  };
  for (std::size_t const count : Sizes{33, 300}) {  // rma.cpp has more
    exchange.run({sizeof(T), alignof(T), count, 5, 2}, by_host);
    exchange.run({sizeof(T), alignof(T), count, 2, 5}, by_host);
  }
  // Longer than what is copied by words.
  exchange.run({sizeof(T), alignof(T), 3, 101, 100}, by_host);
}

// Between kernels.

struct AddTo {
  Kokkos::View<int*, Space> view;
  int sum;
  KOKKOS_FUNCTION void operator()(std::size_t i) const { view(i) += sum; }
};

template <class Exec>
void launch_add(Exec const& exec, Kokkos::View<int*, Space> const& view,
                int sum) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("add", Policy(exec, 0, view.size()), AddTo{view, sum});
}

TEST(EnqueuedStridedRma, is_in_the_order_of_what_else_is_enqueued) {
  for_each_exec<Space>([&]<class Exec>() {
    constexpr std::size_t count = 1001;
    auto const me               = symm::my_pe();
    Kokkos::View<int*, Space> const source("source", 2 * count);
    Kokkos::View<int*, Space> const dest("dest", 3 * count);
    Kokkos::View<int*, Space> const back("back", count);
    Exec const exec;
    symm::barrier_all();
    for (int round = 1; round <= 20; ++round) {
      launch_add(exec, source, me + 1);
      symm::iput(exec, dest.data(), source.data(), 3, 2, count, right());
      symm::iget(exec, back.data(), dest.data(), 1, 3, count, right());
      launch_add(exec, back, me + 1);
    }
    exec.fence();
    // A round that was not waited for has other sums.
    EXPECT_EQ(count_equal(back, 21 * (me + 1)), count);
    symm::barrier_all();
    EXPECT_EQ(count_equal(dest, 20 * (left() + 1)), count);
    EXPECT_EQ(count_equal(dest, 0), 2 * count);
    symm::barrier_all();
  });
}

// Private memory on the other side.

/// Whether an element is not what `from` has sent to every third place.
struct IsWrongThird {
  Kokkos::View<int*, Space> view;
  Pe from;
  Pe to;
  KOKKOS_FUNCTION bool operator()(std::size_t, std::size_t i) const {
    return view(i) != (i % 3 == 1 ? value(from, to, i / 3) : -1);
  }
};

/// This PE's numbers go to every third place of `view`, and come back.
template <class... Exec>
void exchange_private(Kokkos::View<int*, Space> const& view,
                      Exec const&... exec) {
  auto const count = view.size() / 3;
  auto const me    = symm::my_pe();
  std::vector<int> mine(2 * count, -1);
  for (std::size_t i = 0; i < count; ++i) mine[2 * i] = value(me, right(), i);
  Kokkos::deep_copy(view, -1);
  symm::barrier_all();
  symm::iput(exec..., view.data() + 1, mine.data(), 3, 2, count, right());
  (exec.fence(), ...);
  symm::barrier_all();
  EXPECT_EQ(count_elements(view, IsWrongThird{view, left(), me}), 0U);
  std::vector<int> back(4 * count + 1, -1);
  symm::iget(exec..., back.data() + 1, view.data() + 1, 4, 3, count, right());
  (exec.fence(), ...);
  std::size_t n_wrong = 0;
  for (std::size_t i = 0; i < back.size(); ++i) {
    if (back[i] != (i % 4 == 1 ? mine[i / 4 * 2] : -1)) ++n_wrong;
  }
  EXPECT_EQ(n_wrong, 0U);
  symm::barrier_all();
}

TEST(HostStridedRma, has_private_memory_on_the_other_side) {
  Kokkos::View<int*, Space> const view("v", 3 * 1001);
  exchange_private(view);
  for_each_exec<Space>([&]<class Exec>() { exchange_private(view, Exec()); });
}

/// Beyond the longest stride that a copy of a GPU takes: element by element.
TEST(HostStridedRma, takes_strides_of_more_than_2_GiB) {
  using Private            = typename SpaceExec::memory_space;
  std::size_t const stride = (std::size_t{1} << 31U) / sizeof(double) + 8;
  Kokkos::View<double*, Private> const far(
      Kokkos::view_alloc("far", Kokkos::WithoutInitializing), stride + 1);
  Kokkos::View<double[2], Space> const view("v");
  auto const first = Kokkos::subview(far, 0);
  auto const last  = Kokkos::subview(far, stride);
  Kokkos::deep_copy(first, symm::my_pe() + 0.25);
  Kokkos::deep_copy(last, symm::my_pe() + 0.5);
  symm::barrier_all();
  symm::iput(view.data(), far.data(), 1, stride, 2, right());
  symm::barrier_all();
  EXPECT_EQ(get(view, 0), left() + 0.25);
  EXPECT_EQ(get(view, 1), left() + 0.5);
  symm::barrier_all();
  Kokkos::deep_copy(view, symm::my_pe() + 100.0);
  symm::barrier_all();
  SpaceExec const exec;
  symm::iget(exec, far.data(), view.data(), stride, 1, 2, right());
  exec.fence();
  double ends[2] = {};
  Kokkos::deep_copy(ends[0], first);
  Kokkos::deep_copy(ends[1], last);
  EXPECT_EQ(ends[0], right() + 100.0);
  EXPECT_EQ(ends[1], right() + 100.0);
  symm::barrier_all();
}

// Arguments: on the PE that makes them; the others go on.

TEST(EnqueuedStridedRma, of_one_element_looks_at_no_stride) {
  Kokkos::View<int[3], Space> const view("v");
  int mine = value(symm::my_pe(), right(), 0);
  int back = -1;
  symm::barrier_all();
  for_each_exec<Space>([&]<class Exec>() {
    Exec const exec;
    symm::iput(exec, view.data() + 1, &mine, most, most / 2, 1, right());
    symm::iget(exec, &back, view.data() + 1, most / 2, most, 1, right());
    exec.fence();
    EXPECT_EQ(back, mine);
  });
  symm::barrier_all();
  EXPECT_EQ(get(view, 0), 0);
  EXPECT_EQ(get(view, 1), value(left(), symm::my_pe(), 0));
  EXPECT_EQ(get(view, 2), 0);
  symm::barrier_all();
}

TEST(EnqueuedStridedRma, of_0_elements_does_nothing) {
  int* const null = nullptr;
  SpaceExec const exec;
  symm::iput(exec, null, null, 1, 1, 0, right());
  symm::iget(exec, null, null, 1, 1, 0, right());
  symm::iput(exec, null, null, 7, 3, 0, symm::n_pes());
  EXPECT_THAT(message_of<UsageError>(
                  [&] { symm::iput(exec, null, null, 0, 1, 0, right()); }),
              HasSubstr("strides must be at least 1"));
}

TEST(BlockRma, refuses_strides_that_are_shorter_than_a_block) {
  Kokkos::View<int[8], Space> const view("v");
  std::vector<int> own(8, 7);
  int* const a    = view.data();
  auto const text = [&](std::size_t dest_stride, std::size_t source_stride,
                        std::size_t block, std::size_t count) {
    return message_of<UsageError>([&] {
      symm::ibput(a, own.data(), dest_stride, source_stride, block, count,
                  right());
    });
  };
  EXPECT_THAT(text(2, 3, 3, 2),
              AllOf(HasSubstr("symm::ibput: strides must be at least the 3 "
                              "elements of a block, not 2 (dest) and 3"),
                    HasSubstr("(source)")));
  EXPECT_THAT(text(3, 2, 3, 2), HasSubstr("the 3 elements of a block"));
  EXPECT_THAT(text(0, 1, 0, 2), HasSubstr("strides must be at least 1"));
  EXPECT_THAT(
      message_of<UsageError>(
          [&] { symm::ibget(own.data(), a, 1, 1, 2, 1, right()); }),
      HasSubstr("symm::ibget: strides must be at least the 2 elements"));
  // The last block ends behind the memory, or its size overflows.
  for (std::size_t const block : {most / 4, most / 2, most}) {
    EXPECT_THAT(text(most, most, block, 1), HasSubstr("not in this PE's part"))
        << block;
  }
  EXPECT_THAT(text(most / 4, 1, 1, 3), HasSubstr("not in this PE's part"));
  EXPECT_EQ(count_equal(view, 0), view.size());
  symm::barrier_all();
  // Nothing to copy, whatever the rest is.
  int* const null = nullptr;
  symm::ibput(null, null, 1, 1, 0, 5, right());
  symm::ibget(null, null, 1, 1, 1, 0, right());
  symm::ibput(null, null, 4, 4, 4, 0, symm::n_pes());
  symm::barrier_all();
}

TEST(BlockRma, goes_in_contexts) {
  Kokkos::View<int[20], Space> const view("v");
  std::vector<int> mine(6);
  for (std::size_t i = 0; i < mine.size(); ++i)
    mine[i] = value(symm::my_pe(), right(), i);
  symm::barrier_all();
  {
    symm::Context const context;
    symm::ibput(context, view.data() + 1, mine.data(), 9, 3, 3, 2, right());
    context.quiet();
    std::vector<int> back(6);
    symm::ibget(context, back.data(), view.data() + 1, 3, 9, 3, 2, right());
    context.quiet();
    EXPECT_EQ(back, mine);
  }
  symm::barrier_all();
  EXPECT_EQ(count_equal(view, 0), view.size() - 6);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_EQ(get(view, 1 + i / 3 * 9 + i % 3),
              value(left(), symm::my_pe(), i));
  symm::barrier_all();
}

/// What both calls say of arguments that cannot be. `call` has the symmetric
/// address, the private one, the strides of both, the count and the PE.
template <class Call>
void expect_errors(char const* name, Call const& call, int* symmetric) {
  int own         = 0;
  int* const null = nullptr;
  auto const text = [&](int* address, int* other, std::size_t stride,
                        std::size_t other_stride, std::size_t count, Pe pe) {
    return message_of<UsageError>(
        [&] { call(address, other, stride, other_stride, count, pe); });
  };
  EXPECT_THAT(text(symmetric, &own, 2, 3, 1, -1),
              AllOf(HasSubstr(name), HasSubstr("invalid PE -1")));
  EXPECT_THAT(text(symmetric, &own, 2, 3, 1, symm::n_pes()),
              AllOf(HasSubstr(name), HasSubstr("invalid PE")));
  EXPECT_THAT(text(&own, &own, 2, 3, 1, right()),
              AllOf(HasSubstr(name), HasSubstr("not in this PE's part")));
  EXPECT_THAT(text(symmetric, null, 2, 3, 1, right()),
              AllOf(HasSubstr(name),
                    HasSubstr("the local address of the copy is null")));
  EXPECT_THAT(text(symmetric, &own, 0, 3, 2, right()),
              AllOf(HasSubstr(name), HasSubstr("strides must be at least 1")));
  EXPECT_THAT(text(symmetric, &own, 3, 0, 2, right()),
              AllOf(HasSubstr(name), HasSubstr("strides must be at least 1")));
  for (std::size_t const stride : {most, most / 4, most / 4 + 1}) {
    EXPECT_THAT(text(symmetric, &own, stride, 1, 2, right()),
                AllOf(HasSubstr(name), HasSubstr("not in this PE's part")))
        << stride;
    EXPECT_THAT(text(symmetric, &own, 1, 1, stride, right()),
                AllOf(HasSubstr(name), HasSubstr("not in this PE's part")))
        << stride;
  }
}

TEST(EnqueuedStridedRma, refuses_what_the_host_refuses) {
  Kokkos::View<int[8], Space> const view("v");
  SpaceExec const exec;
  expect_errors(
      "symm::iput: ",
      [&](int* a, int* own, auto stride, auto own_stride, auto count, Pe pe) {
        symm::iput(exec, a, own, stride, own_stride, count, pe);
      },
      view.data());
  expect_errors(
      "symm::iget: ",
      [&](int* a, int* own, auto stride, auto own_stride, auto count, Pe pe) {
        symm::iget(exec, own, a, own_stride, stride, count, pe);
      },
      view.data());
  EXPECT_EQ(count_equal(view, 0), view.size());
  symm::barrier_all();
}

}  // namespace

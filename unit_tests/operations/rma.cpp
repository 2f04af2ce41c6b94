// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// put, get and their relatives: on the host, by one thread of a kernel, and
// enqueued (OpenSHMEM 1.5, 9.5 and 9.6). rma_teams.cpp has groups of threads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <vector>

#include <Kokkos_SymmetricSpace.hpp>

#include "rma_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::AllOf;
using testing::HasSubstr;

/// One copy per thread.
template <class Form>
struct ByThreads {
  Copies<Form> copies;
  KOKKOS_FUNCTION void operator()(std::size_t k) const {
    copies.copy(k, copies.heap);
  }
};

template <class Exec, class Form>
void copy_by_threads(Copies<Form> const& copies) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("copies", Policy(0, copies.n), ByThreads<Form>{copies});
  Exec().fence("copy_by_threads");
}

template <class Form>
class Rma : public testing::Test {};
TYPED_TEST_SUITE(Rma, AllForms);

TYPED_TEST(Rma, of_the_host_copies_exactly_the_elements) {
  Exchange<TypeParam> const exchange;
  auto const by_host = [](auto const& copies) {
    for (std::size_t k = 0; k < copies.n; ++k) copies.copy(k);
  };
  if constexpr (is_on_host<Space>) {
    exchange.run_all(by_host);
  } else {  // each copy is one of the device
    using T                  = typename TypeParam::Element;
    std::size_t const stride = TypeParam::Operation::is_strided ? 3 : 1;
    exchange.run({sizeof(T), alignof(T), 5, stride, 1}, by_host);
    exchange.run({sizeof(T), alignof(T), 17, 1, stride}, by_host);
  }
}

TYPED_TEST(Rma, of_one_thread_copies_exactly_the_elements) {
  Exchange<TypeParam> const exchange;
  for_each_exec<Space>([&]<class Exec>() {
    exchange.run_all([](auto const& copies) { copy_by_threads<Exec>(copies); });
  });
}

template <class Form>
class EnqueuedRma : public testing::Test {};
using EnqueuedForms =
    testing::Types<Of<Put, double>, Of<Get, int>, Of<PutMem, unsigned char>,
                   Of<GetMem, unsigned char>>;
TYPED_TEST_SUITE(EnqueuedRma, EnqueuedForms);

TYPED_TEST(EnqueuedRma, copies_exactly_the_elements) {
  Exchange<TypeParam> const exchange;
  for_each_exec<Space>([&]<class Exec>() {
    auto const enqueue = [](auto const& copies) {
      Exec const exec;
      for (std::size_t k = 0; k < copies.n; ++k) copies.copy(k, exec);
      exec.fence("enqueued copies");
    };
    using T = typename TypeParam::Element;
    for (std::size_t const count : Sizes{0, 1, 17, 1001}) {
      exchange.run({sizeof(T), alignof(T), count}, enqueue);
    }
  });
}

// Private memory of the host.

TEST(HostRma, has_private_memory_on_the_other_side) {
  Kokkos::View<int*, Space> const view("v", 1001);
  std::vector<int> mine(1001);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    mine[i] = value(symm::my_pe(), right(), i);
  }
  symm::barrier_all();
  symm::put(view.data(), mine.data(), mine.size(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
  std::vector<int> back(1003, -1);
  symm::get(back.data() + 1, view.data(), mine.size(), right());
  EXPECT_EQ(back.front(), -1);
  EXPECT_EQ(back.back(), -1);
  EXPECT_TRUE(std::equal(mine.begin(), mine.end(), back.begin() + 1));

  // Enqueued: there when the execution space is through.
  std::fill(back.begin(), back.end(), -1);
  SpaceExec const exec;
  symm::get(exec, back.data() + 1, view.data(), mine.size(), right());
  exec.fence();
  EXPECT_TRUE(std::equal(mine.begin(), mine.end(), back.begin() + 1));
  symm::barrier_all();
}

template <class T>
void exchange_single_elements(T const& seed) {
  Kokkos::View<T[3], Space> const view("v");
  Kokkos::deep_copy(view, T(-1));
  symm::barrier_all();
  symm::p(view.data() + 1, T(seed + T(symm::my_pe())), right());
  symm::barrier_all();
  EXPECT_EQ(get(view, 0), T(-1));
  EXPECT_EQ(get(view, 1), T(seed + T(left())));
  EXPECT_EQ(get(view, 2), T(-1));
  EXPECT_EQ(symm::g(view.data() + 1, right()), T(seed + T(symm::my_pe())));
  T const* const constant = view.data();
  EXPECT_EQ(symm::g(constant, right()), T(-1));
  symm::barrier_all();
}

TEST(HostRma, p_and_g_copy_one_element) {
  exchange_single_elements<short>(100);
  exchange_single_elements<long>(1L << 40U);
  exchange_single_elements<double>(0.5);
  exchange_single_elements<Kokkos::complex<double>>({2.5, -3.5});
}

/// PE `pe`'s numbers are gotten, and put into the other half.
template <class T>
struct ByPAndG {
  symm::HeapMap heap;
  T* data;
  std::size_t count;
  Pe pe;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    T const got = symm::g(heap, data + i, pe);
    symm::p(heap, data + count + i, got, pe);
  }
};

template <class Exec, class T>
void launch_p_and_g(ByPAndG<T> const& body) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>;
  Kokkos::parallel_for("p and g", Policy(0, body.count), body);
}

TEST(KernelRma, p_and_g_copy_one_element) {
  for_each_exec<Space>([&]<class Exec>() {
    constexpr std::size_t count = 101;
    Kokkos::View<int*, Space> const view("v", 2 * count + 1);
    auto const half = [&](std::size_t n) {
      return Kokkos::subview(view, Kokkos::pair(n * count, (n + 1) * count));
    };
    Kokkos::deep_copy(view, -1);
    fill(half(0), symm::my_pe(), symm::my_pe());
    symm::barrier_all();
    launch_p_and_g<Exec>(ByPAndG<int>{symm::heap_map(Space::memory_kind),
                                      view.data(), count, right()});
    symm::barrier_all(Exec());
    EXPECT_EQ(count_wrong(half(0), symm::my_pe(), symm::my_pe()), 0U);
    EXPECT_EQ(count_wrong(half(1), symm::my_pe(), symm::my_pe()), 0U);
    EXPECT_EQ(get(view, 2 * count), -1);
    symm::barrier_all();
  });
}

// Errors: on the PE that makes them; the others go on.

/// What all calls say of arguments that cannot be.
void expect_errors(char const* name, std::function<void(int*, Pe)> const& call,
                   int* symmetric) {
  int own            = 0;
  int* const foreign = &own;
  EXPECT_THAT(message_of<UsageError>([&] { call(symmetric, -1); }),
              AllOf(HasSubstr(name), HasSubstr("invalid PE -1")));
  EXPECT_THAT(message_of<UsageError>([&] { call(symmetric, symm::n_pes()); }),
              AllOf(HasSubstr(name), HasSubstr("invalid PE"),
                    HasSubstr("PEs are 0 to")));
  for (int* const address : {foreign, static_cast<int*>(nullptr)}) {
    EXPECT_THAT(message_of<UsageError>([&] { call(address, right()); }),
                AllOf(HasSubstr(name), HasSubstr("not in this PE's part")));
  }
}

TEST(HostRma, refuses_what_is_no_symmetric_address_and_no_PE) {
  Kokkos::View<int[8], Space> const view("v");
  int own = 0;
  SpaceExec const exec;
  auto* const at = view.data();
  expect_errors(
      "symm::put:", [&](int* a, Pe pe) { symm::put(a, &own, 1, pe); }, at);
  expect_errors(
      "symm::get:", [&](int* a, Pe pe) { symm::get(&own, a, 1, pe); }, at);
  expect_errors(
      "symm::put_nbi:", [&](int* a, Pe pe) { symm::put_nbi(a, &own, 1, pe); },
      at);
  expect_errors(
      "symm::get_nbi:", [&](int* a, Pe pe) { symm::get_nbi(&own, a, 1, pe); },
      at);
  expect_errors(
      "symm::putmem:", [&](int* a, Pe pe) { symm::putmem(a, &own, 1, pe); },
      at);
  expect_errors(
      "symm::getmem:", [&](int* a, Pe pe) { symm::getmem(&own, a, 1, pe); },
      at);
  expect_errors(
      "symm::putmem_nbi:",
      [&](int* a, Pe pe) { symm::putmem_nbi(a, &own, 1, pe); }, at);
  expect_errors(
      "symm::getmem_nbi:",
      [&](int* a, Pe pe) { symm::getmem_nbi(&own, a, 1, pe); }, at);
  expect_errors(
      "symm::iput:", [&](int* a, Pe pe) { symm::iput(a, &own, 1, 1, 1, pe); },
      at);
  expect_errors(
      "symm::iget:", [&](int* a, Pe pe) { symm::iget(&own, a, 1, 1, 1, pe); },
      at);
  expect_errors(
      "symm::p:", [&](int* a, Pe pe) { symm::p(a, 7, pe); }, at);
  expect_errors(
      "symm::g:", [&](int* a, Pe pe) { own = symm::g(a, pe); }, at);
  expect_errors(
      "symm::put:", [&](int* a, Pe pe) { symm::put(exec, a, &own, 1, pe); },
      at);
  expect_errors(
      "symm::get:", [&](int* a, Pe pe) { symm::get(exec, &own, a, 1, pe); },
      at);
  expect_errors(
      "symm::putmem:",
      [&](int* a, Pe pe) { symm::putmem(exec, a, &own, 1, pe); }, at);
  expect_errors(
      "symm::getmem:",
      [&](int* a, Pe pe) { symm::getmem(exec, &own, a, 1, pe); }, at);
  EXPECT_EQ(count_equal(view, 0), view.size());
  symm::barrier_all();
}

TEST(HostRma, refuses_a_peers_address_and_what_ends_behind_the_heap) {
  Kokkos::View<int[8], Space> const view("v");
  int own = 0;
  if (right() != symm::my_pe() && symm::is_near(right())) {
    auto* const peers = symm::peer_view(view, right()).data();
    EXPECT_THAT(
        message_of<UsageError>([&] { symm::put(peers, &own, 1, right()); }),
        HasSubstr("not in this PE's part"));
  }
  constexpr auto most = std::numeric_limits<std::size_t>::max();
  for (std::size_t const count : {most, most / 4, most / 4 + 2, most / 8}) {
    EXPECT_THAT(message_of<UsageError>(
                    [&] { symm::put(view.data(), &own, count, right()); }),
                HasSubstr("not in this PE's part"))
        << count;
    EXPECT_THAT(message_of<UsageError>([&] {
                  symm::iput(view.data(), view.data(), count, 1, 3, right());
                }),
                HasSubstr("not in this PE's part"))
        << count;
    EXPECT_THAT(message_of<UsageError>([&] {
                  symm::iget(view.data(), view.data(), 1, 5, count, right());
                }),
                HasSubstr("not in this PE's part"))
        << count;
  }
  EXPECT_EQ(count_equal(view, 0), view.size());
  symm::barrier_all();
}

TEST(HostRma, refuses_null_on_its_own_side_and_strides_of_0) {
  Kokkos::View<int[8], Space> const view("v");
  auto* const at   = view.data();
  int* const null  = nullptr;
  auto const is_ok = HasSubstr("the local address of the copy is null");
  Pe const pe      = right();
  SpaceExec const exec;
  EXPECT_THAT(message_of<UsageError>([&] { symm::put(at, null, 1, pe); }),
              is_ok);
  EXPECT_THAT(message_of<UsageError>([&] { symm::get(null, at, 1, pe); }),
              is_ok);
  EXPECT_THAT(message_of<UsageError>([&] { symm::put(exec, at, null, 1, pe); }),
              is_ok);
  EXPECT_THAT(message_of<UsageError>([&] { symm::get(exec, null, at, 1, pe); }),
              is_ok);
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::iput(at, null, 1, 1, 1, pe); }),
      is_ok);
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::iget(null, at, 1, 1, 1, pe); }),
      is_ok);
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::iput(at, at, 0, 1, 2, pe); }),
      HasSubstr("symm::iput: strides must be at least 1, not 0 (dest) and "
                "1 (source)"));
  EXPECT_THAT(
      message_of<UsageError>([&] { symm::iget(at, at, 1, 0, 2, pe); }),
      HasSubstr("symm::iget: strides must be at least 1, not 1 (dest) and "
                "0 (source)"));
  EXPECT_EQ(count_equal(view, 0), view.size());
  symm::barrier_all();
}

TEST(HostRma, of_0_elements_does_nothing) {
  int* const null = nullptr;
  SpaceExec const exec;
  symm::put(null, null, 0, right());
  symm::get(null, null, 0, right());
  symm::putmem(null, null, 0, right());
  symm::iput(null, null, 1, 1, 0, right());
  symm::iget(null, null, 1, 1, 0, right());
  symm::put(exec, null, null, 0, right());
  symm::get(exec, null, null, 0, right());
}

}  // namespace

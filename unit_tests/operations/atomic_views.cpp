// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views with Kokkos' trait Atomic in a symmetric space, and what is said where
// an atomic operation cannot work.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

#include "atomic_helpers.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;

template <class T>
using AtomicView =
    Kokkos::View<T*, Space, Kokkos::MemoryTraits<Kokkos::Atomic>>;

static_assert(symm::Impl::AtomicWord<int*> && !symm::Impl::AtomicNumber<int*>);
static_assert(symm::Impl::AtomicNumber<double> &&
              !symm::Impl::AtomicBits<double>);
static_assert(symm::Impl::AtomicBits<char32_t> &&
              !symm::Impl::AtomicWord<int const>);
static_assert(!symm::Impl::AtomicWord<short> && !symm::Impl::AtomicWord<bool>);
static_assert(!symm::Impl::AtomicWord<std::complex<float>>);
static_assert(!symm::Impl::AtomicWord<long double>);

// Their elements are atomic between PEs: the type says so.
template <class View>
inline constexpr bool has_atomic_elements =
    std::is_base_of_v<symm::Impl::AtomicElement<typename View::value_type>,
                      typename View::reference_type>;
static_assert(
    std::is_base_of_v<desul::AtomicRef<long, desul::MemoryOrderRelaxed,
                                       desul::MemoryScopeNode>,
                      symm::Impl::AtomicElement<long>>);
static_assert(has_atomic_elements<AtomicView<long>>);
static_assert(has_atomic_elements<AtomicView<long const>>);
static_assert(has_atomic_elements<symm::UnmanagedView<AtomicView<long>>>);
static_assert(std::is_same_v<Kokkos::View<long*, Space>::reference_type,
                             symm::Impl::Reference<long>>);

template <class View>
struct UpdateElements {
  View view;
  typename View::value_type what;
  KOKKOS_FUNCTION void operator()(int) const {
    view(1) += what;
    ++view(2);
    view(3) -= what;
  }
};

template <class T>
void test_atomic_view(T what) {
  AtomicView<T> const view("atomic", 5);
  for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
    symm::barrier_all();
    // An element is an address: of PEs of this node.
    auto const there = symm::is_near(pe) ? pe : symm::my_pe();
    auto const peer  = symm::peer_view(view, there);
    run_all<WithHeap>(count(), UpdateElements<decltype(peer)>{peer, what});
    symm::barrier_all();
  }
  Kokkos::View<T*, Space> const plain = view;
  // From each PE of the node in its turn, and from itself in the turns of PEs
  // of other nodes.
  auto const n = static_cast<T>(count() * symm::n_pes());
  EXPECT_EQ(get(plain, 0), T{0});
  EXPECT_EQ(get(plain, 1), n * what);
  EXPECT_EQ(get(plain, 2), n);
  EXPECT_EQ(get(plain, 3), T{0} - n * what);
  EXPECT_EQ(get(plain, 4), T{0});
  symm::barrier_all();
}

TEST(AtomicViews, are_atomic_between_PEs) {
  test_atomic_view<long>(billions);
  test_atomic_view<long long>(-billions);
  test_atomic_view<std::uint64_t>(billions);
  test_atomic_view<int>(3);
  test_atomic_view<double>(0.25);
  test_atomic_view<float>(0.5F);
}

/// What is assigned to the elements of an Atomic View.
template <class View>
struct AssignElements {
  View view;
  AtomicView<int> other;
  KOKKOS_FUNCTION void operator()(int) const {
    view(0) = view(4);
    view(1) = (view(2) = 7);
    view(3) = other(0);
    Kokkos::View<typename View::const_data_type, typename View::device_type,
                 typename View::memory_traits> const readable(view);
    view(5) = readable(4);
  }
};

TEST(AtomicViews, store_what_is_assigned_to_their_elements) {
  AtomicView<long> const view("atomic", 6);
  AtomicView<int> const other("other", 1);
  Kokkos::View<long*, Space> const plain = view;
  set(plain, billions, 4);
  set(Kokkos::View<int*, Space>(other), 11, 0);
  Kokkos::parallel_for("assign",
                       Kokkos::RangePolicy<Space::execution_space>(0, 1),
                       AssignElements<AtomicView<long>>{view, other});
  Kokkos::fence();
  EXPECT_EQ(get(plain, 0), billions);
  EXPECT_EQ(get(plain, 1), 7);
  EXPECT_EQ(get(plain, 2), 7);
  EXPECT_EQ(get(plain, 3), 11);
  EXPECT_EQ(get(plain, 5), billions);
}

TEST(AtomicViews, are_copied_resized_and_made_of_plain_Views) {
  Kokkos::View<long*, Space> const plain("plain", 10);
  Kokkos::deep_copy(plain, billions);
  AtomicView<long> atomic = plain;
  EXPECT_EQ(atomic.data(), plain.data());
  AtomicView<long> other("other", 10);
  Kokkos::deep_copy(other, atomic);
  Kokkos::resize(other, 20);
  EXPECT_EQ(other.extent(0), 20U);
  EXPECT_EQ(count_equal(Kokkos::View<long*, Space>(other), billions), 10U);
  Kokkos::deep_copy(other, 7);
  EXPECT_EQ(count_equal(Kokkos::View<long*, Space>(other), 7), 20U);
  auto const part = Kokkos::subview(other, Kokkos::pair<int, int>(3, 5));
  static_assert(has_atomic_elements<std::remove_const_t<decltype(part)>>);
  auto const mirror =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), other);
  EXPECT_EQ(static_cast<long>(mirror(19)), 7);
}

TEST(AtomicTypes, the_type_is_that_of_the_object) {
  std::uint64_t word    = 0;
  std::uint64_t const x = 5;
  static_assert(std::is_same_v<decltype(symm::atomic_fetch_add(&word, 1)),
                               std::uint64_t>);
  static_assert(
      std::is_same_v<decltype(symm::atomic_fetch(&x)), std::uint64_t>);
  symm::atomic_add(&word, 1U);
  EXPECT_EQ(symm::atomic_fetch_inc(&word), 1U);
  EXPECT_EQ(symm::atomic_compare_swap(&word, 2U, 3U), 2U);
  EXPECT_EQ(symm::atomic_fetch(&word), 3U);
}

template <class Call>
void expect_error(char const* name, std::string const& text, Call const& call) {
  EXPECT_THAT(message_of<symm::UsageError>(call),
              AllOf(HasSubstr(std::string(name) + ": "), HasSubstr(text)));
}

/// Of all operations of the host.
void expect_errors(long* address, Pe pe, std::string const& text) {
  expect_error("symm::atomic_fetch", text,
               [&] { symm::atomic_fetch(address, pe); });
  expect_error("symm::atomic_fetch_inc", text,
               [&] { symm::atomic_fetch_inc(address, pe); });
  expect_error("symm::atomic_inc", text,
               [&] { symm::atomic_inc(address, pe); });
  expect_error("symm::atomic_set", text,
               [&] { symm::atomic_set(address, 1, pe); });
  expect_error("symm::atomic_swap", text,
               [&] { symm::atomic_swap(address, 1, pe); });
  expect_error("symm::atomic_fetch_add", text,
               [&] { symm::atomic_fetch_add(address, 1, pe); });
  expect_error("symm::atomic_add", text,
               [&] { symm::atomic_add(address, 1, pe); });
  expect_error("symm::atomic_fetch_min", text,
               [&] { symm::atomic_fetch_min(address, 1, pe); });
  expect_error("symm::atomic_min", text,
               [&] { symm::atomic_min(address, 1, pe); });
  expect_error("symm::atomic_fetch_max", text,
               [&] { symm::atomic_fetch_max(address, 1, pe); });
  expect_error("symm::atomic_max", text,
               [&] { symm::atomic_max(address, 1, pe); });
  expect_error("symm::atomic_fetch_and", text,
               [&] { symm::atomic_fetch_and(address, 1, pe); });
  expect_error("symm::atomic_and", text,
               [&] { symm::atomic_and(address, 1, pe); });
  expect_error("symm::atomic_fetch_or", text,
               [&] { symm::atomic_fetch_or(address, 1, pe); });
  expect_error("symm::atomic_or", text,
               [&] { symm::atomic_or(address, 1, pe); });
  expect_error("symm::atomic_fetch_xor", text,
               [&] { symm::atomic_fetch_xor(address, 1, pe); });
  expect_error("symm::atomic_xor", text,
               [&] { symm::atomic_xor(address, 1, pe); });
  expect_error("symm::atomic_compare_swap", text,
               [&] { symm::atomic_compare_swap(address, 0, 1, pe); });
}

class AtomicErrors : public testing::Test {
 protected:
  Kokkos::View<long*, Space> m_view{"v", 3};
};

TEST_F(AtomicErrors, a_PE_that_is_not_there) {
  std::string const n = std::to_string(symm::n_pes());
  expect_errors(m_view.data(), symm::n_pes(), "invalid PE " + n);
  expect_errors(m_view.data(), -1, "invalid PE -1");
  EXPECT_EQ(count_equal(m_view, 0), 3U);
}

TEST_F(AtomicErrors, an_address_outside_of_this_PEs_part_of_the_heap) {
  std::string const text = "not in this PE's part of the symmetric heap";
  long own               = 5;
  expect_errors(nullptr, 0, text);
  expect_errors(&own, 0, text);
  EXPECT_EQ(own, 5);
  if (right() != symm::my_pe() && symm::is_near(right())) {
    expect_errors(symm::peer_view(m_view, right()).data(), right(), text);
  }
  auto const map  = symm::heap_map(Space::memory_kind);
  auto* const end = reinterpret_cast<long*>(map.part(map.my_pe) + map.stride);
  expect_errors(end, 0, "8 bytes at ");
  symm::barrier_all();
  EXPECT_EQ(count_equal(m_view, 0), 3U);
}

TEST_F(AtomicErrors, GPU_memory_is_for_kernels) {
  if (is_on_host<Space>) GTEST_SKIP() << "the host reaches it";
  // (Of another node the other PE's host brings them.)
  auto const near = symm::is_near(right()) ? right() : symm::my_pe();
  expect_errors(m_view.data(), near, "is in GPU memory");
  EXPECT_EQ(count_equal(m_view, 0), 3U);
}

}  // namespace

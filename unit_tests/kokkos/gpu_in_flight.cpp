// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Kernels in flight on a View that is destroyed: they are waited for, before
// its memory gets another owner.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstddef>
#include <string>

#include <Kokkos_SymmetricSpace.hpp>
#include <support/late_stores.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Clock                      = std::chrono::steady_clock;
constexpr std::size_t n_elements = 1000;

template <class T>
class InFlight : public testing::Test {
 protected:
  InFlight() {
    settled();
    // The first launch of a kernel loads it, which takes time.
    View const view("v", 1);
    launch_late_stores(Gpu(), view.data(), 1, 0);
  }

  using View = Kokkos::View<int*, T>;

  static View make(std::string const& label,
                   symm::Deallocate deallocate = symm::Deallocate::retire) {
    return View(Kokkos::view_alloc(label, T(deallocate)), n_elements);
  }

  /// A View in the memory of one whose kernels are late, and whether these
  /// disturb it. Collective.
  static void expect_next_is_undisturbed(int const* address) {
    View const next = make("next");
    EXPECT_EQ(next.data(), address) << "the test shows too little";
    EXPECT_EQ(count_equal(next, 0), n_elements);
    Kokkos::deep_copy(next, 7);
    symm::barrier_all(Gpu());
    EXPECT_EQ(count_equal(next, 7), n_elements);
    symm::barrier_all();
  }
};
using Spaces = testing::Types<SymmetricGpuSpace, symm::SymmetricHostSpace>;
TYPED_TEST_SUITE(InFlight, Spaces);

TYPED_TEST(InFlight, the_end_of_a_View_waits_for_kernels) {
  auto view          = TestFixture::make("view");
  int* const address = view.data();
  symm::barrier_all();
  auto const start = Clock::now();
  launch_late_stores(Gpu(), address, n_elements, -1);
  EXPECT_LT(Clock::now() - start, std::chrono::milliseconds(late_ms))
      << "the kernel has ended: the test shows too little";
  view = {};
  EXPECT_GE(Clock::now() - start, late_on_host);
  TestFixture::expect_next_is_undisturbed(address);
}

TYPED_TEST(InFlight, M24_the_end_of_a_View_waits_for_kernels_on_a_peers_copy) {
  auto view          = TestFixture::make("view");
  int* const address = view.data();
  symm::barrier_all();
  launch_late_stores(Gpu(), symm::peer_view(view, right()).data(), n_elements,
                     -1);
  view = {};
  TestFixture::expect_next_is_undisturbed(address);
}

TYPED_TEST(InFlight, the_end_of_a_View_waits_for_kernels_of_other_streams) {
  gpuStream_t stream = nullptr;
  EXPECT_EQ(gpuStreamCreate(&stream), gpuSuccess);
  {
    Gpu const own_stream(stream);
    auto view          = TestFixture::make("view");
    int* const address = view.data();
    symm::barrier_all();
    launch_late_stores(own_stream, address, n_elements, -1);
    view = {};
    TestFixture::expect_next_is_undisturbed(address);
  }
  EXPECT_EQ(gpuStreamDestroy(stream), gpuSuccess);
}

TYPED_TEST(InFlight, M24_a_collective_end_of_a_View_waits_for_kernels) {
  auto view          = TestFixture::make("view", symm::Deallocate::collective);
  int* const address = view.data();
  symm::barrier_all();
  launch_late_stores(Gpu(), symm::peer_view(view, right()).data(), n_elements,
                     -1);
  view = {};
  TestFixture::expect_next_is_undisturbed(address);
}

TYPED_TEST(InFlight, barrier_all_of_an_execution_space_waits_for_its_kernels) {
  auto const view = TestFixture::make("view");
  symm::barrier_all();
  launch_late_stores(Gpu(), symm::peer_view(view, right()).data(), n_elements,
                     10 + symm::my_pe());
  symm::barrier_all(Gpu());
  EXPECT_EQ(count_equal(view, 10 + left()), n_elements);
  symm::barrier_all();
}

}  // namespace

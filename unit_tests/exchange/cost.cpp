// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a plan and a Migration cost in a job of many PEs, without neighbors and
// elements: docs/scaling.md has the figures.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

#include <Kokkos_SymmetricContainers.hpp>

#include "plans.hpp"

namespace {

using namespace symm_test;
namespace Tools = Kokkos::Tools::Experimental;

/// The bytes of Views in this scope.
class ViewBytes {
 public:
  ViewBytes() {
    s_now = s_most = 0;
    Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle,
                                         char const*, void const*,
                                         std::uint64_t bytes) {
      s_now += static_cast<long>(bytes);
      s_most = std::max(s_most, s_now);
    });
    Tools::set_deallocate_data_callback(
        [](Kokkos_Profiling_SpaceHandle, char const*, void const*,
           std::uint64_t bytes) { s_now -= static_cast<long>(bytes); });
  }
  ViewBytes(ViewBytes const&)            = delete;
  ViewBytes& operator=(ViewBytes const&) = delete;
  ~ViewBytes() {
    Tools::set_allocate_data_callback(nullptr);
    Tools::set_deallocate_data_callback(nullptr);
  }
  static long now() { return s_now; }
  static long most() { return s_most; }

 private:
  inline static long s_now  = 0;
  inline static long s_most = 0;
};

/// Expects bytes that grow with the PEs; besides, some for headers of Views and
/// for their ends.
void expect_bytes(long bytes, long of_each_pe, long of_headers) {
  auto const rest = bytes - of_each_pe * symm::n_pes();
  if (is_on_host<Memory> && Exec().concurrency() == 1) {
    EXPECT_EQ(rest, of_headers);
  } else {
    EXPECT_GE(rest, 0);
    EXPECT_LE(rest, 2304);
  }
}

TEST(CostOfContainers, of_a_plan_does_not_grow_with_the_PEs) {
  auto const none = ints({});
  long now = 0, most = 0;
  {
    ViewBytes const bytes;
    auto const plan = symm::ExchangePlan::from_exports(0, none, none);
    now             = ViewBytes::now();
    most            = ViewBytes::most();
  }
  std::printf("a plan: %ld bytes, %ld while it is made\n", now, most);
  // (24 bytes for each neighbor: there are none.)
  expect_bytes(now, 0, 768);
  expect_bytes(most, 176, 768);
}

// (And 32 bytes in lists that are no Views.)
TEST(CostOfContainers, of_a_migration_is_88_bytes_for_each_PE) {
  auto const none = ints({});
  long now        = 0;
  {
    Kokkos::View<int*, Memory> x("x", 0);
    ViewBytes const bytes;
    symm::Migration migration;
    migration.migrate(Exec(), none, x);
    now = ViewBytes::now();
  }
  std::printf("a migration: %ld bytes\n", now);
  expect_bytes(now, 88, 256);
}

}  // namespace

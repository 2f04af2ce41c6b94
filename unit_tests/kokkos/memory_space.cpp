// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// SymmetricSpace as a memory space of Kokkos, and kokkos_malloc() in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstring>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Host     = Kokkos::HostSpace;
using HostExec = Kokkos::DefaultHostExecutionSpace;

// The concept.
static_assert(Kokkos::is_space<Space>::value);
static_assert(Kokkos::is_memory_space_v<Space>);
static_assert(!Kokkos::is_execution_space_v<Space>);
static_assert(std::is_same_v<Space, symm::SymmetricHostSpace>);
static_assert(std::is_same_v<Space::memory_space, Space>);
static_assert(Kokkos::is_device_v<Space::device_type>);
static_assert(std::is_default_constructible_v<Space>);
static_assert(std::is_copy_constructible_v<Space>);
static_assert(std::is_same_v<Kokkos::View<int*, Space>::memory_space, Space>);
static_assert(
    std::is_same_v<Kokkos::View<int*, Space>::execution_space, HostExec>);
static_assert(symm::is_symmetric_space_v<Space>);
static_assert(!symm::is_symmetric_space_v<Host>);

// Who reaches whose memory.
static_assert(Kokkos::SpaceAccessibility<HostExec, Space>::accessible);
static_assert(Kokkos::SpaceAccessibility<Space, Host>::accessible);
static_assert(Kokkos::SpaceAccessibility<Host, Space>::accessible);
static_assert(Kokkos::SpaceAccessibility<Host, Space>::deepcopy);
static_assert(Kokkos::SpaceAccessibility<Space, Host>::deepcopy);
static_assert(Kokkos::SpaceAccessibility<Space, Space>::assignable);

// Symmetric memory is host memory; private memory has no copies on other PEs.
static_assert(Kokkos::SpaceAccessibility<Host, Space>::assignable);
static_assert(!Kokkos::SpaceAccessibility<Space, Host>::assignable);
static_assert(
    std::is_assignable_v<Kokkos::View<int*, Host>&, Kokkos::View<int*, Space>>);
static_assert(!std::is_assignable_v<Kokkos::View<int*, Space>&,
                                    Kokkos::View<int*, Host>>);
static_assert(!std::is_constructible_v<Kokkos::View<int*, Space>,
                                       Kokkos::View<int*, Host>>);

// A View's host mirror is the View itself.
static_assert(
    std::is_same_v<Kokkos::View<int*, Space>::host_mirror_type::memory_space,
                   Space>);

TEST(MemorySpace, has_a_name_for_tools) {
  EXPECT_STREQ(Space::name(), "SymmetricHost");
}

TEST(MemorySpace, a_HostSpace_View_of_symmetric_memory_keeps_it_alive) {
  auto const before = settled().live_blocks;
  Kokkos::View<int*, Host> host;
  {
    Kokkos::View<int*, Space> const view("v", 3);
    host = view;
    EXPECT_EQ(host.data(), view.data());
  }
  EXPECT_EQ(host.use_count(), 1);
  EXPECT_EQ(settled().live_blocks, before + 1);
  host = {};
  EXPECT_EQ(settled().live_blocks, before);
}

TEST(KokkosMalloc, M05_M18_memory_is_in_the_heap_and_peers_write_it) {
  constexpr std::size_t count = 333;
  GuardView const before;
  auto* const mine = static_cast<int*>(
      Kokkos::kokkos_malloc<Space>("ints", count * sizeof(int)));
  GuardView const after;
  int* const remote = symm::ptr(mine, right());
  EXPECT_NE(remote, nullptr) << symm::last_error();
  for (std::size_t i = 0; remote != nullptr && i < count; ++i) {
    remote[i] = value(symm::my_pe(), right(), i);
  }
  symm::barrier_all();
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(mine[i], value(left(), symm::my_pe(), i));
  }
  EXPECT_TRUE(before.is_intact());
  EXPECT_TRUE(after.is_intact());
  Kokkos::kokkos_free<Space>(mine);
}

TEST(KokkosMalloc, kokkos_free_is_local_and_the_memory_comes_back) {
  auto const before = settled().live_blocks;
  void* const block = Kokkos::kokkos_malloc<Space>(1000);
  symm::barrier_all();
  // One PE after the other, with a barrier between: a collective free would not
  // return, or be a mismatch.
  for (symm::Pe pe = 0; pe < symm::n_pes(); ++pe) {
    if (pe == symm::my_pe()) Kokkos::kokkos_free<Space>(block);
    symm::barrier_all();
  }
  void* const next = Kokkos::kokkos_malloc<Space>(1000);
  EXPECT_EQ(next, block);
  EXPECT_EQ(symm::heap_stats().live_blocks, before + 1);
  Kokkos::kokkos_free<Space>(next);
}

TEST(KokkosMalloc, M06_zero_bytes_give_null_without_a_barrier) {
  if (symm::my_pe() == 0) {
    EXPECT_EQ(Kokkos::kokkos_malloc<Space>(0), nullptr);
  }
  symm::barrier_all();
}

TEST(KokkosMalloc, S02_kokkos_realloc_keeps_the_contents) {
  auto* old = static_cast<char*>(Kokkos::kokkos_malloc<Space>(100));
  std::memset(old, symm::my_pe() + 1, 100);
  auto* const grown =
      static_cast<char*>(Kokkos::kokkos_realloc<Space>(old, 100'000));
  EXPECT_EQ(std::count(grown, grown + 100, symm::my_pe() + 1), 100);
  symm::barrier_all();
  Kokkos::kokkos_free<Space>(grown);
}

TEST(KokkosMalloc, M49_symm_free_of_it_is_an_error_that_names_it) {
  void* const block = Kokkos::kokkos_malloc<Space>("precious", 1000);
  testing::internal::CaptureStderr();
  symm::free(block);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("belongs to View \"precious\""));
  std::memset(block, 1, 1000);
  Kokkos::kokkos_free<Space>(block);
}

}  // namespace

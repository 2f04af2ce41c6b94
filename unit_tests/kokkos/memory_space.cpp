// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// SymmetricSpace as a memory space of Kokkos, and kokkos_malloc() in it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Host     = Kokkos::HostSpace;
using HostExec = Kokkos::DefaultHostExecutionSpace;

// Private memory of the same kind. (What CUDA's spaces have to do with ours is
// in gpu_spaces.cpp.)
#ifdef SYMM_TEST_GPU
static_assert(std::is_same_v<symm::SymmetricSpace, SymmetricGpuSpace>);
using Plain = std::conditional_t<is_on_host<Space>, Host, GpuSpace>;
#else
static_assert(std::is_same_v<symm::SymmetricSpace, symm::SymmetricHostSpace>);
using Plain = Host;
#endif

// The concept.
static_assert(Kokkos::is_space<Space>::value);
static_assert(Kokkos::is_memory_space_v<Space>);
static_assert(!Kokkos::is_execution_space_v<Space>);
static_assert(std::is_same_v<Space::memory_space, Space>);
static_assert(Kokkos::is_device_v<Space::device_type>);
static_assert(std::is_default_constructible_v<Space>);
static_assert(std::is_copy_constructible_v<Space>);
static_assert(std::is_same_v<Kokkos::View<int*, Space>::memory_space, Space>);
static_assert(
    std::is_same_v<Kokkos::View<int*, Space>::execution_space,
                   std::conditional_t<is_on_host<Space>, HostExec,
                                      Kokkos::DefaultExecutionSpace>>);
static_assert(symm::is_symmetric_space_v<Space>);
static_assert(!symm::is_symmetric_space_v<Host>);

// Who reaches whose memory.
static_assert(
    Kokkos::SpaceAccessibility<Space::execution_space, Space>::accessible);
static_assert(Kokkos::SpaceAccessibility<Space, Host>::accessible ==
              is_on_host<Space>);
static_assert(Kokkos::SpaceAccessibility<Host, Space>::accessible ==
              is_on_host<Space>);
static_assert(Kokkos::SpaceAccessibility<Space, Plain>::accessible);
static_assert(Kokkos::SpaceAccessibility<Plain, Space>::accessible);
static_assert(Kokkos::SpaceAccessibility<Host, Space>::deepcopy);
static_assert(Kokkos::SpaceAccessibility<Space, Host>::deepcopy);
static_assert(Kokkos::SpaceAccessibility<Space, Space>::assignable);

// Symmetric memory is host or GPU memory; private memory has no copies on other
// PEs.
static_assert(Kokkos::SpaceAccessibility<Plain, Space>::assignable);
static_assert(!Kokkos::SpaceAccessibility<Space, Plain>::assignable);
static_assert(std::is_assignable_v<Kokkos::View<int*, Plain>&,
                                   Kokkos::View<int*, Space>>);
#if SYMM_KOKKOS_MDSPAN_VIEWS  // legacy Views: an error in the assignment
static_assert(!std::is_assignable_v<Kokkos::View<int*, Space>&,
                                    Kokkos::View<int*, Plain>>);
static_assert(!std::is_constructible_v<Kokkos::View<int*, Space>,
                                       Kokkos::View<int*, Plain>>);
static_assert(!std::is_assignable_v<Kokkos::View<int*, Space>&,
                                    Kokkos::View<int*, Host>>);
#endif

// The host mirror of a View that the host reaches is the View itself.
static_assert(
    std::is_same_v<Kokkos::View<int*, Space>::host_mirror_type::memory_space,
                   std::conditional_t<is_on_host<Space>, Space, Host>>);

// It is made of {}, as Kokkos' spaces are.
static_assert(requires(void (*take)(Space)) { take({}); });

TEST(MemorySpace, has_a_name_for_tools) {
  EXPECT_STREQ(Space::name(),
               is_on_host<Space> ? "SymmetricHost" : "SymmetricCuda");
}

template <class T>
using Unmanaged = Kokkos::View<T*, Space, Kokkos::MemoryUnmanaged>;

TEST(MemorySpace, a_HostSpace_View_of_symmetric_memory_keeps_it_alive) {
  auto const before = settled().live_blocks;
  Kokkos::View<int*, Plain> plain;
  {
    Kokkos::View<int*, Space> const view("v", 3);
    plain = view;
    EXPECT_EQ(plain.data(), view.data());
  }
  EXPECT_EQ(plain.use_count(), 1);
  EXPECT_EQ(settled().live_blocks, before + 1);
  plain = {};
  EXPECT_EQ(settled().live_blocks, before);
}

TEST(MemorySpace, what_allocates_for_such_a_View_is_local) {
  Kokkos::View<int*, Space> const view("v", 3);
  auto const calls = n_calls();
  if (symm::my_pe() == 0) {  // one PE alone
    Kokkos::View<int*, Plain> plain(view);
    Kokkos::resize(plain, 5);
    EXPECT_NE(plain.data(), view.data());
  }
  EXPECT_EQ(n_calls(), calls);
  symm::barrier_all();
}

#ifndef SYMM_TEST_GPU  // (there such memory is pinned when it is created)
/// Bytes in pages that this process has touched, of the mappings that have the
/// `bytes` at `address`.
std::size_t touched_bytes(void const* address, std::size_t bytes) {
  auto const begin = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/numa_maps");
  std::size_t touched = 0;
  for (std::string line; std::getline(maps, line);) {
    std::istringstream words(line);
    std::uintptr_t start = 0;
    words >> std::hex >> start;
    if (start >= begin + bytes) break;
    if (start <= begin) touched = 0;  // of a mapping before
    std::size_t pages = 0;
    for (std::string word; words >> word;) {
      auto const number = [&] {
        return std::stoul(word.substr(word.find('=') + 1));
      };
      if (word.size() > 1 && word[0] == 'N' && word[1] >= '0' && word[1] <= '9')
        pages += number();
      if (word.starts_with("kernelpagesize_kB"))
        touched += pages * number() * 1024;
    }
  }
  return touched;
}

// So they are on its NUMA node, and not on that of the PE that puts first.
TEST(MemorySpace, pages_of_a_View_are_touched_first_by_its_own_PE) {
  constexpr std::size_t count = std::size_t{4} << 20U;
  constexpr std::size_t bytes = count * sizeof(int);
  if (!std::ifstream("/proc/self/numa_maps")) GTEST_SKIP() << "no numa_maps";
  Kokkos::View<int*, Space> const bare(
      Kokkos::view_alloc("bare", Kokkos::WithoutInitializing), count);
  EXPECT_LT(touched_bytes(bare.data(), bytes), bytes);
  Kokkos::View<int*, Space> const filled("filled", count);
  EXPECT_GE(touched_bytes(filled.data(), bytes), bytes);
}
#endif

TEST(KokkosMalloc, M05_M18_memory_is_in_the_heap_and_peers_write_it) {
  constexpr std::size_t count = 333;
  GuardView const before;
  auto* const mine = static_cast<int*>(
      Kokkos::kokkos_malloc<Space>("ints", count * sizeof(int)));
  GuardView const after;
  int* const remote = symm::ptr(mine, right());
  EXPECT_NE(remote, nullptr) << symm::last_error();
  if (remote != nullptr) {
    fill(Unmanaged<int>(remote, count), symm::my_pe(), right());
  }
  symm::barrier_all();
  EXPECT_EQ(count_wrong(Unmanaged<int>(mine, count), left(), symm::my_pe()),
            0U);
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
  EXPECT_EQ(stats().live_blocks, before + 1);
  Kokkos::kokkos_free<Space>(next);
}

TEST(KokkosMalloc, M06_zero_bytes_give_null_without_a_barrier) {
  if (symm::my_pe() == 0) {
    EXPECT_EQ(Kokkos::kokkos_malloc<Space>(0), nullptr);
  }
  symm::barrier_all();
}

TEST(KokkosMalloc, S02_kokkos_realloc_keeps_the_contents) {
  auto* old         = static_cast<char*>(Kokkos::kokkos_malloc<Space>(100));
  auto const letter = static_cast<char>(symm::my_pe() + 1);
  Kokkos::deep_copy(Unmanaged<char>(old, 100), letter);
  auto* const grown =
      static_cast<char*>(Kokkos::kokkos_realloc<Space>(old, 100'000));
  EXPECT_EQ(count_equal(Unmanaged<char>(grown, 100), letter), 100U);
  symm::barrier_all();
  Kokkos::kokkos_free<Space>(grown);
}

TEST(KokkosMalloc, M49_symm_free_of_it_is_an_error_that_names_it) {
  void* const block = Kokkos::kokkos_malloc<Space>("precious", 1000);
  testing::internal::CaptureStderr();
  symm::free(block);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::HasSubstr("belongs to View \"precious\""));
  Kokkos::deep_copy(Unmanaged<char>(static_cast<char*>(block), 1000), 1);
  Kokkos::kokkos_free<Space>(block);
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a View holds and how it is constructed: value types, constness, empty
// Views, construction options.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <type_traits>

#include <Kokkos_SymmetricSpace.hpp>

#include "view_helpers.hpp"

namespace {

using namespace symm_test;
using Kokkos::view_alloc;
using Kokkos::WithoutInitializing;

struct Particle {
  double position[3];
  int id;
};

/// Counts the objects of its type in this process.
class Counted {
 public:
  Counted() { ++n_alive; }
  Counted(Counted const& other) : m_number(other.m_number) { ++n_alive; }
  Counted& operator=(Counted const&) = default;
  ~Counted() {
    m_number = -1;
    --n_alive;
  }
  int m_number = 42;

  static inline int n_alive = 0;
};
static_assert(!std::is_trivially_copyable_v<Counted>);

TEST(ViewValues, a_struct_is_read_from_a_peer_by_member) {
  Kokkos::View<Particle*, Space> const view("particles", 7);
  auto const everywhere = symm::global_view(view);
  symm::barrier_all();
  for (std::size_t i = 0; i < view.size(); ++i) {
    everywhere(right(), i).id          = value(symm::my_pe(), right(), i);
    everywhere(right(), i).position[2] = value(symm::my_pe(), right(), i) + 0.5;
  }
  symm::barrier_all();
  for (std::size_t i = 0; i < view.size(); ++i) {
    EXPECT_EQ(view(i).id, value(left(), symm::my_pe(), i));
    EXPECT_EQ(view(i).position[2], value(left(), symm::my_pe(), i) + 0.5);
    EXPECT_EQ(view(i).position[1], 0);
  }
}

TEST(ViewValues, constructors_and_destructors_run_once_per_element_and_PE) {
  {
    Kokkos::View<Counted*, Space> const view("counted", 11);
    EXPECT_EQ(Counted::n_alive, 11);
    symm::barrier_all();
    auto const remote = symm::peer_view(view, right());
    EXPECT_EQ(remote(10).m_number, 42);
    symm::barrier_all();
    remote(3).m_number = value(symm::my_pe(), right(), 3);
    symm::barrier_all();
    EXPECT_EQ(view(3).m_number, value(left(), symm::my_pe(), 3));
    EXPECT_EQ(Counted::n_alive, 11) << "peer_view() owns elements";
  }
  EXPECT_EQ(Counted::n_alive, 0);
}

TEST(ViewValues, a_View_of_const_gives_const_elements) {
  Kokkos::View<int*, Space> const view("v", 4);
  Kokkos::View<int const*, Space> const read_only = view;
  auto const everywhere = symm::global_view(read_only);
  auto const remote     = symm::peer_view(read_only, right());
  static_assert(std::is_same_v<decltype(everywhere(0, 0)), int const&>);
  static_assert(std::is_same_v<decltype(remote(0)), int const&>);
  fill(view, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(remote, right(), right()), 0U);
  EXPECT_EQ(everywhere(right(), 3), value(right(), right(), 3));
  symm::barrier_all();
}

TEST(ViewValues, memory_traits_are_kept_by_peer_view) {
  using Traits = Kokkos::MemoryTraits<Kokkos::Restrict | Kokkos::RandomAccess>;
  Kokkos::View<int*, Space> const view("v", 4);
  Kokkos::View<int const*, Space, Traits> const fast = view;
  using Remote = decltype(symm::peer_view(fast, 0));
  static_assert(Remote::memory_traits::is_random_access);
  static_assert(Remote::memory_traits::is_restrict);
  static_assert(Remote::memory_traits::is_unmanaged);
  fill(view, symm::my_pe(), symm::my_pe());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(symm::peer_view(fast, right()), right(), right()), 0U);
  symm::barrier_all();
}

TEST(ViewValues, an_Atomic_View_has_an_Atomic_peer_view) {
  using Atomic = Kokkos::MemoryTraits<Kokkos::Atomic>;
  Kokkos::View<long, Space> const sum("sum");
  symm::barrier_all();
  auto const on_pe_0 =
      symm::peer_view(Kokkos::View<long, Space, Atomic>(sum), 0);
  for (int i = 0; i < 1000; ++i) on_pe_0() += symm::my_pe() + 1;
  symm::barrier_all();
  long const n = symm::n_pes();
  EXPECT_EQ(symm::global_view(sum)(0), 1000 * n * (n + 1) / 2);
  symm::barrier_all();
}

TEST(ViewValues, a_View_without_elements_is_a_View_on_all_PEs) {
  auto const before = settled().live_blocks;
  {
    Kokkos::View<int*, Space> const line("line", 0);
    Kokkos::View<int***, Kokkos::LayoutLeft, Space> const box("box", 5, 0, 2);
    Kokkos::View<double* [4], Space> const none("none", 0);
    EXPECT_EQ(line.size() + box.size() + none.size(), 0U);
    EXPECT_EQ(box.extent(0), 5U);
    EXPECT_EQ(line.use_count(), 1);
    EXPECT_EQ(symm::peer_view(box, right()).extent(2), 2U);
    EXPECT_EQ(symm::global_view(line).extent(0), 0U);
    Kokkos::deep_copy(line, 3);
    Kokkos::deep_copy(symm::peer_view(box, right()), box);
    symm::barrier_all();
    EXPECT_EQ(symm::heap_stats().live_blocks, before + 3);
  }
  EXPECT_EQ(settled().live_blocks, before);
}

TEST(ViewValues, a_default_constructed_View_is_local_and_has_empty_peers) {
  auto const before = symm::heap_stats();
  if (symm::my_pe() == 0) {
    Kokkos::View<int**, Space> const none;
    EXPECT_EQ(none.data(), nullptr);
    EXPECT_EQ(symm::peer_view(none, symm::n_pes() - 1).data(), nullptr);
    EXPECT_EQ(symm::global_view(none).peer(symm::n_pes() - 1).data(), nullptr);
    EXPECT_EQ(symm::global_view(none).extent(1), 0U);
  }
  EXPECT_EQ(symm::heap_stats(), before);
  symm::barrier_all();
}

TEST(ViewValues, S03_WithoutInitializing_leaves_the_memory_alone) {
  int const* recycled = nullptr;
  {
    Kokkos::View<int*, Space> const view("v", 1000);
    recycled = view.data();
    fill(view, symm::my_pe(), symm::my_pe());
  }
  Kokkos::View<int*, Space> const view(view_alloc(WithoutInitializing, "w"),
                                       1000);
  EXPECT_EQ(view.data(), recycled);
  EXPECT_EQ(count_wrong(view, symm::my_pe(), symm::my_pe()), 0U);
}

TEST(ViewValues, M26_a_put_right_after_an_uninitialised_View_is_kept) {
  for (int round = 0; round < 200; ++round) {
    Kokkos::View<int*, Space> const view(view_alloc(WithoutInitializing, "w"),
                                         100);
    fill(symm::peer_view(view, right()), symm::my_pe(), right());
    symm::barrier_all();
    EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
    symm::barrier_all();
  }
}

TEST(ViewValues, view_alloc_takes_an_execution_space_and_a_space) {
  Kokkos::DefaultHostExecutionSpace const exec;
  Kokkos::View<int*, Space> const view(view_alloc(exec, Space(), "labelled"),
                                       10);
  Kokkos::View<int*, Space> const raw(
      view_alloc("raw", exec, WithoutInitializing), 10);
  exec.fence();
  EXPECT_EQ(view.label(), "labelled");
  EXPECT_EQ(raw.label(), "raw");
  EXPECT_EQ(view(9), 0);
  symm::barrier_all();
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

TEST(ViewValues, padding_is_the_same_on_all_PEs) {
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const view(
      view_alloc("padded", Kokkos::AllowPadding), 257, 3);
  symm::barrier_all();
  auto const everywhere       = symm::global_view(view);
  everywhere(right(), 256, 2) = value(symm::my_pe(), right(), 0);
  symm::barrier_all();
  EXPECT_EQ(view(256, 2), value(left(), symm::my_pe(), 0));
}

}  // namespace

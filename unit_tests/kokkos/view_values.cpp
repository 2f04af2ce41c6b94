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

// Objects of type Counted in this process: those that the host has made, and
// those that its kernels have.
int s_n_alive = 0;
#ifdef SYMM_TEST_GPU
__device__ int s_n_alive_on_gpu = 0;
#endif

KOKKOS_FUNCTION void count_alive(int change) {
  KOKKOS_IF_ON_HOST((s_n_alive += change;))
  KOKKOS_IF_ON_DEVICE((Kokkos::atomic_add(&s_n_alive_on_gpu, change);))
}

int n_alive() {
  int on_gpu = 0;
#ifdef SYMM_TEST_GPU
  Kokkos::fence();
  EXPECT_EQ(gpuMemcpyFromSymbol(&on_gpu, s_n_alive_on_gpu, sizeof on_gpu),
            gpuSuccess);
#endif
  return s_n_alive + on_gpu;
}

/// Counts the objects of its type.
class Counted {
 public:
  KOKKOS_FUNCTION Counted() { count_alive(1); }
  KOKKOS_FUNCTION Counted(Counted const& other) : m_number(other.m_number) {
    count_alive(1);
  }
  Counted& operator=(Counted const&) = default;
  KOKKOS_FUNCTION ~Counted() {
    m_number = -1;
    count_alive(-1);
  }
  int m_number = 42;
};
static_assert(!std::is_trivially_copyable_v<Counted>);

}  // namespace

// They are numbers, whoever reads them.
template <>
inline constexpr bool symm::elements_are_shareable_v<Counted> = true;

namespace {

/// Of element i on PE `pe`.
struct SetNumber {
  symm::GlobalView<Kokkos::View<Counted*, Space>> everywhere;
  symm::Pe pe;
  std::size_t at;
  int number;
  KOKKOS_FUNCTION void operator()(std::size_t, std::size_t i) const {
    if (i == at) everywhere(pe, i).m_number = number;
  }
};

struct IsNumber {
  symm::GlobalView<Kokkos::View<Counted*, Space>> everywhere;
  symm::Pe pe;
  std::size_t at;
  int number;
  KOKKOS_FUNCTION bool operator()(std::size_t, std::size_t i) const {
    return i == at && everywhere(pe, i).m_number == number;
  }
};

/// What `from` writes into the particles of `to`.
struct SetParticle {
  symm::GlobalView<Kokkos::View<Particle*, Space>> everywhere;
  symm::Pe from;
  symm::Pe to;
  KOKKOS_FUNCTION void operator()(std::size_t, std::size_t i) const {
    everywhere(to, i).id          = value(from, to, i);
    everywhere(to, i).position[2] = value(from, to, i) + 0.5;
  }
};

struct IsParticleWrong {
  Kokkos::View<Particle*, Space> view;
  symm::Pe from;
  symm::Pe to;
  KOKKOS_FUNCTION bool operator()(std::size_t, std::size_t i) const {
    return view(i).id != value(from, to, i) ||
           view(i).position[2] != value(from, to, i) + 0.5 ||
           view(i).position[1] != 0;
  }
};

TEST(ViewValues, a_struct_is_read_from_a_peer_by_member) {
  Kokkos::View<Particle*, Space> const view("particles", 7);
  auto const everywhere = symm::global_view(view);
  symm::barrier_all();
  for_each_element(view, SetParticle{everywhere, symm::my_pe(), right()});
  symm::barrier_all();
  EXPECT_EQ(count_elements(view, IsParticleWrong{view, left(), symm::my_pe()}),
            0U);
}

TEST(ViewValues, constructors_and_destructors_run_once_per_element_and_PE) {
  {
    Kokkos::View<Counted*, Space> const view("counted", 11);
    EXPECT_EQ(n_alive(), 11);
    symm::barrier_all();
    auto const everywhere = symm::global_view(view);
    auto const remote     = symm::peer_view(view, right());
    EXPECT_EQ(count_elements(remote, IsNumber{everywhere, right(), 10, 42}),
              1U);
    symm::barrier_all();
    for_each_element(remote, SetNumber{everywhere, right(), 3,
                                       value(symm::my_pe(), right(), 3)});
    symm::barrier_all();
    EXPECT_EQ(count_elements(view, IsNumber{everywhere, symm::my_pe(), 3,
                                            value(left(), symm::my_pe(), 3)}),
              1U);
    EXPECT_EQ(n_alive(), 11) << "peer_view() owns elements";
  }
  EXPECT_EQ(n_alive(), 0);
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
  EXPECT_EQ(get_global(everywhere, right(), 3), value(right(), right(), 3));
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

using AtomicSum =
    Kokkos::View<long, Space, Kokkos::MemoryTraits<Kokkos::Atomic>>;

void add_1000_times(symm::UnmanagedView<AtomicSum> const& sum, long what) {
  using Exec = Space::execution_space;
  Kokkos::parallel_for(
      "add", Kokkos::RangePolicy<Exec>(0, 1000),
      KOKKOS_LAMBDA(int) { sum() += what; });
  Kokkos::fence();
}

TEST(ViewValues, an_Atomic_View_has_an_Atomic_peer_view) {
  Kokkos::View<long, Space> const sum("sum");
  symm::barrier_all();
  // Kokkos' atomics of a GPU are so between its own threads: there, one PE
  // alone adds to each.
  auto const to = is_on_host<Space> ? 0 : right();
  add_1000_times(symm::peer_view(AtomicSum(sum), to), symm::my_pe() + 1);
  symm::barrier_all();
  long const n = symm::n_pes();
  if (is_on_host<Space>) {
    EXPECT_EQ(get_global(symm::global_view(sum), 0), 1000 * n * (n + 1) / 2);
  } else {
    EXPECT_EQ(get_global(symm::global_view(sum), right()),
              1000 * (symm::my_pe() + 1));
  }
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
    EXPECT_EQ(stats().live_blocks, before + 3);
  }
  EXPECT_EQ(settled().live_blocks, before);
}

TEST(ViewValues, a_default_constructed_View_is_local_and_has_empty_peers) {
  auto const before = stats();
  if (symm::my_pe() == 0) {
    Kokkos::View<int**, Space> const none;
    EXPECT_EQ(none.data(), nullptr);
    EXPECT_EQ(symm::peer_view(none, symm::n_pes() - 1).data(), nullptr);
    EXPECT_EQ(symm::global_view(none).peer(symm::n_pes() - 1).data(), nullptr);
    EXPECT_EQ(symm::global_view(none).extent(1), 0U);
  }
  EXPECT_EQ(stats(), before);
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

TEST(ViewValues, M26_a_put_right_after_an_uninitialized_View_is_kept) {
  for (int round = 0; round < rounds(200); ++round) {
    Kokkos::View<int*, Space> const view(view_alloc(WithoutInitializing, "w"),
                                         100);
    fill(symm::peer_view(view, right()), symm::my_pe(), right());
    symm::barrier_all();
    EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
    symm::barrier_all();
  }
}

TEST(ViewValues, view_alloc_takes_an_execution_space_and_a_space) {
  Space::execution_space const exec;
  Kokkos::View<int*, Space> const view(view_alloc(exec, Space(), "labeled"),
                                       10);
  Kokkos::View<int*, Space> const raw(
      view_alloc("raw", exec, WithoutInitializing), 10);
  exec.fence();
  EXPECT_EQ(view.label(), "labeled");
  EXPECT_EQ(raw.label(), "raw");
  EXPECT_EQ(get(view, 9), 0);
  symm::barrier_all();
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
}

TEST(ViewValues, padding_is_the_same_on_all_PEs) {
  Kokkos::View<double**, Kokkos::LayoutLeft, Space> const view(
      view_alloc("padded", Kokkos::AllowPadding), 257, 3);
  symm::barrier_all();
  set_global(symm::global_view(view), right(), value(symm::my_pe(), right(), 0),
             256, 2);
  symm::barrier_all();
  EXPECT_EQ(get(view, 256, 2), value(left(), symm::my_pe(), 0));
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Views in pools: what Kokkos does with them.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pool_test.hpp"

namespace {

using namespace symm_test;
using testing::AllOf;
using testing::HasSubstr;

class PoolViewLife : public BothPools {
 protected:
  TestPool const m_pool{GetParam()};
};
SYMM_TEST_BOTH_POOLS(PoolViewLife);

/// Of a block with Kokkos' header.
constexpr std::size_t bytes_with_header(std::size_t bytes) {
  return (bytes + 128 + 255) / 256 * 256;
}

TEST_P(PoolViewLife, H14_its_kernels_find_it_filled) {
  auto const exec = streams(1)[0];
  for (int i = 0; i < 3; ++i) {
    View const view(Kokkos::view_alloc("v", exec, Space(m_pool)), 1000);
    Kokkos::parallel_for(
        "H14", Kokkos::RangePolicy<Exec>(exec, 0, 1000),
        KOKKOS_LAMBDA(int const n) { view(n) += n + 1; });
    exec.fence();
    EXPECT_EQ(get(view, 0), 1);
    EXPECT_EQ(get(view, 999), 1000) << "memory that was used before";
  }
}

TEST_P(PoolViewLife, H10_data_are_aligned_to_256_bytes_behind_the_header) {
  Exec const exec;
  std::vector<View> views;
  for (std::size_t const n : {1UL, 0UL, 63UL, 64UL, 65UL, 1000UL}) {
    views.emplace_back(Kokkos::view_alloc("v", exec, Space(m_pool),
                                          Kokkos::WithoutInitializing),
                       n);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(views.back().data()) % 256, 0U);
  }
  EXPECT_EQ(m_pool.used(), 2 * bytes_with_header(4) + bytes_with_header(252) +
                               bytes_with_header(256) + bytes_with_header(260) +
                               bytes_with_header(4000));
  views.clear();
  EXPECT_EQ(m_pool.used(), 0U);
}

TEST_P(PoolViewLife, H12_without_an_instance_it_is_in_the_pool_too) {
  {
    View const view(Kokkos::view_alloc("v", Space(m_pool)), 1000);
    EXPECT_EQ(m_pool.used(), bytes_with_header(4000));
    EXPECT_EQ(count_equal(view, 0), 1000U);
    EXPECT_EQ(view.label(), "v");
  }
  EXPECT_EQ(m_pool.used(), 0U);
}

TEST_P(PoolViewLife, H20_the_last_copy_frees_it) {
  Exec const exec;
  View view(Kokkos::view_alloc("of a pool", exec, Space(m_pool)), 100);
  auto const used = m_pool.used();
  EXPECT_GT(used, 0U);
  EXPECT_EQ(view.label(), "of a pool");
  auto copy = view;
  EXPECT_EQ(copy.use_count(), 2);
  std::optional part = Kokkos::subview(copy, std::pair(20, 30));
  view               = {};
  copy               = {};
  EXPECT_EQ(m_pool.used(), used) << "a part of it lives";
  EXPECT_EQ(part->label(), "of a pool");
  part.reset();
  EXPECT_EQ(m_pool.used(), 0U);
}

TEST_P(PoolViewLife, H20_it_is_freed_on_the_stream_that_it_was_made_on) {
  m_pool.set_policy(false, false, false);
  make_room(m_pool, mib);
  auto const exec = streams(2);
  void* first     = nullptr;
  {
    View const view(Kokkos::view_alloc("v", exec[0], Space(m_pool)), 1000);
    first = view.data();
  }
  if (!is_local()) symm::barrier(exec[0], symm::team_world());
  View const other(Kokkos::view_alloc("v", exec[1], Space(m_pool)), 1000);
  EXPECT_NE(other.data(), first);
  View const again(Kokkos::view_alloc("v", exec[0], Space(m_pool)), 1000);
  EXPECT_EQ(again.data(), first);
}

TEST_P(PoolViewLife, H44_it_outlives_the_destruction_of_its_pool) {
  Exec const exec;
  auto const before = settled().mapped_bytes;
  auto const pool   = new_pool(GetParam());
  View view(Kokkos::view_alloc("v", exec, Space(pool)), 1000);
  exec.fence();
  fill(view, symm::my_pe(), right());
  EXPECT_EQ(symm::mem_pool_destroy(pool), Status::success);
  EXPECT_THROW(View(Kokkos::view_alloc("late", exec, Space(pool)), 10),
               symm::UsageError);
  symm::heap_trim();
  EXPECT_EQ(count_wrong(view, symm::my_pe(), right()), 0U);
  view = {};
  EXPECT_EQ(settled().mapped_bytes, before);
}

TEST_P(PoolViewLife, H17_more_than_there_is_throws_OutOfMemory) {
  Exec const exec;
  auto const huge = std::numeric_limits<std::size_t>::max() / sizeof(int);
  for (std::size_t const n : {std::size_t{1} << 50U, huge, huge - 32}) {
    EXPECT_THROW(View(Kokkos::view_alloc("too much", exec, Space(m_pool)), n),
                 symm::OutOfMemory)
        << n;
    EXPECT_THROW(View(Kokkos::view_alloc("too much", exec, Space(m_pool),
                                         Kokkos::WithoutInitializing),
                      n),
                 symm::OutOfMemory)
        << n;
  }
  EXPECT_EQ(m_pool.used(), 0U);
  View const small(Kokkos::view_alloc("small", exec, Space(m_pool)), 10);
}

// An element whose constructor and destructor Kokkos runs.
struct Counted {
  int number;
  KOKKOS_FUNCTION Counted() : number(42) {}
  KOKKOS_FUNCTION ~Counted() { number = 0; }
};

TEST_P(PoolViewLife, H14_elements_are_constructed) {
  Exec const exec;
  {
    Kokkos::View<Counted*, Space> const view(
        Kokkos::view_alloc("v", exec, Space(m_pool)), 100);
    exec.fence();
    Kokkos::View<int*, Space, Kokkos::MemoryUnmanaged> const numbers(
        &view.data()->number, 100);
    EXPECT_EQ(count_equal(numbers, 42), 100U);
  }
  EXPECT_EQ(m_pool.used(), 0U);
}

TEST_P(PoolViewLife, H10_deep_copy_and_mirrors) {
  Exec const exec;
  View const view(Kokkos::view_alloc("v", exec, Space(m_pool)), 1000);
  View const other(Kokkos::view_alloc("other", exec, Space(m_pool)), 1000);
  Kokkos::deep_copy(exec, view, 7);
  Kokkos::deep_copy(exec, other, view);
  exec.fence();
  EXPECT_EQ(count_equal(other, 7), 1000U);
  auto const host =
      Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, other);
  EXPECT_EQ(host(999), 7);
  View const ordinary("ordinary", 1000);
  Kokkos::deep_copy(ordinary, other);
  EXPECT_EQ(count_equal(ordinary, 7), 1000U);
}

// Kokkos allocates anew in a space that it makes itself.
TEST_P(PoolViewLife, H12_resize_gives_an_ordinary_View) {
  Exec const exec;
  View view(Kokkos::view_alloc("v", exec, Space(m_pool)), 100);
  exec.fence();
  Kokkos::deep_copy(view, 5);
  auto const calls = n_calls();
  Kokkos::resize(view, 200);
  EXPECT_GT(n_calls(), calls) << "that is collective";
  EXPECT_EQ(m_pool.used(), 0U);
  EXPECT_EQ(view.label(), "v");
  EXPECT_EQ(count_equal(view, 5), 100U);
  View again(Kokkos::view_alloc("v", exec, Space(m_pool)), 100);
  Kokkos::realloc(again, 200);
  EXPECT_EQ(m_pool.used(), 0U);
  EXPECT_EQ(count_equal(again, 0), 200U);
}

TEST_P(PoolViewLife, H12_kokkos_malloc_is_in_no_pool) {
  auto const live   = settled().live_blocks;
  void* const block = Kokkos::kokkos_malloc<Space>("block", 1000);
  EXPECT_EQ(m_pool.used(), 0U);
  EXPECT_EQ(stats().live_blocks, live + 1);
  EXPECT_EQ(symm::free_async(block, Exec()), Status::invalid_value);
  Kokkos::kokkos_free<Space>(block);
  EXPECT_EQ(settled().live_blocks, live);
}

TEST_P(PoolViewLife, H24_a_View_is_not_freed_by_its_address) {
  Exec const exec;
  View const view(Kokkos::view_alloc("v", exec, Space(m_pool)), 100);
  EXPECT_EQ(symm::free_async(view.data(), exec), Status::invalid_value);
  EXPECT_GT(m_pool.used(), 0U);
}

TEST_P(PoolViewLife, M05_only_those_of_symmetric_pools_have_peers) {
  Exec const exec;
  View const view(Kokkos::view_alloc("v", exec, Space(m_pool)), 100);
  if (is_local()) {
    EXPECT_THROW(symm::global_view(view), symm::UsageError);
    EXPECT_THROW(symm::peer_view(view, right()), symm::UsageError);
    return;
  }
  symm::barrier(exec, symm::team_world());
  exec.fence();
  fill(symm::peer_view(view, right()), symm::my_pe(), right());
  symm::barrier_all();
  EXPECT_EQ(count_wrong(view, left(), symm::my_pe()), 0U);
  EXPECT_EQ(get_global(symm::global_view(view), symm::my_pe(), 99),
            value(left(), symm::my_pe(), 99));
  symm::barrier_all();
}

// Kokkos Tools.

struct PoolEvent {
  std::string what;
  std::string space;
  std::string label;
  std::uint64_t bytes;

  friend bool operator==(PoolEvent const&, PoolEvent const&) = default;
};

std::vector<PoolEvent> s_pool_events;

TEST_P(PoolViewLife, H10_H20_Tools_see_it_come_and_go) {
  namespace Tools = Kokkos::Tools::Experimental;
  Exec const exec;
  s_pool_events.clear();
  Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle space,
                                       char const* label, void const*,
                                       std::uint64_t bytes) {
    s_pool_events.push_back({"allocate", space.name, label, bytes});
  });
  Tools::set_deallocate_data_callback([](Kokkos_Profiling_SpaceHandle space,
                                         char const* label, void const*,
                                         std::uint64_t bytes) {
    s_pool_events.push_back({"deallocate", space.name, label, bytes});
  });
  {
    View const view(Kokkos::view_alloc("flux", exec, Space(m_pool)), 100);
    EXPECT_EQ(s_pool_events.size(), 1U);
    auto const copy = view;
  }
  Tools::set_allocate_data_callback(nullptr);
  Tools::set_deallocate_data_callback(nullptr);
  EXPECT_EQ(s_pool_events, (std::vector<PoolEvent>{
                               {"allocate", Space::name(), "flux", 400},
                               {"deallocate", Space::name(), "flux", 400}}));
}

}  // namespace

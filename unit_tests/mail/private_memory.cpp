// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// One PE has no private memory: collective calls fail on all PEs.

#include <gtest/gtest.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricContainers.hpp>
#include <support/LackOfMemory.hpp>
#include <support/pes.hpp>

namespace {

using symm_test::CountedAllocations;

namespace Tools = Kokkos::Tools::Experimental;

/// How many allocations f() makes until a View has a label that ends so.
template <class F>
int count_until(char const* label_ends, F const& f) {
  static std::string_view s_label_ends;
  static int s_count = 0;
  s_label_ends       = label_ends;
  s_count            = 0;
  Tools::set_allocate_data_callback([](Kokkos_Profiling_SpaceHandle,
                                       char const* label, void const*,
                                       std::uint64_t) {
    if (std::string_view(label).ends_with(s_label_ends))
      s_count = CountedAllocations::count;
  });
  CountedAllocations::count    = 0;
  CountedAllocations::fails_at = 1'000'000;
  f();
  CountedAllocations::fails_at = 0;
  Tools::set_allocate_data_callback(nullptr);
  return s_count;
}

/// Lets one allocation after the other fail on PE `poor` in f().
template <class F>
void expect_errors_on_all_PEs(symm::Pe poor, int n_allocations, F const& f) {
  for (int which = 1; which <= n_allocations; ++which) {
    int has_thrown               = 0;
    CountedAllocations::count    = 0;
    CountedAllocations::fails_at = symm::my_pe() == poor ? which : 0;
    try {
      f();
    } catch (symm::Error const&) {
      has_thrown = 1;
    }
    CountedAllocations::fails_at = 0;
    EXPECT_EQ(has_thrown, 1) << which;
    if (!symm_test::is_equal_on_all_pes(has_thrown)) return;
  }
}

// (Labels of Views are in private memory, too: no PE alone may lack that.)
TEST(PrivateMemory, a_mailbox_begins_on_all_PEs_or_on_none) {
  std::string const label = "a label that is in memory of its own";
  auto const begin        = [&] {
    symm::Mailbox<int> const mailbox(label, [](int const&) {});
  };
  begin();  // later ones need no more memory
  auto const n = count_until(", outbox", begin);
  EXPECT_GT(n, 8);
  expect_errors_on_all_PEs(symm::n_pes() - 1, n, begin);
  begin();
}

// (Small ones are of Kokkos, for Views.)
TEST(PrivateMemory, sort_has_its_lists_on_all_PEs_or_on_none) {
  Kokkos::DefaultExecutionSpace const exec;
  constexpr int n = 10'000;
  Kokkos::View<int*, Kokkos::HostSpace> keys("keys", n), values("values", n);
  auto const sort = [&] {
    for (int k = 0; k < n; ++k) keys(k) = (k * 7919 + symm::my_pe()) % 10'007;
    symm::sort(exec, keys, values);
  };
  sort();
  CountedAllocations::least_bytes = 1024;
  CountedAllocations::count       = 0;
  CountedAllocations::fails_at    = 1'000'000;
  sort();
  CountedAllocations::fails_at = 0;
  auto const n_of_poor         = CountedAllocations::count;  // of all PEs alike
  EXPECT_GE(n_of_poor, 5);
  expect_errors_on_all_PEs(0, n_of_poor, sort);
  CountedAllocations::least_bytes = 0;
  sort();
  for (int k = 1; k < n; ++k) EXPECT_LE(keys(k - 1), keys(k));
}

/// The allocations of this PE in f() that count.
template <class F>
int count_allocations(F const& f) {
  CountedAllocations::count    = 0;
  CountedAllocations::fails_at = 1'000'000;
  f();
  CountedAllocations::fails_at = 0;
  return CountedAllocations::count;
}

// A PE that has none left must not leave the others alone.
TEST(PrivateMemory, an_exchange_takes_none_to_wait_for_a_late_PE) {
  int const next = (symm::my_pe() + 1) % symm::n_pes();
  Kokkos::View<int*, Kokkos::HostSpace> indices("indices", 1), pes("pes", 1);
  pes(0)    = next;
  auto plan = symm::ExchangePlan::from_imports(1, indices, pes);
  Kokkos::View<int*, symm::SymmetricSpace> numbers("numbers", 2);
  symm::SymmetricSpace::execution_space const exec;
  plan.gather(exec, numbers);
  int n_of_late = -1, n_of_waiting = -1;
  for (int late = 0; late < symm::n_pes(); ++late) {
    symm::barrier_all();
    if (late == symm::my_pe())
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    auto const n = count_allocations([&] { plan.gather(exec, numbers); });
    if (late == symm::my_pe()) n_of_late = n;
    if (late == next) n_of_waiting = n;
  }
  EXPECT_EQ(n_of_waiting, n_of_late);
}

TEST(PrivateMemory, an_exchange_of_a_list_of_Views_takes_as_much_as_of_one) {
  int const next = (symm::my_pe() + 1) % symm::n_pes();
  Kokkos::View<int*, Kokkos::HostSpace> indices("indices", 1), pes("pes", 1);
  pes(0)    = next;
  auto plan = symm::ExchangePlan::from_imports(1, indices, pes);
  symm::SymmetricSpace::execution_space const exec;
  using View = Kokkos::View<int*, symm::SymmetricSpace>;
  std::vector<View> views;
  // (Kokkos takes some for each kernel, which has 16 of them.)
  for (int k = 0; k < 16; ++k) views.emplace_back("numbers", 2);
  plan.gather(exec, views);  // there is room now
  auto const n_of_one = count_allocations([&] { plan.gather(exec, views[0]); });
  EXPECT_EQ(count_allocations([&] { plan.gather(exec, views); }), n_of_one);
  exec.fence();
  symm::barrier_all();
}

/// PE `poor` lacks memory for one allocation after the other in f(), until
/// there are no more.
template <class F>
void expect_all_or_none(symm::Pe poor, F const& f) {
  int which    = 1;
  bool is_poor = true;
  for (; is_poor && which < 1000; ++which) {
    int has_thrown               = 0;
    CountedAllocations::count    = 0;
    CountedAllocations::fails_at = symm::my_pe() == poor ? which : 0;
    try {
      f();
    } catch (symm::Error const&) {
      has_thrown = 1;
    }
    CountedAllocations::fails_at = 0;
    // The poor PE knows whether an allocation failed.
    auto const is_last =
        symm::my_pe() == poor && CountedAllocations::count < which ? 1 : 0;
    is_poor = symm::reduce(symm::team_world(), is_last, symm::Max{}) == 0;
    EXPECT_EQ(has_thrown, is_poor ? 1 : 0) << which;
    if (!symm_test::is_equal_on_all_pes(has_thrown)) return;
  }
  EXPECT_GT(which, 2);
}

// (Small ones are labels, and of Kokkos for Views.)
TEST(PrivateMemory, migrate_moves_on_all_PEs_or_on_none) {
  Kokkos::DefaultExecutionSpace const exec;
  using Memory = symm::SymmetricSpace::execution_space::memory_space;
  int const n = symm::n_pes(), me = symm::my_pe();
  constexpr int count = 20'000;
  for (symm::Pe const poor : {0, n - 1}) {
    auto const in_memory = [](auto const& value_of) {
      Kokkos::View<int*, Kokkos::HostSpace> values("values", count);
      for (std::size_t k = 0; k < count; ++k) values(k) = value_of(k);
      return Kokkos::create_mirror_view_and_copy(Memory(), values);
    };
    auto const id_at = [me](std::size_t k) {
      return me * count + static_cast<int>(k);
    };
    CountedAllocations::least_bytes = 1024;
    expect_all_or_none(poor, [&] {
      CountedAllocations::least_bytes =
          1U << 30U;  // those of the test do not count
      auto id = in_memory(id_at);
      Kokkos::View<double* [3], Memory> x("x", count);
      Kokkos::View<short*, symm::SymmetricSpace> s("s", count);
      // The Views of PE `poor` grow.
      auto const dest =
          in_memory([&](std::size_t k) { return k % 3 == 0 ? me : poor; });
      symm::Migration migration;
      CountedAllocations::least_bytes = 1024;
      CountedAllocations::count       = 0;
      try {
        migration.migrate(exec, dest, id, x, s);
      } catch (symm::Error const&) {
        // Nothing has moved, and the next call works.
        auto const failed = std::exchange(CountedAllocations::fails_at, 0);
        auto const ids =
            Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), id);
        std::size_t n_wrong = 0;
        for (std::size_t k = 0; k < count; ++k) n_wrong += ids(k) != id_at(k);
        EXPECT_EQ(n_wrong, 0U);
        EXPECT_GT(migration.migrate(exec, dest, id, x, s), 0U);
        CountedAllocations::fails_at = failed;
        throw;
      }
    });
    CountedAllocations::least_bytes = 0;
  }
}

TEST(PrivateMemory, a_plan_is_made_on_all_PEs_or_on_none) {
  int const n = symm::n_pes(), me = symm::my_pe();
  constexpr std::size_t count = 3000;
  Kokkos::View<int*, Kokkos::HostSpace> indices("indices", count);
  Kokkos::View<int*, Kokkos::HostSpace> pes("pes", count);
  for (std::size_t k = 0; k < count; ++k) {
    indices(k) = static_cast<int>(k * 7 % count);
    pes(k)     = (me + static_cast<int>(k) % 2) % n;
  }
  auto const make = [&] {
    auto const plan = symm::ExchangePlan::from_imports(count, indices, pes);
    EXPECT_EQ(plan.n_ghosts(), count);
  };
  make();
  CountedAllocations::least_bytes = 1024;
  expect_all_or_none(n - 1, make);
  CountedAllocations::least_bytes = 0;
  make();
}

TEST(PrivateMemory, a_map_and_a_queue_begin_on_all_PEs_or_on_none) {
  auto const make_map = [] {
    symm::DistributedHashMap<long, long> const map("map", 1000);
  };
  auto const make_queue = [] {
    symm::WorkQueue<long> const queue("queue", [](long) {});
  };
  make_map();
  make_queue();
  CountedAllocations::least_bytes = 1024;
  expect_all_or_none(0, make_map);
  expect_all_or_none(symm::n_pes() - 1, make_queue);
  CountedAllocations::least_bytes = 0;
}

}  // namespace

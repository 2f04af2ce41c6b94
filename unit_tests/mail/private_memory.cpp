// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// One PE has no private memory: collective calls fail on all PEs.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <string>
#include <string_view>

#include <Kokkos_Core.hpp>
#include <Kokkos_SymmetricSpace.hpp>
#include <support/pes.hpp>

namespace {

// Which allocation of this thread fails, counted from 1; 0: none does.
thread_local int t_fails_at = 0;
thread_local int t_count    = 0;
// Smaller ones do not count.
thread_local std::size_t t_least_bytes = 0;

bool must_fail(std::size_t bytes) {
  return t_fails_at > 0 && bytes >= t_least_bytes && ++t_count == t_fails_at;
}

void* allocate(std::size_t bytes) {
  if (must_fail(bytes)) throw std::bad_alloc();
  if (void* const memory = std::malloc(bytes > 0 ? bytes : 1)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

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
    if (std::string_view(label).ends_with(s_label_ends)) s_count = t_count;
  });
  t_count    = 0;
  t_fails_at = 1'000'000;
  f();
  t_fails_at = 0;
  Tools::set_allocate_data_callback(nullptr);
  return s_count;
}

/// Lets one allocation after the other fail on PE `poor` in f().
template <class F>
void expect_errors_on_all_PEs(symm::Pe poor, int n_allocations, F const& f) {
  for (int which = 1; which <= n_allocations; ++which) {
    int has_thrown = 0;
    t_count        = 0;
    t_fails_at     = symm::my_pe() == poor ? which : 0;
    try {
      f();
    } catch (symm::OutOfMemory const&) {
      has_thrown = 1;
    }
    t_fails_at = 0;
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
  auto const n = count_until(", outboxes", begin);
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
  t_least_bytes = 1024;
  t_count       = 0;
  t_fails_at    = 1'000'000;
  sort();
  t_fails_at           = 0;
  auto const n_of_poor = t_count;  // of all PEs alike
  EXPECT_GE(n_of_poor, 5);
  expect_errors_on_all_PEs(0, n_of_poor, sort);
  t_least_bytes = 0;
  sort();
  for (int k = 1; k < n; ++k) EXPECT_LE(keys(k - 1), keys(k));
}

}  // namespace

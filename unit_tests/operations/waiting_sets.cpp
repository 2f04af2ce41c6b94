// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// Waits and tests of several variables: the families that end in _all, _any and
// _some (OpenSHMEM 1.5, point-to-point synchronization).

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

#include <Kokkos_SymmetricSpace.hpp>

#include "wait_helpers.hpp"

namespace {

using namespace symm_test;
using symm::Compare;
using symm::Pe;

template <class Exec>
class WaitingSets : public testing::Test {};
TYPED_TEST_SUITE(WaitingSets, Execs);

// Several variables: of 5, whose values are 10 to 14 when all are there.

constexpr std::size_t n_ivars = 5;

template <class Exec, class Body>
int errors_of_five(Body body) {
  body.ivars  = Array<std::int64_t>("ivars", n_ivars);
  body.errors = Errors("errors");
  return count_errors<Exec>(body);
}

#define SYMM_COUNT_ERROR(...)       \
  do {                              \
    if (!(__VA_ARGS__)) ++errors(); \
  } while (false)

struct NoneCounts {
  Array<std::int64_t> ivars{};
  Errors errors{};
  KOKKOS_FUNCTION void operator()() const {
    int const masked[n_ivars]  = {1, 1, -1, 1, 2};
    std::size_t const counts[] = {0, n_ivars};
    std::size_t indices[n_ivars];
    std::int64_t const values[n_ivars] = {1, 1, 1, 1, 1};
    auto const* const first            = ivars.data();
    for (std::size_t const n : counts) {
      symm::wait_until_all(first, n, masked, Compare::eq, 1);
      SYMM_COUNT_ERROR(symm::wait_until_any(first, n, masked, Compare::eq, 1) ==
                       SIZE_MAX);
      SYMM_COUNT_ERROR(symm::wait_until_some(first, n, indices, masked,
                                             Compare::eq, 1) == 0);
      SYMM_COUNT_ERROR(symm::test_all(first, n, masked, Compare::eq, 1));
      SYMM_COUNT_ERROR(symm::test_any(first, n, masked, Compare::eq, 1) ==
                       SIZE_MAX);
      SYMM_COUNT_ERROR(
          symm::test_some(first, n, indices, masked, Compare::eq, 1) == 0);
      symm::wait_until_all_vector(first, n, masked, Compare::eq, values);
      SYMM_COUNT_ERROR(symm::wait_until_any_vector(
                           first, n, masked, Compare::eq, values) == SIZE_MAX);
      SYMM_COUNT_ERROR(symm::wait_until_some_vector(first, n, indices, masked,
                                                    Compare::eq, values) == 0);
    }
    std::int64_t const* const nothing = nullptr;
    symm::wait_until_all(nothing, 0, nullptr, Compare::eq, 1);
    SYMM_COUNT_ERROR(
        symm::wait_until_any(nothing, 0, nullptr, Compare::eq, 1) == SIZE_MAX);
  }
};

TYPED_TEST(WaitingSets, with_no_variable_that_counts_all_return_at_once) {
  EXPECT_EQ(errors_of_five<TypeParam>(NoneCounts{}), 0);
}

struct SomeAreThere {
  Array<std::int64_t> ivars{};
  Errors errors{};
  KOKKOS_FUNCTION void operator()() const {
    auto* const first                  = ivars.data();
    int const odd[n_ivars]             = {1, 0, 1, 0, 1};  // those count
    std::int64_t const values[n_ivars] = {10, 11, 12, 13, 14};
    std::size_t indices[n_ivars]       = {77, 77, 77, 77, 77};
    auto const positive                = Compare::gt;
    int const there[]                  = {0, 2, 3};

    // None.
    SYMM_COUNT_ERROR(!symm::test_all(first, n_ivars, nullptr, positive, 0));
    SYMM_COUNT_ERROR(symm::test_any(first, n_ivars, nullptr, positive, 0) ==
                     SIZE_MAX);
    SYMM_COUNT_ERROR(
        symm::test_some(first, n_ivars, indices, nullptr, positive, 0) == 0);
    SYMM_COUNT_ERROR(indices[0] == 77);

    // 0, 2, and 3.
    for (int const i : there) first[i] = values[i];
    SYMM_COUNT_ERROR(!symm::test_all(first, n_ivars, nullptr, positive, 0));
    SYMM_COUNT_ERROR(!symm::test_all(first, n_ivars, odd, positive, 0));
    SYMM_COUNT_ERROR(symm::test_any(first, n_ivars, odd, positive, 0) == 3);
    SYMM_COUNT_ERROR(symm::wait_until_any(first, n_ivars, odd, positive, 0) ==
                     3);
    SYMM_COUNT_ERROR(
        symm::test_some(first, n_ivars, indices, nullptr, positive, 0) == 3);
    SYMM_COUNT_ERROR(indices[0] == 0 && indices[1] == 2 && indices[2] == 3 &&
                     indices[3] == 77);
    indices[0] = 77;
    SYMM_COUNT_ERROR(
        symm::wait_until_some(first, n_ivars, indices, odd, positive, 0) == 1);
    SYMM_COUNT_ERROR(indices[0] == 3 && indices[1] == 2);

    // 1, too: all that are odd.
    first[1] = values[1];
    SYMM_COUNT_ERROR(!symm::test_all(first, n_ivars, nullptr, positive, 0));
    SYMM_COUNT_ERROR(symm::test_all(first, n_ivars, odd, positive, 0));
    symm::wait_until_all(first, n_ivars, odd, positive, 0);

    // A value for each: 3 is not what it is to be.
    first[3] = 12;
    SYMM_COUNT_ERROR(
        !symm::test_all_vector(first, n_ivars, odd, Compare::eq, values));
    SYMM_COUNT_ERROR(
        symm::test_any_vector(first, n_ivars, odd, Compare::eq, values) == 1);
    SYMM_COUNT_ERROR(symm::test_some_vector(first, n_ivars, indices, nullptr,
                                            Compare::eq, values) == 3);
    SYMM_COUNT_ERROR(indices[0] == 0 && indices[1] == 1 && indices[2] == 2);
    SYMM_COUNT_ERROR(symm::wait_until_some_vector(first, n_ivars, indices, odd,
                                                  Compare::eq, values) == 1);
    SYMM_COUNT_ERROR(symm::wait_until_any_vector(first, n_ivars, odd,
                                                 Compare::eq, values) == 1);
    first[3] = 13;
    first[4] = 14;
    symm::wait_until_all_vector(first, n_ivars, nullptr, Compare::eq, values);
    SYMM_COUNT_ERROR(
        symm::test_all_vector(first, n_ivars, nullptr, Compare::eq, values));
    SYMM_COUNT_ERROR(symm::test_all(first, n_ivars, nullptr, positive, 9));
  }
};

TYPED_TEST(WaitingSets, only_variables_that_count_and_compare_so_are_found) {
  EXPECT_EQ(errors_of_five<TypeParam>(SomeAreThere{}), 0);
}

/// "a series of calls must eventually return i", also where two sets take
/// turns.
struct AnyIsFair {
  Array<std::int64_t> ivars{};
  Errors errors{};
  KOKKOS_FUNCTION void operator()() const {
    auto const* const first = ivars.data();
    int waits[n_ivars]      = {};
    int tests[n_ivars]      = {};
    int of_two[2]           = {};
    for (int i = 0; i < 1000; ++i) {
      ++waits[symm::wait_until_any(first, n_ivars, nullptr, Compare::eq, 0)];
      ++tests[symm::test_any(first, n_ivars, nullptr, Compare::eq, 0)];
      ++of_two[symm::wait_until_any(first, 2, nullptr, Compare::eq, 0)];
      static_cast<void>(symm::test_any(first, 2, nullptr, Compare::eq, 0));
    }
    for (int i = 0; i < 5; ++i) {
      SYMM_COUNT_ERROR(waits[i] > 50 && tests[i] > 50);
    }
    SYMM_COUNT_ERROR(of_two[0] > 100 && of_two[1] > 100);
  }
};

TYPED_TEST(WaitingSets, any_leaves_no_variable_out) {
  EXPECT_EQ(errors_of_five<TypeParam>(AnyIsFair{}), 0);
}

/// Every PE stores to every PE; each waits for all in one of three ways.
struct GatherFromAll {
  symm::HeapMap heap;
  Array<std::uint64_t> ivars;  // one for each PE
  Array<int> status;
  Array<std::size_t> indices;
  int n_rounds;
  Errors errors;

  KOKKOS_FUNCTION void operator()() const {
    auto const n_pes = static_cast<std::size_t>(heap.n_pes);
    auto* const mine = ivars.data();
    for (int round = 1; round <= n_rounds; ++round) {
      auto const value = static_cast<std::uint64_t>(round);
      for (int pe = 0; pe < heap.n_pes; ++pe) {
        store_release_at(heap, pe, &ivars(heap.my_pe), value);
        status(pe) = 0;
      }
      if (round % 3 == 0) {
        symm::wait_until_all(mine, n_pes, status.data(), Compare::ge, value);
      } else if (round % 3 == 1) {
        std::size_t n = 0;
        for (;; ++n) {
          auto const pe = symm::wait_until_any(mine, n_pes, status.data(),
                                               Compare::ge, value);
          if (pe == SIZE_MAX) break;
          SYMM_COUNT_ERROR(pe < n_pes && status(pe) == 0);
          status(pe) = 1;
        }
        SYMM_COUNT_ERROR(n == n_pes);
      } else {
        std::size_t n = 0;
        while (n < n_pes) {
          auto const n_new = symm::wait_until_some(
              mine, n_pes, indices.data(), status.data(), Compare::ge, value);
          SYMM_COUNT_ERROR(n_new > 0);
          for (std::size_t i = 0; i < n_new; ++i) {
            std::size_t const its = indices(i);
            SYMM_COUNT_ERROR(status(its) == 0);
            status(its) = 1;
          }
          n += n_new;
        }
      }
      for (std::size_t pe = 0; pe < n_pes; ++pe) {
        auto const now = symm::load_relaxed(mine + pe);
        SYMM_COUNT_ERROR(now >= value && now <= value + 1);
      }
    }
  }
};

TYPED_TEST(WaitingSets, all_any_and_some_wait_for_all_PEs) {
  auto const n_pes = static_cast<std::size_t>(symm::n_pes());
  Array<std::uint64_t> const ivars("ivars", n_pes);
  Array<int> const status("status", n_pes);
  Array<std::size_t> const indices("indices", n_pes);
  Errors const errors("errors");
  symm::barrier_all(TypeParam());
  EXPECT_EQ(count_errors<TypeParam>(
                GatherFromAll{symm::heap_map(Space::memory_kind), ivars, status,
                              indices, turns<TypeParam>(3000), errors}),
            0);
  symm::barrier_all();
}

/// A queue without locks on every PE, which its left neighbor fills: tokens go
/// once around.
struct PassTokens {
  static constexpr std::uint64_t n_places = 8;

  symm::HeapMap heap;
  Array<std::uint64_t> tokens;
  Array<std::uint64_t> counts;  // 0: written, 1: read
  Pe from;
  Pe to;
  std::uint64_t n_tokens;
  Errors errors;

  KOKKOS_FUNCTION static std::uint64_t token(Pe pe, std::uint64_t i) {
    return pattern({pe, 1}, i);
  }

  KOKKOS_FUNCTION void operator()() const {
    auto const me             = heap.my_pe;
    std::uint64_t n_sent      = 0;
    std::uint64_t n_read      = 0;
    auto const* const counter = counts.data();
    while (n_sent < n_tokens || n_read < n_tokens) {
      // A token to read; or room for one to send: the PE on the right has read
      // the one that was there.
      int const status[] = {n_read < n_tokens ? 0 : 1,
                            n_sent < n_tokens ? 0 : 1};
      std::uint64_t const values[] = {
          n_read + 1, n_sent < n_places ? 0 : n_sent - n_places + 1};
      auto const which =
          symm::wait_until_any_vector(counter, 2, status, Compare::ge, values);
      if (which == 0) {
        if (tokens(n_read % n_places) != token(from, n_read)) ++errors();
        ++n_read;
        store_release_at(heap, from, &counts(1), n_read);
      } else {
        store_at(heap, to, &tokens(n_sent % n_places), token(me, n_sent));
        ++n_sent;
        store_release_at(heap, to, counts.data(), n_sent);
      }
    }
  }
};

TYPED_TEST(WaitingSets, queues_between_PEs_lose_and_mix_no_tokens) {
  Array<std::uint64_t> const tokens("tokens", PassTokens::n_places);
  Array<std::uint64_t> const counts("counts", 2);
  Errors const errors("errors");
  symm::barrier_all(TypeParam());
  int const n_tokens = is_host_exec<TypeParam> ? turns<TypeParam>(20'000) : 30;
  EXPECT_EQ(count_errors<TypeParam>(PassTokens{
                symm::heap_map(Space::memory_kind), tokens, counts, left(),
                right(), static_cast<std::uint64_t>(n_tokens), errors}),
            0);
  symm::barrier_all();
}

}  // namespace

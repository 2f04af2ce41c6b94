// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// histogram(), compared with counts of the elements of all PEs.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>
#include <kokkos/view_helpers.hpp>
#include <support/pes.hpp>

#include "../exchange/plans.hpp"

namespace {

using namespace symm_test;
using symm::Pe;
using symm::UsageError;
using testing::HasSubstr;

std::vector<int> bins_of(unsigned seed, Pe pe, int n_bins) {
  std::mt19937 random(seed * 100 + static_cast<unsigned>(pe));
  std::vector<int> bins((seed * 811 + static_cast<unsigned>(pe) * 307) % 1500);
  for (auto& bin : bins)
    bin = static_cast<int>(random() % static_cast<unsigned>(n_bins));
  return bins;
}

TEST(Histogram, every_PE_has_the_counts_of_all) {
  for (int const n_bins : {1, 7, 1000}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      std::vector<long> expected(static_cast<std::size_t>(n_bins));
      for (Pe pe = 0; pe < symm::n_pes(); ++pe) {
        for (int const bin : bins_of(seed, pe, n_bins))
          ++expected[static_cast<std::size_t>(bin)];
      }
      Kokkos::View<long*, symm::SymmetricSpace> counts("counts",
                                                       expected.size());
      fill(counts, [](auto k, auto) { return k + 5; });
      symm::histogram(Exec(), ints(bins_of(seed, symm::my_pe(), n_bins)),
                      counts);
      EXPECT_EQ(count_wrong(counts, [&](auto k, auto) { return expected[k]; }),
                0U)
          << n_bins << " " << seed;
    }
  }
  symm::barrier_all();
}

TEST(Histogram, a_bin_that_is_not_there_is_an_error_on_all_PEs) {
  int const me = symm::my_pe(), n = symm::n_pes();
  Kokkos::View<int*, symm::SymmetricSpace> counts("counts", 4);
  fill(counts, [](auto k, auto) { return k + 5; });
  auto const text = [&](int bin) {
    return message_of<UsageError>([&] {
      symm::histogram(Exec(), ints({0, me == n - 1 ? bin : 3, 9 * (me / n)}),
                      counts);
    });
  };
  auto const where = "symm::histogram failed: on PE " + std::to_string(n - 1) +
                     ": element 1: invalid bin ";
  EXPECT_THAT(text(4), HasSubstr(where + "4"));
  EXPECT_THAT(text(-1), HasSubstr(where + "-1"));
  EXPECT_EQ(count_wrong(counts, [](auto k, auto) { return k + 5; }), 0U);
  symm::barrier_all();
}

}  // namespace

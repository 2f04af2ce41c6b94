// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// DistributedHashMap, compared with a std::map that each PE fills with what all
// PEs insert.

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include <Kokkos_SymmetricContainers.hpp>

namespace {

using symm::DistributedHashMap;
using symm::MailRouting;
using symm::Pe;

/// What a PE inserts in a round: keys of few, of many, of one.
std::vector<std::pair<long, int>> inserts_of(Pe pe, int round) {
  std::mt19937 random(static_cast<unsigned>(pe * 100 + round));
  std::vector<std::pair<long, int>> result;
  if (pe % 4 == 1 && round % 2 == 0) return result;
  unsigned const range = round % 3 == 0 ? 40 : round % 3 == 1 ? 5000 : 1;
  for (auto k = random() % 4000; k > 0; --k) {
    auto const key = static_cast<long>(random() % range) * 1'000'003 - 77;
    result.emplace_back(key, static_cast<int>(random() % 100));
  }
  return result;
}

class HashMapOf : public testing::TestWithParam<MailRouting> {};
INSTANTIATE_TEST_SUITE_P(Routings, HashMapOf,
                         testing::Values(MailRouting::direct,
                                         MailRouting::by_nodes));

TEST_P(HashMapOf, has_what_all_PEs_have_inserted) {
  DistributedHashMap<long, int, symm::Sum> map("sums", 0,
                                               {.routing = GetParam()});
  std::map<long, int> expected;
  for (int round = 0; round < 6; ++round) {
    for (auto const& [key, value] : inserts_of(symm::my_pe(), round))
      map.insert(key, value);
    map.finish();
    for (Pe pe = 0; pe < symm::n_pes(); ++pe)
      for (auto const& [key, value] : inserts_of(pe, round))
        expected[key] += value;

    EXPECT_EQ(map.size(), expected.size());
    std::size_t n = 0;
    map.for_each_local([&](long key, int value) {
      ++n;
      EXPECT_EQ(map.pe_of(key), symm::my_pe());
      auto const its = expected.find(key);
      EXPECT_TRUE(its != expected.end() && its->second == value) << key;
    });
    EXPECT_EQ(n, map.local_size());

    std::vector<long> keys;
    for (auto const& [key, value] : expected) {
      keys.push_back(key);
      keys.push_back(key + 1);
    }
    std::vector<std::optional<int>> found(keys.size(), 7);
    for (std::size_t k = 0; k < keys.size(); ++k) map.find(keys[k], found[k]);
    map.finish();
    for (std::size_t k = 0; k < keys.size(); ++k) {
      auto const its = expected.find(keys[k]);
      EXPECT_EQ(found[k], its == expected.end() ? std::nullopt
                                                : std::optional(its->second));
    }
  }
  map.clear_local();
  EXPECT_EQ(map.size(), 0U);
}

TEST_P(HashMapOf, one_PE_inserts_a_key_that_all_look_for) {
  DistributedHashMap<int, int> map("first", 100, {.routing = GetParam()});
  constexpr int n_keys = 3000;
  std::vector<std::optional<int>> had(n_keys);
  for (int k = 0; k < n_keys; ++k)
    map.find_or_insert(k, symm::my_pe(), had[static_cast<std::size_t>(k)]);
  map.finish();
  std::vector<std::optional<int>> now(n_keys);
  for (int k = 0; k < n_keys; ++k)
    map.find(k, now[static_cast<std::size_t>(k)]);
  map.finish();
  int n_first = 0;
  for (std::size_t k = 0; k < n_keys; ++k) {
    EXPECT_TRUE(now[k].has_value());
    if (!now[k]) continue;
    if (!had[k]) ++n_first;
    EXPECT_EQ(had[k].value_or(symm::my_pe()), *now[k]);
  }
  EXPECT_EQ(symm::reduce(symm::team_world(), n_first, symm::Sum{}), n_keys);
}

/// Keys that meet in few places of a table.
struct FewPlaces {
  std::size_t operator()(long key) const {
    return static_cast<std::size_t>(key % 7);
  }
};

TEST_P(HashMapOf, has_not_what_any_PE_has_erased) {
  DistributedHashMap<long, int> map("many", 0, {.routing = GetParam()});
  DistributedHashMap<long, int, symm::Replace, FewPlaces> crowded(
      "crowded", 0, {.routing = GetParam()});
  std::map<long, int> expected;
  int const n = symm::n_pes(), me = symm::my_pe();
  std::mt19937 random(5);  // the same on all PEs
  for (int round = 0; round < 40; ++round) {
    // Each key is of one PE in a round.
    for (long key = 0; key < 150; ++key) {
      if (random() % 3 != 0) continue;
      auto const pe = static_cast<Pe>(random() % static_cast<unsigned>(n));
      expected[key] = round;
      if (pe != me) continue;
      map.insert(key, round);
      crowded.insert(key, round);
    }
    map.finish();
    crowded.finish();
    std::map<long, std::optional<int>> was;  // of keys that this PE erases
    std::map<long, int> had;
    for (long key = -3; key < 150; ++key) {
      if (random() % 4 != 0) continue;
      auto const pe  = static_cast<Pe>(random() % static_cast<unsigned>(n));
      auto const its = expected.find(key);
      if (pe == me) {
        had[key] = its == expected.end() ? -1 : its->second;
        map.erase(key, was[key]);
        crowded.erase(key);
      }
      if (its != expected.end()) expected.erase(its);
    }
    map.finish();
    crowded.finish();
    for (auto const& [key, value] : was)
      EXPECT_EQ(value.value_or(-1), had[key]) << key;
    EXPECT_EQ(map.size(), expected.size());
    EXPECT_EQ(crowded.size(), expected.size());
    std::vector<std::optional<int>> now(300);
    for (std::size_t k = 0; k < 150; ++k) {
      map.find(static_cast<long>(k), now[k]);
      crowded.find(static_cast<long>(k), now[150 + k]);
    }
    map.finish();
    crowded.finish();
    int n_wrong = 0;
    for (std::size_t k = 0; k < 150; ++k) {
      auto const its   = expected.find(static_cast<long>(k));
      auto const value = its == expected.end() ? -1 : its->second;
      n_wrong += now[k].value_or(-1) == value ? 0 : 1;
      n_wrong += now[150 + k].value_or(-1) == value ? 0 : 1;
    }
    EXPECT_EQ(n_wrong, 0) << round;
  }
}

TEST(HashMap, takes_and_gives_Views) {
  DistributedHashMap<std::uint64_t, double> map("Views");
  using Memory = Kokkos::HostSpace;
  Kokkos::View<std::uint64_t*, Memory> const keys("keys", 500);
  Kokkos::View<double*, Memory> const values("values", 500);
  auto const first = 500U * static_cast<unsigned>(symm::my_pe());
  for (std::size_t k = 0; k < 500; ++k) {
    keys(k)   = first + k;
    values(k) = 0.5 * static_cast<double>(first + k);
  }
  map.insert_all_of(keys, values);
  EXPECT_EQ(map.size(), 500U * static_cast<unsigned>(symm::n_pes()));

  // Those of the next PE, and one that nobody has.
  Kokkos::View<bool*, Memory> const found("found", 500);
  auto const next =
      500U * static_cast<unsigned>((symm::my_pe() + 1) % symm::n_pes());
  for (std::size_t k = 0; k < 500; ++k) keys(k) = next + k;
  keys(7) = 1'000'000;
  map.find_all_of(keys, values, found);
  for (std::size_t k = 0; k < 500; ++k) {
    EXPECT_EQ(found(k), k != 7);
    if (k != 7) {
      EXPECT_EQ(values(k), 0.5 * static_cast<double>(next + k));
    }
  }
}

struct Refuse {
  int operator()(int, int) const { throw symm::UsageError("twice"); }
};

TEST(HashMap, answers_are_there_when_an_insert_has_failed) {
  DistributedHashMap<int, int, Refuse> map("refuses");
  map.insert(symm::my_pe(), 7);
  map.finish();
  if (symm::my_pe() == 0) map.insert(0, 8);
  std::optional<int> found;
  map.find(symm::my_pe(), found);
  EXPECT_THROW(map.finish(), symm::UsageError);
  EXPECT_EQ(found, 7);
  map.finish();
}

TEST(HashMap, keys_are_spread_over_the_PEs) {
  DistributedHashMap<int, int> map("spread");
  for (int k = 0; k < 1000; ++k)
    map.insert((symm::my_pe() * 1000 + k) * 4096, k);
  map.finish();
  EXPECT_GT(map.local_size(), 700U);
  EXPECT_LT(map.local_size(), 1300U);
}

}  // namespace

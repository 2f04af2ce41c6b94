// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

// What a PE notes between collective calls. How PEs compare it:
// Rendezvous_Trail.cpp.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <runtime/pes/CallTrail.hpp>

namespace {

using symm::Impl::CallTrail;
using symm::Impl::RuntimeCall;
using symm::Impl::RuntimeCallArguments;

struct NotedCall {
  RuntimeCall operation;
  RuntimeCallArguments arguments;
};

std::uint64_t hash_of(std::vector<NotedCall> const& calls) {
  CallTrail trail;
  for (auto const& call : calls) trail.note(call.operation, call.arguments);
  return trail.hash();
}

TEST(CallTrail, nothing_noted_is_0) {
  CallTrail trail;
  EXPECT_EQ(trail.hash(), 0U);
  EXPECT_EQ(trail.count(), 0U);
  EXPECT_EQ(trail.generation(), 0U);
  trail.note(RuntimeCall::none, {});
  EXPECT_NE(trail.hash(), 0U);
  EXPECT_EQ(trail.count(), 1U);
}

TEST(CallTrail, the_hash_is_of_operations_arguments_and_order) {
  NotedCall const a{RuntimeCall::malloc_async, {1, 64, 2}};
  NotedCall const b{RuntimeCall::free_async, {1, 64, 2}};
  std::vector<std::vector<NotedCall>> const all{
      {a},
      {b},
      {a, b},
      {b, a},
      {a, a},
      {a, b, a},
      {{RuntimeCall::malloc_async, {2, 64, 2}}},
      {{RuntimeCall::malloc_async, {1, 65, 2}}},
      {{RuntimeCall::malloc_async, {1, 64, 3}}},
      {{RuntimeCall::malloc_async, {64, 1, 2}}},
      {{RuntimeCall::malloc_async, {1, 64, 2 + (std::uint64_t{1} << 63U)}}}};
  std::set<std::uint64_t> hashes;
  for (auto const& calls : all) {
    EXPECT_EQ(hash_of(calls), hash_of(calls));
    hashes.insert(hash_of(calls));
  }
  EXPECT_EQ(hashes.size(), all.size());
}

TEST(CallTrail, labels_are_shown_and_not_compared) {
  CallTrail one;
  one.note(RuntimeCall::malloc_async, {1, 64, 2}, "pressure");
  EXPECT_EQ(one.hash(), hash_of({{RuntimeCall::malloc_async, {1, 64, 2}}}));
  EXPECT_EQ(one.text_of(0),
            "symm::malloc_async \"pressure\"(pool = 1, bytes = 64, stream = "
            "2)");
}

TEST(CallTrail, a_label_that_is_too_long_is_cut) {
  CallTrail trail;
  for (std::size_t const length : {28U, 29U, 30U, 1000U}) {
    std::string const label(length, 'x');
    trail.note(RuntimeCall::pool_destroy, {7}, label.c_str());
    EXPECT_EQ(
        trail.text_of(trail.count() - 1),
        "destruction of a pool \"" + label.substr(0, 29) + "\"(pool = 7)");
  }
}

TEST(CallTrail, the_latest_calls_are_kept) {
  CallTrail trail;
  std::vector<std::uint64_t> hashes{0};
  for (std::uint64_t call = 0; call < 3 * CallTrail::capacity; ++call) {
    trail.note(RuntimeCall::pool_destroy, {call});
    hashes.push_back(trail.hash());
    EXPECT_EQ(trail.count(), call + 1);
    EXPECT_EQ(trail.oldest(),
              call < CallTrail::capacity ? 0 : call + 1 - CallTrail::capacity);
    for (auto const shown : {trail.oldest(), trail.oldest() / 2 + call / 2}) {
      EXPECT_EQ(trail.hash_before(shown), hashes[shown]);
      EXPECT_EQ(trail.text_of(shown),
                "destruction of a pool(pool = " + std::to_string(shown) + ")");
    }
    EXPECT_EQ(trail.hash_before(call + 1), trail.hash());
  }
}

TEST(CallTrail, a_new_start_forgets_all_in_a_new_generation) {
  CallTrail trail;
  trail.note(RuntimeCall::pool_destroy, {7});
  trail.start_anew();
  EXPECT_EQ(trail.hash(), 0U);
  EXPECT_EQ(trail.count(), 0U);
  EXPECT_EQ(trail.generation(), 1U);
  trail.note(RuntimeCall::pool_destroy, {8});
  EXPECT_EQ(trail.hash(), hash_of({{RuntimeCall::pool_destroy, {8}}}));
}

}  // namespace

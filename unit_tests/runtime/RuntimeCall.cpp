// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <runtime/pes/RuntimeCall.hpp>

namespace {

using symm::Impl::RuntimeCall;
using symm::Impl::to_string;
using testing::HasSubstr;
using testing::Not;

constexpr auto last_operation =
    static_cast<std::uint32_t>(RuntimeCall::compare_trails);

TEST(RuntimeCall, a_call_is_shown_as_a_user_writes_it) {
  EXPECT_EQ(to_string(RuntimeCall::malloc, {1024}),
            "symm::malloc(bytes = 1024)");
  EXPECT_EQ(to_string(RuntimeCall::align, {1024, 64}),
            "symm::align(bytes = 1024, alignment = 64)");
  EXPECT_EQ(to_string(RuntimeCall::calloc, {32, 4, 8}),
            "symm::calloc(bytes = 32, count = 4, size = 8)");
  EXPECT_EQ(to_string(RuntimeCall::barrier_all, {}), "symm::barrier_all()");
}

TEST(RuntimeCall, a_view_is_shown_with_its_label) {
  auto const text =
      to_string(RuntimeCall::allocate_view, {248, 256, 128}, "temperature");
  EXPECT_THAT(text, HasSubstr("View \"temperature\""));
  EXPECT_THAT(text, HasSubstr("bytes = 248"));
  EXPECT_THAT(to_string(RuntimeCall::allocate_view, {248, 256, 128}),
              Not(HasSubstr("\"")));
}

TEST(RuntimeCall, the_largest_values_are_shown_in_full) {
  EXPECT_THAT(to_string(RuntimeCall::malloc, {~std::uint64_t{0}}),
              HasSubstr("18446744073709551615"));
}

TEST(RuntimeCall, every_operation_has_its_own_name) {
  for (std::uint32_t i = 1; i <= last_operation; ++i) {
    auto const name = to_string(static_cast<RuntimeCall>(i), {});
    EXPECT_NE(name, to_string(RuntimeCall::none, {})) << i;
    for (std::uint32_t j = 1; j < i; ++j) {
      EXPECT_NE(name, to_string(static_cast<RuntimeCall>(j), {})) << i << j;
    }
  }
}

}  // namespace

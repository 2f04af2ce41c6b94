// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include <runtime/pes/Operation.hpp>

namespace {

using symm::Impl::Operation;
using symm::Impl::to_string;
using testing::HasSubstr;
using testing::Not;

constexpr auto last_operation = static_cast<std::uint32_t>(Operation::agree);

TEST(Operation, a_call_is_shown_as_a_user_writes_it) {
  EXPECT_EQ(to_string(Operation::malloc, {1024}), "symm::malloc(bytes = 1024)");
  EXPECT_EQ(to_string(Operation::align, {1024, 64}),
            "symm::align(bytes = 1024, alignment = 64)");
  EXPECT_EQ(to_string(Operation::calloc, {32, 4, 8}),
            "symm::calloc(bytes = 32, count = 4, size = 8)");
  EXPECT_EQ(to_string(Operation::barrier_all, {}), "symm::barrier_all()");
}

TEST(Operation, a_view_is_shown_with_its_label) {
  auto const text =
      to_string(Operation::allocate_view, {248, 256, 128}, "temperature");
  EXPECT_THAT(text, HasSubstr("View \"temperature\""));
  EXPECT_THAT(text, HasSubstr("bytes = 248"));
  EXPECT_THAT(to_string(Operation::allocate_view, {248, 256, 128}),
              Not(HasSubstr("\"")));
}

TEST(Operation, the_largest_values_are_shown_in_full) {
  EXPECT_THAT(to_string(Operation::malloc, {~std::uint64_t{0}}),
              HasSubstr("18446744073709551615"));
}

TEST(Operation, every_operation_has_its_own_name) {
  for (std::uint32_t i = 1; i <= last_operation; ++i) {
    auto const name = to_string(static_cast<Operation>(i), {});
    EXPECT_NE(name, to_string(Operation::none, {})) << i;
    for (std::uint32_t j = 1; j < i; ++j) {
      EXPECT_NE(name, to_string(static_cast<Operation>(j), {})) << i << j;
    }
  }
}

}  // namespace

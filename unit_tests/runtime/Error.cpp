// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include <runtime/base/Failure.hpp>

namespace {

using symm::Impl::ErrorKind;
using symm::Impl::Failure;
using symm::Impl::failure_of;
using testing::HasSubstr;

static_assert(std::is_base_of_v<symm::Error, symm::UsageError>);
static_assert(std::is_base_of_v<symm::Error, symm::OutOfMemory>);
static_assert(std::is_base_of_v<symm::Error, symm::SystemError>);
static_assert(std::is_base_of_v<std::runtime_error, symm::Error>);

TEST(Error, a_system_error_says_what_was_tried_the_call_and_why) {
  symm::SystemError const error("mapping 4096 bytes", "mmap", EACCES);
  EXPECT_STREQ(error.what(),
               "mapping 4096 bytes: mmap failed: Permission denied");
}

TEST(Error, a_failure_keeps_class_and_message_of_what_was_thrown) {
  auto const kind_of = [](auto const& exception) {
    auto const failure = failure_of([&] { throw exception; });
    EXPECT_TRUE(failure && failure->message == exception.what());
    return failure ? failure->kind : ErrorKind::none;
  };
  EXPECT_EQ(kind_of(symm::UsageError("a")), ErrorKind::usage);
  EXPECT_EQ(kind_of(symm::OutOfMemory("b")), ErrorKind::out_of_memory);
  EXPECT_EQ(kind_of(symm::SystemError("c")), ErrorKind::system);
  EXPECT_EQ(kind_of(std::runtime_error("d")), ErrorKind::system);
}

TEST(Error, a_failure_takes_any_exception) {
  auto const memory = failure_of([] { throw std::bad_alloc(); });
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->kind, ErrorKind::out_of_memory);
  EXPECT_THAT(memory->message, HasSubstr("memory"));
  auto const unknown = failure_of([] { throw 7; });
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->kind, ErrorKind::system);
  EXPECT_FALSE(unknown->message.empty());
}

TEST(Error, a_step_that_returns_has_no_failure) {
  bool has_run = false;
  EXPECT_FALSE(failure_of([&] { has_run = true; }));
  EXPECT_TRUE(has_run);
}

TEST(Error, a_failure_is_thrown_as_the_class_that_it_names) {
  auto const thrown = [](ErrorKind kind) {
    return [kind] { symm::Impl::throw_failure({kind, "text"}); };
  };
  EXPECT_THROW(thrown(ErrorKind::usage)(), symm::UsageError);
  EXPECT_THROW(thrown(ErrorKind::out_of_memory)(), symm::OutOfMemory);
  EXPECT_THROW(thrown(ErrorKind::system)(), symm::SystemError);
  for (auto const kind :
       {ErrorKind::usage, ErrorKind::out_of_memory, ErrorKind::system}) {
    auto const again = failure_of(thrown(kind));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->kind, kind);
    EXPECT_EQ(again->message, "text");
  }
}

TEST(Text, parts_stand_one_behind_the_other) {
  symm::Impl::Text const text(
      "PE ", 3, " has ", ~std::uint64_t{0}, " of ", std::string("it"), ", ", -7,
      " and ", reinterpret_cast<void const*>(std::uintptr_t{0xabc}));
  EXPECT_EQ(text, "PE 3 has 18446744073709551615 of it, -7 and 0xabc");
  EXPECT_EQ(symm::Impl::Text(text, "!"), std::string(text) + "!");
  EXPECT_TRUE(symm::Impl::Text().empty());
}

TEST(Text, what_is_longer_is_cut) {
  using Short = symm::Impl::BasicText<5>;
  EXPECT_EQ(Short("12345"), "12345");
  EXPECT_EQ(Short("123456"), "12345");
  Short text("1234", 56);
  EXPECT_EQ(text, "12345");
  text.append("6", 7);
  EXPECT_STREQ(text.c_str(), "12345");
  Short const copy = text;
  text             = "";
  EXPECT_EQ(copy, "12345");
  EXPECT_EQ(text, "");
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <runtime/base/Env.hpp>
#include <runtime/symm_errors.hpp>

namespace {

using symm::Impl::env_bytes;
using symm::Impl::env_count;
using symm::Impl::env_flag;
using symm::Impl::env_pages;
using symm::Impl::env_seconds;
using symm::Impl::HugePages;
using testing::AllOf;
using testing::HasSubstr;

constexpr char const* name  = "SYMM_TEST_FIRST";
constexpr char const* other = "SYMM_TEST_SECOND";

/// Sets variables and takes them away after the test.
class Env : public testing::Test {
 protected:
  ~Env() override {
    ::unsetenv(name);
    ::unsetenv(other);
  }
  static void set(char const* variable, std::string const& value) {
    ASSERT_EQ(::setenv(variable, value.c_str(), 1), 0);
  }
};

template <class Read>
std::string refusal_of(Read const& read) {
  try {
    read();
  } catch (symm::UsageError const& error) {
    return error.what();
  }
  return "accepted";
}

constexpr std::size_t kib = 1024;

TEST_F(Env, bytes_take_units_in_powers_of_1024) {
  struct Case {
    char const* text;
    std::size_t bytes;
  };
  for (auto const& [text, bytes] :
       {Case{"0", 0},
        {"1", 1},
        {"65536", 65536},
        {"12b", 12},
        {"3K", 3 * kib},
        {"3kb", 3 * kib},
        {"3KiB", 3 * kib},
        {"512M", 512 * kib * kib},
        {"512 M", 512 * kib * kib},
        {"1.5G", 3 * kib * kib * kib / 2},
        {"1.5gib", 3 * kib * kib * kib / 2},
        {"2T", 2 * kib * kib * kib * kib},
        {"0.25K", 256},
        {"8388607T", 8388607 * kib * kib * kib * kib}}) {
    set(name, text);
    EXPECT_EQ(env_bytes({{name}}), bytes) << text;
  }
}

TEST_F(Env, a_count_is_a_whole_number) {
  EXPECT_EQ(env_count({{name}}), std::nullopt);
  for (auto const& [text, count] :
       {std::pair{"0", 0}, {"8", 8}, {"2147483647", 2147483647}}) {
    set(name, text);
    EXPECT_EQ(env_count({{name}}), count) << text;
  }
  for (char const* junk : {"-1", "1.5", "2 ", " 2", "8M", "2147483648"}) {
    set(name, junk);
    EXPECT_THAT(refusal_of([] { return env_count({{name}}); }),
                AllOf(HasSubstr(std::string(name) + "=" + junk),
                      HasSubstr("whole number")));
  }
}

TEST_F(Env, junk_bytes_are_an_error_that_names_variable_value_and_remedy) {
  set(name, "12Q");
  auto const refusal = refusal_of([] { return env_bytes({{name}}); });
  EXPECT_THAT(refusal, HasSubstr(std::string(name) + "=12Q"));
  EXPECT_THAT(refusal, HasSubstr("512M"));
}

TEST_F(Env, bytes_accept_numbers_with_units_only) {
  for (char const* text :
       {"Q",   "M",   "-1",   "-1M",   "+1",   "1e6",  "0x10",
        "1M1", "1MM", "1iB",  "1Bi",   "nan",  "inf",  ".",
        ".5",  " 5",  "1,5G", "1.5.5", "12 Q", "1 M x"}) {
    set(name, text);
    EXPECT_THAT(refusal_of([] { return env_bytes({{name}}); }), HasSubstr(text))
        << text;
  }
}

TEST_F(Env, more_bytes_than_an_address_space_are_junk) {
  for (std::string const& text :
       {std::string("8388608T"), std::string("9223372036854775808"),
        std::string("18446744073709551616"), std::string(400, '9'),
        std::string(400, '9') + "T"}) {
    set(name, text);
    EXPECT_NE(refusal_of([] { return env_bytes({{name}}); }), "accepted")
        << text;
  }
}

TEST_F(Env, the_first_name_that_is_set_counts) {
  EXPECT_EQ(env_bytes({{name, other}}), std::nullopt);
  set(other, "2K");
  EXPECT_EQ(env_bytes({{name, other}}), 2 * kib);
  set(name, "1K");
  EXPECT_EQ(env_bytes({{name, other}}), kib);
  EXPECT_EQ(env_bytes({{other, name}}), 2 * kib);
}

TEST_F(Env, junk_in_a_name_that_does_not_count_is_not_read) {
  set(name, "1K");
  set(other, "junk");
  EXPECT_EQ(env_bytes({{name, other}}), kib);
}

TEST_F(Env, an_empty_variable_counts_as_unset) {
  set(name, "");
  EXPECT_EQ(env_bytes({{name}}), std::nullopt);
  EXPECT_EQ(env_flag({{name}}), std::nullopt);
  EXPECT_EQ(env_seconds({{name}}), std::nullopt);
  set(other, "2K");
  EXPECT_EQ(env_bytes({{name, other}}), 2 * kib);
}

TEST_F(Env, a_flag_has_four_spellings_of_each_value) {
  for (char const* text : {"1", "true", "yes", "on", "TRUE", "Yes", "ON"}) {
    set(name, text);
    EXPECT_EQ(env_flag({{name}}), true) << text;
  }
  for (char const* text : {"0", "false", "no", "off", "False", "NO", "Off"}) {
    set(name, text);
    EXPECT_EQ(env_flag({{name}}), false) << text;
  }
  for (char const* text : {"2", "-1", "y", "maybe", "10", "on "}) {
    set(name, text);
    EXPECT_THAT(refusal_of([] { return env_flag({{name}}); }),
                HasSubstr(std::string(name) + "=" + text));
  }
}

TEST_F(Env, seconds_are_not_negative) {
  set(name, "30");
  EXPECT_EQ(env_seconds({{name}}), 30.0);
  set(name, "0.5");
  EXPECT_EQ(env_seconds({{name}}), 0.5);
  set(name, "0");
  EXPECT_EQ(env_seconds({{name}}), 0.0);
  // What no clock counts, and what rounds to "never".
  for (auto const& text : {std::string("10000000000"), std::string(400, '9')}) {
    set(name, text);
    EXPECT_EQ(env_seconds({{name}}), 1e9) << text;
  }
  set(name, "0.0000000001");
  EXPECT_EQ(env_seconds({{name}}), 1e-3);
  for (char const* text : {"-1", "1s", "1 s", "soon", "1e3", "inf"}) {
    set(name, text);
    EXPECT_THAT(refusal_of([] { return env_seconds({{name}}); }),
                HasSubstr(std::string(name) + "=" + text));
  }
}

TEST_F(Env, pages_are_advised_or_of_a_size) {
  EXPECT_EQ(env_pages({{name}}), std::nullopt);
  set(name, "never");
  EXPECT_EQ(env_pages({{name}}), HugePages::never);
  set(name, "Advise");
  EXPECT_EQ(env_pages({{name}}), HugePages::advise);
  set(name, "2M");
  EXPECT_EQ(env_pages({{name}}), HugePages{std::size_t{2} << 20U});
  set(name, "1G");
  EXPECT_EQ(bytes_of(*env_pages({{name}})), std::size_t{1} << 30U);
  for (char const* text : {"always", "0", "1", "3M", "2K", "-2M"}) {
    set(name, text);
    EXPECT_THAT(refusal_of([] { return env_pages({{name}}); }),
                AllOf(HasSubstr(std::string(name) + "=" + text),
                      HasSubstr("never, advise")));
  }
}

TEST_F(Env, temporary_variables_are_those_that_were_not_set) {
  set(name, "mine");
  ::unsetenv(other);
  {
    symm::Impl::TemporaryVariables variables;
    variables.set(name, "its");
    variables.set(other, "");
    EXPECT_STREQ(std::getenv(name), "mine");
    EXPECT_STREQ(std::getenv(other), "");
    EXPECT_THROW(variables.set("SYMM=TEST", "1"), symm::SystemError);
  }
  EXPECT_STREQ(std::getenv(name), "mine");
  EXPECT_EQ(std::getenv(other), nullptr);
}

}  // namespace

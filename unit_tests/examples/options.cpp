// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <heat3d_common/options.hpp>
#include <string>
#include <vector>

namespace {

using heat3d::to_string;
using testing::HasSubstr;

heat3d::Options parse(std::vector<char const*> words) {
  words.insert(words.begin(), "program");
  return heat3d::parse_options(static_cast<int>(words.size()), words.data());
}

std::string refusal_of(std::vector<char const*> const& words) {
  try {
    parse(words);
  } catch (heat3d::UsageError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(HeatOptions, a_size_has_three_spellings) {
  EXPECT_EQ(to_string(parse({"--size", "8"}).size), "8x8x8");
  EXPECT_EQ(to_string(parse({"--size", "8x4x2"}).size), "8x4x2");
  auto const options = parse({"--size", "8", "4", "2", "--steps", "0"});
  EXPECT_EQ(to_string(options.size), "8x4x2");
  EXPECT_EQ(options.steps, 0);
}

TEST(HeatOptions, everything_has_a_default) {
  auto const options = parse({});
  EXPECT_FALSE(options.pe_grid || options.quiet || options.help);
  EXPECT_EQ(options.picture + options.dump, "");
}

TEST(HeatOptions, junk_is_refused_with_its_name) {
  EXPECT_THAT(refusal_of({"--sise", "8"}), HasSubstr("--sise"));
  EXPECT_THAT(refusal_of({"8"}), HasSubstr("8"));
  for (auto const* junk : {"0", "-1", "8x4", "8x4x2x1", "8x4x", "xx", "", "1e3",
                           "8 ", "1000000000", "99999999999999999999"})
    EXPECT_THAT(refusal_of({"--size", junk}), HasSubstr("--size")) << junk;
  EXPECT_THAT(refusal_of({"--size", "8", "4"}), HasSubstr("'8x4'"));
  EXPECT_THAT(refusal_of({"--steps", "ten"}), HasSubstr("ten"));
  EXPECT_THAT(refusal_of({"--picture", "a.gif"}), HasSubstr("a.gif"));
}

TEST(HeatOptions, a_missing_value_is_refused) {
  for (auto const* option :
       {"--size", "--steps", "--modes", "--pe-grid", "--picture", "--dump"}) {
    EXPECT_THAT(refusal_of({option}), HasSubstr(option));
    EXPECT_THAT(refusal_of({option, "--quiet"}), HasSubstr(option));
  }
}

TEST(HeatOptions, a_mode_that_the_grid_cannot_show_is_refused) {
  EXPECT_THAT(refusal_of({"--size", "4", "--modes", "1x5x1"}),
              HasSubstr("1x5x1"));
  EXPECT_EQ(to_string(parse({"--modes", "4", "--size", "4"}).modes), "4x4x4");
}

TEST(HeatOptions, the_help_names_every_option) {
  for (auto const* option : {"--size", "--steps", "--modes", "--pe-grid",
                             "--picture", "--dump", "--quiet", "--help"})
    EXPECT_THAT(heat3d::help_text("heat3d"), HasSubstr(option));
}

}  // namespace

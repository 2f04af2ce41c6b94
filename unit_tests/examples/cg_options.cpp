// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cg_common/options.hpp>
#include <string>
#include <vector>

namespace cg_options {
namespace {

using testing::HasSubstr;

cg::Options parse(std::vector<char const*> words) {
  words.insert(words.begin(), "program");
  return cg::parse_options(static_cast<int>(words.size()), words.data());
}

std::string refusal_of(std::vector<char const*> const& words) {
  try {
    parse(words);
  } catch (cg::UsageError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CgOptions, everything_has_a_default) {
  auto const options = parse({});
  EXPECT_FALSE(options.quiet || options.help);
  EXPECT_EQ(options.matrix + options.dump, "");
  EXPECT_GT(options.grid, 0);
  EXPECT_GT(options.max_iterations, 0);
}

TEST(CgOptions, every_option_is_taken) {
  auto const options =
      parse({"--matrix", "a.mtx", "--tolerance", "1e-3", "--error", "0.5",
             "--max-iterations", "7", "--dump", "x", "--quiet"});
  EXPECT_EQ(options.matrix, "a.mtx");
  EXPECT_EQ(options.tolerance, 1e-3);
  EXPECT_EQ(options.error, 0.5);
  EXPECT_EQ(options.max_iterations, 7);
  EXPECT_EQ(options.dump, "x");
  EXPECT_TRUE(options.quiet);
  EXPECT_EQ(parse({"--grid", "1290"}).grid, 1290);
}

TEST(CgOptions, junk_is_refused_with_its_name) {
  EXPECT_THAT(refusal_of({"--gird", "8"}), HasSubstr("--gird"));
  EXPECT_THAT(refusal_of({"8"}), HasSubstr("8"));
  for (auto const* junk :
       {"0", "-1", "1291", "8x8", "", "8 ", "1e1", "99999999999999999999"})
    EXPECT_THAT(refusal_of({"--grid", junk}), HasSubstr("--grid")) << junk;
  for (auto const* junk : {"0", "1", "-1e-3", "nan", "", "1e-3x", "ten"})
    EXPECT_THAT(refusal_of({"--tolerance", junk}), HasSubstr("--tolerance"))
        << junk;
  EXPECT_THAT(refusal_of({"--matrix", "a.mtx", "--grid", "8"}),
              HasSubstr("--matrix"));
}

TEST(CgOptions, a_missing_value_is_refused) {
  for (auto const* option : {"--matrix", "--grid", "--tolerance", "--error",
                             "--max-iterations", "--dump"}) {
    EXPECT_THAT(refusal_of({option}), HasSubstr(option));
    EXPECT_THAT(refusal_of({option, "--quiet"}), HasSubstr(option));
  }
}

TEST(CgOptions, the_help_names_every_option) {
  for (auto const* option : {"--matrix", "--grid", "--tolerance", "--error",
                             "--max-iterations", "--dump", "--quiet", "--help"})
    EXPECT_THAT(cg::help_text("cg_solve"), HasSubstr(option));
}

}  // namespace
}  // namespace cg_options

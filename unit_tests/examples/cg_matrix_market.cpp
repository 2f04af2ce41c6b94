// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cg_common/matrix.hpp>
#include <sstream>
#include <string>

namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string const general = "%%MatrixMarket matrix coordinate real general\n";
std::string const symmetric =
    "%%MatrixMarket matrix coordinate real symmetric\n";

// "rows: row column value, ..."
std::string text_of(cg::Matrix const& matrix) {
  std::ostringstream text;
  text << matrix.n_rows << ':';
  for (auto const& entry : matrix.entries)
    text << ' ' << entry.row << ' ' << entry.column << ' ' << entry.value
         << ',';
  return text.str();
}

std::string read(std::string const& text) {
  std::istringstream file(text);
  return text_of(cg::read_matrix_market(file, "a.mtx"));
}

std::string refusal_of(std::string const& text) {
  try {
    read(text);
  } catch (cg::MatrixError const& error) {
    return error.what();
  }
  return "accepted";
}

TEST(CgMatrixMarket, a_symmetric_file_gives_both_triangles_in_order) {
  EXPECT_EQ(read(symmetric + "2 2 3\n2 2 3\n2 1 -1e0\n1 1 2.5\n"),
            "2: 0 0 2.5, 0 1 -1, 1 0 -1, 1 1 3,");
}

TEST(CgMatrixMarket, a_general_file_gives_its_entries_in_order) {
  EXPECT_EQ(read(general + "2 2 4\n2 1 -1\n1 2 -1\n2 2 3\n1 1 2\n"),
            "2: 0 0 2, 0 1 -1, 1 0 -1, 1 1 3,");
}

TEST(CgMatrixMarket, comments_blanks_and_spellings_do_not_matter) {
  EXPECT_EQ(read("%%matrixmarket MATRIX Coordinate Integer General\r\n"
                 "% a comment\r\n\r\n  % another\r\n 1\t1 1 \r\n\r\n"
                 "  1 1   7  \r\n\r\n"),
            "1: 0 0 7,");
}

TEST(CgMatrixMarket, what_is_no_matrix_market_file_is_refused) {
  EXPECT_EQ(refusal_of(""), "'a.mtx': is empty");
  EXPECT_THAT(refusal_of("1 1 1\n1 1 1\n"),
              HasSubstr("line 1: not a Matrix Market file"));
  EXPECT_THAT(refusal_of("\n" + general + "1 1 1\n1 1 1\n"),
              HasSubstr("line 2: not a Matrix Market file"));
  EXPECT_THAT(refusal_of("%%MatrixMarket matrix array real general\n1 1\n1\n"),
              HasSubstr("line 1: format 'array'"));
  EXPECT_THAT(
      refusal_of("%%MatrixMarket matrix coordinate complex general\n1 1 0\n"),
      HasSubstr("line 1: field 'complex'"));
  EXPECT_THAT(
      refusal_of("%%MatrixMarket matrix coordinate real skew-symmetric\n1 1"),
      HasSubstr("line 1: symmetry 'skew-symmetric'"));
}

TEST(CgMatrixMarket, a_bad_size_is_refused_with_its_line) {
  EXPECT_THAT(refusal_of(general), HasSubstr("before the size line"));
  EXPECT_THAT(refusal_of(general + "%\n2 3 1\n1 1 1\n"),
              HasSubstr("line 3: 2 rows and 3 columns: the matrix is not "
                        "square"));
  for (auto const* junk :
       {"1 1", "1 1 1 1", "0 0 0", "-1 -1 1", "1 1 x", "1.0 1 1", "1 1 -1",
        "2147483647 2147483647 1", "99999999999999999999 1 1"})
    EXPECT_THAT(refusal_of(general + junk + "\n1 1 1\n"),
                StartsWith("'a.mtx': line 2: "))
        << junk;
}

TEST(CgMatrixMarket, a_junk_line_is_refused_with_its_number) {
  for (auto const* junk : {"x", "1 1", "1 1 1 1", "0 1 1", "3 1 1", "1 0 1",
                           "1 3 1", "1.5 1 1", "1 1 one", "1 1 1x", "1 1 nan",
                           "1 1 inf", "1 1 1e999", "99999999999999999999 1 1"})
    EXPECT_THAT(refusal_of(general + "2 2 2\n% comment\n2 2 1\n" + junk + "\n"),
                StartsWith("'a.mtx': line 5: "))
        << junk;
}

TEST(CgMatrixMarket, another_number_of_entries_is_refused) {
  EXPECT_THAT(refusal_of(general + "2 2 2\n1 1 1\n"),
              HasSubstr("ends after line 3, with 1 of 2 entries"));
  EXPECT_THAT(refusal_of(general + "1 1 1\n1 1 1\n\n1 1 1\n"),
              HasSubstr("line 5: more than the 1 entries"));
  // Does not ask for memory before the entries are there.
  EXPECT_THAT(
      refusal_of(general + "2000000000 2000000000 9000000000000000000\n"),
      HasSubstr("0 of 9000000000000000000"));
  EXPECT_THAT(refusal_of(general + "2000000000 2000000000 1\n1 1 1\n"),
              HasSubstr("row 2 has no diagonal entry"));
}

TEST(CgMatrixMarket, an_entry_that_is_twice_is_refused_with_both_lines) {
  EXPECT_THAT(refusal_of(general + "1 1 2\n1 1 1\n1 1 1\n"),
              HasSubstr("line 4: entry (1, 1) appears twice, first on line 3"));
  EXPECT_THAT(refusal_of(symmetric + "2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n"),
              HasSubstr("line 5: entry (1, 2) appears twice, first on line 4"));
}

TEST(CgMatrixMarket, what_is_not_symmetric_is_refused_with_its_line) {
  EXPECT_THAT(
      refusal_of(general + "2 2 3\n1 1 1\n2 1 5\n2 2 1\n"),
      HasSubstr(
          "line 4: not symmetric: entry (2, 1) is present, but (1, 2) is not"));
  EXPECT_THAT(
      refusal_of(general + "2 2 4\n1 1 1\n1 2 5\n2 1 6\n2 2 1\n"),
      HasSubstr("line 4: not symmetric: entry (1, 2) differs from (2, 1) on "
                "line 5"));
  EXPECT_EQ(
      read(general + "2 2 4\n1 1 9\n1 2 1.00000000000001\n2 1 1\n2 2 9\n"),
      "2: 0 0 9, 0 1 1, 1 0 1, 1 1 9,");
}

TEST(CgMatrixMarket, a_diagonal_that_is_not_positive_is_refused) {
  EXPECT_THAT(refusal_of(symmetric + "2 2 2\n1 1 1\n2 1 1\n"),
              HasSubstr("row 2 has no diagonal entry"));
  EXPECT_THAT(refusal_of(symmetric + "2 2 1\n2 2 1\n"),
              HasSubstr("row 1 has no diagonal entry"));
  for (auto const* value : {"0", "-1"})
    EXPECT_THAT(refusal_of(symmetric + "2 2 2\n1 1 1\n2 2 " + value + "\n"),
                HasSubstr("line 4: not positive definite: the diagonal entry "
                          "of row 2 is not positive"));
}

TEST(CgMatrixMarket, a_file_that_cannot_be_read_is_refused_with_the_reason) {
  for (auto const& [name, reason] :
       {std::pair{"no_such_folder/a.mtx", "No such file"},
        std::pair{"/", "directory"}}) {
    try {
      cg::read_matrix_market(name);
      ADD_FAILURE() << name << " was read";
    } catch (cg::MatrixError const& error) {
      EXPECT_THAT(error.what(),
                  StartsWith(std::string("cannot read '") + name + "': "));
      EXPECT_THAT(error.what(), HasSubstr(reason));
    }
  }
}

}  // namespace

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cg_common/matrix.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <istream>
#include <limits>
#include <sstream>
#include <string>
#include <system_error>
#include <tuple>

namespace cg {
namespace {

/// The words in a line. The "\r" in files from Windows counts as whitespace.
std::vector<std::string> words_of(std::string const& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string lower_case(std::string word) {
  for (char& c : word)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return word;
}

/// Returns "(row, column)", counted from 1 as in the file.
std::string place_of(int row, int column) {
  return "(" + std::to_string(row + 1) + ", " + std::to_string(column + 1) +
         ")";
}

bool is_before(Entry const& a, Entry const& b) {
  return std::tie(a.row, a.column) < std::tie(b.row, b.column);
}

class Reader {
 public:
  Reader(std::istream& file, std::string const& name)
      : m_file(file), m_name(name) {}

  Matrix read() {
    read_banner();
    read_size();
    read_entries();
    if (m_is_symmetric) add_other_triangle();
    std::sort(m_matrix.entries.begin(), m_matrix.entries.end(), is_before);
    check_no_entry_is_twice();
    check_symmetry();
    check_diagonal();
    return std::move(m_matrix);
  }

 private:
  [[noreturn]] void fail(std::string const& what) const {
    throw MatrixError("'" + m_name + "': " + what);
  }

  [[noreturn]] void fail_at(std::size_t line, std::string const& what) const {
    fail("line " + std::to_string(line) + ": " + what);
  }

  /// The words in the next line that is not blank; none at the end of the file.
  std::vector<std::string> next_words() {
    for (std::string line; std::getline(m_file, line);) {
      ++m_line;
      auto words = words_of(line);
      if (!words.empty() && (!m_has_banner || words[0][0] != '%')) return words;
    }
    if (m_file.bad()) fail("cannot be read");
    return {};
  }

  void read_banner() {
    auto words = next_words();
    for (auto& word : words) word = lower_case(word);
    if (words.empty()) fail("is empty");
    if (words.size() != 5 || words[0] != "%%matrixmarket" ||
        words[1] != "matrix" || m_line != 1)
      fail_at(m_line,
              "not a Matrix Market file, which starts with "
              "'%%MatrixMarket matrix coordinate real symmetric'");
    if (words[2] != "coordinate")
      fail_at(1, "format '" + words[2] + "': only 'coordinate' is supported");
    if (words[3] != "real" && words[3] != "integer")
      fail_at(1, "field '" + words[3] +
                     "': only 'real' and 'integer' are supported");
    if (words[4] != "general" && words[4] != "symmetric")
      fail_at(1, "symmetry '" + words[4] +
                     "': only 'general' and 'symmetric' are supported");
    m_is_symmetric = words[4] == "symmetric";
    m_has_banner   = true;  // from here on, lines with % are comments
  }

  void read_size() {
    auto const words = next_words();
    if (words.empty()) fail("ends before the size line");
    if (words.size() != 3) fail_at(m_line, "expected 'ROWS COLUMNS ENTRIES'");
    constexpr int most = std::numeric_limits<int>::max() - 1;
    m_matrix.n_rows    = static_cast<int>(number(words[0], 1, most, "rows"));
    auto const columns = number(words[1], 1, most, "columns");
    if (m_matrix.n_rows != columns)
      fail_at(m_line, words[0] + " rows and " + words[1] +
                          " columns: the matrix is not square");
    m_n_entries = number(words[2], 0, std::numeric_limits<std::int64_t>::max(),
                         "entries");
  }

  void read_entries() {
    for (std::int64_t n = 0; n < m_n_entries; ++n) {
      auto const words = next_words();
      if (words.empty())
        fail("ends after line " + std::to_string(m_line) + ", with " +
             std::to_string(n) + " of " + std::to_string(m_n_entries) +
             " entries");
      if (words.size() != 3) fail_at(m_line, "expected 'ROW COLUMN VALUE'");
      auto const row    = number(words[0], 1, m_matrix.n_rows, "row");
      auto const column = number(words[1], 1, m_matrix.n_rows, "column");
      m_matrix.entries.push_back({static_cast<int>(row - 1),
                                  static_cast<int>(column - 1), value(words[2]),
                                  m_line});
    }
    if (!next_words().empty())
      fail_at(m_line, "more than the " + std::to_string(m_n_entries) +
                          " entries that were announced");
  }

  std::int64_t number(std::string const& word, std::int64_t smallest,
                      std::int64_t largest, char const* what) const {
    std::int64_t number  = 0;
    char const* const to = word.data() + word.size();
    auto const [end, ec] = std::from_chars(word.data(), to, number);
    if (ec != std::errc{} || end != to || number < smallest || number > largest)
      fail_at(m_line, std::string(what) + ": '" + word +
                          "' is not a whole number from " +
                          std::to_string(smallest) + " to " +
                          std::to_string(largest));
    return number;
  }

  double value(std::string const& word) const {
    char* end           = nullptr;
    double const number = std::strtod(word.c_str(), &end);
    if (*end != '\0' || !std::isfinite(number))
      fail_at(m_line, "value: '" + word + "' is not a finite number");
    return number;
  }

  void add_other_triangle() {
    auto& entries = m_matrix.entries;
    for (std::size_t n = 0, count = entries.size(); n < count; ++n) {
      Entry const entry = entries[n];
      if (entry.row != entry.column)
        entries.push_back({entry.column, entry.row, entry.value, entry.line});
    }
  }

  /// In a symmetric file, both (1, 2) and (2, 1) would be a duplicate, too: the
  /// format stores only one of them.
  void check_no_entry_is_twice() const {
    auto const& entries = m_matrix.entries;
    for (std::size_t n = 1; n < entries.size(); ++n)
      if (!is_before(entries[n - 1], entries[n]))
        fail_at(
            std::max(entries[n - 1].line, entries[n].line),
            "entry " + place_of(entries[n].row, entries[n].column) +
                " appears twice, first on line " +
                std::to_string(std::min(entries[n - 1].line, entries[n].line)));
  }

  void check_symmetry() const {
    if (m_is_symmetric) return;
    for (Entry const& entry : m_matrix.entries) {
      Entry const other = {entry.column, entry.row, 0, 0};
      auto const found  = std::lower_bound(
           m_matrix.entries.begin(), m_matrix.entries.end(), other, is_before);
      auto const entry_text = "entry " + place_of(entry.row, entry.column);
      if (found == m_matrix.entries.end() || is_before(other, *found))
        fail_at(entry.line, "not symmetric: " + entry_text +
                                " is present, but " +
                                place_of(other.row, other.column) + " is not");
      // A difference of this size can come from computing and printing a number
      // in two ways.
      if (std::abs(found->value - entry.value) > 1e-12 * std::abs(entry.value))
        fail_at(entry.line, "not symmetric: " + entry_text + " differs from " +
                                place_of(other.row, other.column) +
                                " on line " + std::to_string(found->line));
    }
  }

  void check_diagonal() const {
    int row = 0;  // all earlier rows have a diagonal entry
    for (Entry const& entry : m_matrix.entries) {
      if (entry.row != entry.column) continue;
      if (entry.row != row) break;
      if (!(entry.value > 0))
        fail_at(entry.line,
                "not positive definite: the diagonal entry of row " +
                    std::to_string(row + 1) + " is not positive");
      ++row;
    }
    if (row != m_matrix.n_rows)
      fail("not positive definite: row " + std::to_string(row + 1) +
           " has no diagonal entry");
  }

  std::istream& m_file;
  std::string m_name;
  std::size_t m_line       = 0;
  bool m_has_banner        = false;
  bool m_is_symmetric      = false;
  std::int64_t m_n_entries = 0;
  Matrix m_matrix;
};

}  // namespace

Matrix read_matrix_market(std::istream& file, std::string const& name) {
  return Reader(file, name).read();
}

Matrix read_matrix_market(std::string const& name) {
  errno = 0;
  std::ifstream file(name);
  // A directory can be opened, but not read.
  if (!file || (file.peek(), file.bad()))
    throw MatrixError("cannot read '" + name + "': " + std::strerror(errno));
  return read_matrix_market(file, name);
}

}  // namespace cg

// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <cg_common/options.hpp>
#include <charconv>
#include <cstdlib>
#include <string_view>
#include <system_error>

namespace cg {
namespace {

/// A whole number from `smallest` to `largest`.
int parse_number(std::string const& option, std::string const& text,
                 int smallest, int largest) {
  int number           = 0;
  char const* const to = text.data() + text.size();
  auto const [end, ec] = std::from_chars(text.data(), to, number);
  if (ec != std::errc{} || end != to || number < smallest || number > largest)
    throw UsageError(option + ": '" + text + "' is not a whole number from " +
                     std::to_string(smallest) + " to " +
                     std::to_string(largest));
  return number;
}

/// A number between 0 and 1, such as 1e-8.
double parse_fraction(std::string const& option, std::string const& text) {
  char* end           = nullptr;
  double const number = std::strtod(text.c_str(), &end);
  if (text.empty() || *end != '\0' || !(number > 0 && number < 1))
    throw UsageError(option + ": '" + text +
                     "' is not a number between 0 and 1, such as 1e-8");
  return number;
}

/// The words of the command line, one after the other.
class Words {
 public:
  Words(int argc, char const* const* argv) : m_next(argv + 1) {
    m_end = argc > 0 ? argv + argc : m_next;
  }

  bool empty() const { return m_next == m_end; }
  std::string take() { return *m_next++; }

  std::string value_of(std::string const& option) {
    if (empty() || std::string_view(*m_next).starts_with("--"))
      throw UsageError(option + " needs a value");
    return take();
  }

 private:
  char const* const* m_next;
  char const* const* m_end;
};

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  bool has_grid = false;
  for (Words words(argc, argv); !words.empty();) {
    std::string const option = words.take();
    if (option == "--matrix") {
      options.matrix = words.value_of(option);
    } else if (option == "--grid") {
      // 1290^3 is the last cube below 2^31: rows are numbered by int.
      options.grid = parse_number(option, words.value_of(option), 1, 1290);
      has_grid     = true;
    } else if (option == "--tolerance") {
      options.tolerance = parse_fraction(option, words.value_of(option));
    } else if (option == "--error") {
      options.error = parse_fraction(option, words.value_of(option));
    } else if (option == "--max-iterations") {
      options.max_iterations =
          parse_number(option, words.value_of(option), 1, 999'999'999);
    } else if (option == "--dump") {
      options.dump = words.value_of(option);
    } else if (option == "--quiet") {
      options.quiet = true;
    } else if (option == "--help" || option == "-h") {
      options.help = true;
    } else {
      throw UsageError("unknown option '" + option + "'");
    }
  }
  if (has_grid && !options.matrix.empty())
    throw UsageError("--matrix and --grid exclude each other");
  return options;
}

std::string help_text(std::string const& program) {
  return "usage: mpiexec -n PES " + program + R"( [options]

Solves A x = b for a sparse symmetric positive definite matrix A by conjugate
gradients with a Jacobi preconditioner. b is made from a known x, with which
the result is compared.

  --matrix FILE       read A from a Matrix Market file ("coordinate real",
                      "general" or "symmetric"); every PE reads all of it
  --grid N            A of the 27-point problem on N x N x N points: 26 on the
                      diagonal, -1 for each neighbour (default 32)
  --tolerance T       stop when the residual is T times that of x = 0
                      (default 1e-10)
  --error E           the largest error of x, relative to the largest x, that
                      is taken as correct (default 1e-4)
  --max-iterations N  give up then (default 10000)
  --dump FILE         write the number of iterations and x as text
  --quiet             print nothing unless something is wrong
  --help              print this text

Exit status: 0 solved and correct, 1 not converged, wrong or file trouble,
2 bad options or matrix.
)";
}

}  // namespace cg

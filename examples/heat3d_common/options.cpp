// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project

#include <charconv>
#include <heat3d_common/options.hpp>
#include <string_view>
#include <system_error>

namespace heat3d {
namespace {

/// A number of `option` with 1 to 9 digits, at least `smallest`.
int parse_number(std::string_view option, std::string_view text, int smallest) {
  int number           = 0;
  auto const [end, ec] = std::from_chars(text.begin(), text.end(), number);
  if (ec != std::errc{} || end != text.end() || number < smallest ||
      number > 999'999'999)
    throw UsageError(std::string(option) + ": '" + std::string(text) +
                     "' is not a whole number from " +
                     std::to_string(smallest) + " to 999999999");
  return number;
}

/// "8" (for all axes) or "8x4x2".
Triple parse_triple(std::string_view option, std::string_view text) {
  auto const first = text.find('x');
  if (first == std::string_view::npos) {
    int const number = parse_number(option, text, 1);
    return {number, number, number};
  }
  auto const second = text.find('x', first + 1);
  if (second == std::string_view::npos)
    throw UsageError(std::string(option) + ": '" + std::string(text) +
                     "' is neither one number nor three as in 8x4x2");
  return {parse_number(option, text.substr(0, first), 1),
          parse_number(option, text.substr(first + 1, second - first - 1), 1),
          parse_number(option, text.substr(second + 1), 1)};
}

std::string parse_picture_name(std::string const& name) {
  std::string_view const view = name;
  if (!view.ends_with(".png") && !view.ends_with(".ppm"))
    throw UsageError("--picture: '" + name + "' ends in neither .png nor .ppm");
  return name;
}

/// The words of the command line, one after the other.
class Words {
 public:
  Words(int argc, char const* const* argv) : m_next(argv + 1) {
    m_end = argc > 0 ? argv + argc : m_next;
  }

  bool empty() const { return m_next == m_end; }
  std::string take() { return *m_next++; }

  std::string value_of(std::string_view option) {
    if (empty() || std::string_view(*m_next).starts_with("--"))
      throw UsageError(std::string(option) + " needs a value");
    return take();
  }

  /// Like value_of, but turns three words "8 4 2" into "8x4x2".
  std::string triple_of(std::string_view option) {
    std::string text = value_of(option);
    while (!empty() && starts_with_digit(*m_next)) text += 'x' + take();
    return text;
  }

 private:
  static bool starts_with_digit(char const* word) {
    return *word >= '0' && *word <= '9';
  }

  char const* const* m_next;
  char const* const* m_end;
};

}  // namespace

Options parse_options(int argc, char const* const* argv) {
  Options options;
  for (Words words(argc, argv); !words.empty();) {
    std::string const option = words.take();
    if (option == "--size")
      options.size = parse_triple(option, words.triple_of(option));
    else if (option == "--steps")
      options.steps = parse_number(option, words.value_of(option), 0);
    else if (option == "--modes")
      options.modes = parse_triple(option, words.triple_of(option));
    else if (option == "--pe-grid")
      options.pe_grid = parse_triple(option, words.triple_of(option));
    else if (option == "--picture")
      options.picture = parse_picture_name(words.value_of(option));
    else if (option == "--dump")
      options.dump = words.value_of(option);
    else if (option == "--quiet")
      options.quiet = true;
    else if (option == "--help" || option == "-h")
      options.help = true;
    else
      throw UsageError("unknown option '" + option + "'");
  }
  for (int axis = 0; axis < 3; ++axis)
    if (options.modes[axis] > options.size[axis])
      throw UsageError("--modes " + to_string(options.modes) + ": a grid of " +
                       to_string(options.size) +
                       " cells resolves no more half waves than cells");
  return options;
}

std::string help_text(std::string const& program) {
  return "usage: mpiexec -n PES " + program + R"( [options]

Solves the heat equation on the unit cube, from a sine mode that decays, and
compares the result with the exact solution.

  --size N | NX NY NZ | NXxNYxNZ  cells inside the cube (default 96)
  --steps N                       time steps (default 1000)
  --modes MX MY MZ                half waves per axis at the start (default 1)
  --pe-grid PXxPYxPZ              PEs per axis (default: fewest halo cells)
  --picture FILE.png | FILE.ppm   write the middle slice as a picture
  --dump FILE                     write all cells as raw doubles, in the order
                                  of the global indices
  --quiet                         print nothing unless something is wrong
  --help                          print this text

Exit status: 0 solved and correct, 1 wrong result or file trouble, 2 bad options.
)";
}

std::string to_string(Triple const& numbers) {
  return std::to_string(numbers[0]) + 'x' + std::to_string(numbers[1]) + 'x' +
         std::to_string(numbers[2]);
}

}  // namespace heat3d
